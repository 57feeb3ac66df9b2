"""A limiter that counts in the memory of one process."""

import threading
from collections.abc import Mapping
from typing import Any

from finance_api.ratelimit.counting import COUNTERS, CountingLimiter, Decide, kinds_of
from finance_api.ratelimit.interface import Algorithm, Decision, Rule


class MemoryLimiter(CountingLimiter):
    """A limiter that is never unavailable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The keys are the name of the rule, the algorithm and the seconds of the window.
        self._stores: dict[tuple[str, Algorithm, int], _StateStore] = {}

    def _decide(self, rule: Rule, key: str, now_ms: int, is_free: bool, decide: Decide) -> Decision:
        kinds = kinds_of(rule, is_free)
        with self._lock:
            stores, counters = [], []
            for algorithm, limit in kinds:
                name = rule.name, algorithm, limit.window_seconds
                store = self._stores.get(name)
                if store is None:
                    store = self._stores[name] = _StateStore(limit.window_ms)
                stores.append(store)
                counters.append(COUNTERS[algorithm](limit, store.get(key, now_ms), now_ms))
            decision = decide(counters)
            for counter, store in zip(counters, stores, strict=True):
                if counter.state is None:
                    store.drop(key)
                elif counter.has_changed:
                    store.put(key, counter.state)
            return decision

    def close(self) -> None:
        pass


class _StateStore:
    """The states by key. A state is dropped one to two windows after it was last written.

    Under both algorithms a state older than a window has no effect. States are written into one
    dict. After a window, that dict becomes the old one, and the previous old one is dropped as a
    whole. This needs no search and no extra memory per key.
    """

    def __init__(self, window_ms: int) -> None:
        self._window_ms = window_ms
        self._new: dict[str, Any] = {}
        self._old: dict[str, Any] = {}
        self._since_ms = 0

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def get(self, key: str, now_ms: int) -> Any:
        """Drop old states, then return the state of the key. Call it before `put` and `drop`."""
        passed_ms = now_ms - self._since_ms
        if passed_ms < -self._window_ms:
            self._since_ms = now_ms
        elif passed_ms >= self._window_ms:
            self._old = self._new if passed_ms < 2 * self._window_ms else {}
            self._new = {}
            self._since_ms = now_ms
        state = self._new.get(key)
        return self._old.get(key) if state is None else state

    def put(self, key: str, state: Any) -> None:
        self._new[key] = state
        self._old.pop(key, None)

    def drop(self, key: str) -> None:
        self._new.pop(key, None)
        self._old.pop(key, None)


def from_settings(settings: Mapping[str, Any]) -> MemoryLimiter:
    """Return the limiter, which needs no settings."""
    return MemoryLimiter()
