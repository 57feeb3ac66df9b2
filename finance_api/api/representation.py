"""The representations of responses, and content negotiation."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from pyramid.response import Response
from webob.acceptparse import create_accept_header

from finance_api.http.errors import problem
from finance_api.query.model import Query
from finance_api.resources.field import Field, Resource
from finance_api.serialization.csv import csv_chunks
from finance_api.serialization.pages import ndjson_chunks
from finance_api.serialization.rows import shown
from finance_api.serialization.xlsx import xlsx_chunks
from finance_api.storage.interface import JsonPage, Page

HeaderItems = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Representation:
    """A format of responses. media_type: its name in Accept. content_type: its Content-Type.

    suffix: the end of a path that asks for it, without the dot.
    """

    media_type: str
    content_type: str
    suffix: str


_XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
JSON = Representation("application/json", "application/json", "json")
CSV = Representation("text/csv", "text/csv; charset=utf-8; header=present", "csv")
NDJSON = Representation("application/x-ndjson", "application/x-ndjson", "ndjson")
XLSX = Representation(_XLSX_TYPE, _XLSX_TYPE, "xlsx")

#: The representations of every list, the default first.
OF_LISTS = (JSON, CSV, NDJSON, XLSX)
#: The representations with columns.
TABLES = (CSV, XLSX)
#: A longer Accept header is not cached.
_MAX_CHARACTERS = 256
#: Representations by the suffix of the path that asks for them.
BY_SUFFIX = {f".{form.suffix}": form for form in (CSV, NDJSON, XLSX)}


def next_offset(query: Query, page: Page | JsonPage) -> int | None:
    """Return the offset of the next page; None on the last page."""
    return query.offset + query.limit if page.has_more else None


def json_response(document: dict[str, Any]) -> Response:
    """Make a JSON response that must not be cached."""
    response = Response(orjson.dumps(document), content_type="application/json", charset=None)
    response.headers["Cache-Control"] = "no-store"
    return response


def chunks_of(
    representation: Representation,
    name: str,
    fields: Sequence[Field],
    pages: Iterable[bytes],
    count: int,
    resource: Resource | None = None,
    remark: str = "",
) -> Iterator[bytes]:
    """Yield these fields of the rows, in a representation without an envelope.

    name: the name of the rows, such as "records". pages: JSON objects, one per line; no page is
    empty. count: the number of all rows. resource: the objects' resource; None if the objects have
    only these fields. remark: a sentence below the rows of a table.
    """
    if representation is CSV:
        return csv_chunks(fields, pages, remark)
    if representation is XLSX:
        return xlsx_chunks(name, fields, pages, count, remark)
    if resource is not None:
        pages = (shown(resource, fields, page) for page in pages)
    return ndjson_chunks(pages)


def body_of(
    representation: Representation,
    name: str,
    fields: Sequence[Field],
    lines: bytes,
    remark: str = "",
) -> bytes:
    """Return one page, which may be empty, in the form that `chunks_of` yields."""
    count = lines.count(b"\n") + 1 if lines else 0
    pages = [lines] if lines else []
    return b"".join(chunks_of(representation, name, fields, pages, count, remark=remark))


def negotiate(accept: str | None, offered: Sequence[Representation] = OF_LISTS) -> Representation:
    """Return the representation that the client prefers (RFC 9110, section 12.5.1).

    accept: the header. Parameters of a media range other than q are ignored: clients name the
    charset, though it is always UTF-8. Raises a 406.
    """
    if accept is None:
        return offered[0]
    known = _negotiated if len(accept) <= _MAX_CHARACTERS else _negotiated.__wrapped__
    best = known(accept, offered)
    if best is None:
        types = ", ".join(r.media_type for r in offered)
        raise problem(406, f"This is available as {types}; the Accept header excludes them.")
    return best


@lru_cache(maxsize=1_024)
def _negotiated(accept: str, offered: Sequence[Representation]) -> Representation | None:
    # None for a malformed header; () for an empty one.
    parsed = create_accept_header(accept).parsed or ()
    ranges = [(text.partition(";")[0].lower(), q) for text, q, *_ in parsed]
    if not ranges:
        return offered[0]
    best = max(offered, key=lambda r: _quality(r.media_type, ranges))
    return best if _quality(best.media_type, ranges) else None


def _quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """Return the q of the most specific media range that the type matches; 0 if none matches."""
    for wanted in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        found = [q for text, q in ranges if text == wanted]
        if found:
            return max(found)
    return 0
