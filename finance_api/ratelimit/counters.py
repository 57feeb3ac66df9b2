"""Counters of one limit for all keys of a process: exact, in integers. Not thread-safe."""

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from typing import Generic, TypeVar

from finance_api.ratelimit.limits import Level, Limit
from finance_api.ratelimit.states import StateStore

CounterState = TypeVar("CounterState")


class Counter(ABC, Generic[CounterState]):
    """One limit, for all keys. Times are as in `RateLimiter`.

    The state of a key is read once, for the current time, and passed to the other methods.
    """

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._count = limit.count
        self._window_ms = limit.window_ms

    @abstractmethod
    def read(self, key: str, now_ms: int) -> CounterState: ...

    def number_of(self, requests: int) -> int:
        """How many of so many requests count, at most as many as the limit allows."""
        return min(requests, self._count)

    @abstractmethod
    def level(self, state: CounterState, now_ms: int, number: int) -> Level:
        """number: for how many requests `Level.retry_ms` is."""

    @abstractmethod
    def has_left(self, state: CounterState, number: int = 1) -> bool:
        """Whether so many requests can be taken."""

    @abstractmethod
    def take(self, key: str, state: CounterState, now_ms: int, number: int = 1) -> CounterState:
        """Takes so many requests; only if `has_left`."""

    @abstractmethod
    def give_back(
        self, key: str, state: CounterState, taken_at_ms: int, number: int
    ) -> CounterState: ...

    @abstractmethod
    def state_count(self) -> int:
        """The number of stored states."""


#: A bucket is stored as one integer, with the time above the used units: a tuple needs three times
#: as much memory.
_UNIT_BITS = 53
_UNIT_MASK = (1 << _UNIT_BITS) - 1


class BucketCounter(Counter[tuple[int, int]]):
    """Token buckets in exact units: ``window_ms`` a request; ``count`` refill per millisecond.

    State: (used units, time). A full bucket has none.
    """

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self._capacity = limit.count * limit.window_ms
        self._states: StateStore[int] = StateStore(limit.window_ms)

    def level(self, state: tuple[int, int], now_ms: int, number: int) -> Level:
        used, at_ms = state
        if not used:
            return Level(self._limit, self._count, 0, 0, 0)
        remaining = (self._capacity - used) // self._window_ms
        ahead_ms = at_ms - now_ms
        full_ms = ahead_ms + self._refill_ms(used, self._count)
        next_ms = ahead_ms + self._refill_ms(used, remaining + 1)
        retry_ms = 0 if remaining >= number else ahead_ms + self._refill_ms(used, number)
        return Level(self._limit, remaining, full_ms, next_ms, retry_ms)

    def has_left(self, state: tuple[int, int], number: int = 1) -> bool:
        return state[0] + number * self._window_ms <= self._capacity

    def take(
        self, key: str, state: tuple[int, int], now_ms: int, number: int = 1
    ) -> tuple[int, int]:
        taken = self._write(key, state[0] + number * self._window_ms, state[1])
        # With a time ahead, the new level may allow less of it.
        return taken if taken[1] <= now_ms else self.read(key, now_ms)

    def give_back(
        self, key: str, state: tuple[int, int], taken_at_ms: int, number: int
    ) -> tuple[int, int]:
        return self._write(key, max(0, state[0] - number * self._window_ms), state[1])

    def state_count(self) -> int:
        return len(self._states)

    def _refill_ms(self, used: int, requests: int) -> int:
        """Milliseconds until there are ``requests``."""
        missing = used - (self._count - requests) * self._window_ms
        return max(0, -(-missing // self._count))

    def read(self, key: str, now_ms: int) -> tuple[int, int]:
        self._states.turn(now_ms)
        state = self._states.get(key)
        if state is None:
            return 0, now_ms
        used, at_ms = state & _UNIT_MASK, state >> _UNIT_BITS
        if at_ms <= now_ms:
            back = min(now_ms - at_ms, self._window_ms) * self._count
            return max(0, used - back), now_ms
        # The clock went back, or another machine's is ahead: nothing refills until the bucket's
        # time, else two clocks in turn would fill it. Yet nobody waits for longer than a window,
        # and a time further ahead than that was never right.
        if at_ms - now_ms > self._window_ms:
            sane_ms = now_ms
        else:
            sane_ms = min(at_ms, now_ms + self._window_ms - self._refill_ms(used, 1))
        if sane_ms != at_ms:
            self._write(key, used, sane_ms)
        return used, sane_ms

    def _write(self, key: str, used: int, at_ms: int) -> tuple[int, int]:
        if used:
            self._states.put(key, at_ms << _UNIT_BITS | used)
        else:
            self._states.drop(key)
        return used, at_ms


class LogCounter(Counter["array[int]"]):
    """Sliding windows. State: times of the requests in the window, in order."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self._states: StateStore[array[int]] = StateStore(limit.window_ms)

    def level(self, state: "array[int]", now_ms: int, number: int) -> Level:
        if not state:
            return Level(self._limit, self._count, 0, 0, 0)
        remaining = self._count - len(state)
        full_ms = state[-1] + self._window_ms - now_ms
        next_ms = state[0] + self._window_ms - now_ms
        missing = number - remaining
        retry_ms = state[missing - 1] + self._window_ms - now_ms if missing > 0 else 0
        return Level(self._limit, remaining, full_ms, next_ms, retry_ms)

    def has_left(self, state: "array[int]", number: int = 1) -> bool:
        return len(state) + number <= self._count

    def take(self, key: str, state: "array[int]", now_ms: int, number: int = 1) -> "array[int]":
        state.extend([now_ms] * number)
        self._states.put(key, state)
        return state

    def give_back(
        self, key: str, state: "array[int]", taken_at_ms: int, number: int
    ) -> "array[int]":
        # If the clock went back since, `read` has moved the requests' time back too.
        place = bisect_right(state, taken_at_ms)
        del state[max(0, place - number) : place]
        if not state:
            self._states.drop(key)
        return state

    def state_count(self) -> int:
        return len(self._states)

    def read(self, key: str, now_ms: int) -> "array[int]":
        self._states.turn(now_ms)
        log = self._states.get(key)
        if log is None:
            return array("q")
        if log[-1] > now_ms:
            # The clock went back, or another machine's is ahead: later times count as now, and a
            # time further ahead than a window was never right.
            latest_ms = now_ms + self._window_ms
            log = array("q", (min(at_ms, now_ms) for at_ms in log if at_ms <= latest_ms))
            self._states.put(key, log)
        del log[: bisect_right(log, now_ms - self._window_ms)]
        if not log:
            self._states.drop(key)
        return log
