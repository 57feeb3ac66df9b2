"""States by key, dropped when they no longer matter."""

from typing import Generic, TypeVar

CounterState = TypeVar("CounterState")


class StateStore(Generic[CounterState]):
    """States, each dropped between one and two windows after it was last written.

    Under both algorithms a state older than a window has no effect. States are written into one
    dict; after a window it becomes the old one, and the previous old one is dropped as a whole:
    no search, and no extra memory per key.
    """

    def __init__(self, window_ms: int) -> None:
        self._window_ms = window_ms
        self._new: dict[str, CounterState] = {}
        self._old: dict[str, CounterState] = {}
        self._since_ms = 0

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def turn(self, now_ms: int) -> None:
        """Drops old states; to be called before each use."""
        passed_ms = now_ms - self._since_ms
        if passed_ms < -self._window_ms:
            self._since_ms = now_ms
        elif passed_ms >= self._window_ms:
            self._old = self._new if passed_ms < 2 * self._window_ms else {}
            self._new = {}
            self._since_ms = now_ms

    def get(self, key: str) -> CounterState | None:
        state = self._new.get(key)
        return self._old.get(key) if state is None else state

    def put(self, key: str, state: CounterState) -> None:
        self._new[key] = state
        self._old.pop(key, None)

    def drop(self, key: str) -> None:
        self._new.pop(key, None)
        self._old.pop(key, None)
