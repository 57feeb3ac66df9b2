"""Counting: which requests count, and how their numbers get into the storage."""

import operator
from collections.abc import Callable, Mapping

from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.request import Request
from pyramid.response import Response
from pyramid.tweens import EXCVIEW

from finance_api.auth.identity import TokenIdentity, known_identity
from finance_api.background import WriteBehind
from finance_api.storage.interface import StorageBackend, unit_of_work
from finance_api.surfaces import PUBLIC_SURFACE, USAGE_PATH
from finance_api.values.time import DAY_SECONDS

#: Numbers are written at least once a second; writing them takes some time, too. Not more often:
#: after each write SQLite's readers have to come by the pages of the file anew.
_FLUSH_SECONDS = 0.9

#: An import may be running when the service ends; each attempt waits a second for it.
_LAST_ATTEMPTS = 20

Handler = Callable[[Request], Response]

#: User id and day (its first second).
UserDay = tuple[int, int]


def make_usage(backend: StorageBackend) -> WriteBehind[UserDay]:
    """Notes numbers of requests; those of one user and day are added up."""

    def write(requests: Mapping[UserDay, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            storage.usage.add(requests)

    name = "writing how many requests were made"
    return WriteBehind(
        name,
        _FLUSH_SECONDS,
        merge=operator.add,
        write=write,
        last_attempts=_LAST_ATTEMPTS,
    )


def usage_tween(handler: Handler, registry: Registry) -> Handler:
    """Counts the 2xx answers of the public surface, but those that only tell the usage."""

    def tween(request: Request) -> Response:
        response = handler(request)
        path = request.environ["PATH_INFO"]
        if 200 <= response.status_int < 300 and path.startswith(PUBLIC_SURFACE):
            identity = known_identity(request)
            if isinstance(identity, TokenIdentity) and path != USAGE_PATH:
                now = registry.clock.now()
                registry.usage.note((identity.user.id, now - now % DAY_SECONDS), 1)
        return response

    return tween


def includeme(config: Configurator) -> None:
    registry = config.registry
    registry.usage = make_usage(registry.storage)
    registry.at_shutdown.append(registry.usage.stop)
    config.add_tween(
        "finance_api.usage.counting.usage_tween",
        under="finance_api.edge.cors.cors_tween",
        over=EXCVIEW,
    )
