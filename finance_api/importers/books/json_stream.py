"""Reads large JSON files piece by piece, so that memory use does not grow with a file's lists."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

_PIECE_BYTES = 1 << 20
#: Maximum length of a value that is read at once, in characters.
_MAX_VALUE = 1 << 27
_BLANKS = re.compile(r"[ \t\r\n]*+")


class JsonDamaged(ValueError):
    """The text is not JSON, or not of the expected form."""


class NotUtf8(JsonDamaged):
    """The file is in another encoding."""


class JsonStream:
    """A position in a file. All methods raise JsonDamaged."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode_text = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._decode_value = json.JSONDecoder().raw_decode
        self._text, self._place, self._ended = "", 0, False

    def members(self) -> Iterator[str]:
        """Yield the names in an object. Read the value of each before the next name."""
        for _ in self._items("{", "}"):
            name = self.value()
            if not isinstance(name, str) or self.next() != ":":
                raise JsonDamaged
            self._place += 1
            yield name

    def elements(self) -> Iterator[Any]:
        """Yield the values in a list. null is a list without values."""
        if self.next() == "n" and self.value() is None:
            return
        for _ in self._items("[", "]"):
            yield self.value()

    def value(self) -> Any:
        """Return the value at this place."""
        self.next()
        while True:
            try:
                value, end = self._decode_value(self._text, self._place)
            except json.JSONDecodeError:
                if self._ended or len(self._text) > _MAX_VALUE:
                    raise JsonDamaged from None
            except (ValueError, RecursionError):
                raise JsonDamaged from None
            else:
                # A number that ends with the text may go on in the file.
                if self._ended or end < len(self._text):
                    self._place = end
                    return value
            self._read_on()

    def line(self) -> str:
        """Return the rest of the line, which is text between values."""
        while (end := self._text.find("\n", self._place)) < 0 and not self._ended:
            if len(self._text) - self._place > _MAX_VALUE:
                raise JsonDamaged
            self._read_on()
        begin, self._place = self._place, len(self._text) if end < 0 else end
        return self._text[begin : self._place]

    def skip(self) -> None:
        """Skip the value at this place."""
        if self.next() == "[":
            for _ in self.elements():
                pass
        else:
            self.value()

    def end(self) -> None:
        """Check that nothing follows."""
        if self.next():
            raise JsonDamaged

    def _items(self, begin: str, end: str) -> Iterator[None]:
        """Yield at the place of each item of an object or a list."""
        if self.next() != begin:
            raise JsonDamaged
        self._place += 1
        if self.next() != end:
            yield
            while self.next() == ",":
                self._place += 1
                yield
        if self.next() != end:
            raise JsonDamaged
        self._place += 1

    def next(self) -> str:
        """Return the next character that is not blank; "" at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._place)
            self._place = blanks.end() if blanks else self._place
            if self._place < len(self._text) or self._ended:
                return self._text[self._place : self._place + 1]
            self._read_on()

    def _read_on(self) -> None:
        piece = self._stream.read(max(_PIECE_BYTES, len(self._text) - self._place))
        try:
            text = self._decode_text(piece, final=not piece)
        except UnicodeDecodeError:
            raise NotUtf8 from None
        self._text, self._place = self._text[self._place :] + text, 0
        self._ended = not piece
