"""Rows as CSV (RFC 4180), safe to open in a spreadsheet."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from finance_api.resources.field import Field, Kind
from finance_api.serialization.rows import objects_of
from finance_api.serialization.values import list_writer, place_of_remark
from finance_api.values.spreadsheet import harmless

_BOOLEANS = {None: "", True: "true", False: "false"}


def csv_chunks(
    fields: Sequence[Field], pages: Iterable[bytes], remark: str = ""
) -> Iterator[bytes]:
    """Yield a header row and the rows, with CRLF line ends, in UTF-8 without a byte order mark.

    pages: the rows as JSON objects, one per line. Text is quoted, with an apostrophe before
    anything that a spreadsheet would run as a formula; numbers stay numbers. remark: a last row.
    """
    yield (",".join(field.name for field in fields) + "\r\n").encode()
    plan = [(field.name, _writer(field)) for field in fields]
    for page in pages:
        rows = objects_of(page)
        # Convert column by column, so that map and zip do most of the work.
        columns = [map(write, [row[name] for row in rows]) for name, write in plan]
        lines = map(",".join, zip(*columns, strict=True))
        yield "".join([f"{line}\r\n" for line in lines]).encode()
    if remark:
        cells = [""] * len(fields)
        cells[place_of_remark(fields)] = _text(remark)
        yield (",".join(cells) + "\r\n").encode()


def _writer(field: Field) -> Callable[[Any], str]:
    if field.kind is Kind.BOOLEAN:
        return _BOOLEANS.__getitem__
    if field.kind.is_list:
        join = list_writer(field)
        return (lambda texts: _text(join(texts))) if field.kind.is_text else join
    return _text if field.kind.is_text else lambda value: value or ""


def _text(value: str | None) -> str:
    return '"' + harmless(value).replace('"', '""') + '"' if value else ""
