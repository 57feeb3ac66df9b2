"""Deletes expired sessions and JWTs, and usage of more than 400 days ago, every ten minutes."""

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.auth.sessions import prune_sessions
from finance_api.background import Periodic
from finance_api.clock import Clock
from finance_api.requests import Handler, Request
from finance_api.storage.interface import StorageBackend, unit_of_work
from finance_api.values.time import DAY_SECONDS

_INTERVAL_SECONDS = 600
USAGE_DAYS = 400


def make_housekeeping(backend: StorageBackend, clock: Clock, jwt_leeway_seconds: int) -> Periodic:
    def tidy() -> None:
        now = clock.now()
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            prune_sessions(storage, now)
            storage.jwts.prune(now - jwt_leeway_seconds)
            storage.usage.prune(now - now % DAY_SECONDS - USAGE_DAYS * DAY_SECONDS)

    return Periodic("housekeeping", _INTERVAL_SECONDS, tidy, last=False)


def housekeeping_tween(handler: Handler, registry: Registry) -> Handler:
    """Begins with the first request: the process that reads the settings may not be serving."""

    def tween(request: Request) -> Response:
        request.services.housekeeping.start()
        return handler(request)

    return tween
