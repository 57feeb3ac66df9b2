"""Answers to GETs of data: revision, entity tag and 304 (RFC 9110, section 13), kept answers."""

import hashlib
import re
from dataclasses import dataclass

from pyramid.request import Request
from pyramid.response import Response

from finance_api import __version__
from finance_api.api.data_request import DataRequest, Payload
from finance_api.storage.errors import NotFound, unknown_in_replica
from finance_api.storage.interface import DataState, User, data_state_of
from finance_api.values.time import DAY_SECONDS, date_text, instant_text

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """What is sent, but for what belongs to one request. headers: with those of the revision."""

    etag: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


def respond(request: Request, data_request: DataRequest) -> Response:
    """The answer for the authenticated user: 304, a kept one, or one that is read now."""
    registry = request.registry
    user: User = request.authentication.user
    now = registry.clock.now()
    today = now - now % DAY_SECONDS
    day = date_text(today) if data_request.depends_on_today else ""
    wanted = request.environ.get("HTTP_IF_NONE_MATCH")
    if wanted is not None:
        # Knowing the answer's tag needs the data's state, but none of its rows.
        is_any = wanted.strip() == "*"
        # A copy of the database may be behind.
        state = data_state_of(request.storage, user.id) if is_any else user.data
        etag = _etag(user.uuid, state, data_request, day)
        if is_any or etag in _ENTITY_TAG.findall(wanted):
            return Response(headerlist=list(_headers(etag, state)), status=304)
    cache = registry.response_cache
    key = (*data_request.key, day)
    answer: CachedResponse | None = cache.get(user.id, user.data.revision, key)
    if answer is None:
        content = _content(request, data_request, user, today)
        answer = _answer(user, data_request, content, day)
        # Another process may have imported since the user was read.
        cache.put(user.id, content.state.revision, key, answer, len(answer.body))
    return Response(app_iter=[answer.body], headerlist=list(answer.headers))


def _content(request: Request, data_request: DataRequest, user: User, today: int) -> Payload:
    try:
        return data_request.read(request.storage, user.id, today)
    except NotFound as error:
        raise unknown_in_replica() from error


def _answer(user: User, data_request: DataRequest, content: Payload, day: str) -> CachedResponse:
    etag = _etag(user.uuid, content.state, data_request, day)
    length = str(len(content.body))
    own = (
        ("Content-Type", data_request.content_type),
        ("Content-Length", length),
        *content.headers,
    )
    return CachedResponse(etag, (*own, *_headers(etag, content.state)), content.body)


def _etag(uuid: str, state: DataState, data_request: DataRequest, day: str) -> str:
    """A function of user, revision, representation, query, and the day if it matters."""
    parts = (
        __version__,
        uuid,
        str(state.revision),
        data_request.content_type,
        day,
        data_request.text,
    )
    key = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f'"{hashlib.sha256(key).hexdigest()[:32]}"'


def _headers(etag: str, state: DataState) -> tuple[tuple[str, str], ...]:
    """Those of every answer about data, 304 too."""
    return (
        ("ETag", etag),
        ("X-Last-Data-Change-At", instant_text(state.changed_at)),
        ("X-Last-Data-Change-Rev", str(state.revision)),
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Accept, Authorization"),
        ("X-Content-Type-Options", "nosniff"),
    )
