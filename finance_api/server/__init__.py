"""The server runner: waitress with strict messages, caps, deadlines and a graceful end.

``serve`` is a PasteDeploy server runner; `finance_api.server.granian` is another one, which shares
the modules that do not know waitress::

    [server:main]
    use = egg:finance-api#waitress

==============  ========================================================================
settings        one table of the section's keys
address         where it listens
descriptors     how many sockets the system allows
refusal         why a message is refused, and what is answered then
head            request line and header lines: caps and strict syntax
chunked         bodies in chunked coding
parser          the two above, put into waitress
environment     what the application is told of each request alike
answers         the answers made here and the application's
deadlines       how long a connection may stay in one phase
channel         one connection
sockets         all open sockets, and waiting for them
listener        the listening socket and the loop
lead            which of several threads takes what comes next
crew            the threads that serve
drain           the end: what was accepted is answered, nothing more is taken
stop            signals
hooks           what the application asked to be called at the end
process         what is asked of the system: one arena of memory, few switches
runner          all of it in order
==============  ========================================================================

What this relies on in waitress beyond its documented interface, as read in 3.0.2 (a test fails
when another version is installed, so that this list is read again):

- ``HTTPRequestParser``: ``received`` returns the bytes consumed and sets ``completed``, ``error``,
  ``headers_finished``, ``expect_continue``, ``chunked``, ``body_rcv``; ``parse_header`` takes the
  head with its request line; ``header_plus`` holds what arrived of an unfinished head.
- ``HTTPChannel``: ``request`` (being read), ``requests`` (waiting or worked on, the first one is
  being answered), ``requests_lock``, ``total_outbufs_len``, ``close_when_flushed``, ``will_close``,
  ``connected``, ``_flush_some``, ``_flush_exception``; a worker leaves ``requests`` only after its
  whole answer is in the output buffers.
- ``Task``: ``build_response_header`` decides about ``Connection`` from ``request.headers``.
- ``BaseWSGIServer``: ``active_channels``, ``_map``, ``trigger``, ``handle_accept``,
  ``maintenance``, ``add_task``.
- ``wasyncore``: sockets enter and leave the map by ``map[fd] = x`` and ``del map[fd]``;
  ``readwrite`` deals with the flags of ``poll`` (``select`` ends at descriptor 1023).
"""

from finance_api.server.runner import serve

__all__ = ["serve"]
