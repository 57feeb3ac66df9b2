"""Circuit breaker: after a failure, fails calls at once for a second, then lets single calls try.

Used for databases (`storage.sql.connections.engine`) and Redis (`ratelimit.fallback`). The pattern
and its states are Michael Nygard's ("Release It!", 2007).
"""

import threading
import time
from collections.abc import Callable
from typing import Literal, TypeVar

T = TypeVar("T")


class CircuitOpen(Exception):
    """The service failed a moment ago and is not called."""


#: How long the circuit stays open.
_OPEN_SECONDS = 1


class CircuitBreaker:
    """closed: every call goes through. open: no call goes through, for a second after a failure.

    half-open: afterwards, one call at a time goes through. If it succeeds, the circuit closes; if
    it fails, the circuit opens again.

    failures: the exceptions that mean that the service failed; other exceptions are ignored.
    monotonic: returns seconds, like `time.monotonic`.
    """

    def __init__(
        self, failures: type[Exception], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._failures = failures
        self._monotonic = monotonic
        #: When the open circuit becomes half-open; None if the circuit is closed.
        self._open_until: float | None = None
        self._probing = threading.Lock()

    @property
    def state(self) -> Literal["closed", "open", "half-open"]:
        until = self._open_until
        if until is None:
            return "closed"
        return "open" if self._monotonic() < until else "half-open"

    def call(self, function: Callable[[], T]) -> T:
        """Call the function. If no call is allowed now, raise CircuitOpen instead."""
        # The success of a call that began before the failure does not close the circuit.
        is_probe = self._open_until is not None
        if is_probe and (self.state == "open" or not self._probing.acquire(blocking=False)):
            raise CircuitOpen
        try:
            result = function()
            if is_probe:
                self._open_until = None
            return result
        except self._failures:
            self._open_until = self._monotonic() + _OPEN_SECONDS
            raise
        finally:
            if is_probe:
                self._probing.release()
