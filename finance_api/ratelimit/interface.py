"""Limits, rules made of limits, decisions, and the interface of limiters.

The tests check that every limiter meets this interface.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any, NamedTuple

from finance_api.runtime.settings import made_by_name

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_NAMES = {seconds: name for name, seconds in _SECONDS.items()}
_LIMIT = re.compile(r"\s*([0-9]{1,20})\s*/\s*([a-z]+)\s*")
MAX_COUNT = 1_000_000_000


class Algorithm(StrEnum):
    """The algorithm of a limit.

    TOKEN_BUCKET: holds ``count`` requests and refills evenly, ``count`` in a window.
    SLIDING_WINDOW: at most ``count`` requests in any window; a request made at t counts in
    [t, t + window).
    """

    TOKEN_BUCKET = auto()
    SLIDING_WINDOW = auto()


@dataclass(frozen=True, slots=True)
class Limit:
    """``count`` requests in a window: a second, minute, hour or day, or the window of
    `Rule.free`."""

    count: int
    window_seconds: int

    @property
    def name(self) -> str:
        """The name of the window: second, minute, hour or day."""
        return _NAMES[self.window_seconds]

    @property
    def window_ms(self) -> int:
        return self.window_seconds * 1000


def parse_limits(text: str) -> tuple[Limit, ...]:
    """Parse limits such as ``100/minute, 1000/hour``, in the order of the text.

    Raises ValueError with a reason that completes a sentence about the text ("is not ...").
    """
    limits: list[Limit] = []
    for part in text.split(","):
        found = _LIMIT.fullmatch(part)
        if found is None or found[2] not in _SECONDS:
            raise ValueError(
                f"is not a list of limits such as 100/minute, 1000/hour (per {', '.join(_SECONDS)})"
            )
        limit = Limit(int(found[1]), _SECONDS[found[2]])
        if not 1 <= limit.count <= MAX_COUNT:
            raise ValueError(f"is not made of counts from 1 to {MAX_COUNT}")
        if any(limit.name == other.name for other in limits):
            raise ValueError(f"is ambiguous: it has two limits per {limit.name}")
        limits.append(limit)
    return tuple(limits)


@dataclass(frozen=True, slots=True)
class Rule:
    """Limits that a request is counted against together: against all of them, or none.

    name: the name under which the rule's requests are counted.
    limits: one or more limits, each with a different window.
    free: a token bucket for requests that don't count against the limits, such as a 304; once it
    is empty, they do.
    """

    name: str
    algorithm: Algorithm
    limits: tuple[Limit, ...]
    free: Limit | None = None

    def __hash__(self) -> int:
        # Computed at each request. Strings cache their hash.
        return hash(self.name)


class Level(NamedTuple):
    """How much of one limit is left.

    remaining: whole requests, 0 to the limit's count.
    full_ms: milliseconds until all requests are available again; 0 if they are now.
    next_ms: milliseconds until one request more than ``remaining`` is available; 0 if all are.
    retry_ms: milliseconds until one request, or as many as were refused, are available; 0 if they
    are now. At most a window.
    """

    limit: Limit
    remaining: int
    full_ms: int
    next_ms: int
    retry_ms: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about one or more requests, and the levels after it.

    levels: the level of each limit, in the order of the rule.
    taken_at_ms: ``now_ms`` of the call.
    taken: how many requests were taken from each limit. They can be refunded.
    made_by: the limiter that decided, if there are several.
    """

    allowed: bool
    levels: tuple[Level, ...]
    taken_at_ms: int
    taken: int = field(default=0, compare=False)
    made_by: object = field(default=None, compare=False, repr=False)

    @property
    def retry_after_seconds(self) -> int:
        """Whole seconds until the same take would be allowed; at least 1 if it was refused."""
        seconds = -(-max(level.retry_ms for level in self.levels) // 1000)
        return seconds if self.allowed else max(1, seconds)

    @property
    def tightest(self) -> Level:
        """The level with the fewest requests left; on a tie, the one that takes longest to fill."""
        return min(self.levels, key=lambda level: (level.remaining, -level.full_ms))


class LimiterUnavailable(Exception):
    """The limiter is unavailable; the message is for operators."""


class RateLimiter(ABC):
    """Counts requests by rule and key. Thread-safe.

    key: identifies a token, a user or an address.
    now_ms: milliseconds since 1970 by the wall clock. It may jump, and the clocks of machines
    that share a limiter may differ. Even then a level is never below 0 or above its limit, and
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

        number: how many requests to take. From a limit with a lower count, its whole count is
        taken.
        is_free: take one request from ``rule.free`` instead, if one is left there.
        """

    @abstractmethod
    def refund(
        self, rule: Rule, key: str, decision: Decision, now_ms: int, *, is_free: bool = False
    ) -> Decision:
        """Undo a take; call this once per take. No level rises above its limit.

        is_free: take one request from ``rule.free`` in exchange. If it is empty, refund nothing.
        Returns what `peek` would return afterwards.
        """

    @abstractmethod
    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        """Return the levels; ``allowed`` says whether a take would succeed. Takes nothing."""

    @abstractmethod
    def close(self) -> None:
        """Close connections."""


#: A limiter is imported only when it is used, so that unused limiters need no driver.
_LIMITERS = {
    "memory": "finance_api.ratelimit.memory.from_settings",
    "redis": "finance_api.ratelimit.redis.from_settings",
}


def open_limiter(settings: Mapping[str, Any]) -> RateLimiter:
    """Return the limiter that the settings name. Raises SettingError."""
    name = "finance_api.ratelimit.backend"
    limiter: RateLimiter = made_by_name(name, settings, _LIMITERS, RateLimiter)
    return limiter
