"""Requests for the user's own data, and their responses.

A response has the data's revision and an entity tag, and is cached. A client that already has the
response gets a 304 (RFC 9110, section 13). Exports are sent while they are made.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import NamedTuple

from pyramid.response import Response

from finance_api.api.parameters import AMOUNTS, AS_STRINGS, REVISION, Parameters
from finance_api.api.representation import (
    BY_SUFFIX,
    JSON,
    NDJSON,
    XLSX,
    HeaderItems,
    Representation,
    negotiate,
    with_texts,
)
from finance_api.api.response_cache import ResponseCache
from finance_api.http.compression import GZIP, gzipped, takes_gzip
from finance_api.http.errors import problem
from finance_api.http.identity import Failure, OwnerIdentity
from finance_api.http.requests import Request
from finance_api.planning.answers import Reading
from finance_api.storage.errors import NotFound, unknown_in_replica
from finance_api.storage.interface import DataState, Storage, User, data_state_of
from finance_api.values.time import date_text, day_in, instant_text
from finance_api.values.version import __version__

__all__ = ["DataRequest", "Payload", "Reading", "respond"]

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


class Payload(NamedTuple):
    """The body of an answer. state: the data's state when it was read. headers: extra headers."""

    state: DataState
    body: bytes
    headers: HeaderItems = ()


class CachedResponse(NamedTuple):
    """A response to cache. headers: all headers except those of `_user_headers`."""

    headers: HeaderItems
    body: bytes


class TaggedRequest:
    """A request for data whose response has an entity tag. Raises a 406.

    Each `depends_on_…` flag is set if something can change the response while the data stays the
    same. own_text: for the entity tag: a text that differs whenever anything else changes the
    response.
    """

    #: The representations that the client can choose from, the default first.
    forms: Sequence[Representation] = (JSON,)
    depends_on_today: bool = False
    depends_on_minute: bool = False
    depends_on_base_currency: bool = False
    #: The currency that amounts are converted to. If set, the response depends on exchange rates.
    convert_to: str | None = None
    #: Whether the requested data exists for every user; False if it may be missing.
    is_always_there: bool = True
    own_text: str = ""

    def __init__(self, request: Request) -> None:
        """path: the path with a proxy's prefix. route_path: the path without prefix and suffix.

        is_any: whether If-None-Match is ``*``.
        """
        environ, given, identity = request.environ, request.validated, request.authentication
        assert isinstance(given, Parameters) and not isinstance(identity, Failure)
        self.given, self.match, self._request = given, request.matchdict, request
        self.user: User = identity.user
        self.is_for_link = isinstance(identity, OwnerIdentity) and identity.is_for_link
        self.now = request.services.clock.now()
        path = environ["PATH_INFO"]
        self.path: str = request.path if environ.get("SCRIPT_NAME") else path
        self.route_path: str = path.removesuffix(self.match.get("suffix", ""))
        self.query_string: str = environ.get("QUERY_STRING", "")
        form = BY_SUFFIX.get(path[path.rfind(".") :])
        self.representation = form or negotiate(environ.get("HTTP_ACCEPT"), self.forms)
        self._if_none_match: str | None = environ.get("HTTP_IF_NONE_MATCH")
        self.is_any = self._if_none_match is not None and self._if_none_match.strip() == "*"
        # A workbook is already compressed.
        self.has_gzip = self.representation is not XLSX and takes_gzip(
            environ.get("HTTP_ACCEPT_ENCODING")
        )

    def reading_in(self, storage: Storage) -> Reading:
        return Reading(storage, self.user, self.now, self.is_for_link)

    @property
    def has_texts(self) -> bool:
        """Whether amounts are strings in the response."""
        is_json = self.representation in (JSON, NDJSON)
        return is_json and self.given.get(AMOUNTS) == AS_STRINGS

    def state_headers(self, state: DataState) -> HeaderItems:
        return (
            ("X-Last-Data-Change-At", instant_text(state.changed_at)),
            ("X-Last-Data-Change-Rev", str(state.revision)),
        )

    @cached_property
    def variant(self) -> str:
        """What else the response depends on: the day and time zone, the exchange rates and so on.

        The response is read from the same snapshot as the state of the exchange rates.
        """
        parts = ["link"] * self.is_for_link
        if self.depends_on_today:
            parts += (date_text(day_in(self.user.time_zone, self.now)), self.user.time_zone)
        if self.depends_on_base_currency:
            parts.append(str(self.user.base_currency))
        if self.depends_on_minute:
            parts.append(instant_text(self.now - self.now % 60))
        if self.convert_to is not None:
            parts.append(str(self._request.storage.rates.get_state().tag))
        return " ".join(parts)

    def unchanged(self) -> Response | None:
        """Return a 304 if the client has the response; None if not, or if only reading can tell."""
        is_certain = self.is_always_there and self.given.get(REVISION) is None
        if self._if_none_match is None or (self.is_any and not is_certain):
            return None
        # The tag needs the data's state, but none of its rows. For ``*``, read the state: a replica
        # may be behind the state that was read with the user.
        user = self.user
        state = data_state_of(self._request.storage, user.id) if self.is_any else user.data
        etag = self.etag(state)
        known = [etag] if self.is_any else _ENTITY_TAG.findall(self._if_none_match)
        for own in (etag, _gzip_tag(etag)) if self.has_gzip else (etag,):
            if own in known:
                return Response(headerlist=list(self.data_headers(own, state)), status=304)
        return None

    def check_revision(self, state: DataState) -> None:
        """Raise a 409 if the page must belong to another revision of the data."""
        if self.given.get(REVISION) not in (None, state.revision):
            raise problem(
                409,
                f"The data has changed: it has revision {state.revision}, not "
                f"{self.given[REVISION]}. Start over with the first page, without {REVISION}.",
            )

    def etag(self, state: DataState) -> str:
        """Return the entity tag: a hash of user, state, representation and query."""
        parts = (
            __version__,
            self.user.uuid,
            str(state.tag),
            self.representation.content_type,
            self.variant,
            self.route_path,
            self.given.canonical,
            self.own_text,
        )
        key = "\0".join(parts).encode("utf-8", "surrogatepass")
        return f'"{hashlib.sha256(key).hexdigest()[:32]}"'

    def data_headers(self, etag: str, state: DataState) -> HeaderItems:
        """Return the headers of every response about data, including a 304."""
        return (
            ("ETag", etag),
            *self.state_headers(state),
            ("Cache-Control", "private, no-cache"),
            ("Vary", "Accept, Accept-Encoding, Authorization"),
        )

    def complete(self, payload: Payload) -> CachedResponse:
        """Return the whole response, compressed with gzip if that is worthwhile."""
        etag, body = self.etag(payload.state), payload.body
        coding: HeaderItems = ()
        compressed = gzipped(body) if self.has_gzip else None
        if compressed is not None:
            etag, body, coding = _gzip_tag(etag), compressed, (("Content-Encoding", GZIP),)
        headers = (
            ("Content-Type", self.representation.content_type),
            ("Content-Length", str(len(body))),
            *coding,
            *payload.headers,
            *self.data_headers(etag, payload.state),
        )
        return CachedResponse(headers, body)


class DataRequest(TaggedRequest, ABC):
    """A request whose body is read as a whole.

    is_cheap: whether reading takes no longer for a user with many rows than for one with few.
    """

    is_cheap: bool = False

    @abstractmethod
    def read(self, reading: Reading) -> Payload:
        """Read the response. Raises NotFound if there is no such user."""


# -- responses ----------------------------------------------------------------------------------


def _gzip_tag(etag: str) -> str:
    return f'{etag[:-1]}-{GZIP}"'


def respond(
    request: Request,
    make: Callable[..., DataRequest],
    *arguments: Hashable,
    amounts: frozenset[str] = frozenset(),
) -> Response:
    """Respond to the data request ``make(*arguments, request)`` with 200 or 304.

    amounts: the names of members that the client may want as strings.
    """
    asked = make(*arguments, request)
    unchanged = asked.unchanged()
    if unchanged is not None:
        return unchanged
    user, form = asked.user, asked.representation.media_type
    cache: ResponseCache = request.registry.services.response_cache
    key = (asked.path, asked.query_string, form, asked.has_gzip, asked.own_text, asked.variant)
    response: CachedResponse | None = cache.get(user.id, user.data.tag, key)
    request.services.metrics.cache_lookups("miss" if response is None else "hit").inc()
    if response is None:

        def read() -> Payload:
            try:
                return asked.read(asked.reading_in(request.storage))
            except NotFound as error:
                raise unknown_in_replica() from error

        payload = request.in_place(read, user.id, is_cheap=asked.is_cheap)
        asked.check_revision(payload.state)
        if asked.has_texts:
            payload = payload._replace(body=with_texts(amounts, payload.body))
        response = asked.complete(payload)
        # Use the payload's tag: another process may have imported since the user was read.
        cache.put(user.id, payload.state.tag, key, response, len(response.body))
    if asked.is_any:
        # If-None-Match: * applies only if the object exists, which we know only now.
        headers = [h for h in response.headers if not h[0].startswith("Content-")]
        return Response(headerlist=headers, status=304)
    # Add these now: the cached response may be from yesterday.
    headers = [*response.headers, *_user_headers(user, asked.now)]
    return Response(app_iter=[response.body], headerlist=headers)


def _user_headers(user: User, now: int) -> HeaderItems:
    """Return headers with the day in the user's time zone, and the base currency if it is set."""
    today = ("X-User-Today", date_text(day_in(user.time_zone, now)))
    if user.base_currency is None:
        return (today,)
    return today, ("X-User-Base-Currency", user.base_currency)
