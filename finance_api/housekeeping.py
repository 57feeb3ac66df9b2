"""Forgetting what is over: sessions, JSON Web Tokens, and usage of long ago."""

from pyramid.config import Configurator
from pyramid.events import NewResponse

from finance_api.auth.sessions import prune_sessions
from finance_api.background import Periodic
from finance_api.storage.interface import unit_of_work
from finance_api.values.time import DAY_SECONDS

_INTERVAL_SECONDS = 600
USAGE_DAYS = 400


def includeme(config: Configurator) -> None:
    registry = config.registry
    leeway = config.get_settings()["finance_api.jwt.leeway_seconds"]

    def tidy() -> None:
        now = registry.clock.now()
        with unit_of_work(registry.storage, patient=False) as storage:
            prune_sessions(storage, now)
            storage.prune_jwts(now - leeway)
            storage.prune_usage(now - now % DAY_SECONDS - USAGE_DAYS * DAY_SECONDS)

    registry.housekeeping = Periodic("housekeeping", _INTERVAL_SECONDS, tidy, last=False)
    registry.at_shutdown.append(registry.housekeeping.stop)
    # Not before the first answer: the process that reads the settings may not be the one that
    # serves.
    config.add_subscriber(lambda event: registry.housekeeping.start(), NewResponse)
