"""The two algorithms, computed exactly in integers, and a limiter that uses them on any store."""

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from finance_api.ratelimit.interface import Algorithm, Decision, Level, Limit, RateLimiter, Rule


class Counter(ABC):
    """One limit of one key at one time. Times are as in `RateLimiter`.

    state: the state to store; None if every request of the limit is available.
    has_changed: whether the state must be written to the store.
    """

    state: Any
    has_changed = False

    def __init__(self, limit: Limit, now_ms: int) -> None:
        self._limit = limit
        self._window_ms = limit.window_ms
        self._now_ms = now_ms

    def level(self, number: int = 1) -> Level:
        """Return the level. number: the number of requests that `Level.retry_ms` waits for."""
        if self.state is None:
            return Level(self._limit, self._limit.count, 0, 0, 0)
        remaining = self._remaining()
        number = min(number, self._limit.count)
        retry_ms = 0 if number <= remaining else self._wait_ms(number)
        full_ms = self._wait_ms(self._limit.count)
        return Level(self._limit, remaining, full_ms, self._wait_ms(remaining + 1), retry_ms)

    def has_left(self, number: int) -> bool:
        """Return whether this many requests are left, or the whole limit if it is smaller."""
        return self.state is None or self._remaining() >= min(number, self._limit.count)

    @abstractmethod
    def take(self, number: int) -> None:
        """Take this many requests. Call it only if `has_left`."""

    @abstractmethod
    def refund(self, number: int, taken_at_ms: int) -> None: ...

    @abstractmethod
    def _remaining(self) -> int: ...

    @abstractmethod
    def _wait_ms(self, number: int) -> int:
        """Return the milliseconds until ``number`` requests are left; now, fewer are left."""


#: A bucket is stored as one integer, with the time in the bits above the used units. A tuple would
#: need three times as much memory.
_UNIT_BITS = 57
_UNIT_MASK = (1 << _UNIT_BITS) - 1


class Bucket(Counter):
    """A token bucket of units: a request takes ``window_ms`` units, and ``count`` refill per ms."""

    def __init__(self, limit: Limit, state: int | None, now_ms: int) -> None:
        super().__init__(limit, now_ms)
        self._capacity = limit.count * self._window_ms
        self.state = state
        if state is None:
            self._used, self._at_ms = 0, now_ms
            return
        # If the limit was lowered, more units may have been used than the bucket now holds.
        self._used, self._at_ms = min(state & _UNIT_MASK, self._capacity), state >> _UNIT_BITS
        if self._at_ms <= now_ms:
            passed_ms = min(now_ms - self._at_ms, self._window_ms)
            self._used, self._at_ms = max(0, self._used - passed_ms * limit.count), now_ms
            self.state = self.state if self._used else None
        else:
            self._keep_time_sane()

    def take(self, number: int) -> None:
        self._used += min(number, self._limit.count) * self._window_ms
        if self._at_ms > self._now_ms:
            self._keep_time_sane()
        self._store()

    def refund(self, number: int, taken_at_ms: int) -> None:
        self._used = max(0, self._used - min(number, self._limit.count) * self._window_ms)
        self._store()

    def _keep_time_sane(self) -> None:
        """Handle a stored time in the future: a clock went back, or another machine's is ahead.
        Nothing refills before that time, or requests by both clocks in turn would fill the bucket.
        But nobody waits longer than a window, and a time more than a window ahead is wrong."""
        ahead_ms = self._at_ms - self._now_ms
        most_ms = self._window_ms - self._refill_ms(1)
        if ahead_ms > self._window_ms:
            self._at_ms = self._now_ms
        elif ahead_ms > most_ms:
            self._at_ms = self._now_ms + most_ms
        else:
            return
        self._store()

    def _store(self) -> None:
        self.state = (self._at_ms << _UNIT_BITS | self._used) if self._used else None
        self.has_changed = True

    def _remaining(self) -> int:
        return (self._capacity - self._used) // self._window_ms

    def _wait_ms(self, number: int) -> int:
        return self._at_ms - self._now_ms + self._refill_ms(number)

    def _refill_ms(self, number: int) -> int:
        missing = self._used - (self._limit.count - number) * self._window_ms
        return max(0, -(-missing // self._limit.count))


class Window(Counter):
    """A sliding window. The state is the times of its requests, in order."""

    def __init__(self, limit: Limit, state: "array[int] | None", now_ms: int) -> None:
        super().__init__(limit, now_ms)
        times = array("q") if state is None else state
        if times and times[-1] > now_ms:
            # If the clock went back, or another machine's is ahead, future times count as now.
            # Times more than a window ahead are wrong, so they are dropped.
            latest_ms = now_ms + self._window_ms
            times = array("q", (min(at_ms, now_ms) for at_ms in times if at_ms <= latest_ms))
            self.has_changed = True
        if times and times[0] <= now_ms - self._window_ms:
            del times[: bisect_right(times, now_ms - self._window_ms)]
        self._times = times
        self.state = times or None

    def take(self, number: int) -> None:
        self._times.extend([self._now_ms] * min(number, self._limit.count))
        self._store()

    def refund(self, number: int, taken_at_ms: int) -> None:
        # If the clock went back since the take, reading has moved the requests' times back too.
        place = bisect_right(self._times, taken_at_ms)
        del self._times[max(0, place - min(number, self._limit.count)) : place]
        self._store()

    def _store(self) -> None:
        self.state = self._times or None
        self.has_changed = True

    def _remaining(self) -> int:
        # There may be more times than the count if the limit was lowered.
        return max(0, self._limit.count - len(self._times))

    def _wait_ms(self, number: int) -> int:
        place = len(self._times) - self._limit.count + number - 1
        return self._times[place] + self._window_ms - self._now_ms


COUNTERS: dict[Algorithm, Callable[[Limit, Any, int], Counter]] = {
    Algorithm.TOKEN_BUCKET: Bucket,
    Algorithm.SLIDING_WINDOW: Window,
}

#: Decides with the counters of a rule's limits, followed by the counter of `Rule.free` if needed.
Decide = Callable[[list[Counter]], Decision]


class CountingLimiter(RateLimiter):
    """A limiter over a store of states, which `_decide` reads and writes."""

    @abstractmethod
    def _decide(self, rule: Rule, key: str, now_ms: int, is_free: bool, decide: Decide) -> Decision:
        """Decide by the stored states, and store the changed states, as one step.

        decide: may be called several times; only the last call counts.
        """

    def take(
        self, rule: Rule, key: str, now_ms: int, *, number: int = 1, is_free: bool = False
    ) -> Decision:
        def decide(counters: list[Counter]) -> Decision:
            limits = counters[: len(rule.limits)]
            if is_free and _take_one(counters[-1]):
                return _decision(True, limits, now_ms)
            for counter in limits:
                if not counter.has_left(number):
                    return _decision(False, limits, now_ms, number)
            for counter in limits:
                counter.take(number)
            return _decision(True, limits, now_ms, taken=number)

        return self._decide(rule, key, now_ms, is_free, decide)

    def refund(
        self, rule: Rule, key: str, decision: Decision, now_ms: int, *, is_free: bool = False
    ) -> Decision:
        if not decision.taken:
            return self.peek(rule, key, now_ms)

        def decide(counters: list[Counter]) -> Decision:
            limits = counters[: len(rule.limits)]
            if not is_free or _take_one(counters[-1]):
                for counter in limits:
                    counter.refund(decision.taken, decision.taken_at_ms)
            return _peeked(limits, now_ms)

        return self._decide(rule, key, now_ms, is_free, decide)

    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        return self._decide(rule, key, now_ms, False, lambda counters: _peeked(counters, now_ms))


@lru_cache
def kinds_of(rule: Rule, is_free: bool) -> tuple[tuple[Algorithm, Limit], ...]:
    """Return the limits of the rule with their algorithms, and `Rule.free` if ``is_free``."""
    kinds = [(rule.algorithm, limit) for limit in rule.limits]
    if is_free:
        assert rule.free is not None
        kinds.append((Algorithm.TOKEN_BUCKET, rule.free))
    return tuple(kinds)


def _take_one(free: Counter) -> bool:
    has_left = free.has_left(1)
    if has_left:
        free.take(1)
    return has_left


def _peeked(counters: list[Counter], now_ms: int) -> Decision:
    return _decision(all(counter.has_left(1) for counter in counters), counters, now_ms)


def _decision(
    allowed: bool, counters: list[Counter], now_ms: int, number: int = 1, *, taken: int = 0
) -> Decision:
    """Return a decision. number: how many requests were refused, if any."""
    levels = tuple([counter.level(number) for counter in counters])
    return Decision(allowed, levels, now_ms, taken)
