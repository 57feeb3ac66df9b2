"""Another server runner: granian, with several processes.

``serve`` is a PasteDeploy server runner::

    [server:granian]
    use = egg:finance-api#granian

==============  ========================================================================
settings        the section's keys: those of waitress, and the number of processes
application     what makes the application in each process, and what forbids several
runner          all of it in order
supervisor      the parent: starts workers, replaces those that die, ends them
worker          one process, from its start to its end
engine          granian's part of it
gateway         between granian and the application: PEP 3333, checks, failures
body            the body of a request, with a cap and a deadline
==============  ========================================================================

Behind a reverse proxy this is as strict as waitress is by itself; docs/settings.md tells what is
missing without one.

granian's own command is not used: it takes the library's part in signals, exit codes, logging and
the listening socket, and knows no end of an application. What this relies on beyond its documented
interface, as read in 2.8.7 (a test fails when another version is installed):

- ``WSGIWorker`` takes the keywords of `engine`; ``serve_mtr`` returns at once, serves in threads;
  the callable in its scheduler is called with ``(exchange, environ)``, in a thread that stays
  attached to Python, and has answered when it has called ``response_bytes`` or ``response_iter``,
  once: another call does nothing.
- ``WorkerSignal``: ``set`` ends the accepting, after which each connection ends with the answer it
  owes; the callback is called when all have ended.
- the listening socket is used by its descriptor's number, which `engine` gives to another one.
- ``SocketHolder(descriptor, is_unix, backlog)`` takes a socket that listens already; the worker
  closes it when it stops accepting.
- ``environ`` is a new dictionary for each request, without ``SCRIPT_NAME`` and ``wsgi.version`` and
  the like, with ``HTTP_HOST`` empty where there is none.
"""

from finance_api.server.granian.runner import serve

__all__ = ["serve"]
