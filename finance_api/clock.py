"""The clock: the only place that reads the time; tests have a clock of their own."""

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> int:
        """Seconds since 1970-01-01T00:00:00Z, by the wall clock."""

    def now_ms(self) -> int:
        """The same in milliseconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return int(time.time())

    def now_ms(self) -> int:
        return int(time.time() * 1000)
