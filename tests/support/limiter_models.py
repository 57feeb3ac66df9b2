"""Helpers for the tests of limiters: rules, threads, and a simple model of each algorithm."""

import itertools
import threading
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from finance_api.ratelimit.interface import Algorithm, Level, Limit, RateLimiter, Rule, parse_limits
from support.nightly import count

#: A moment without fractions of a second, in milliseconds.
NOW = 1_773_835_200_000


SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


Result = TypeVar("Result")


_numbers = itertools.count(1)


def make_key() -> str:
    """Return a key that no test has used."""
    return f"key {next(_numbers)}"


def bucket_rule(text: str, name: str = "bucket") -> Rule:
    return Rule(name, Algorithm.TOKEN_BUCKET, parse_limits(text))


def window_rule(text: str, name: str = "windows") -> Rule:
    return Rule(name, Algorithm.SLIDING_WINDOW, parse_limits(text))


def take_many(limiter: RateLimiter, rule: Rule, key: str, count: int, now_ms: int = NOW) -> int:
    """Take a request ``count`` times. Return how many takes are allowed."""
    return sum(limiter.take(rule, key, now_ms).allowed for _ in range(count))


def in_threads(threads: int, count: int, work: Callable[[], Result]) -> list[Result]:
    """Call ``work`` ``count`` times by several threads at once. Return the results."""
    turns = iter(range(count))
    lock = threading.Lock()
    answers: list[Result] = []
    ready = threading.Barrier(threads)

    def run() -> None:
        ready.wait()
        while True:
            with lock:
                if next(turns, None) is None:
                    return
            answers.append(work())

    running = [threading.Thread(target=run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return answers


class BucketModel:
    """Token buckets that count exact fractions of requests."""

    def __init__(self, limits: tuple[Limit, ...], now_ms: int) -> None:
        self._now_ms = now_ms
        self._left = {limit: Fraction(limit.count) for limit in limits}

    def pass_time(self, now_ms: int) -> None:
        for limit, left in self._left.items():
            back = Fraction(limit.count * (now_ms - self._now_ms), limit.window_ms)
            self._left[limit] = min(Fraction(limit.count), left + back)
        self._now_ms = now_ms

    def add(self, requests: int) -> None:
        """If a limit allows fewer requests, add all that it allows."""
        for limit, left in self._left.items():
            added = max(-limit.count, min(limit.count, requests))
            self._left[limit] = min(Fraction(limit.count), left + added)

    def levels(self, number: int = 1) -> tuple[Level, ...]:
        """number: of the requests that were refused."""
        return tuple(self._level(limit, left, number) for limit, left in self._left.items())

    def _level(self, limit: Limit, left: Fraction, number: int) -> Level:
        def wait_ms(requests: int) -> int:
            return max(0, ceil((requests - left) * limit.window_ms / limit.count))

        next_ms = 0 if left == limit.count else wait_ms(floor(left) + 1)
        retry_ms = wait_ms(min(number, limit.count))
        return Level(limit, floor(left), wait_ms(limit.count), next_ms, retry_ms)


class WindowModel:
    """Sliding windows, straight from their definition."""

    def __init__(self, limits: tuple[Limit, ...], now_ms: int) -> None:
        self._limits = limits
        self._now_ms = now_ms
        self._taken: dict[Limit, list[int]] = {limit: [] for limit in limits}

    def pass_time(self, now_ms: int) -> None:
        self._now_ms = now_ms
        for limit, taken in self._taken.items():
            taken[:] = [t for t in taken if t + limit.window_ms > now_ms]

    def add(self, requests: int) -> None:
        """If a limit allows fewer requests, add all that it allows."""
        for limit, taken in self._taken.items():
            for _ in range(min(limit.count, abs(requests))):
                if requests < 0:
                    taken.append(self._now_ms)
                else:
                    taken.remove(self._now_ms)

    def levels(self, number: int = 1) -> tuple[Level, ...]:
        """number: of the requests that were refused."""
        return tuple(self._level(limit, number) for limit in self._limits)

    def _level(self, limit: Limit, number: int) -> Level:
        taken = self._taken[limit]

        def left(at_ms: int) -> int:
            return limit.count - sum(at_ms - limit.window_ms < t for t in taken)

        def wait_ms(requests: int) -> int:
            times = {self._now_ms, *(t + limit.window_ms for t in taken)}
            return min(at - self._now_ms for at in times if left(at) >= requests and at >= now)

        now = self._now_ms
        remaining = left(now)
        next_ms = 0 if remaining == limit.count else wait_ms(remaining + 1)
        retry_ms = wait_ms(min(number, limit.count))
        return Level(limit, remaining, wait_ms(limit.count), next_ms, retry_ms)


CHECKED = settings(
    max_examples=count(4, 100),
    deadline=None,
    # All examples share one limiter under different keys; every subclass runs them.
    suppress_health_check=[
        HealthCheck.differing_executors,
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)


#: Operations: what to do, with how many requests, after how many milliseconds.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "take", "take", "take", "refund", "peek"]),
        st.sampled_from([1, 1, 1, 2, 5, 40]),
        st.one_of(st.just(0), st.integers(0, 400), st.integers(0, 70_000)),
    ),
    min_size=100,
    max_size=300,
)


JUMPS = st.lists(
    st.one_of(
        st.integers(-400, 2_000),
        st.integers(-2 * MINUTE, 2 * MINUTE),
        st.sampled_from([-DAY, -HOUR, -HOUR + 1, -HOUR - 1, -SECOND, 0, 0, 0, HOUR, DAY]),
    ),
    min_size=50,
    max_size=150,
)
