"""The representations of responses, and content negotiation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pyramid.response import Response
from webob.acceptparse import create_accept_header

from finance_api.api.csv import csv_body
from finance_api.api.xlsx import xlsx_body
from finance_api.errors import problem
from finance_api.query.model import Query
from finance_api.resources.field import Field
from finance_api.storage.interface import JsonPage, Page

HeaderItems = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Representation:
    """media_type: as in Accept. content_type: as in Content-Type. suffix: of the path of a list."""

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


def next_offset(query: Query, page: Page | JsonPage) -> int | None:
    """The offset of the next page; None on the last page."""
    return query.offset + query.limit if page.has_more else None


def json_response(document: dict[str, Any]) -> Response:
    """Not to be cached."""
    response = Response(orjson.dumps(document), content_type="application/json", charset=None)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def json_page(query: Query, page: JsonPage) -> tuple[bytes, HeaderItems]:
    """The page in its envelope."""
    offset = next_offset(query, page)
    end = b'],"limit":%d,"offset":%d,"nextOffset":%b%b}' % (
        query.limit,
        query.offset,
        b"null" if offset is None else b"%d" % offset,
        b"" if page.total is None else b',"total":%d' % page.total,
    )
    begin = b'{"%b":[' % query.resource.name.encode()
    return b"".join((begin, page.lines.replace(b"\n", b","), end)), ()


def ndjson_page(query: Query, page: JsonPage) -> tuple[bytes, HeaderItems]:
    """One row per line."""
    return page.lines + b"\n" * bool(page.lines), _without_envelope(query, page)


def csv_page(query: Query, fields: Sequence[Field], page: Page) -> tuple[bytes, HeaderItems]:
    """A header line, and one row per line."""
    return csv_body(fields, page.rows), _without_envelope(query, page)


def xlsx_page(query: Query, fields: Sequence[Field], page: Page) -> tuple[bytes, HeaderItems]:
    """A workbook with a header row, and a row for each."""
    return xlsx_body(fields, page.rows), _without_envelope(query, page)


def _without_envelope(query: Query, page: Page | JsonPage) -> HeaderItems:
    """nextOffset and total, as headers."""
    offset = next_offset(query, page)
    headers = (("X-Next-Offset", "" if offset is None else str(offset)),)
    return headers if page.total is None else (*headers, ("X-Total-Count", str(page.total)))


#: Writers of a page of JSON rows.
JSON_WRITERS: dict[Representation, Callable[[Query, JsonPage], tuple[bytes, HeaderItems]]] = {
    JSON: json_page,
    NDJSON: ndjson_page,
}
#: Writers of a page of rows, with these fields of each.
ROW_WRITERS: dict[
    Representation, Callable[[Query, Sequence[Field], Page], tuple[bytes, HeaderItems]]
] = {
    CSV: csv_page,
    XLSX: xlsx_page,
}


def negotiate(accept: str | None, offered: Sequence[Representation] = OF_LISTS) -> Representation:
    """The representation that the client prefers (RFC 9110, section 12.5.1).

    accept: the header. Parameters of a media range other than q are ignored: clients name the
    charset, though it is always UTF-8. Raises a 406.
    """
    if accept is None:
        return offered[0]
    # None for a malformed header; () for an empty one.
    parsed = create_accept_header(accept).parsed or ()
    ranges = [(text.partition(";")[0].lower(), q) for text, q, *_ in parsed]
    if not ranges:
        return offered[0]
    best = max(offered, key=lambda r: _quality(r.media_type, ranges))
    if _quality(best.media_type, ranges) == 0:
        types = ", ".join(r.media_type for r in offered)
        raise problem(406, f"This is available as {types}; the Accept header excludes them.")
    return best


def _quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """The q of the most specific media range that the type matches; 0 without one."""
    for wanted in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        found = [q for text, q in ranges if text == wanted]
        if found:
            return max(found)
    return 0
