"""The request: Pyramid's, with the properties of this application and its shared objects."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import pyramid.request
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.identity import Failure, Identity
from finance_api.runtime.background import Periodic
from finance_api.runtime.bulkhead import Bulkhead, Downloads
from finance_api.runtime.clock import Clock
from finance_api.runtime.metrics import Metrics
from finance_api.runtime.time_limit import time_limit
from finance_api.storage.interface import Storage, StorageBackend

T = TypeVar("T")


class Services(Protocol):
    """``request.services``: the shared objects that `finance_api.services` makes.

    Parts above this package read objects of their own from ``request.registry.services``.
    data_requests: limits how many requests read a user's data at once.
    sampling: updates the metrics of the process.
    """

    @property
    def clock(self) -> Clock: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def sampling(self) -> Periodic: ...
    @property
    def storage(self) -> StorageBackend: ...
    @property
    def housekeeping(self) -> Periodic: ...
    @property
    def data_requests(self) -> Bulkhead: ...
    @property
    def downloads(self) -> Downloads: ...
    @property
    def statement_seconds(self) -> int: ...


class Request(pyramid.request.Request):  # type: ignore[misc]
    """validated: the query parameters, once a Cornice validator has accepted them.

    errors: the faults that the validator found, by the name of the parameter.
    authenticate: added by `finance_api.auth`; `authentication` calls it once.
    """

    registry: Registry
    request_id: str = "-"
    validated: Mapping[str, Any]
    errors: Sequence[tuple[str, str]] = ()
    authenticate: Callable[[], Identity | Failure]
    #: The new secret of a browser that is not signed in, if this request has made one.
    visitor_secret: str | None = None

    _authentication: Identity | Failure | None = None
    _storage: Storage | None = None

    @property
    def info(self) -> dict[str, Any]:
        """Cornice notes here whether it has checked CORS. Its CORS support is switched off."""
        return {}

    @property
    def services(self) -> Services:
        services: Services = self.registry.services
        return services

    @property
    def authentication(self) -> Identity | Failure:
        """Return the identity, or why authentication failed. Raises StorageUnavailable."""
        if self._authentication is None:
            self._authentication = self.authenticate()
        return self._authentication

    @property
    def known_identity(self) -> Identity | None:
        """The identity, if `authentication` has been read already; does not read the storage."""
        return None if isinstance(self._authentication, Failure) else self._authentication

    @property
    def storage(self) -> Storage:
        """A unit of work that reads, until the end of the request. Raises StorageUnavailable."""
        if self._storage is None:
            self._storage = self.services.storage.read()
            self.add_finished_callback(Request.close_storage)
        return self._storage

    def share(self, request: "Request", identity: Identity) -> None:
        """Read in the unit of work of another request, for an identity that has been checked."""
        self._storage, self._authentication = request.storage, identity

    def in_place(self, work: Callable[[], T], user_id: int, *, is_cheap: bool) -> T:
        """Wait for a turn, run ``work``, which reads data of the user, and return its result.

        The time limit starts again with the turn. is_cheap: whether the work is quick however much
        data there is. Raises BulkheadFull.
        """

        def limited() -> T:
            with time_limit(self.services.statement_seconds):
                return work()

        return self.services.data_requests.call(limited, user_id, is_cheap=is_cheap)

    def close_storage(self) -> None:
        """End the unit of work. Reading `storage` again begins another."""
        if self._storage is not None:
            self._storage.close()
            self._storage = None


Handler = Callable[[Request], Response]
