"""Rows as CSV (RFC 4180), safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence

from finance_api.resources.field import Field
from finance_api.resources.wire import text_writer
from finance_api.values import Row

#: First characters that make a spreadsheet read a cell as a formula (OWASP: CSV injection).
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_body(fields: Sequence[Field], rows: Iterable[Row]) -> bytes:
    """A header row and the rows; CRLF line ends, UTF-8 without a byte order mark.

    Text that would run as a formula gets an apostrophe before it; numbers stay numbers.
    """
    plan = [(f.name, text_writer(f), f.kind.is_text) for f in fields]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([f.name for f in fields])
    for row in rows:
        cells = []
        for name, write, is_text in plan:
            value = row[name]
            cell = "" if value is None else write(value)
            cells.append("'" + cell if is_text and cell.startswith(_FORMULA_STARTS) else cell)
        writer.writerow(cells)
    return buffer.getvalue().encode("utf-8")
