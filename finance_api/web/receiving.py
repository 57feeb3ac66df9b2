"""The form with a file, read while the browser sends it.

The content goes to a file without a name, so that nothing is left over if the browser stops early.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from pyramid.httpexceptions import HTTPBadRequest
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from finance_api.http.requests import Request
from finance_api.values.text import shown

#: Small, as a server may wait for a full chunk, and we check the time only between chunks.
_CHUNK_BYTES = 1 << 12
_SPOOLED_BYTES = 1 << 20
#: Limits for a field that is not a file, and for everything around the parts.
_FIELD_BYTES = 1_024
_AROUND_BYTES = 1 << 16
_MOST_PARTS = 8
_NAME_LENGTH = 200


class TooLarge(Exception):
    """The file is larger than allowed."""


class TooSlow(Exception):
    """The file did not arrive in time."""


@contextmanager
def sent_file(
    request: Request,
    field: str,
    accept: Callable[[Mapping[str, str]], None],
    *,
    max_bytes: int,
    max_seconds: int,
) -> Iterator["SentFile"]:
    """Return the file in a field of the form.

    accept: called when the file begins, with the fields before it; may raise.
    Raises TooLarge, TooSlow, and HTTPBadRequest for a different or an incomplete form.
    """
    with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as content:
        form = SentFile(field, accept, content, max_bytes)
        try:
            parser = form.parser(_boundary(request))
            for chunk in _chunks(request, max_bytes, max_seconds):
                if not form.is_too_large:
                    parser.write(chunk)
        except (FormParserError, OSError, ValueError):
            raise HTTPBadRequest from None
        if form.is_too_large:
            raise TooLarge
        if not form.is_complete or form.name is None:
            raise HTTPBadRequest
        content.seek(0)
        yield form


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.environ.get("CONTENT_TYPE", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise HTTPBadRequest
    return options[b"boundary"]


def _chunks(request: Request, max_bytes: int, max_seconds: int) -> Iterator[bytes]:
    """The body. Reads slightly oversized bodies to the end; otherwise browsers hide the error."""
    if (request.content_length or 0) > 2 * max_bytes + _AROUND_BYTES:
        raise TooLarge
    until = time.monotonic() + max_seconds
    body = request.body_file
    while chunk := body.read(_CHUNK_BYTES):
        if time.monotonic() > until:
            raise TooSlow
        yield chunk


class SentFile:
    """Collects the parts of the form as they arrive.

    name: as sent by the browser, without folders; "" if no file was chosen, None if none was sent.
    """

    def __init__(
        self,
        field: str,
        accept: Callable[[Mapping[str, str]], None],
        content: IO[bytes],
        max_bytes: int,
    ) -> None:
        self._field = field
        self._accept = accept
        self.content = content
        self._max_bytes = max_bytes
        self._fields: dict[str, bytearray] = {}
        self._parts = 0
        self._header = self._value = b""
        self._disposition = b""
        self._part: str | None = None
        self.name: str | None = None
        self.size = 0
        self.is_complete = False
        self.is_too_large = False

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
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise HTTPBadRequest
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
            self._fields[self._part] = bytearray()
            return
        if self.name is not None or b"filename" not in options:
            raise HTTPBadRequest
        self._accept({k: v.decode("utf-8", "replace") for k, v in self._fields.items()})
        self.name = _base_name(options[b"filename"].decode("utf-8", "replace"))

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part != self._field:
            field = self._fields[self._part or ""]
            field += data[start:end]
            if len(field) > _FIELD_BYTES:
                raise HTTPBadRequest
            return
        self.size += end - start
        self.is_too_large = self.size > self._max_bytes
        if not self.is_too_large:
            self.content.write(data[start:end])

    def _end(self) -> None:
        self.is_complete = True


def _base_name(name: str) -> str:
    """Return the name without folders, on one line and shortened if necessary."""
    return shown(name.replace("\\", "/").rpartition("/")[2])[-_NAME_LENGTH:]
