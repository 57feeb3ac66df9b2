"""One request as it arrives."""

import re
from collections.abc import Mapping

from waitress.buffers import OverflowableBuffer
from waitress.parser import (
    HTTPRequestParser,
    ParsingError,
    TransferEncodingNotImplemented,
    unquote_bytes_to_wsgi,
)
from waitress.receiver import FixedStreamReceiver

from finance_api.server.chunked import ChunkedBody
from finance_api.server.head import check_head, check_size, method_of
from finance_api.server.refusal import Refusal

_BLANK_LINES = re.compile(rb"\A(?:\r\n)+")


class RequestParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """waitress' parser behind the checks of ``head`` and ``chunked``.

    After a refusal the rest of what has arrived counts as consumed: nothing behind a refused
    message is ever read as a message.
    """

    # For answers to messages that are refused before waitress sets these.
    command: str = ""
    path: str = ""
    completed: bool
    expect_continue: bool
    body_rcv: FixedStreamReceiver | ChunkedBody | None
    header_plus: bytes

    def received(self, data: bytes) -> int:
        if self.completed:
            return 0
        try:
            if self.body_rcv is None:
                return self._received_head(data)
            return self._received_body(self.body_rcv, data)
        except Refusal as refusal:
            self.refuse(refusal)
            return len(data)

    def refuse(self, refusal: Refusal) -> None:
        self.error = refusal
        self._complete()

    @property
    def begun(self) -> bool:
        """Whether anything but blank lines has arrived (RFC 9112 section 2.2 allows those)."""
        return self.headers_finished or self.header_plus not in (b"", b"\r")

    def _received_head(self, data: bytes) -> int:
        seen = _BLANK_LINES.sub(b"", self.header_plus + data, count=1)
        lines, blank, rest = seen.partition(b"\r\n\r\n")
        if not blank:
            self.header_plus = seen
            self.command = method_of(seen)
            check_size(seen)
            return len(data)
        head = lines + b"\r\n"
        self.header_plus = b""
        self.headers_finished = True
        self.command = method_of(head)
        check_size(head)
        single = check_head(head)
        if not self._take_plain(head, single):
            self._parse(head)
        if self.body_rcv is None:
            self._complete()
        return len(data) - len(rest)

    def _take_plain(self, head: bytes, single: Mapping[bytes, bytes]) -> bool:
        """Takes over a head that asks for something without a body; False if it is not like that.

        What waitress' ``parse_header`` sets, for heads in which nothing needs a decision: it looks
        at everything again that ``check_head`` has seen already.
        """
        line, _, fields = head.partition(b"\r\n")
        method, target, version = line.split(b" ")
        if version != b"HTTP/1.1" or method not in (b"GET", b"HEAD"):
            return False
        # Neither an absolute URL nor one that begins with two slashes or has a fragment.
        if target[:1] != b"/" or target[:2] == b"//" or b"#" in target:
            return False
        if b"content-length" in single or b"transfer-encoding" in single:
            return False
        headers: dict[str, str] = {}
        for field in fields.decode("latin-1").split("\r\n")[:-1]:
            written, _, value = field.partition(":")
            name = written.upper().replace("-", "_")
            if "_" in written or name in headers or name == "EXPECT":
                return False
            headers[name] = value.strip(" \t")
        self.headers = headers
        path, _, self.query = target.decode("latin-1").partition("?")
        self.path = unquote_bytes_to_wsgi(path.encode("latin-1")) if "%" in path else path
        self.first_line = line
        self.request_uri = target.decode("latin-1")
        self.command, self.version = method.decode(), "1.1"
        self.proxy_scheme = self.proxy_netloc = self.fragment = ""
        self.url_scheme = self.adj.url_scheme
        if headers.get("CONNECTION", "").lower() == "close":
            self.connection_close = True
        return True

    def _parse(self, head: bytes) -> None:
        try:
            self.parse_header(head)
        except (ParsingError, TransferEncodingNotImplemented, ValueError):
            # ValueError: the standard library's on some bracketed hosts.
            raise Refusal(400, "the request is malformed") from None
        if self.chunked:
            self.body_rcv = ChunkedBody(OverflowableBuffer(self.adj.inbuf_overflow))
        if self.path in ("", "*"):
            # "http://host" and "OPTIONS *" mean the server as a whole; WSGI wants a path.
            self.path = "/"

    def _complete(self) -> None:
        self.completed = True
        # Otherwise waitress sends "100 Continue" and reopens a request that has no body to come.
        self.expect_continue = False

    def _received_body(self, body: FixedStreamReceiver | ChunkedBody, data: bytes) -> int:
        consumed: int = body.received(data)
        if body.error:
            raise body.error
        if body.completed:
            self._complete()
            if self.chunked:
                # The application sees the body whole.
                self.headers["CONTENT_LENGTH"] = str(len(body))
        return consumed
