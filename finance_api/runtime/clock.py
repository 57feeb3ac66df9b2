"""The clock: the only place that reads the time. Tests use another clock."""

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> int:
        """Return the seconds since 1970-01-01T00:00:00Z, by the wall clock."""

    def now_ms(self) -> int:
        """Return the same time in milliseconds."""

    def monotonic(self) -> float:
        """Return the seconds since an arbitrary time, by a clock that nobody can set."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return int(time.time())

    def now_ms(self) -> int:
        return int(time.time() * 1000)

    def monotonic(self) -> float:
        return time.monotonic()


class SteadyTime:
    """Notices when the wall clock jumps by minutes relative to the monotonic clock."""

    _JUMP_SECONDS = 300

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._start: tuple[int, float] | None = None

    def seconds(self) -> float:
        """Return the seconds since the last jump that was noticed, or since the first call."""
        wall, steady = self._clock.now(), self._clock.monotonic()
        start = self._start or (wall, steady)
        if abs((wall - start[0]) - (steady - start[1])) > self._JUMP_SECONDS:
            start = wall, steady
        self._start = start
        return steady - start[1]
