"""Turns at the interpreter, so that requests that wait together are answered in their order."""

import threading
import time
from collections import deque
from types import TracebackType

#: So many requests are worked on side by side: Python runs one thread at a time, and with many
#: threads that want to, chance decides which of them waits longest.
_AT_ONCE = 2
#: One that takes longer waits for something else, such as a database: it keeps nobody waiting.
_LONG_SECONDS = 0.003


class Turns:
    """A context that at most a few threads are in, not counting those that have been long in it.

    They enter in the order in which they came.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._begun: dict[int, float] = {}

    def __enter__(self) -> None:
        me = threading.get_ident()
        with self._lock:
            now = time.monotonic()
            if not self._waiting and self._is_free(now):
                self._begun[me] = now
                return
            called = threading.Lock()
            called.acquire()
            self._waiting.append(called)
        while not called.acquire(timeout=_LONG_SECONDS):
            with self._lock:
                self._call_next()
        with self._lock:
            self._begun[me] = self._begun.pop(id(called))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._begun.pop(threading.get_ident(), None)
            self._call_next()

    def _is_free(self, now: float) -> bool:
        short = [at for at in self._begun.values() if now - at < _LONG_SECONDS]
        return len(short) < _AT_ONCE

    def _call_next(self) -> None:
        """Lets the next one in, if there is room."""
        now = time.monotonic()
        if self._waiting and self._is_free(now):
            called = self._waiting.popleft()
            # It counts from now on; which thread it is shows when it has come.
            self._begun[id(called)] = now
            called.release()
