"""The limiter in memory, of one process."""

import threading
from typing import Any

from finance_api.ratelimit.counters import BucketCounter, Counter, LogCounter
from finance_api.ratelimit.interface import RateLimiter
from finance_api.ratelimit.limits import Algorithm, Decision, Rule

_COUNTERS: dict[Algorithm, type[Counter[Any]]] = {
    Algorithm.TOKEN_BUCKET: BucketCounter,
    Algorithm.SLIDING_WINDOW: LogCounter,
}

#: One of a rule's counters, and its state of a key.
_State = tuple[Counter[Any], Any]


class MemoryLimiter(RateLimiter):
    """Never unavailable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[Rule, tuple[Counter[Any], ...]] = {}

    @property
    def state_count(self) -> int:
        """The number of stored states; one of a full level is dropped within two windows."""
        with self._lock:
            return sum(c.state_count() for counters in self._counters.values() for c in counters)

    def take(self, rule: Rule, key: str, now_ms: int) -> Decision:
        with self._lock:
            states = self._read(rule, key, now_ms)
            allowed = _has_left(states)
            if allowed:
                states = [(counter, counter.take(key, state, now_ms)) for counter, state in states]
            return _decision(allowed, states, now_ms)

    def give_back(self, rule: Rule, key: str, decision: Decision, now_ms: int) -> Decision:
        with self._lock:
            states = self._read(rule, key, now_ms)
            if decision.allowed:
                at_ms = decision.taken_at_ms
                states = [
                    (counter, counter.give_back(key, state, at_ms)) for counter, state in states
                ]
            return _decision(_has_left(states), states, now_ms)

    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        with self._lock:
            states = self._read(rule, key, now_ms)
            return _decision(_has_left(states), states, now_ms)

    def close(self) -> None:
        pass

    def _read(self, rule: Rule, key: str, now_ms: int) -> list[_State]:
        counters = self._counters.get(rule)
        if counters is None:
            counters = tuple([_COUNTERS[rule.algorithm](limit) for limit in rule.limits])
            self._counters[rule] = counters
        return [(counter, counter.read(key, now_ms)) for counter in counters]


def _has_left(states: list[_State]) -> bool:
    return all(counter.has_left(state) for counter, state in states)


def _decision(allowed: bool, states: list[_State], now_ms: int) -> Decision:
    return Decision(allowed, tuple([c.level(state, now_ms) for c, state in states]), now_ms)
