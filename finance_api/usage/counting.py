"""Counting requests of the public API, and writing the numbers to the storage."""

import operator
from collections.abc import Mapping

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.identity import TokenIdentity
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import TOKEN_SURFACES, USAGE_PATHS
from finance_api.runtime.background import WriteBehind
from finance_api.storage.interface import StorageBackend, TokenDay, unit_of_work
from finance_api.values.time import DAY_SECONDS

#: Numbers are written about once a second, including the time that writing takes. Not more often,
#: because after each write SQLite's readers have to read pages of the file again.
_FLUSH_SECONDS = 0.9

#: An import may hold the lock when the service stops; each attempt waits a second for the lock.
_LAST_ATTEMPTS = 20


def make_usage(backend: StorageBackend) -> WriteBehind[TokenDay]:
    """Collect numbers of requests by user, day and token, and write them periodically."""

    def write(requests: Mapping[TokenDay, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            storage.usage.add(requests)

    name = "writing how many requests were made"
    return WriteBehind(
        name, _FLUSH_SECONDS, merge=operator.add, write=write, last_attempts=_LAST_ATTEMPTS
    )


def usage_tween(handler: Handler, registry: Registry) -> Handler:
    """Count 2xx responses of the public API, except responses of the usage endpoint."""

    def tween(request: Request) -> Response:
        response = handler(request)
        path = request.environ["PATH_INFO"]
        if 200 <= response.status_int < 300 and path.startswith(TOKEN_SURFACES):
            identity = request.known_identity
            if isinstance(identity, TokenIdentity) and path not in USAGE_PATHS:
                now = request.services.clock.now()
                day = now - now % DAY_SECONDS
                usage: WriteBehind[TokenDay] = request.registry.services.usage
                usage.note((identity.user.id, day, identity.token_id), 1)
        return response

    return tween
