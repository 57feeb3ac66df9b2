"""Forgetting what is over: sessions, JSON Web Tokens, and usage of long ago."""

from collections.abc import Callable

from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.request import Request
from pyramid.response import Response
from pyramid.tweens import EXCVIEW

from finance_api.auth.sessions import prune_sessions
from finance_api.background import Periodic
from finance_api.storage.interface import unit_of_work
from finance_api.values.time import DAY_SECONDS

Handler = Callable[[Request], Response]

_INTERVAL_SECONDS = 600
USAGE_DAYS = 400


def includeme(config: Configurator) -> None:
    registry = config.registry
    leeway = config.get_settings()["finance_api.jwt.leeway_seconds"]

    def tidy() -> None:
        now = registry.clock.now()
        with unit_of_work(registry.storage, lock_timeout_seconds=1) as storage:
            prune_sessions(storage, now)
            storage.jwts.prune(now - leeway)
            storage.usage.prune(now - now % DAY_SECONDS - USAGE_DAYS * DAY_SECONDS)

    registry.housekeeping = Periodic("housekeeping", _INTERVAL_SECONDS, tidy, last=False)
    registry.at_shutdown.append(registry.housekeeping.stop)
    config.add_tween(
        "finance_api.housekeeping.housekeeping_tween",
        under="finance_api.usage.counting.usage_tween",
        over=EXCVIEW,
    )


def housekeeping_tween(handler: Handler, registry: Registry) -> Handler:
    """Begins with the first request: the process that reads the settings may not be serving."""

    def tween(request: Request) -> Response:
        registry.housekeeping.start()
        return handler(request)

    return tween
