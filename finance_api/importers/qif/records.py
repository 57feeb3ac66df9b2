"""Records as the lines of a file have them: fields of one letter, up to a line with ``^``."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted

#: The most fields of a record, which is in memory as a whole.
MAX_FIELDS = 100_000


class Header(NamedTuple):
    """A line that begins with ``!``. text: without it."""

    line: int
    text: str


class Field(NamedTuple):
    """A line of a record."""

    line: int
    code: str
    text: str


Record = tuple[Field, ...]


def read_records(lines: Iterable[str]) -> Iterator[tuple[Header, Record | None]]:
    """Each header, with None, and then its records. Raises ImportRefused."""
    header: Header | None = None
    fields: list[Field] = []
    for number, whole in enumerate(lines, 1):
        text = whole.strip()
        if not text:
            continue
        if text.startswith("!"):
            if fields:
                raise _unfinished(fields[0].line, f"before line {number}")
            header = Header(number, text[1:].strip())
            yield header, None
        elif header is None:
            if not text.startswith("#"):
                raise ImportRefused(f"{quoted(text)} stands before the first line with !", number)
        elif text != "^":
            if len(fields) >= MAX_FIELDS:
                raise ImportRefused(
                    f"what begins here has more than {MAX_FIELDS:,} lines: a line with ^ is "
                    "missing, or the file is damaged",
                    fields[0].line,
                )
            fields.append(Field(number, text[0], text[1:].strip()))
        elif fields:
            yield header, tuple(fields)
            fields = []
    if fields:
        raise _unfinished(fields[0].line, "at the end of the file")


def _unfinished(line: int, where: str) -> ImportRefused:
    return ImportRefused(
        f"what begins here is not ended by a line with ^ {where}: the file is cut short or "
        "damaged, download it again",
        line,
    )
