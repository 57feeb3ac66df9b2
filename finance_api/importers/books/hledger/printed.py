"""Parses what several hledger commands print, one after the other in one file.

These are ``accounts --types`` and ``prices`` as lines of text, and the JSON of ``print`` and
``balance``: lists of transactions, and of balances.
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.books.json_stream import JsonDamaged, JsonStream, NotUtf8
from finance_api.importers.interface import ImportRefused, quoted

#: A printed transaction has this key before its amounts.
_OWN_KEY = '"tdescription"'
_TYPE = re.compile(r"(?P<account>.*?\S)\s*; type: ?(?P<type>[A-Z]?)\s*")
#: Where the first transaction begins, at the latest.
_HEAD_BYTES = 1 << 20
_PRICE = re.compile(r"P [0-9]{4}-")


class AccountType(NamedTuple):
    """A line of ``accounts --types``. type: a letter; "" if hledger does not know."""

    account: str
    type: str


def looks_like_hledger(stream: BinaryIO) -> bool:
    """Return whether a file is what hledger prints. The stream is rewound."""
    head = stream.read(_HEAD_BYTES).decode(errors="replace")
    stream.seek(0)
    lines = head.removeprefix("\ufeff").partition("[")[0]
    are_known = all(map(_parse_line, filter(None, map(str.strip, lines.splitlines()))))
    return are_known and _OWN_KEY in head


def _parse_line(line: str) -> AccountType | str | None:
    """Return a line of ``accounts --types``, or one of ``prices`` as it is."""
    if match := _TYPE.fullmatch(line):
        return AccountType(match["account"], match["type"])
    return line if _PRICE.match(line) else None


def printed_parts(stream: BinaryIO) -> Iterator[Any]:
    """Yield the lines of text, and the elements of all lists: dicts are transactions, lists the
    rows and totals of balances. Raises ImportRefused.
    """
    text = JsonStream(stream)
    try:
        while character := text.next():
            if character == "[":
                yield from text.elements()
                continue
            line = text.line().strip()
            part = _parse_line(line)
            if part is None:
                raise ImportRefused(
                    f"{quoted(line)} is not what hledger prints: print the book again"
                )
            yield part
    except NotUtf8:
        raise ImportRefused("is not UTF-8: print it with LC_ALL=C.UTF-8 hledger …") from None
    except JsonDamaged:
        raise ImportRefused("the file is damaged or cut off: print the book again") from None
