"""The limiter in memory, of one process."""

import threading
from collections.abc import Mapping
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
        self._free: dict[Rule, BucketCounter] = {}

    @property
    def state_count(self) -> int:
        """The number of stored states; one of a full level is dropped within two windows."""
        with self._lock:
            counters = [*self._counters.values(), self._free.values()]
            return sum(counter.state_count() for each in counters for counter in each)

    def take(
        self, rule: Rule, key: str, now_ms: int, *, number: int = 1, is_free: bool = False
    ) -> Decision:
        with self._lock:
            states = self._read(rule, key, now_ms)
            if is_free and self._take_free(rule, key, now_ms):
                return _decision(True, states, now_ms)
            if not _has_left(states, number):
                return _decision(False, states, now_ms, number)
            states = [
                (counter, counter.take(key, state, now_ms, counter.number_of(number)))
                for counter, state in states
            ]
            return _decision(True, states, now_ms, taken=number)

    def give_back(
        self, rule: Rule, key: str, decision: Decision, now_ms: int, *, is_free: bool = False
    ) -> Decision:
        with self._lock:
            states = self._read(rule, key, now_ms)
            if decision.taken and (not is_free or self._take_free(rule, key, now_ms)):
                at_ms, number = decision.taken_at_ms, decision.taken
                states = [
                    (counter, counter.give_back(key, state, at_ms, counter.number_of(number)))
                    for counter, state in states
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

    def _take_free(self, rule: Rule, key: str, now_ms: int) -> bool:
        """Takes a request of ``rule.free``, if one is left."""
        counter = self._free.get(rule)
        if counter is None:
            assert rule.free is not None
            counter = self._free[rule] = BucketCounter(rule.free)
        state = counter.read(key, now_ms)
        has_left = counter.has_left(state)
        if has_left:
            counter.take(key, state, now_ms)
        return has_left


def _has_left(states: list[_State], number: int = 1) -> bool:
    return all(counter.has_left(state, counter.number_of(number)) for counter, state in states)


def _decision(
    allowed: bool, states: list[_State], now_ms: int, number: int = 1, *, taken: int = 0
) -> Decision:
    """number: of the requests that were refused."""
    levels = tuple(
        [counter.level(state, now_ms, counter.number_of(number)) for counter, state in states]
    )
    return Decision(allowed, levels, now_ms, taken)


def from_settings(settings: Mapping[str, Any]) -> MemoryLimiter:
    """Needs no settings."""
    return MemoryLimiter()
