"""The form with files, read while the browser sends it.

The content of all files goes to one unnamed file, so that nothing is left over if the browser stops
early.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from finance_api.values.text import shown

#: Small, as a server may wait for a full chunk, and we check the time only between chunks.
_CHUNK_BYTES = 1 << 12
_SPOOLED_BYTES = 1 << 20
#: Limits for a field that is not a file, and for everything around the parts.
_FIELD_BYTES = 1_024
_AROUND_BYTES = 1 << 16
_MOST_FIELDS = 8
MOST_FILES = 200
_NAME_LENGTH = 200


class NotAForm(Exception):
    """The body is incomplete, or no form with files."""


class TooLarge(Exception):
    """The body is larger than twice a file's maximum, or there are more than MOST_FILES files."""


class TooSlow(Exception):
    """The files did not arrive in time."""


@dataclass
class SentFile:
    """A file in the form. name: the name that the browser sent, without folders; "" if no file was
    chosen. content: the unnamed file. start: where this file begins in it. size: the length in
    bytes; 0 if this file is too large.
    """

    name: str
    content: IO[bytes]
    start: int
    size: int = 0
    is_too_large: bool = False

    def pieces(self, length: int) -> Iterator[bytes]:
        """Yield the content in pieces of this length; the last one may be shorter."""
        for offset in range(0, self.size, length):
            self.content.seek(self.start + offset)
            yield self.content.read(min(length, self.size - offset))


@contextmanager
def sent_files(
    body: IO[bytes],
    content_type: str,
    field: str,
    accept: Callable[[Mapping[str, str]], None],
    *,
    length: int | None,
    max_bytes: int,
    max_seconds: int,
) -> Iterator[list[SentFile]]:
    """Yield the files in a field of the form.

    length: that of the body, as far as the browser states it.
    accept: a function called when the first file begins, with the fields before it; may raise.
    max_bytes: the maximum size of each file. Raises TooLarge, TooSlow, NotAForm.
    """
    with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as content:
        form = _SentForm(field, accept, content, max_bytes)
        try:
            parser = form.parser(_boundary(content_type))
            # Read slightly oversized bodies to the end, or browsers hide the error.
            if (length or 0) > 2 * max_bytes + _AROUND_BYTES:
                raise TooLarge
            for chunk in _chunks(body, max_seconds):
                parser.write(chunk)
        except (FormParserError, OSError, ValueError):
            raise NotAForm from None
        if not form.is_complete or not form.files:
            raise NotAForm
        yield form.files


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise NotAForm
    return options[b"boundary"]


def _chunks(body: IO[bytes], max_seconds: int) -> Iterator[bytes]:
    until = time.monotonic() + max_seconds
    while chunk := body.read(_CHUNK_BYTES):
        if time.monotonic() > until:
            raise TooSlow
        yield chunk


class _SentForm:
    """Collects the parts of the form as they arrive."""

    def __init__(
        self,
        field: str,
        accept: Callable[[Mapping[str, str]], None],
        content: IO[bytes],
        max_bytes: int,
    ) -> None:
        self._field = field
        self._accept = accept
        self._content = content
        self._max_bytes = max_bytes
        self._fields: dict[str, bytearray] = {}
        self._field_parts = 0
        self._header = self._value = b""
        self._disposition = b""
        self._part: str | None = None
        self.files: list[SentFile] = []
        self.is_complete = False

    def parser(self, boundary: bytes) -> MultipartParser:
        """Make a parser that calls the methods below."""
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begin,
                "on_header_field": self._header_field,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._part_data,
                "on_end": self._end,
            },
        )

    def _part_begin(self) -> None:
        self._disposition = b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header = self._value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._part = options.get(b"name", b"").decode("utf-8", "replace")
        if self._part != self._field:
            self._field_parts += 1
            if self._field_parts > _MOST_FIELDS:
                raise NotAForm
            self._fields[self._part] = bytearray()
            return
        if b"filename" not in options:
            raise NotAForm
        if not self.files:
            self._accept({k: v.decode("utf-8", "replace") for k, v in self._fields.items()})
        if len(self.files) == MOST_FILES:
            raise TooLarge
        name = _base_name(options[b"filename"].decode("utf-8", "replace"))
        self.files.append(SentFile(name, self._content, self._content.tell()))

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part != self._field:
            field = self._fields[self._part or ""]
            field += data[start:end]
            if len(field) > _FIELD_BYTES:
                raise NotAForm
            return
        file = self.files[-1]
        if file.is_too_large:
            return
        file.size += end - start
        file.is_too_large = file.size > self._max_bytes
        if file.is_too_large:
            self._content.seek(file.start)
            self._content.truncate()
            file.size = 0
        else:
            self._content.write(data[start:end])

    def _end(self) -> None:
        self.is_complete = True


def _base_name(name: str) -> str:
    """Return the name without folders, on one line and shortened if necessary."""
    return shown(name.replace("\\", "/").rpartition("/")[2])[-_NAME_LENGTH:]
