"""The interface of rate limiters; the tests hold every implementation to it."""

from abc import ABC, abstractmethod

from finance_api.ratelimit.limits import Decision, Rule


class LimiterUnavailable(Exception):
    """The limiter is unavailable; the message is for operators."""


class RateLimiter(ABC):
    """Counts requests by rule and key. Thread-safe.

    key: of a token, a user or an address.
    now_ms: milliseconds since 1970 by the wall clock. It may jump, and the clocks of machines
    that share a limiter may differ. Even then a level is never below 0 nor above its limit, and
    nobody who is refused a request has to wait for longer than one window.

    Every method but `close` may raise LimiterUnavailable.

    is_shared: whether several processes count together.
    """

    is_shared = False

    @abstractmethod
    def take(
        self, rule: Rule, key: str, now_ms: int, *, number: int = 1, is_free: bool = False
    ) -> Decision:
        """Take requests from every limit of the rule, or from none: a refusal takes nothing.

        number: how many; of a limit that allows fewer, all that it allows.
        is_free: takes one of ``rule.free`` instead, as long as one is left there.
        """

    @abstractmethod
    def refund(
        self, rule: Rule, key: str, decision: Decision, now_ms: int, *, is_free: bool = False
    ) -> Decision:
        """Undo a take, once; a refused one took nothing. No level rises above its limit.

        is_free: only in exchange for one of ``rule.free``, if one is left there.
        Returns what `peek` would return after it.
        """

    @abstractmethod
    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        """The levels, without taking a request; ``allowed`` says whether a take would succeed."""

    @abstractmethod
    def close(self) -> None:
        """Close connections."""
