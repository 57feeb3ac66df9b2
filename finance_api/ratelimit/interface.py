"""The limiter's contract; the tests hold every implementation to it."""

from abc import ABC, abstractmethod

from finance_api.ratelimit.limits import Decision, Rule


class LimiterUnavailable(Exception):
    """The limiter does not answer now; the message is fit for an operator to read."""


class RateLimiter(ABC):
    """Counts requests by rule and key; safe to use from several threads.

    key: whose requests are counted: a token's, a user's, an address.
    now_ms: milliseconds since 1970 by the wall clock. It may jump, and the clocks of machines
    that share a limiter may differ. Whatever it does: a level is never below nothing nor above
    its limit, and nobody who is refused has to wait for longer than one window.

    Every method but `close` may raise LimiterUnavailable.
    """

    @abstractmethod
    def take(self, rule: Rule, key: str, now_ms: int) -> Decision:
        """Takes one request of every limit of the rule, or of none: a refusal takes nothing."""

    @abstractmethod
    def give_back(self, rule: Rule, key: str, decision: Decision, now_ms: int) -> Decision:
        """Undoes a take, once; a refused one took nothing. No level rises above its limit.

        Answers as `peek` would after it.
        """

    @abstractmethod
    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        """What is left, without taking any; ``allowed`` says whether a take would succeed."""

    @abstractmethod
    def close(self) -> None:
        """Lets go of connections."""
