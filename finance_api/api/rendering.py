"""Writes answers in the forms of the API."""

from collections.abc import Sequence

import orjson

from finance_api.api.representation import (
    JSON,
    TABLES,
    XLSX,
    HeaderItems,
    Representation,
    body_of,
    chunks_of,
    chunks_with_texts,
)
from finance_api.http.downloads import Chunks
from finance_api.http.errors import problem
from finance_api.planning.answers import Answer, Document, Export
from finance_api.resources.field import Field
from finance_api.serialization.rows import RowEncoder, shown
from finance_api.serialization.xlsx import MAX_ROWS, readable_first


def body_and_headers(answer: Answer | Document, form: Representation) -> tuple[bytes, HeaderItems]:
    """Return the body in this form, and the headers that take the place of an envelope."""
    if isinstance(answer, Document):
        return answer.json, tuple(answer.headers)
    if form is JSON:
        return _envelope(answer), ()
    columns = _columns(form, answer.columns, answer.table_columns)
    if answer.lines is None:
        lines = RowEncoder(columns).lines(answer.rows)
    elif answer.resource is None or form in TABLES:
        # A table takes its columns from whole rows.
        lines = answer.lines
    else:
        lines = shown(answer.resource, columns, answer.lines)
    return body_of(form, answer.name, columns, lines), tuple(answer.headers)


def _envelope(answer: Answer) -> bytes:
    members = {}
    for name, member in answer.members.items():
        value = member() if callable(member) else member
        if value or not callable(member):
            members[name] = value
    if answer.lines is None:
        return orjson.dumps(
            {answer.name: RowEncoder(answer.columns).documents(answer.rows), **members}
        )
    lines = answer.lines
    if answer.resource is not None:
        lines = shown(answer.resource, answer.columns, lines)
    end = orjson.dumps(members)[1:]
    begin = b'{"%b":[' % answer.name.encode()
    return b"".join((begin, lines.replace(b"\n", b","), b"]," if members else b"]", end))


def _columns(
    form: Representation, columns: Sequence[Field], chosen: Sequence[Field] | None
) -> Sequence[Field]:
    """Return the columns in the order of the form. chosen: those that the client has chosen."""
    if form in TABLES and chosen is not None:
        return chosen
    return readable_first(columns) if form is XLSX else columns


def export_chunks(export: Export, form: Representation, amounts: frozenset[str]) -> Chunks:
    """Return the body of the export. amounts: the members to write as strings. Raises a 400."""
    if form is XLSX and export.count > MAX_ROWS:
        raise problem(
            400,
            f"There are {export.count:,} rows, but a workbook can have only {MAX_ROWS:,}: filter "
            f"for fewer rows, or ask for .csv or .ndjson.",
        )
    chunks = _chunks(export, form)
    return chunks_with_texts(amounts, chunks) if amounts else chunks


def _chunks(export: Export, form: Representation) -> Chunks:
    resource, pages = export.resource, export.pages
    if resource is None:
        yield from pages
        return
    columns = _columns(form, export.columns, export.table_columns)
    yield from chunks_of(form, resource.name, columns, pages, export.count, resource)
    if export.has_trailer:
        yield b'{"end":true,"rows":%d}\n' % export.count
