"""Bodies in chunked coding (RFC 9112 section 7.1), read strictly and with caps.

waitress' own receiver takes a bare LF after a chunk size and blank lines before it, checks no
trailer, and bounds neither the size line nor the trailers.
"""

import re
from typing import Any

from waitress.buffers import OverflowableBuffer

from finance_api.server.head import FIELD_LINE, MAX_BODY_BYTES
from finance_api.server.refusal import Refusal

MAX_SIZE_LINE_BYTES = 256
MAX_TRAILER_BYTES = 4096
# Bytes on the wire, so that one-byte chunks with long extensions come to an end too.
MAX_WIRE_BYTES = 8 * MAX_BODY_BYTES

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = rb'"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"'
_SIZE_LINE = re.compile(
    rb"([0-9A-Fa-f]+)(?:;" + _TOKEN + rb"(?:=(?:" + _TOKEN + rb"|" + _QUOTED + rb"))?)*"
)
_NOT_IN_TRAILERS = frozenset(
    (b"content-length", b"transfer-encoding", b"host", b"content-type", b"authorization")
)


class ChunkedBody:
    """A receiver as waitress expects one: ``received``, ``completed``, ``error``, the buffer.

    Trailers are checked and dropped.
    """

    completed = False
    error: Refusal | None = None

    def __init__(self, buffer: OverflowableBuffer) -> None:
        self._buffer = buffer
        self._held = b""
        self._left = 0
        self._wire_bytes = 0
        self._trailer_bytes = 0
        self._step = self._size_line

    def __len__(self) -> int:
        return len(self._buffer)

    def getfile(self) -> Any:
        return self._buffer.getfile()

    def getbuf(self) -> OverflowableBuffer:
        return self._buffer

    def received(self, data: bytes) -> int:
        """Take what belongs to this body; returns how many bytes that was."""
        self._wire_bytes += len(data)
        self._held += data
        try:
            while not self.completed and self._step():
                pass
            if not self.completed and self._wire_bytes > MAX_WIRE_BYTES:
                raise Refusal(413, "the chunks of the body are too long")
        except Refusal as refusal:
            self.error = refusal
            return len(data)
        return len(data) - len(self._held) if self.completed else len(data)

    # Each step returns whether it got anywhere with the bytes at hand.

    def _size_line(self) -> bool:
        line = self._line(MAX_SIZE_LINE_BYTES)
        if line is None:
            return False
        match = _SIZE_LINE.fullmatch(line)
        if not match:
            raise Refusal(400, "a chunk's size line is malformed")
        self._left = int(match[1], 16)
        if len(self._buffer) + self._left > MAX_BODY_BYTES:
            raise Refusal(413, f"the body is longer than {MAX_BODY_BYTES} bytes")
        self._step = self._data if self._left else self._trailer
        return True

    def _data(self) -> bool:
        part, self._held = self._held[: self._left], self._held[self._left :]
        self._buffer.append(part)
        self._left -= len(part)
        if self._left:
            return False
        self._step = self._data_end
        return True

    def _data_end(self) -> bool:
        if not b"\r\n".startswith(self._held[:2]):
            raise Refusal(400, "a chunk is longer than its size")
        if len(self._held) < 2:
            return False
        self._held = self._held[2:]
        self._step = self._size_line
        return True

    def _trailer(self) -> bool:
        line = self._line(MAX_TRAILER_BYTES)
        if line is None:
            return False
        if not line:
            self.completed = True
            return True
        self._trailer_bytes += len(line)
        match = FIELD_LINE.fullmatch(line)
        if not match or match[1].lower() in _NOT_IN_TRAILERS:
            raise Refusal(400, "a trailer line is malformed or may not be one")
        if self._trailer_bytes > MAX_TRAILER_BYTES:
            raise Refusal(431, "the trailers are too long")
        return True

    def _line(self, limit: int) -> bytes | None:
        """The next line without its end, or None when it has not come whole yet."""
        line, end, rest = self._held.partition(b"\r\n")
        if len(line) > limit:
            raise Refusal(400, "a line of the chunked body is too long")
        if not end:
            return None
        self._held = rest
        return line
