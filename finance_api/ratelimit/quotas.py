"""The rules of this service, and whose requests are counted together."""

from collections.abc import Mapping
from ipaddress import IPv6Address, ip_network
from typing import Any

from pyramid.config import Configurator
from pyramid.path import DottedNameResolver

from finance_api.auth.identity import Identity, TokenIdentity
from finance_api.edge.proxies import Address
from finance_api.metrics import Metrics
from finance_api.ratelimit.fallback import FallbackLimiter
from finance_api.ratelimit.interface import RateLimiter
from finance_api.ratelimit.limits import Algorithm, Decision, Rule
from finance_api.ratelimit.memory import MemoryLimiter
from finance_api.settings import SettingError

#: An IPv6 client usually has all addresses of such a network.
_IPV6_PREFIX = 64


class Quotas:
    """Public: by token. Internal: by user. Failed authentication: by client address."""

    def __init__(self, limiter: RateLimiter, settings: Mapping[str, Any]) -> None:
        def rule(name: str, algorithm: Algorithm) -> Rule:
            return Rule(name, algorithm, settings[f"finance_api.ratelimit.{name}"])

        self._limiter = limiter
        self._public = rule("public", Algorithm.TOKEN_BUCKET)
        self._internal = rule("internal", Algorithm.SLIDING_WINDOW)
        self._failed_auth = rule("failed_auth", Algorithm.TOKEN_BUCKET)

    def take(self, identity: Identity, now_ms: int) -> Decision:
        """Counts a request of this identity, if it may make one."""
        return self._limiter.take(*self._counted(identity), now_ms)

    def give_back(self, identity: Identity, decision: Decision, now_ms: int) -> Decision:
        """Undoes `take`."""
        return self._limiter.give_back(*self._counted(identity), decision, now_ms)

    def peek(self, identity: Identity, now_ms: int) -> Decision:
        """What is left, without counting anything."""
        return self._limiter.peek(*self._counted(identity), now_ms)

    def take_failure(self, address: Address | None, now_ms: int) -> Decision:
        """Counts a request that could not be authenticated."""
        if isinstance(address, IPv6Address):
            key = str(ip_network((address, _IPV6_PREFIX), strict=False))
        else:
            key = str(address)
        return self._limiter.take(self._failed_auth, key, now_ms)

    def close(self) -> None:
        self._limiter.close()

    def _counted(self, identity: Identity) -> tuple[Rule, str]:
        if isinstance(identity, TokenIdentity):
            return self._public, identity.token_id
        return self._internal, identity.user.uuid


def open_limiter(settings: Mapping[str, Any], metrics: Metrics) -> RateLimiter:
    """Raises SettingError."""
    url = settings["finance_api.ratelimit.redis_url"]
    if settings["finance_api.ratelimit.backend"] == "memory":
        return MemoryLimiter()
    try:
        # Only here, so that the driver is needed only where it is used.
        shared = DottedNameResolver().resolve("finance_api.ratelimit.redis.RedisLimiter")(url)
    except ImportError as error:
        raise SettingError(
            f"finance_api.ratelimit.backend: redis needs the package {error.name}; "
            "install finance-api with its extra redis"
        ) from None
    except ValueError as error:
        raise SettingError(f"finance_api.ratelimit.redis_url: {url!r} {error}") from None
    return FallbackLimiter(shared, MemoryLimiter(), metrics.ratelimit_fallbacks.inc)


def includeme(config: Configurator) -> None:
    registry = config.registry
    settings = config.get_settings()
    registry.quotas = Quotas(open_limiter(settings, registry.metrics), settings)
    registry.at_shutdown.append(registry.quotas.close)
