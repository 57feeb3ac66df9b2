"""Responses to GETs of data: revision, entity tag, 304 (RFC 9110, section 13), response cache."""

import hashlib
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial

from pyramid.response import Response

from finance_api.api.data_request import (
    DataRequest,
    ExportRequest,
    Payload,
    Tagged,
    TaggedRequest,
    data_request_of,
)
from finance_api.api.exporting import cost_of
from finance_api.api.representation import XLSX
from finance_api.api.response_cache import ResponseCache
from finance_api.auth.auditing import note_export
from finance_api.http.compression import GZIP, gzip_chunks, gzipped, takes_gzip
from finance_api.http.downloads import Chunks, download
from finance_api.http.identity import Failure
from finance_api.http.requests import Request
from finance_api.ratelimit.tween import give_back, take_for
from finance_api.storage.errors import NotFound, unknown_in_replica
from finance_api.storage.interface import DataState, Storage, User, data_state_of
from finance_api.values.time import date_text, day_in, instant_text
from finance_api.version import __version__

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
    data_request, today, variant = _as_of_today(request, data_request)
    has_gzip = _takes_gzip(request, data_request)
    unchanged = _unchanged(request, data_request, variant, has_gzip)
    if unchanged is not None:
        return unchanged
    key = (*data_request.key, variant)
    cache: ResponseCache = request.registry.services.response_cache
    tag = user.data.tag
    response: CachedResponse | None = None
    if has_gzip:
        response = cache.get(user.id, tag, (*key, GZIP))
    if response is not None:
        services.metrics.cache_lookups("hit").inc()
    else:
        response = cache.get(user.id, tag, key)
        services.metrics.cache_lookups("miss" if response is None else "hit").inc()
        if response is None:
            payload = request.in_place(
                lambda: _read(request.storage, data_request, user.id, today),
                user.id,
                is_cheap=data_request.is_cheap,
            )
            # Another process may have imported since the user was read.
            tag = payload.state.tag
            response = _cacheable(user, data_request, payload, variant)
            cache.put(user.id, tag, key, response, len(response.body))
        if has_gzip:
            response = _compressed(response)
            cache.put(user.id, tag, (*key, GZIP), response, len(response.body))
    if _is_any(request):
        # There is one, as only now is known.
        headers = [h for h in response.headers if not h[0].startswith("Content-")]
        return Response(headerlist=headers, status=304)
    return Response(app_iter=[response.body], headerlist=list(response.headers))


def respond_with_export(
    request: Request, make: Callable[..., ExportRequest], *arguments: Hashable
) -> Response:
    """As `respond`, for an export: a download, which takes of the quota what it costs."""
    export_request = data_request_of(request, make, *arguments)
    services, user = request.services, _user_of(request)
    export_request, today, variant = _as_of_today(request, export_request)
    has_gzip = _takes_gzip(request, export_request)
    unchanged = _unchanged(request, export_request, variant, has_gzip)
    if unchanged is not None:
        return unchanged

    def begin(storage: Storage) -> tuple[Response, Chunks]:
        try:
            export = export_request.open(storage, user.id, today)
        except NotFound as error:
            raise unknown_in_replica() from error
        if request.method != "HEAD":
            take_for(request, cost_of(export.count), "This export")
        etag = _etag(user.uuid, export.state, export_request, variant)
        file = export_request.file_name(day_in(user.time_zone, services.clock.now()))
        headers = [
            ("Content-Type", export_request.content_type),
            ("Content-Disposition", f'attachment; filename="{file}"'),
            ("X-Total-Count", str(export.count)),
            *_headers(_gzip_tag(etag) if has_gzip else etag, export_request, export.state),
        ]
        if not has_gzip:
            return Response(headerlist=headers), export.chunks
        headers.append(("Content-Encoding", GZIP))
        return Response(headerlist=headers), gzip_chunks(export.chunks)

    response = download(request, user.id, begin, partial(give_back, request))
    note_export(request, user.id)
    return response


def _as_of_today(request: Request, asked: Tagged) -> tuple[Tagged, int, str]:
    """The request with the user's day; that day and the tag of the rates, if they matter.

    The rates are those of the snapshot from which the response is read.
    """
    today, variant = 0, ""
    if asked.depends_on_today:
        today = day_in(_user_of(request).time_zone, request.services.clock.now())
        asked, variant = asked.on(today), date_text(today)
    if asked.depends_on_base:
        base = _user_of(request).base_currency
        asked, variant = asked.in_base(base), f"{variant} {base}"
    if asked.depends_on_now:
        now = request.services.clock.now()
        minute = now - now % 60
        asked, variant = asked.at(minute), f"{variant} {instant_text(minute)}"
    if asked.convert_to is not None:
        variant += f" {request.storage.rates.get_state().tag}"
    return asked, today, variant


def _takes_gzip(request: Request, asked: TaggedRequest) -> bool:
    # A workbook is compressed in itself.
    return asked.content_type != XLSX.content_type and takes_gzip(
        request.environ.get("HTTP_ACCEPT_ENCODING")
    )


def _is_any(request: Request) -> bool:
    return bool(request.environ.get("HTTP_IF_NONE_MATCH", "").strip() == "*")


def _unchanged(
    request: Request, asked: TaggedRequest, variant: str, has_gzip: bool
) -> Response | None:
    """304 if the client has the response; None if not, or where only reading it tells."""
    if_none_match = request.environ.get("HTTP_IF_NONE_MATCH")
    is_any = _is_any(request)
    if if_none_match is None or (is_any and not asked.is_always_there):
        return None
    # The tag needs the data's state, but none of its rows.
    user = _user_of(request)
    # A replica may be behind.
    state = data_state_of(request.storage, user.id) if is_any else user.data
    etag = _etag(user.uuid, state, asked, variant)
    given = [etag] if is_any else _ENTITY_TAG.findall(if_none_match)
    for own in (etag, _gzip_tag(etag)) if has_gzip else (etag,):
        if own in given:
            return Response(headerlist=list(_headers(own, asked, state)), status=304)
    return None


def _user_of(request: Request) -> User:
    identity = request.authentication
    assert not isinstance(identity, Failure)
    return identity.user


def _read(storage: Storage, data_request: DataRequest, user_id: int, today: int) -> Payload:
    try:
        return data_request.read(storage, user_id, today)
    except NotFound as error:
        raise unknown_in_replica() from error


def _cacheable(
    user: User, data_request: DataRequest, payload: Payload, variant: str
) -> CachedResponse:
    etag = _etag(user.uuid, payload.state, data_request, variant)
    headers = (
        ("Content-Type", data_request.content_type),
        ("Content-Length", str(len(payload.body))),
        *payload.headers,
        *_headers(etag, data_request, payload.state),
    )
    return CachedResponse(headers, payload.body)


def _compressed(response: CachedResponse) -> CachedResponse:
    """By gzip, where that is worth while."""
    body = gzipped(response.body)
    if body is None:
        return response
    headers = dict(response.headers)
    headers |= {"Content-Length": str(len(body)), "ETag": _gzip_tag(headers["ETag"])}
    return CachedResponse((*headers.items(), ("Content-Encoding", GZIP)), body)


def _gzip_tag(etag: str) -> str:
    """The entity tag of the compressed body."""
    return f'{etag[:-1]}-{GZIP}"'


def _etag(uuid: str, state: DataState, asked: TaggedRequest, variant: str) -> str:
    """A function of user, state, representation and query.

    variant: the day and the state of the exchange rates, if they matter.
    """
    parts = (
        __version__,
        uuid,
        str(state.tag),
        asked.content_type,
        variant,
        asked.text,
    )
    key = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f'"{hashlib.sha256(key).hexdigest()[:32]}"'


def _headers(etag: str, asked: TaggedRequest, state: DataState) -> tuple[tuple[str, str], ...]:
    """Those of every response about data, 304 too."""
    return (
        ("ETag", etag),
        *asked.state_headers(state),
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Accept, Accept-Encoding, Authorization"),
    )
