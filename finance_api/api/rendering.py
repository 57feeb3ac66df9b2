"""The forms of answers: which one a client prefers, and how an answer is written in it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import orjson
from pyramid.response import Response
from webob.acceptparse import create_accept_header

from finance_api.http.downloads import Chunks
from finance_api.http.errors import problem
from finance_api.planning.answers import Answer, Document, Export
from finance_api.resources.field import Field
from finance_api.serialization.formats import JSON, TABLES, XLSX, Representation, body_of, chunks_of
from finance_api.serialization.rows import encoder_with_texts, envelope, shown, trailer, with_texts
from finance_api.serialization.values import readable_first
from finance_api.serialization.xlsx import MAX_ROWS

HeaderItems = tuple[tuple[str, str], ...]


def body_and_headers(
    answer: Answer | Document, form: Representation, amounts: frozenset[str], remark: str = ""
) -> tuple[bytes, HeaderItems]:
    """Return the body in this form, and the headers that take the place of an envelope.

    amounts: the members to write as strings. remark: a sentence below the rows of a table.
    """
    if isinstance(answer, Document):
        return with_texts(amounts, answer.json), tuple(answer.headers)
    if form is JSON:
        rows = _lines(answer, answer.columns, amounts)
        return envelope(answer.name, rows, answer.read_members(), amounts), ()
    if answer.instead is not None:
        member = answer.members[answer.instead]
        answer = replace(answer, name=answer.instead, columns=member.columns, rows=member.rows)
        remark = ""
    columns = _columns(form, answer.columns, answer.table_columns)
    # A table takes its columns from whole rows.
    has_whole_rows = form in TABLES and answer.lines is not None
    lines = answer.lines if has_whole_rows else _lines(answer, columns, amounts)
    body = body_of(form, answer.name, columns, lines or b"", remark)
    return body, tuple(answer.headers)


def _lines(answer: Answer, columns: Sequence[Field], amounts: frozenset[str]) -> bytes:
    """Return these columns of the rows as JSON objects, one per line."""
    if answer.lines is None:
        return encoder_with_texts(columns, amounts).lines(answer.rows)
    if answer.resource is None:
        return with_texts(amounts, answer.lines)
    return with_texts(amounts, shown(answer.resource, columns, answer.lines))


def _columns(
    form: Representation, columns: Sequence[Field], chosen: Sequence[Field] | None
) -> Sequence[Field]:
    """Return the columns in the order of the form. chosen: those that the client has chosen."""
    if form not in TABLES:
        return columns
    return readable_first(columns) if chosen is None else chosen


def json_response(document: dict[str, Any]) -> Response:
    """Make a JSON response that must not be cached."""
    body = orjson.dumps(document)
    return Response(body, content_type=JSON.content_type, charset=None, cache_control="no-store")


def export_chunks(export: Export, form: Representation, amounts: frozenset[str]) -> Chunks:
    """Return the body of the export. amounts: the members to write as strings. Raises a 400."""
    if form is XLSX and export.count > MAX_ROWS:
        raise problem(
            400,
            f"There are {export.count:,} rows, but a workbook can have only {MAX_ROWS:,}: filter "
            f"for fewer rows, or ask for .csv or .ndjson.",
        )
    return _chunks(export, form, amounts)


def _chunks(export: Export, form: Representation, amounts: frozenset[str]) -> Chunks:
    resource, pages = export.resource, export.pages
    if resource is None:
        yield from pages
        return
    columns = _columns(form, export.columns, export.table_columns)
    texts = map(partial(with_texts, amounts), pages)
    yield from chunks_of(form, resource.name, columns, texts, export.count, resource)
    if export.has_trailer:
        yield trailer(export.count)


# -- which form ------------------------------------------------------------------------------------

#: A longer Accept header is not cached.
_MAX_CHARACTERS = 256


def negotiate(accept: str | None, offered: Sequence[Representation]) -> Representation:
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
