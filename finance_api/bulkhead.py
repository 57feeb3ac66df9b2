"""Bulkhead: bounds the calls of one kind that run at once, so that they leave threads to others.

Used for requests for data (`services.Services.data_requests`). The pattern is Michael Nygard's
("Release It!", 2007).
"""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class BulkheadFull(Exception):
    """As many calls as are allowed have been running for a while."""


class Bulkhead:
    """``calls`` run at once. One more waits until each of them has run for ``wait_seconds``.

    So it waits behind fast calls, and is refused at once while all are slow.

    monotonic: seconds, as of `time.monotonic`.
    """

    def __init__(
        self,
        calls: int,
        *,
        wait_seconds: float = 0.05,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calls = calls
        self._wait_seconds = wait_seconds
        self._monotonic = monotonic
        #: When each of those that run began, in order.
        self._began: list[float] = []
        self._ended = threading.Condition()

    def call(self, function: Callable[[], T]) -> T:
        """Calls the function. Raises BulkheadFull instead if it may not run."""
        began = self._begin()
        try:
            return function()
        finally:
            with self._ended:
                self._began.remove(began)
                self._ended.notify()

    def _begin(self) -> float:
        with self._ended:
            while len(self._began) >= self._calls:
                seconds = self._began[-1] + self._wait_seconds - self._monotonic()
                if seconds <= 0:
                    raise BulkheadFull
                self._ended.wait(seconds)
            began = self._monotonic()
            self._began.append(began)
            return began
