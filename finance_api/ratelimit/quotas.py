"""The rate limits of this service, and the keys by which requests are counted."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_network
from typing import Any, assert_never

from finance_api.http import identity as identities
from finance_api.http.requests import Address
from finance_api.ratelimit.fallback import FallbackLimiter
from finance_api.ratelimit.interface import (
    Algorithm,
    Decision,
    Limit,
    LimiterUnavailable,
    RateLimiter,
    Rule,
)
from finance_api.ratelimit.memory import MemoryLimiter
from finance_api.runtime.metrics import Metrics
from finance_api.values.text import EmailRefused, normal_email

#: An IPv6 client usually has a whole network, with a prefix of this length, to itself.
_IPV6_PREFIX = 64
#: An empty bucket of free requests is full again after this many seconds.
_FREE_SECONDS = 5


class Quotas:
    """Counts requests by token (public API), user (internal API), link, and address (failures).

    While a shared limiter is unavailable, each process counts for itself. Only `take_sign_in`
    and `take_password_change` raise LimiterUnavailable.
    """

    def __init__(self, limiter: RateLimiter, settings: Mapping[str, Any], metrics: Metrics) -> None:
        def rule(
            name: str, algorithm: Algorithm = Algorithm.TOKEN_BUCKET, free: Limit | None = None
        ) -> Rule:
            return Rule(name, algorithm, settings[f"finance_api.ratelimit.{name}"], free)

        self._strict = limiter
        self._fallback = (
            FallbackLimiter(limiter, MemoryLimiter(), metrics.ratelimit_fallbacks.inc)
            if limiter.is_shared
            else None
        )
        self._limiter = self._fallback or limiter
        self._decisions = metrics.ratelimit_decisions
        free = Limit(settings["finance_api.ratelimit.free"] * _FREE_SECONDS, _FREE_SECONDS)
        self._public = rule("public", free=free)
        self._internal = rule("internal", Algorithm.SLIDING_WINDOW, free)
        self._links = rule("links", free=free)
        self._failed_auth = rule("failed_auth")
        self._sign_in_account_address = rule("sign_in_account_address")
        self._sign_in_account = rule("sign_in_account")
        self._sign_in_address = rule("sign_in_address")
        self._sign_in_browser = rule("sign_in_browser")
        self._password_change = rule("password_change")

    @property
    def is_shared(self) -> bool:
        """Return whether several processes count together."""
        return self._strict.is_shared

    def take(self, identity: identities.Identity, now_ms: int, *, is_free: bool) -> Decision:
        """Take a request from the quota of this identity. is_free: as in `RateLimiter`."""
        rule, key = self._counted(identity)
        return self._noted(rule, self._limiter.take(rule, key, now_ms, is_free=is_free))

    def refund(
        self, identity: identities.Identity, decision: Decision, now_ms: int, *, is_free: bool
    ) -> Decision:
        """Undo `take`. is_free: as in `RateLimiter`."""
        counted = self._counted(identity)
        return self._limiter.refund(*counted, decision, now_ms, is_free=is_free)

    def take_instead(
        self,
        identity: identities.Identity,
        decision: Decision,
        number: int,
        now_ms: int,
        *,
        is_free: bool = True,
    ) -> Decision:
        """Undo a take, then take this many requests. A refusal takes nothing.

        is_free: undoing uses up a free request. If none is left, the requests taken before count.
        """
        self.refund(identity, decision, now_ms, is_free=is_free)
        rule, key = self._counted(identity)
        return self._noted(rule, self._limiter.take(rule, key, now_ms, number=number))

    def peek(self, identity: identities.Identity, now_ms: int) -> Decision:
        """Return the levels, without taking a request."""
        return self._limiter.peek(*self._counted(identity), now_ms)

    def take_failure(self, address: Address | None, now_ms: int) -> Decision:
        """Count a request that could not be authenticated."""
        decision = self._limiter.take(self._failed_auth, _network(address), now_ms)
        return self._noted(self._failed_auth, decision)

    def take_sign_in(
        self, email: str, address: Address | None, browser: str | None, now_ms: int
    ) -> "Attempt":
        """Count an attempt to sign in, before its outcome is known. Raises LimiterUnavailable.

        email: the address as the user wrote it; all spellings of an address count together.
        browser: a browser in which the user has signed in before; its attempts count separately.
        """
        # The e-mail address may be any text, even text that cannot be encoded.
        account = hashlib.sha256(_spelled_once(email).encode("utf-8", "replace")).hexdigest()
        if browser is not None:
            return self._attempt([(self._sign_in_browser, f"{account} {browser}")], now_ms)
        network = _network(address)
        return self._attempt(
            [
                (self._sign_in_account_address, f"{account} {network}"),
                (self._sign_in_account, account),
                (self._sign_in_address, network),
            ],
            now_ms,
        )

    def take_password_change(self, session: str, now_ms: int) -> "Attempt":
        """Count an attempt to enter the current password. Raises LimiterUnavailable."""
        return self._attempt([(self._password_change, session)], now_ms)

    def _attempt(self, counted: list[tuple[Rule, str]], now_ms: int) -> "Attempt":
        taken: list[tuple[Rule, str, Decision]] = []
        for rule, key in counted:
            decision = self._noted(rule, self._strict.take(rule, key, now_ms))
            if not decision.allowed:
                self._refund(taken, now_ms)
                return Attempt(decision, lambda: None)
            taken.append((rule, key, decision))
        return Attempt(taken[-1][2], lambda: self._refund(taken, now_ms))

    def _refund(self, taken: list[tuple[Rule, str, Decision]], now_ms: int) -> None:
        for rule, key, decision in taken:
            with suppress(LimiterUnavailable):
                self._strict.refund(rule, key, decision, now_ms)

    def peek_token(self, token_id: str, now_ms: int) -> Decision:
        """Like `peek`, for a personal token."""
        return self._limiter.peek(self._public, token_id, now_ms)

    @property
    def is_away(self) -> bool:
        """Return whether the shared limiter, if there is one, is considered down."""
        return self._fallback is not None and self._fallback.is_away

    def close(self) -> None:
        self._limiter.close()

    def _noted(self, rule: Rule, decision: Decision) -> Decision:
        self._decisions(rule.name, "allowed" if decision.allowed else "refused").inc()
        return decision

    def _counted(self, identity: identities.Identity) -> tuple[Rule, str]:
        match identity:
            case identities.TokenIdentity():
                return self._public, identity.token_id
            case identities.LinkIdentity():
                return self._links, identity.link_id
            case identities.JwtIdentity() | identities.SessionIdentity():
                return self._internal, identity.user.uuid
            case _:
                assert_never(identity)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to enter a password. succeeded: refunds the attempt; call it on success."""

    decision: Decision
    succeeded: Callable[[], None]


def _spelled_once(email: str) -> str:
    """Return the same text for all spellings of an e-mail address."""
    try:
        return normal_email(email)
    except EmailRefused:
        return email.strip().lower()


def _network(address: Address | None) -> str:
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _IPV6_PREFIX), strict=False))
    return str(address)
