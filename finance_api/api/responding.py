"""Responds to requests for the user's own data.

A response has the data's revision and an entity tag, and is cached. A client that already has the
response gets a 304 (RFC 9110, section 13). Exports are sent while they are made.
"""

import hashlib
import re
from collections.abc import Hashable
from contextlib import nullcontext
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from pyramid.response import Response

from finance_api.api.endpoint import Endpoint
from finance_api.api.freshness import variant
from finance_api.api.parameters import AMOUNTS, AS_STRINGS, TRAILER
from finance_api.api.rendering import (
    HeaderItems,
    body_and_headers,
    export_chunks,
    json_response,
    negotiate,
)
from finance_api.api.validation import Parameters
from finance_api.auth.auditing import note_export
from finance_api.http.compression import GZIP, compress, gzip_chunks, gzipped, takes_gzip
from finance_api.http.downloads import Chunks, download
from finance_api.http.identity import Failure
from finance_api.http.querystring import split_query
from finance_api.http.ranges import wanted_part
from finance_api.http.requests import Request
from finance_api.http.surfaces import EXPORTS
from finance_api.planning import answers
from finance_api.query.model import MAX_LIMIT
from finance_api.questions.answering import OwnForm, refuse_empty
from finance_api.questions.asking import Asked, find, find_page
from finance_api.ratelimit.tween import refund, take_for_rows
from finance_api.runtime.response_cache import ResponseCache
from finance_api.runtime.time_limit import TookTooLong, no_time_limit
from finance_api.serialization.formats import BY_SUFFIX, JSON, NDJSON, XLSX, Representation
from finance_api.storage.interface import DataState, Storage, User, data_state_of
from finance_api.values.time import date_text, day_in, instant_text
from finance_api.values.version import __version__

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


class CachedResponse(NamedTuple):
    """A response to cache. headers: all headers except those of `_user_headers`."""

    headers: HeaderItems
    body: bytes


class Exchange:
    """A request for data: what the client asked for and already has.

    suffix, own_form, is_for_link: see `questions.answering.respond`. path: the path with a proxy's
    prefix. more: what the answer depends on besides the address. is_any: whether If-None-Match is
    ``*``. Raises a 406.
    """

    def __init__(
        self,
        request: Request,
        asked: Asked,
        user: User,
        suffix: str,
        own_form: OwnForm | None = None,
        *,
        is_for_link: bool = False,
    ) -> None:
        environ = request.environ
        self._request, self.asked, self._own_form = request, asked, own_form
        self.is_for_link = is_for_link
        self.endpoint: Endpoint = asked.endpoint
        self.values: Parameters = asked.values
        self.user = user
        has_prefix = bool(environ.get("SCRIPT_NAME"))
        prefix = request.application_url.removeprefix(request.host_url) if has_prefix else ""
        self.path = f"{prefix}{asked.path}{suffix}"
        self.now = request.now
        self._if_none_match: str | None = environ.get("HTTP_IF_NONE_MATCH")
        self.is_any = self._if_none_match is not None and self._if_none_match.strip() == "*"
        if own_form is None:
            accept = None if is_for_link else environ.get("HTTP_ACCEPT")
            form = BY_SUFFIX.get(self.path[self.path.rfind(".") :])
            self.form = form or negotiate(accept, self.endpoint.response.forms)
            more = dict(asked.arguments)
            more.pop("row_id", None)
            self.more = str(more) if more else ""
        else:
            self.form = Representation(own_form.content_type, own_form.content_type, "")
            self.more = own_form.depends_on
        # A workbook is already compressed.
        may_be_coded = self.form is not XLSX and own_form is None
        self.has_gzip = may_be_coded and takes_gzip(environ.get("HTTP_ACCEPT_ENCODING"))

    def reading(self, storage: Storage) -> answers.Reading:
        has_values = self._own_form is not None
        return answers.Reading(storage, self.user, self.now, self.is_for_link, has_values)

    @property
    def amounts(self) -> frozenset[str]:
        """The members to write as strings."""
        has_texts = self.form in (JSON, NDJSON) and self.values.get(AMOUNTS) == AS_STRINGS
        return self.endpoint.amounts if has_texts else frozenset()

    @cached_property
    def variant(self) -> str:
        sources = self.endpoint.varies_with | self.values.varies_with
        if not sources and not self.is_for_link:
            return ""
        return variant(self.reading(self._request.storage), sources)

    def unchanged(self) -> Response | None:
        """Return a 304 if the client has the response; None if not, or if only reading can tell."""
        if self._if_none_match is None:
            return None
        has_revision = self.values.get(answers.REVISION) is not None
        if self.is_any and (has_revision or self.endpoint.may_be_missing):
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

    def etag(self, state: DataState) -> str:
        """Return the entity tag: a hash of user, state, representation and query."""
        parts = (
            __version__,
            self.user.uuid,
            str(state.tag),
            self.form.content_type,
            self.variant,
            self.asked.path,
            self.values.canonical,
            self.more,
        )
        key = "\0".join(parts).encode("utf-8", "surrogatepass")
        return f'"{hashlib.sha256(key).hexdigest()[:32]}"'

    def data_headers(self, etag: str, state: DataState) -> HeaderItems:
        """Return the headers of every response about data, including a 304."""
        return (
            ("ETag", etag),
            *(self.endpoint.response.state_headers or _state_headers)(state),
            ("Cache-Control", "private, no-cache"),
            ("Vary", "Accept, Accept-Encoding, Authorization"),
        )

    def _written(self, answer: answers.Answer | answers.Document) -> tuple[bytes, HeaderItems]:
        """Return the body, and the headers of its form."""
        remark = ""
        if isinstance(answer, answers.Answer) and self.is_for_link:
            # A row more than the limit that somebody chose would be counted as one of the rows.
            remark = "" if self.asked.names_limit else answer.remark
            if self._own_form is not None:
                return self._own_form.write(answer), tuple(answer.headers)
            if self.form is not JSON:
                refuse_empty(answer)
        return body_and_headers(answer, self.form, self.amounts, remark)

    def complete(self, answer: answers.Answer | answers.Document) -> CachedResponse:
        """Return the whole response, compressed with gzip if that is worthwhile."""
        etag = self.etag(answer.state)
        body, more = self._written(answer)
        following = answer.next_offset
        if self.form is not JSON and isinstance(answer, answers.Answer) and answer.instead:
            following = None
        coding: HeaderItems = ()
        compressed = gzipped(body) if self.has_gzip else None
        if compressed is not None:
            etag, body, coding = _gzip_tag(etag), compressed, (("Content-Encoding", GZIP),)
        headers = (
            ("Content-Type", self.form.content_type),
            ("Content-Length", str(len(body))),
            *coding,
            *more,
            *_next_link(self.path, self.asked.query_string, following),
            *self.data_headers(etag, answer.state),
        )
        return CachedResponse(headers, body)


def _state_headers(state: DataState) -> HeaderItems:
    return (
        ("X-Last-Data-Change-At", instant_text(state.changed_at)),
        ("X-Last-Data-Change-Rev", str(state.revision)),
    )


def _gzip_tag(etag: str) -> str:
    return f'{etag[:-1]}-{GZIP}"'


@lru_cache(maxsize=256)
def _next_link(path: str, query_string: str, offset: int | None) -> HeaderItems:
    """Return the Link header of the next page (RFC 8288), or nothing if ``offset`` is None.

    The link is the request's path and query with another offset. It does not use the Host header.
    Links are remembered, since most clients ask for the same pages again.
    """
    if offset is None:
        return ()
    pairs = [(k, v or "") for k, v in split_query(query_string) if k != "offset"]
    query = urlencode([*pairs, ("offset", offset)], quote_via=quote)
    return (("Link", f'<{path}?{query}>; rel="next"'),)


def respond(request: Request, **more: Hashable) -> Response:
    """Respond with the endpoint's answer: 200, or 304 if the client has it.

    An answer that is not available as JSON is an export. more: further arguments of ``answer``; the
    entity tag depends on them, too.
    """
    asked, identity = _asked(request, **more), request.authentication
    assert not isinstance(identity, Failure)
    exchange = Exchange(request, asked, identity.user, request.matchdict.get("suffix", ""))
    if JSON not in exchange.endpoint.response.forms:
        return _respond_with_export(request, exchange)
    return _respond(request, exchange)


def _asked(request: Request, **more: Any) -> Asked:
    """Return what this request asks for. more: further arguments of ``answer``."""
    match, environ = request.matchdict, request.environ
    arguments = {"row_id": match["id"].lower(), **more} if "id" in match else more
    return Asked(
        request.registry.endpoints[request.matched_route.pattern],
        request.validated,
        arguments,
        environ["PATH_INFO"].removesuffix(match.get("suffix", "")),
        environ.get("QUERY_STRING", ""),
    )


def respond_to_question(
    request: Request,
    user: User,
    address: str,
    suffix: str,
    own_form: OwnForm | None,
    *,
    is_for_link: bool,
) -> Response:
    """Respond with the answer to a saved question: see `questions.answering.respond`."""
    asked = find_page(request.registry, address)
    if is_for_link and (own_form is None or own_form.is_whole):
        asked = asked.as_whole()
    exchange = Exchange(request, asked, user, suffix, own_form, is_for_link=is_for_link)
    request.accepted = exchange.endpoint.schema.nodes
    if not address.startswith(EXPORTS) or exchange.form not in BY_SUFFIX.values():
        return _respond(request, exchange)
    export = find(request.registry, address)
    exchange = Exchange(request, export, user, suffix, is_for_link=is_for_link)
    return _respond_with_export(request, exchange, asked if is_for_link else None)


def _respond(request: Request, exchange: Exchange) -> Response:
    unchanged = exchange.unchanged()
    if unchanged is not None:
        return unchanged
    user, asked, variant = exchange.user, exchange.asked, exchange.variant
    cache: ResponseCache = request.registry.services.response_cache
    form = exchange.form.media_type, exchange.has_gzip
    key = (exchange.path, asked.query_string, form, exchange.more, variant)
    # How many rows a link's answer has; 0 for others, which cost the same with any number.
    rows: int | None = 0
    if exchange.is_for_link:
        rows_key = (asked.path, exchange.values.canonical, variant)
        rows = cache.get(user.id, user.data.tag, rows_key)
        _take_for_answer(request, rows or 0)
    response: CachedResponse | None = None
    if rows is not None:
        response = cache.get(user.id, user.data.tag, key)
    request.services.metrics.cache_lookups("miss" if response is None else "hit").inc()
    if response is None:

        def read() -> tuple[DataState, CachedResponse]:
            answer = asked.answer(exchange.reading(request.storage))
            if rows is None:
                count = answer.count if isinstance(answer, answers.Answer) else 0
                cache.put(user.id, answer.state.tag, rows_key, count, 0)
                # Before the answer is written, which takes longer than reading it.
                _take_for_answer(request, count)
            return answer.state, exchange.complete(answer)

        is_cheap = exchange.values.is_cheap
        state, response = request.in_place(read, user.id, is_cheap=is_cheap)
        # Use the answer's tag: another process may have imported since the user was read.
        cache.put(user.id, state.tag, key, response, len(response.body))
    if exchange.is_any:
        # If-None-Match: * applies only if the object exists, which we know only now.
        headers = [h for h in response.headers if not h[0].startswith("Content-")]
        return Response(headerlist=headers, status=304)
    # Add these now: the cached response may be from yesterday.
    headers = [*response.headers, *_user_headers(user, exchange.now)]
    answered = Response(app_iter=[response.body], headerlist=headers)
    if not exchange.is_for_link:
        return answered
    part = wanted_part(request, answered)
    return answered if part is None else part.of(answered)


def _take_for_answer(request: Request, rows: int) -> None:
    """Take what a link's answer costs, which can have more rows than a page. Raises a 429."""
    if rows > MAX_LIMIT:
        take_for_rows(request, rows, "This answer")


def _user_headers(user: User, now: int) -> HeaderItems:
    """Return headers with the day in the user's time zone, and the base currency if it is set."""
    today = ("X-User-Today", date_text(day_in(user.time_zone, now)))
    if user.base_currency is None:
        return (today,)
    return today, ("X-User-Base-Currency", user.base_currency)


def respond_unstored(request: Request, **more: Any) -> Response:
    """Respond with JSON about the user that must not be cached. more: arguments of ``answer``."""
    reading = answers.Reading(request.storage, request.user, request.now)
    document = _asked(request, **more).answer(reading)
    negotiate(request.environ.get("HTTP_ACCEPT"), (JSON,))
    response = json_response(document)
    response.vary = "Accept, Accept-Encoding, Authorization"
    response.headers.update(_user_headers(reading.user, reading.now))
    compress(response, request.environ.get("HTTP_ACCEPT_ENCODING"))
    return response


def _respond_with_export(
    request: Request, exchange: Exchange, page: Asked | None = None
) -> Response:
    """Respond with an export, and charge its cost to the quota.

    page: its list, if an export without rows has to say why.
    """
    form, user, has_gzip = exchange.form, exchange.user, exchange.has_gzip
    if exchange.values.get(TRAILER) and form is not NDJSON:
        raise answers.ParametersRefused([(TRAILER, "is only for NDJSON")])
    unchanged = exchange.unchanged()
    if unchanged is not None:
        return unchanged

    def body(export: answers.Export) -> Chunks:
        chunks = export_chunks(export, form, exchange.amounts)
        return gzip_chunks(chunks) if has_gzip else chunks

    def begin(storage: Storage) -> tuple[Response, Chunks]:
        export: answers.Export = exchange.asked.answer(exchange.reading(storage))
        if page is not None and not export.count:
            refuse_empty(page.answer(exchange.reading(storage)))
        chunks = body(export)
        take_for_rows(request, export.count, "This export")
        etag, day = exchange.etag(export.state), date_text(day_in(user.time_zone, exchange.now))
        file = f"{export.name}-{day}.{form.suffix}"
        headers = [
            ("Content-Type", form.content_type),
            ("Content-Disposition", f'attachment; filename="{file}"'),
            ("X-Total-Count", str(export.count)),
            *exchange.data_headers(_gzip_tag(etag) if has_gzip else etag, export.state),
        ]
        headers += [("Content-Encoding", GZIP)] if has_gzip else []
        response = Response(headerlist=headers)
        part = wanted_part(request, response)
        if part is None and request.method != "HEAD":
            return response, chunks
        # Only the whole body tells its length; it is made again for the part.
        try:
            with nullcontext() if part is None else no_time_limit():
                length = sum(map(len, chunks))
        except TookTooLong:
            # HEAD can do without the length.
            return response, chunks
        response.app_iter = body(exchange.asked.answer(exchange.reading(storage)))
        response.content_length = length
        if part is not None:
            response = part.of(response)
        return response, response.app_iter

    response = download(request, user.id, begin, partial(refund, request))
    note_export(request, user.id)
    return response
