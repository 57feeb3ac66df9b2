"""All open sockets, and one turn of waiting for them."""

import select
from typing import Any

from waitress import wasyncore

# The same flags in both; poll is for systems other than Linux, and costs more per idle connection.
_POLL, _UNITS_PER_SECOND = (select.epoll, 1) if hasattr(select, "epoll") else (select.poll, 1000)

_READ = select.POLLIN | select.POLLPRI


class Sockets(dict[int, Any]):
    """waitress' map of descriptors, polled at the cost of those that are at work.

    ``wasyncore.poll2`` asks every connection in every turn what it waits for, so that 500 slow
    clients make everybody else's requests several times as long. Here one that is ``settled``, with
    nothing to do until its client sends something, is asked when something has happened to it. One
    that is ``working`` on a request goes on being polled as it was: mostly nothing comes meanwhile,
    and then neither the system nor the worker has anything to be told. If something does come, it
    is left where it is, and the worker wakes the loop when it is done (``is_waited_for``).
    """

    def __init__(self) -> None:
        super().__init__()
        self._poll = _POLL()
        self._polled: dict[int, int] = {}
        self._unsettled: set[int] = set()

    def __setitem__(self, descriptor: int, dispatcher: Any) -> None:
        super().__setitem__(descriptor, dispatcher)
        self._unsettled.add(descriptor)

    def __delitem__(self, descriptor: int) -> None:
        super().__delitem__(descriptor)
        self._unsettled.discard(descriptor)
        self._wait_for(descriptor, 0)

    def ask(self, descriptor: int) -> None:
        """In the next turn ask this one; may be called by any thread."""
        self._unsettled.add(descriptor)

    def ask_all(self) -> None:
        """In the next turn ask every one again."""
        self._unsettled.update(self)

    def turn(self, timeout_seconds: float) -> None:
        """Wait until something happens, and let those that it happened to deal with it."""
        for descriptor in tuple(self._unsettled):
            dispatcher = self.get(descriptor)
            if dispatcher is None:
                self._unsettled.discard(descriptor)
                continue
            # Before the flags: when no worker is on it now, none changes them afterwards.
            if getattr(dispatcher, "settled", True):
                self._unsettled.discard(descriptor)
            elif getattr(dispatcher, "working", False) and self._polled.get(descriptor) == _READ:
                self._unsettled.discard(descriptor)
                continue
            flags = _READ if dispatcher.readable() else 0
            if dispatcher.writable() and not dispatcher.accepting:
                flags |= select.POLLOUT
            self._wait_for(descriptor, flags)
        for descriptor, happened in self._poll.poll(timeout_seconds * _UNITS_PER_SECOND):
            if descriptor in self:
                self._unsettled.add(descriptor)
                if getattr(self[descriptor], "working", False) and self._put_off(descriptor):
                    continue
                wasyncore.readwrite(self[descriptor], happened)

    def _put_off(self, descriptor: int) -> bool:
        """Leaves what came for a connection at work until the work is done; False if it is."""
        dispatcher = self[descriptor]
        dispatcher.is_waited_for = True
        # Only now: a worker that was done before has not seen it.
        if not dispatcher.working:
            dispatcher.is_waited_for = False
            return False
        self._wait_for(descriptor, 0)
        return True

    def _wait_for(self, descriptor: int, flags: int) -> None:
        before = self._polled.pop(descriptor, 0)
        if flags:
            self._polled[descriptor] = flags
        if flags and before:
            if flags != before:
                self._poll.modify(descriptor, flags)
        elif flags:
            self._poll.register(descriptor, flags)
        elif before:
            self._poll.unregister(descriptor)
