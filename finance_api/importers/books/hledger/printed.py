"""Parses what several hledger commands print, one after the other in one file.

These are ``accounts --types`` and ``prices`` as lines of text, and the JSON of ``print`` and
``balance``: lists of transactions, and of balances.
"""

import codecs
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.interface import ImportRefused, quoted

#: A printed transaction has this key before its amounts.
_OWN_KEY = '"tdescription"'
_TYPE = re.compile(r"(?P<account>.*?\S)\s*; type: ?(?P<type>[A-Z]?)\s*")
_PRICE = re.compile(r"P [0-9]{4}-")
#: Read this many characters at once. An element is at most _MOST_CHARACTERS long.
_CHUNK, _MOST_CHARACTERS = 1 << 20, 1 << 27
_decoder = JSONDecoder()
_WHITESPACE = re.compile(r"[ \t\r\n]*")


class AccountType(NamedTuple):
    """A line of ``accounts --types``. type: a letter; "" if hledger does not know."""

    account: str
    type: str


class Price(NamedTuple):
    """A line of ``prices``."""

    text: str


def looks_like_hledger(stream: BinaryIO) -> bool:
    """Return whether a file is what hledger prints. The stream is rewound."""
    head = stream.read(_CHUNK).decode(errors="replace")
    stream.seek(0)
    lines = head.removeprefix("\ufeff").partition("[")[0]
    are_known = all(map(_parse_line, filter(None, map(str.strip, lines.splitlines()))))
    return are_known and _OWN_KEY in head


def _parse_line(line: str) -> AccountType | Price | None:
    if match := _TYPE.fullmatch(line):
        return AccountType(match["account"], match["type"])
    return Price(line) if _PRICE.match(line) else None


def printed_parts(stream: BinaryIO) -> Iterator[Any]:
    """Yield the lines of text, and the elements of all lists: dicts are transactions, lists the
    rows and totals of balances. Raises ImportRefused.
    """
    text = _Text(stream)
    while text.skip_blanks():
        if text.character == "[":
            yield from text.elements()
            continue
        line = text.line().strip()
        part = _parse_line(line)
        if part is None:
            raise ImportRefused(f"{quoted(line)} is not what hledger prints: print the book again")
        yield part


class _Text:
    """The text of a file, of which only a part is in memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._reader = codecs.getreader("utf-8-sig")(stream)
        self._buffer = ""
        self._position = 0
        self._is_at_end = False

    @property
    def character(self) -> str:
        return self._buffer[self._position]

    def _fill(self) -> None:
        """Read more. Raises ImportRefused."""
        if len(self._buffer) - self._position > _MOST_CHARACTERS:
            raise ImportRefused("a transaction is longer than hledger prints any")
        try:
            more = self._reader.read(max(_CHUNK, len(self._buffer) - self._position))
        except UnicodeDecodeError:
            raise ImportRefused("is not UTF-8: print it with LC_ALL=C.UTF-8 hledger …") from None
        self._is_at_end = not more
        self._buffer = self._buffer[self._position :] + more
        self._position = 0

    def skip_blanks(self) -> bool:
        """Return whether there is anything else."""
        while True:
            match = _WHITESPACE.match(self._buffer, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._buffer):
                return True
            if self._is_at_end:
                return False
            self._fill()

    def line(self) -> str:
        while (end := self._buffer.find("\n", self._position)) < 0 and not self._is_at_end:
            self._fill()
        end = len(self._buffer) if end < 0 else end
        line = self._buffer[self._position : end]
        self._position = end
        return line

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the list that begins here."""
        self._position += 1
        is_first = True
        while self.skip_blanks():
            if self.character == "]":
                self._position += 1
                return
            if not is_first:
                if self.character != ",":
                    break
                self._position += 1
                if not self.skip_blanks():
                    break
            yield self._value()
            is_first = False
        raise ImportRefused("the file is damaged or cut off: print the book again")

    def _value(self) -> Any:
        while True:
            try:
                value, end = _decoder.raw_decode(self._buffer, self._position)
            except JSONDecodeError:
                if self._is_at_end:
                    raise ImportRefused(
                        "the file is damaged or cut off: print the book again"
                    ) from None
                self._fill()
            except (RecursionError, ValueError):
                raise ImportRefused("the file has a value that hledger does not print") from None
            else:
                self._position = end
                return value
