"""Reads large JSON files piece by piece, so that memory use does not grow with a file's lists."""

import codecs
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO

_PIECE_BYTES = 1 << 20
#: Maximum length of a value that is read at once, in characters.
_MAX_VALUE = 1 << 24
_BLANKS = re.compile(r"[ \t\r\n]*+")


class JsonDamaged(ValueError):
    """The text is not JSON, or not of the expected form."""


class JsonStream:
    """A position in a file. All methods raise JsonDamaged."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode_text = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._decode_value = json.JSONDecoder(parse_float=Decimal).raw_decode
        self._text, self._place, self._ended = "", 0, False

    def members(self) -> Iterator[str]:
        """Yield the names in an object. Read the value of each before the next name."""
        for _ in self._items("{", "}"):
            name = self.value()
            if not isinstance(name, str) or self._next() != ":":
                raise JsonDamaged
            self._place += 1
            yield name

    def elements(self) -> Iterator[Any]:
        """Yield the values in a list. null is a list without values."""
        if self._next() == "n" and self.value() is None:
            return
        for _ in self._items("[", "]"):
            yield self.value()

    def value(self) -> Any:
        """Return the value at this place."""
        self._next()
        while True:
            try:
                value, end = self._decode_value(self._text, self._place)
            except json.JSONDecodeError:
                if self._ended or len(self._text) > _MAX_VALUE:
                    raise JsonDamaged from None
            except (ValueError, ArithmeticError, RecursionError):
                raise JsonDamaged from None
            else:
                # A number that ends with the text may go on in the file.
                if self._ended or end < len(self._text):
                    self._place = end
                    return value
            self._read_on()

    def skip(self) -> None:
        """Skip the value at this place."""
        if self._next() == "[":
            for _ in self.elements():
                pass
        else:
            self.value()

    def end(self) -> None:
        """Check that nothing follows."""
        if self._next():
            raise JsonDamaged

    def _items(self, begin: str, end: str) -> Iterator[None]:
        """Yield at the place of each item of an object or a list."""
        if self._next() != begin:
            raise JsonDamaged
        self._place += 1
        if self._next() != end:
            yield
            while self._next() == ",":
                self._place += 1
                yield
        if self._next() != end:
            raise JsonDamaged
        self._place += 1

    def _next(self) -> str:
        """Return the next character that is not blank; "" at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._place)
            self._place = blanks.end() if blanks else self._place
            if self._place < len(self._text) or self._ended:
                return self._text[self._place : self._place + 1]
            self._read_on()

    def _read_on(self) -> None:
        piece = self._stream.read(_PIECE_BYTES)
        try:
            text = self._decode_text(piece, final=not piece)
        except UnicodeDecodeError:
            raise JsonDamaged from None
        self._text, self._place = self._text[self._place :] + text, 0
        self._ended = not piece
