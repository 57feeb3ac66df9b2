"""A shared limiter that may be away, and a local one for that time."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from finance_api.ratelimit.interface import LimiterUnavailable, RateLimiter
from finance_api.ratelimit.limits import Decision, Rule

logger = logging.getLogger(__name__)

WARN_EVERY_SECONDS = 60.0


class FallbackLimiter(RateLimiter):
    """Asks ``shared``; what it does not answer is decided by ``local``, which always does.

    on_fallback: called for every decision that ``local`` makes.
    rest_seconds: after a failure nobody asks ``shared`` for so long; then one thread at a time
    does, until it answers. One that swallows questions delays few requests that way.
    monotonic: seconds, as of `time.monotonic`.
    """

    def __init__(
        self,
        shared: RateLimiter,
        local: RateLimiter,
        on_fallback: Callable[[], None],
        *,
        rest_seconds: float = 1.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shared = shared
        self._local = local
        self._on_fallback = on_fallback
        self._rest_seconds = rest_seconds
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._rests_until: float | None = None
        self._prober: int | None = None
        self._warned_at: float | None = None
        self._must_say_back = False

    def take(self, rule: Rule, key: str, now_ms: int) -> Decision:
        return self._decide(lambda limiter: limiter.take(rule, key, now_ms))

    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        return self._decide(lambda limiter: limiter.peek(rule, key, now_ms))

    def give_back(self, rule: Rule, key: str, decision: Decision, now_ms: int) -> Decision:
        """Undoes a take where it was made; one that cannot be undone now is left at that."""

        def ask(limiter: RateLimiter) -> Decision:
            return limiter.give_back(rule, key, decision, now_ms)

        if decision.made_by is self._local:
            return replace(ask(self._local), made_by=self._local)
        return self._ask_shared(ask) or decision

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
        """None if it is not its turn, or does not answer."""
        if not self._may_ask():
            return None
        try:
            decision = ask(self._shared)
        except LimiterUnavailable as error:
            self._rest(error)
            return None
        else:
            self._wake()
            return replace(decision, made_by=self._shared)
        finally:
            self._end_turn()

    def _may_ask(self) -> bool:
        with self._lock:
            if self._rests_until is None:
                return True
            if self._prober is not None or self._monotonic() < self._rests_until:
                return False
            self._prober = threading.get_ident()
            return True

    def _end_turn(self) -> None:
        if self._prober == threading.get_ident():
            with self._lock:
                self._prober = None

    def _rest(self, error: LimiterUnavailable) -> None:
        with self._lock:
            now = self._monotonic()
            self._rests_until = now + self._rest_seconds
            warns = self._warned_at is None or now - self._warned_at >= WARN_EVERY_SECONDS
            if warns:
                self._warned_at = now
                self._must_say_back = True
        if warns:
            logger.warning(
                "the shared rate limiter does not answer: %s; each process counts for itself",
                error,
            )

    def _wake(self) -> None:
        # An answer to a question from before the failure says nothing about now.
        if self._prober != threading.get_ident():
            return
        with self._lock:
            self._rests_until = None
            says, self._must_say_back = self._must_say_back, False
        if says:
            logger.info("the shared rate limiter answers again")
