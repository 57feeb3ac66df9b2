"""The forms that an answer can have, and the choice among them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson
from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.csv import csv_body
from finance_api.errors import problem
from finance_api.query.model import Query
from finance_api.resources.field import Resource
from finance_api.resources.wire import RowEncoder
from finance_api.storage.interface import Page


@dataclass(frozen=True)
class Representation:
    """media_type: as in Accept. content_type: as in Content-Type."""

    media_type: str
    content_type: str
    write_page: Callable[[Query, Page], Response]


@cache
def encoder_of(resource: Resource) -> RowEncoder:
    return RowEncoder(resource.fields)


def next_offset(query: Query, page: Page) -> int | None:
    """Where the next page begins; None on the last page."""
    return query.offset + query.limit if page.has_more else None


def json_response(document: dict[str, Any]) -> Response:
    return Response(orjson.dumps(document), content_type="application/json", charset=None)


def _json_page(query: Query, page: Page) -> Response:
    document = encoder_of(query.resource).document
    envelope: dict[str, Any] = {
        query.resource.name: [document(row) for row in page.rows],
        "limit": query.limit,
        "offset": query.offset,
        "nextOffset": next_offset(query, page),
    }
    if page.total is not None:
        envelope["total"] = page.total
    return json_response(envelope)


def _without_envelope(body: bytes, content_type: str, query: Query, page: Page) -> Response:
    """The page's place in the list goes into headers."""
    response = Response(body)
    response.headers["Content-Type"] = content_type
    offset = next_offset(query, page)
    response.headers["X-Next-Offset"] = "" if offset is None else str(offset)
    if page.total is not None:
        response.headers["X-Total-Count"] = str(page.total)
    return response


def _csv_page(query: Query, page: Page) -> Response:
    body = csv_body(query.resource.fields, page.rows)
    return _without_envelope(body, CSV.content_type, query, page)


def _ndjson_page(query: Query, page: Page) -> Response:
    encode = encoder_of(query.resource).encode
    body = b"".join(encode(row) + b"\n" for row in page.rows)
    return _without_envelope(body, NDJSON.content_type, query, page)


JSON = Representation("application/json", "application/json", _json_page)
CSV = Representation("text/csv", "text/csv; charset=utf-8; header=present", _csv_page)
NDJSON = Representation("application/x-ndjson", "application/x-ndjson", _ndjson_page)

#: What every list is available as, the default first.
OF_LISTS = (JSON, CSV, NDJSON)


def negotiate(request: Request, offered: Sequence[Representation] = OF_LISTS) -> Representation:
    """The representation that the client likes best (RFC 9110, section 12.5.1), or 406.

    Parameters of a media range count for nothing but their q: clients name the charset, though it
    is always UTF-8.
    """
    # None where there is no header, or one that cannot be read; () where it is empty.
    ranges = [(text.partition(";")[0].lower(), q) for text, q, *_ in request.accept.parsed or ()]
    if not ranges:
        return offered[0]
    best = max(offered, key=lambda r: _quality(r.media_type, ranges))
    if _quality(best.media_type, ranges) == 0:
        types = ", ".join(r.media_type for r in offered)
        raise problem(406, f"This is available as {types}; the Accept header excludes them.")
    return best


def _quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """How much the client likes the type: by the most specific range that it falls under."""
    for wanted in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        found = [q for text, q in ranges if text == wanted]
        if found:
            return max(found)
    return 0
