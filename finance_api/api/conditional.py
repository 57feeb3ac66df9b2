"""Responses to GETs of data: revision, entity tag, 304 (RFC 9110, section 13), response cache."""

import hashlib
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pyramid.response import Response

from finance_api import __version__
from finance_api.api.data_request import DataRequest, Payload, data_request_of
from finance_api.auth.identity import Failure
from finance_api.requests import Request
from finance_api.storage.errors import NotFound, unknown_in_replica
from finance_api.storage.interface import DataState, Storage, User, data_state_of
from finance_api.values.time import DAY_SECONDS, date_text, instant_text

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """headers: those of the revision too, but none that belong to one request."""

    headers: tuple[tuple[str, str], ...]
    body: bytes


def respond(request: Request, make: Callable[..., DataRequest], *arguments: Hashable) -> Response:
    """The data request ``make(*arguments, target)`` of the authenticated user: 200 or 304."""
    data_request = data_request_of(request, make, *arguments)
    services, user = request.services, _user_of(request)
    now = services.clock.now()
    today = now - now % DAY_SECONDS
    day = date_text(today) if data_request.depends_on_today else ""
    if_none_match = request.environ.get("HTTP_IF_NONE_MATCH")
    if if_none_match is not None:
        # The tag needs the data's state, but none of its rows.
        is_any = if_none_match.strip() == "*"
        # A replica may be behind.
        state = data_state_of(request.storage, user.id) if is_any else user.data
        etag = _etag(user.uuid, state, data_request, day)
        if is_any or etag in _ENTITY_TAG.findall(if_none_match):
            return Response(headerlist=list(_headers(etag, state)), status=304)
    key = (*data_request.key, day)
    response: CachedResponse | None
    response = services.response_cache.get(user.id, user.data.tag, key)
    if response is None:
        payload = services.data_requests.call(
            lambda: _read(request.storage, data_request, user.id, today)
        )
        response = _cacheable(user, data_request, payload, day)
        # Another process may have imported since the user was read.
        tag, size = payload.state.tag, len(response.body)
        services.response_cache.put(user.id, tag, key, response, size)
    return Response(app_iter=[response.body], headerlist=list(response.headers))


def _user_of(request: Request) -> User:
    identity = request.authentication
    assert not isinstance(identity, Failure)
    return identity.user


def _read(storage: Storage, data_request: DataRequest, user_id: int, today: int) -> Payload:
    try:
        return data_request.read(storage, user_id, today)
    except NotFound as error:
        raise unknown_in_replica() from error


def _cacheable(user: User, data_request: DataRequest, payload: Payload, day: str) -> CachedResponse:
    etag = _etag(user.uuid, payload.state, data_request, day)
    headers = (
        ("Content-Type", data_request.content_type),
        ("Content-Length", str(len(payload.body))),
        *payload.headers,
        *_headers(etag, payload.state),
    )
    return CachedResponse(headers, payload.body)


def _etag(uuid: str, state: DataState, data_request: DataRequest, day: str) -> str:
    """A function of user, state, representation, query, and the day if it matters."""
    parts = (
        __version__,
        uuid,
        str(state.tag),
        data_request.content_type,
        day,
        data_request.text,
    )
    key = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f'"{hashlib.sha256(key).hexdigest()[:32]}"'


def _headers(etag: str, state: DataState) -> tuple[tuple[str, str], ...]:
    """Those of every response about data, 304 too."""
    return (
        ("ETag", etag),
        ("X-Last-Data-Change-At", instant_text(state.changed_at)),
        ("X-Last-Data-Change-Rev", str(state.revision)),
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Accept, Authorization"),
        ("X-Content-Type-Options", "nosniff"),
    )
