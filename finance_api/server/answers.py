"""Answers: the ones made here, and the application's as they leave."""

import contextlib
import logging
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, WSGITask, hop_by_hop, rename_headers
from waitress.utilities import build_http_date

from finance_api.server.environment import plain_path
from finance_api.server.refusal import Refusal, refusal_answer, report_failure

logger = logging.getLogger(__name__)

# Answers with such a status have no body.
_BODILESS = ("1", "204", "304")


@lru_cache(maxsize=4)
def _date(seconds: int) -> str:
    """The Date header of a second."""
    return str(build_http_date(seconds))


class ProblemTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """A refusal as a problem document (RFC 9457); the connection ends with it."""

    def execute(self) -> None:
        refusal: Refusal = self.request.error
        status = HTTPStatus(refusal.status)
        headers, body = refusal_answer(refusal)
        self.status = f"{status.value} {status.phrase}"
        # The client's own version may be the fault, and 1.0 would bring "Keep-Alive" back in.
        self.version = "1.1"
        self.response_headers = headers
        self.set_close_on_finish()
        self.write(b"" if self.request.command == "HEAD" else body)


class AppTask(WSGITask):  # type: ignore[misc]  # waitress has no types
    """The application's answer to one request."""

    status: str
    complete: bool
    wrote_header: bool
    content_length: int | None
    content_bytes_written: int
    # Of the headers, in lower case and their order.
    _names: list[str]

    def service(self) -> None:
        try:
            super().service()
        except ClientDisconnected:
            self.close_on_finish = True
        except BaseException as error:
            # SystemExit too: a thread that skipped the end of its request would leave the
            # connection waiting for ever.
            self._answer_500(report_failure(error))

    def _answer_500(self, refusal: Refusal) -> None:
        self.close_on_finish = True
        if self.wrote_header:
            return
        self.request.error = refusal
        with contextlib.suppress(ClientDisconnected, OSError):
            ProblemTask(self.channel, self.request).service()

    @property
    def has_body(self) -> bool:
        return not self.status.startswith(_BODILESS)

    def execute(self) -> None:
        """Calls the application (PEP 3333) and sends what it answers."""
        parts = self.channel.server.application(self.get_environment(), self._start_response)
        try:
            is_whole = type(parts) is list and len(parts) == 1
            for part in parts:
                if is_whole and self.content_length is None:
                    self.content_length = len(part)
                if part:
                    self.write(part)
            self._check_length()
        finally:
            if hasattr(parts, "close"):
                parts.close()

    def _check_length(self) -> None:
        missing = (self.content_length or 0) - self.content_bytes_written
        if missing > 0 and self.has_body and self.request.command != "HEAD":
            # The client must not wait for more.
            self.set_close_on_finish()
            logger.warning("the application's answer is %d bytes shorter than it said", missing)

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        if exc_info and self.wrote_header:
            raise exc_info[1]
        if self.complete and not exc_info:
            raise AssertionError("start_response was called a second time")
        text = "".join([status, *[name + value for name, value in headers]])
        if "\n" in text or "\r" in text:
            raise ValueError("there is a line end in the status or a header")
        self._names = [name.lower() for name, _ in headers]
        if not hop_by_hop.isdisjoint(self._names):
            raise AssertionError("an application may not set hop-by-hop headers")
        self.complete = True
        self.status, self.response_headers, self.content_length = status, list(headers), None
        if "content-length" in self._names:
            self.content_length = int(headers[self._names.index("content-length")][1])
        return self.write

    def write(self, data: bytes) -> None:
        """As waitress' own, with the header and what comes first in one piece."""
        if not self.complete:
            raise AssertionError("start_response was not called")
        if self.request.command == "HEAD":
            data = b""
        if self.wrote_header or self.version != "1.1" or not self.has_body or not data:
            super().write(data)
            return
        header = self.build_response_header()
        length = self.content_length
        if self.chunked_response or length is None or len(data) > length:
            self.channel.write_soon(header)
            self.wrote_header = True
            super().write(data)
            return
        self.wrote_header = True
        self.content_bytes_written += len(data)
        self.channel.write_soon(header + data)

    def build_response_header(self) -> bytes:
        # At the end of the server the last request that was read on a connection is its last.
        if self.channel.server.draining and len(self.channel.requests) <= 1:
            self.request.headers["CONNECTION"] = "close"
        connection = self.request.headers.get("CONNECTION", "").lower()
        stays = self.version == "1.1" and not self.close_on_finish and connection != "close"
        has_body = self.has_body
        if not stays or (has_body and self.content_length is None):
            return self._careful_header(stays)
        lines = [f"HTTP/1.1 {self.status}"]
        # A 304 or 204 has no body whose length or end could be told (RFC 9112 section 6.3).
        lines += [
            f"{name}: {value}"
            for name, value in self.response_headers
            if has_body or name.lower() != "content-length"
        ]
        if has_body and "content-length" not in self._names:
            lines.append(f"Content-Length: {self.content_length}")
        if "date" not in self._names:
            lines.append(f"Date: {_date(int(self.start_time))}")
        lines.append("\r\n")
        return "\r\n".join(lines).encode("latin-1")

    def _careful_header(self, stays: bool) -> bytes:
        """waitress' own, for connections that end and answers of unknown length."""
        stays = stays and not self.has_body
        header: bytes = super().build_response_header()
        if stays:
            # waitress ends the connection after every answer without Content-Length.
            self.close_on_finish = False
            header = header.replace(b"\r\nConnection: close\r\n", b"\r\n", 1)
        return header

    def get_environment(self) -> dict[str, Any]:
        """What the application is told of the request (PEP 3333)."""
        request, channel = self.request, self.channel
        address, port, *_ = channel.addr
        environ = {
            **channel.server.environment,
            "REMOTE_ADDR": address,
            "REMOTE_HOST": address,
            "REMOTE_PORT": str(port),
            "REQUEST_METHOD": request.command,
            "SERVER_PROTOCOL": f"HTTP/{self.version}",
            "PATH_INFO": plain_path(request.path),
            "REQUEST_URI": request.request_uri,
            "QUERY_STRING": request.query,
            "wsgi.url_scheme": request.url_scheme,
            "wsgi.input": request.get_body_stream(),
        }
        for name, value in request.headers.items():
            environ[name if name in rename_headers else "HTTP_" + name] = value
        return environ
