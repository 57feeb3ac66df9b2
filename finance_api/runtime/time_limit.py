"""The time limit of a request: one for all that it reads and computes.

It is in the context of the thread, so that it need not be handed to whatever a request calls.
Nothing is interrupted from outside: `in_time` stands where there can be many of something (rows,
sums, groups, occurrences), and drivers end statements. Writing has no limit.
"""

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

#: The time is checked after this many steps of a loop.
_CHECKED = 100

#: The seconds of the limit, and its end by `time.monotonic`.
_limit: ContextVar[tuple[float, float]] = ContextVar("time limit", default=(math.inf, math.inf))


class TookTooLong(Exception):
    """No time is left. seconds: of the limit."""

    def __init__(self) -> None:
        self.seconds = _limit.get()[0]
        super().__init__(f"took longer than {self.seconds:g} s")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the block to this many seconds from now, whatever limit surrounds it."""
    token = _limit.set((seconds, time.monotonic() + seconds))
    try:
        yield
    finally:
        _limit.reset(token)


def no_time_limit() -> AbstractContextManager[None]:
    return time_limit(math.inf)


def seconds_left() -> float:
    """Infinite without a limit; not above 0 when no time is left."""
    return _limit.get()[1] - time.monotonic()


def check_time() -> None:
    """Raises TookTooLong if no time is left."""
    if seconds_left() <= 0:
        raise TookTooLong


def in_time(items: Iterable[T]) -> Iterator[T]:
    """The items. Raises TookTooLong when no time is left."""
    for number, item in enumerate(items):
        if number % _CHECKED == 0:
            check_time()
        yield item
