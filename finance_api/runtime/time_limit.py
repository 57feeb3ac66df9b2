"""The time limit of a request, for all reading and computing together.

A context variable holds the limit, so that functions need not pass it on. Nothing is interrupted
from outside: loops over many items (rows, sums, groups, occurrences) use `in_time`, and database
drivers end queries. Writing has no limit.
"""

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

#: The time is checked after this many steps of a loop.
_CHECKED = 100

#: The limit in seconds, and its end by `time.monotonic`.
_limit: ContextVar[tuple[float, float]] = ContextVar("time limit", default=(math.inf, math.inf))


class TookTooLong(Exception):
    """No time is left. seconds: the length of the limit."""

    def __init__(self) -> None:
        self.seconds = _limit.get()[0]
        super().__init__(f"took longer than {self.seconds:g} s")


class time_limit:  # noqa: N801 (used like a function)
    """Limit a block to this many seconds from now, whatever limit surrounds it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._token = _limit.set((self._seconds, time.monotonic() + self._seconds))

    def __exit__(self, *error: object) -> None:
        _limit.reset(self._token)


def no_time_limit() -> AbstractContextManager[None]:
    return time_limit(math.inf)


def seconds_left() -> float:
    """Return the seconds left: infinite if there is no limit, 0 or less if no time is left."""
    return _limit.get()[1] - time.monotonic()


def check_time() -> None:
    """Raise TookTooLong if no time is left."""
    if _limit.get()[1] <= time.monotonic():
        raise TookTooLong


def in_time(items: Iterable[T]) -> Iterator[T]:
    """Yield the items. Raises TookTooLong when no time is left."""
    for number, item in enumerate(items):
        if number % _CHECKED == 0:
            check_time()
        yield item
