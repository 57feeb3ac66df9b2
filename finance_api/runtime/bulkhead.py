"""Bulkhead: limits the requests for data that run at once, to keep threads free for the rest.

`finance_api.http.requests.Request.in_place` uses `Bulkhead`. `Downloads` limits responses and
uploads, which last as long as their client reads or sends. The pattern is Michael Nygard's
("Release It!", 2007).
"""

import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

#: Costly calls that run at once. Python runs only one thread at a time, so another costly call
#: would make all requests wait longer, and no call end sooner.
_COSTLY = 1
#: Once calls of a user have waited without a break for this many times ``queue_seconds``, they are
#: refused at once until none waits. So nobody keeps all threads of a server waiting.
_QUEUE_LIMIT = 5


class BulkheadFull(Exception):
    """No place is free. is_own: whether other calls of the same user are the reason."""

    def __init__(self, *, is_own: bool) -> None:
        super().__init__("too many calls at once")
        self.is_own = is_own


@dataclass(eq=False, slots=True)
class _Call:
    """began: when the call got its turn.

    queue_began: since when calls of the user have waited for a place without a break.
    """

    user: Hashable
    is_cheap: bool
    has_turn: bool = False
    began: float = -math.inf
    queue_began: float = -math.inf


class Bulkhead:
    """A number of places. Each call has a place while it waits for its turn and runs.

    At most all places but one go to the calls of one user, or to costly calls; at most all but two
    go to the costly calls of one user. Costly calls run one at a time, and users take turns. Each
    costly call waits up to ``turn_seconds`` for its turn.

    If no place is free, a call waits for up to ``queue_seconds``: behind quick calls, places are
    free again soon. It is refused once the calls in its way have run for ``wait_seconds``. Calls of
    one user and kind get their places in the order in which they came; they never wait for calls of
    others that wait.

    A waiting call keeps a thread of its server, and has no place. There are not enough threads to
    let all calls of a burst wait, and to keep one for health checks. So the time is limited: a
    health check waits until the quick calls before it have ended, or one slow call has run for
    ``wait_seconds``.

    monotonic: returns seconds, like `time.monotonic`.
    """

    def __init__(
        self,
        places: int,
        *,
        wait_seconds: float = 1,
        queue_seconds: float = 2,
        turn_seconds: float = 5,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places = places
        self._wait_seconds = wait_seconds
        self._queue_seconds = queue_seconds
        self._turn_seconds = turn_seconds
        self._monotonic = monotonic
        #: The calls with a place, in the order in which they came.
        self._calls: list[_Call] = []
        #: The calls that wait for a place, in the order in which they came.
        self._queue: list[_Call] = []
        #: The user who had the last turn, and when it began.
        self._latest: Hashable = None
        self._turn_began = -math.inf
        # `call` enters the lock directly: entering the condition would take four more calls.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)

    def call(self, function: Callable[[], T], user: Hashable, *, is_cheap: bool) -> T:
        """Call the function for the user. If it may not run, raise BulkheadFull instead.

        While a call waits, its function has not begun. So a form that waits must hold no lock; a
        form that is refused has changed nothing, and can be sent again.
        """
        call = _Call(user, is_cheap)
        with self._lock:
            self._wait_for_place(call)
            self._calls.append(call)
            try:
                self._wait_for_turn(call)
            except BaseException:
                self._leave(call)
                raise
        try:
            return function()
        finally:
            with self._lock:
                self._leave(call)

    def _leave(self, call: _Call) -> None:
        self._calls.remove(call)
        self._changed.notify_all()

    def _wait_for_place(self, call: _Call) -> None:
        others = self._in_the_way(call)
        if not (others or self._queue):
            return
        came = self._monotonic()
        own_queue = (each.queue_began for each in self._queue if each.user == call.user)
        call.queue_began = next(own_queue, came)
        longest = self._queue_seconds
        until = min(came + longest, call.queue_began + _QUEUE_LIMIT * longest)
        self._queue.append(call)
        try:
            while (others := self._in_the_way(call)) or not self._is_next(call):
                # A costly call that begins brings all waiting costly calls nearer to their turn.
                began = [each.began if each.is_cheap else self._turn_began for each in others]
                seconds = min(until, max(began, default=until) + self._wait_seconds)
                seconds -= self._monotonic()
                if seconds <= 0:
                    raise BulkheadFull(is_own=all(each.user == call.user for each in others))
                self._changed.wait(seconds)
        finally:
            self._queue.remove(call)
            self._changed.notify_all()

    def _is_next(self, call: _Call) -> bool:
        """Return whether no call of the same user and kind came before."""
        kind = call.user, call.is_cheap
        return call is next(e for e in self._queue if (e.user, e.is_cheap) == kind)

    def _in_the_way(self, call: _Call) -> list[_Call]:
        """Return the calls of which one must end before this call gets a place, if any."""
        places, calls = self._places, self._calls
        # Below every limit.
        if len(calls) < max(1, places - 2):
            return []
        own = [each for each in calls if each.user == call.user]
        if call.is_cheap:
            limits = [(own, places - 1), (calls, places)]
        else:
            costly = [each for each in calls if not each.is_cheap]
            own_costly = [each for each in own if not each.is_cheap]
            limits = [(own_costly, places - 2), (own, places - 1), (costly, places - 1)]
            limits.append((calls, places))
        return next((held for held, most in limits if len(held) >= max(1, most)), [])

    def _wait_for_turn(self, call: _Call) -> None:
        until = self._monotonic() + self._turn_seconds
        while not (call.is_cheap or self._has_turn(call)):
            seconds = until - self._monotonic()
            if seconds <= 0:
                raise BulkheadFull(is_own=call.user == self._latest)
            self._changed.wait(seconds)
        call.has_turn, call.began = True, self._monotonic()
        if not call.is_cheap:
            self._latest, self._turn_began = call.user, call.began

    def _has_turn(self, call: _Call) -> bool:
        costly = [each for each in self._calls if not each.is_cheap]
        waiting = [each for each in costly if not each.has_turn]
        # The user who had the last turn comes after all other users.
        first = min(waiting, key=lambda each: each.user == self._latest)
        return first is call and len(costly) - len(waiting) < _COSTLY


class DownloadRunning(Exception):
    """The user has a download already."""


class Downloads:
    """Limits the downloads that run at once: ``most`` in all, and one per user.

    Uploads count as downloads, since an upload keeps a thread for as long as its client sends.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._ended = threading.Condition()
        self._waiter = threading.Lock()
        self._users: set[Hashable] = set()

    @contextmanager
    def running(self, user_id: Hashable, *, wait_seconds: float = 0) -> Iterator[None]:
        """Hold a place while a download of the user runs. Raises DownloadRunning, BulkheadFull.

        wait_seconds: how long to wait for a place. Only one request waits at a time, because a
        waiting request keeps a thread of the server busy.
        """
        if wait_seconds and self._waiter.acquire(blocking=False):
            try:
                with self._ended:
                    self._ended.wait_for(lambda: self._has_place(user_id), wait_seconds)
                    self._begin(user_id)
            finally:
                self._waiter.release()
        else:
            self._begin(user_id)
        try:
            yield
        finally:
            with self._ended:
                self._users.remove(user_id)
                self._ended.notify_all()

    def _has_place(self, user_id: Hashable) -> bool:
        return user_id not in self._users and len(self._users) < self._most

    def _begin(self, user_id: Hashable) -> None:
        with self._ended:
            if user_id in self._users:
                raise DownloadRunning
            if len(self._users) >= self._most:
                raise BulkheadFull(is_own=False)
            self._users.add(user_id)
