from finance_api.values.time import parse_time


class HeldClock:
    """A clock that stands still until a test sets it."""

    def __init__(self, at: str = "2026-03-18T12:00:00Z") -> None:
        self.steady = 0
        self.set(at)

    def set(self, at: str) -> None:
        self.seconds = parse_time(at)

    def now(self) -> int:
        return self.seconds

    def now_ms(self) -> int:
        return self.seconds * 1000

    def monotonic(self) -> float:
        return float(self.steady)

    def advance(self, seconds: int) -> None:
        self.seconds += seconds
        self.steady += max(0, seconds)

    def jump(self, seconds: int) -> None:
        """Move the wall clock, as if somebody had set it."""
        self.seconds += seconds
