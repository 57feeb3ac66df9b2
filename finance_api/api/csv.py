"""Rows as CSV (RFC 4180), safe to open in a spreadsheet."""

import re
from collections.abc import Iterable, Sequence

from finance_api.resources.field import Field
from finance_api.resources.wire import text_writer
from finance_api.values import Row

#: First characters that make a spreadsheet read a cell as a formula (OWASP: CSV injection), in all
#: forms that Unicode has of them.
_FORMULA = "=＝﹦⁼₌+＋﹢⁺₊@＠﹫\\-－﹣−⁻₋"
#: The beginning of a cell, also for a program that splits at semicolons, tabs and line ends, within
#: quotes too; with what may be dropped there: white space, invisible characters, quotes.
_BEGINNING = re.compile(
    rf'((?:^|[;\t\r\n])[;\s"\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*)([{_FORMULA}])?'
)
_BLANK_BEGINNING = re.compile(r"(^|;)(?=[\t\r\n])")


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
    harmless = _BLANK_BEGINNING.sub(r"\1'", _BEGINNING.sub(_with_apostrophe, text))
    return '"' + harmless.replace('"', '""') + '"'


def _with_apostrophe(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if found[2] else found[0]
