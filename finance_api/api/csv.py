"""Rows as CSV (RFC 4180), safe to open in a spreadsheet."""

from collections.abc import Iterable, Sequence

from finance_api.resources.field import Field
from finance_api.resources.wire import text_writer
from finance_api.values import Row
from finance_api.values.spreadsheet import harmless


def csv_body(fields: Sequence[Field], rows: Iterable[Row]) -> bytes:
    """A header row and the rows; CRLF line ends, UTF-8 without a byte order mark.

    Text is in quotes, and with an apostrophe before whatever would run as a formula; numbers stay
    numbers.
    """
    plan = [(f.name, text_writer(f), f.kind.is_text) for f in fields]
    lines = [",".join(f.name for f in fields)]
    for row in rows:
        cells = []
        for name, write, is_text in plan:
            value = row[name]
            cell = "" if value is None else write(value)
            cells.append(_quoted(cell) if is_text and cell else cell)
        lines.append(",".join(cells))
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8")


def _quoted(text: str) -> str:
    return '"' + harmless(text).replace('"', '""') + '"'
