"""A limiter that asks a shared limiter, or a local one while the shared one is unavailable."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from finance_api.ratelimit.interface import Decision, LimiterUnavailable, RateLimiter, Rule
from finance_api.runtime.circuit_breaker import CircuitBreaker, CircuitOpen

logger = logging.getLogger(__name__)

WARN_EVERY_SECONDS = 60.0


class FallbackLimiter(RateLimiter):
    """Asks ``shared``. While ``shared`` is unavailable, asks ``local``, which always works.

    A circuit breaker limits how many requests wait for a ``shared`` that does not answer.

    on_fallback: called for every take or peek that ``local`` decides.
    monotonic: a clock in seconds, such as `time.monotonic`.
    """

    def __init__(
        self,
        shared: RateLimiter,
        local: RateLimiter,
        on_fallback: Callable[[], None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shared = shared
        self._local = local
        self._on_fallback = on_fallback
        self._monotonic = monotonic
        self._circuit = CircuitBreaker(LimiterUnavailable, monotonic=monotonic)
        self._lock = threading.Lock()
        self._warned_at: float | None = None
        self._must_say_back = False

    def take(
        self, rule: Rule, key: str, now_ms: int, *, number: int = 1, is_free: bool = False
    ) -> Decision:
        return self._decide(
            lambda limiter: limiter.take(rule, key, now_ms, number=number, is_free=is_free)
        )

    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        return self._decide(lambda limiter: limiter.peek(rule, key, now_ms))

    def refund(
        self, rule: Rule, key: str, decision: Decision, now_ms: int, *, is_free: bool = False
    ) -> Decision:
        """Undo a take in the limiter that made it; do nothing if this limiter is unavailable."""

        def ask(limiter: RateLimiter) -> Decision:
            return limiter.refund(rule, key, decision, now_ms, is_free=is_free)

        if decision.made_by is self._local:
            return replace(ask(self._local), made_by=self._local)
        return self._ask_shared(ask) or decision

    @property
    def is_away(self) -> bool:
        """Return whether ``shared`` is considered down."""
        return self._circuit.state != "closed"

    def close(self) -> None:
        try:
            self._shared.close()
        finally:
            self._local.close()

    def _decide(self, ask: Callable[[RateLimiter], Decision]) -> Decision:
        decision = self._ask_shared(ask)
        if decision is None:
            decision = replace(ask(self._local), made_by=self._local)
            self._on_fallback()
        return decision

    def _ask_shared(self, ask: Callable[[RateLimiter], Decision]) -> Decision | None:
        """Return the decision; None if ``shared`` is unavailable."""
        try:
            decision = self._circuit.call(lambda: ask(self._shared))
        except CircuitOpen:
            return None
        except LimiterUnavailable as error:
            self._warn(error)
            return None
        if self._must_say_back and self._circuit.state == "closed":
            self._say_back()
        return replace(decision, made_by=self._shared)

    def _warn(self, error: LimiterUnavailable) -> None:
        with self._lock:
            now = self._monotonic()
            if self._warned_at is not None and now - self._warned_at < WARN_EVERY_SECONDS:
                return
            self._warned_at = now
            self._must_say_back = True
        logger.warning(
            "the shared rate limiter does not respond: %s; each process counts on its own", error
        )

    def _say_back(self) -> None:
        with self._lock:
            says, self._must_say_back = self._must_say_back, False
        if says:
            logger.info("the shared rate limiter responds again")
