"""Limits counted in this process alone."""

import threading

from finance_api.ratelimit.counters import BucketCounter, Counter, LogCounter
from finance_api.ratelimit.interface import RateLimiter
from finance_api.ratelimit.limits import Algorithm, Decision, Level, Rule

_COUNTERS: dict[Algorithm, type[Counter]] = {
    Algorithm.TOKEN_BUCKET: BucketCounter,
    Algorithm.SLIDING_WINDOW: LogCounter,
}


class MemoryLimiter(RateLimiter):
    """Never unavailable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[Rule, tuple[Counter, ...]] = {}

    @property
    def kept_count(self) -> int:
        """How many levels are kept; one that is full again goes within two windows."""
        with self._lock:
            return sum(c.kept() for counters in self._counters.values() for c in counters)

    def take(self, rule: Rule, key: str, now_ms: int) -> Decision:
        with self._lock:
            counters = self._counters_of(rule)
            if not all(counter.has_left(key, now_ms) for counter in counters):
                return self._peek(rule, key, now_ms)
            for counter in counters:
                counter.take(key, now_ms)
            return Decision(True, tuple([c.level(key, now_ms) for c in counters]), now_ms)

    def give_back(self, rule: Rule, key: str, decision: Decision, now_ms: int) -> Decision:
        with self._lock:
            if decision.allowed:
                for counter in self._counters_of(rule):
                    counter.give_back(key, decision.taken_at_ms, now_ms)
            return self._peek(rule, key, now_ms)

    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        with self._lock:
            return self._peek(rule, key, now_ms)

    def close(self) -> None:
        pass

    def _peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        levels = tuple([c.level(key, now_ms) for c in self._counters_of(rule)])
        return Decision(_all_left(levels), levels, now_ms)

    def _counters_of(self, rule: Rule) -> tuple[Counter, ...]:
        counters = self._counters.get(rule)
        if counters is None:
            counters = tuple([_COUNTERS[rule.algorithm](limit) for limit in rule.limits])
            self._counters[rule] = counters
        return counters


def _all_left(levels: tuple[Level, ...]) -> bool:
    return all(level.remaining for level in levels)
