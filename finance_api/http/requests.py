"""Pyramid's request with the properties of this application, and the address of its client.

X-Forwarded-* headers count only from trusted proxies.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Protocol, TypeVar

import pyramid.request
from pyramid.decorator import reify
from pyramid.httpexceptions import HTTPNotFound
from pyramid.registry import Registry
from pyramid.response import Response
from webob.acceptparse import create_accept_language_header

from finance_api.http.identity import Failure, Identity
from finance_api.runtime.background import Periodic
from finance_api.runtime.bulkhead import Bulkhead, Downloads
from finance_api.runtime.clock import Clock
from finance_api.runtime.metrics import Metrics
from finance_api.runtime.time_limit import time_limit
from finance_api.storage.interface import Storage, StorageBackend, User
from finance_api.values.ids import IdError, parse_id
from finance_api.values.regions import DEFAULT, Region, RegionError, parse_region, region_of
from finance_api.values.time import day_in

T = TypeVar("T")


class Services(Protocol):
    """``request.services``: the shared objects that `finance_api.services` makes.

    Packages above this one read further objects from ``request.registry.services``.
    data_requests: limits how many requests read a user's data at once.
    sampling: updates the metrics of the process.
    """

    clock: Clock
    metrics: Metrics
    sampling: Periodic
    storage: StorageBackend
    housekeeping: Periodic
    data_requests: Bulkhead
    downloads: Downloads
    statement_seconds: int


class Request(pyramid.request.Request):  # type: ignore[misc]
    """A request to this application.

    validated: the query parameters, once a Cornice validator has accepted them.
    accepted: the names of the query parameters that can be given, as far as they limit the answer.
    errors: the faults that the validator found, by the name of the parameter.
    authenticate: added by `finance_api.auth`; `authentication` calls it once.
    has_place: whether `in_place` is running.
    """

    registry: Registry
    request_id: str = "-"
    validated: Mapping[str, Any]
    accepted: Collection[str] = ()
    errors: Sequence[tuple[str, str]] = ()
    authenticate: Callable[[], Identity | Failure]
    #: The new secret of a browser that is not signed in, if this request has made one.
    visitor_secret: str | None = None

    _storage: Storage | None = None
    has_place = False

    @property
    def info(self) -> dict[str, Any]:
        """Cornice notes here whether it has checked CORS. Its CORS support is switched off."""
        return {}

    @reify  # type: ignore[untyped-decorator]
    def services(self) -> Services:
        services: Services = self.registry.services
        return services

    @reify  # type: ignore[untyped-decorator]
    def authentication(self) -> Identity | Failure:
        """The identity, or why authentication failed. Raises StorageUnavailable."""
        return self.authenticate()

    @property
    def known_identity(self) -> Identity | None:
        """The identity, if `authentication` has been read already; does not read the storage."""
        found: Identity | Failure | None = self.__dict__.get("authentication")
        return None if isinstance(found, Failure) else found

    @property
    def user(self) -> User:
        """The authenticated user, in views that need one."""
        user: User = self.identity.user
        return user

    @property
    def region(self) -> Region:
        """The region that the user chose, else the browser's; the default for strangers."""
        identity = self.known_identity
        if identity is None:
            return DEFAULT
        if identity.user.region is not None:
            return region_of(identity.user.region)
        return region_of_browser(self.headers.get("Accept-Language", ""))

    @property
    def now(self) -> int:
        clock: Clock = self.services.clock
        return clock.now()

    @property
    def today(self) -> int:
        """The day in the user's time zone."""
        return day_in(self.user.time_zone, self.now)

    @property
    def path_id(self) -> str:
        """The id in the path. Raises a 404 if it is not an id."""
        try:
            return parse_id(self.matchdict["id"])
        except IdError:
            raise HTTPNotFound() from None

    def path_text(self, name: str) -> str:
        """Return a part of the path. Raises a 404 if it has control characters.

        Some storages refuse these.
        """
        text = str(self.matchdict[name])
        if not text.isprintable():
            raise HTTPNotFound()
        return text

    def sent_text(self, name: str) -> str:
        """Return a field of the form; "" if it is missing."""
        return str(self.POST.get(name, ""))

    def sent_texts(self, name: str) -> list[str]:
        return list(self.POST.getall(name))

    @property
    def storage(self) -> Storage:
        """A unit of work for reading, open until the request ends. Raises StorageUnavailable."""
        if self._storage is None:
            self._storage = self.services.storage.read()
            self.add_finished_callback(Request.close_storage)
        return self._storage

    def in_place(self, work: Callable[[], T], user_id: int, *, is_cheap: bool) -> T:
        """Wait for a turn, then run ``work``, which reads or changes data of the user.

        Returns its result. A request that has a place needs no second one. The time limit starts
        again with the turn. is_cheap: whether the work is quick, no matter how much data there is.
        Raises BulkheadFull.
        """
        if self.has_place:
            return work()

        def limited() -> T:
            self.has_place = True
            try:
                with time_limit(self.services.statement_seconds):
                    return work()
            finally:
                self.has_place = False

        bulkhead: Bulkhead = self.services.data_requests
        return bulkhead.call(limited, user_id, is_cheap=is_cheap)

    def close_storage(self) -> None:
        """End the unit of work. Reading `storage` again begins another."""
        if self._storage is not None:
            self._storage.close()
            self._storage = None


@lru_cache(maxsize=256)
def region_of_browser(header: str) -> Region:
    """Return the first known region of an Accept-Language header, or the default."""
    accepted = create_accept_language_header(header or None).parsed or ()
    for tag, quality in sorted(accepted, key=lambda pair: -float(pair[1])):
        for text in (tag, tag.partition("-")[0]) if quality else ():
            try:
                return region_of(parse_region(text))
            except RegionError:
                continue
    return DEFAULT


Handler = Callable[[Request], Response]


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def is_https(request: Request) -> bool:
    """Return whether the client's connection is encrypted, as far as we know."""
    environ = request.environ
    if environ["wsgi.url_scheme"] == "https":
        return True
    forwarded = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip().lower()
    return forwarded == "https" and _is_trusted(request)


def base_url(request: Request) -> str:
    """Return the URL to which the browser sent the request, up to the application."""
    # request.scheme is only the scheme between proxy and server.
    scheme = "https" if is_https(request) else "http"
    return f"{scheme}://{request.host}{request.script_name}"


def client_address(request: Request) -> Address | None:
    """Return the address of the nearest hop that is not a trusted proxy; None if it is unknown.

    Each proxy appends its client's address to X-Forwarded-For. Addresses beyond the nearest
    untrusted hop may be forged.
    """
    environ, trusted = request.environ, request.registry.settings["finance_api.trusted_proxies"]
    address, is_trusted = _hop(environ.get("REMOTE_ADDR", ""), trusted)
    if not is_trusted:
        return address
    for hop in reversed(environ.get("HTTP_X_FORWARDED_FOR", "").split(",")):
        found, is_trusted = _hop(hop.strip(), trusted)
        address = found or address
        if not is_trusted:
            return address
    return address


def origin_of(request: Request) -> str:
    """Return the origin of a request for an `AuditEntry`."""
    return str(client_address(request) or "-")


def is_known_directly(request: Request) -> bool:
    """Return whether `client_address` is certain: no untrusted proxy has forwarded the request."""
    return "X-Forwarded-For" not in request.headers or _is_trusted(request)


def _is_trusted(request: Request) -> bool:
    trusted = request.registry.settings["finance_api.trusted_proxies"]
    return _hop(request.environ.get("REMOTE_ADDR", ""), trusted)[1]


@lru_cache(maxsize=1_024)
def _hop(text: str, trusted: frozenset[Network]) -> tuple[Address | None, bool]:
    """Return the address in the text, and whether it is a trusted proxy's."""
    address = _address(text)
    return address, address is not None and any(address in network for network in trusted)


def _address(text: str) -> Address | None:
    """Parse an address, to which some servers and proxies add a port or a zone."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
