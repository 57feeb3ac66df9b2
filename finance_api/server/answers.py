"""Answers: the ones made here, and the application's as they leave."""

import contextlib
import logging
import traceback
from functools import lru_cache
from http import HTTPStatus

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import build_http_date

from finance_api.server.refusal import Refusal, refusal_answer

logger = logging.getLogger(__name__)


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

    wrote_header: bool
    content_length: int | None

    def service(self) -> None:
        try:
            super().service()
        except ClientDisconnected:
            self.close_on_finish = True
        except BaseException as error:
            # SystemExit too: a worker that skipped the end of its request would leave the
            # connection waiting for ever.
            # The message may hold values of the user's, the path may hold line ends: neither is
            # logged.
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("the application raised %s\n%s", type(error).__name__, frames)
            self._answer_500()

    def _answer_500(self) -> None:
        self.close_on_finish = True
        if self.wrote_header:
            return
        self.request.error = Refusal(500, "the server failed to answer this request")
        with contextlib.suppress(ClientDisconnected, OSError):
            ProblemTask(self.channel, self.request).service()

    def write(self, data: bytes) -> None:
        """As waitress' own, with the header and what comes first in one piece."""
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
        if not stays or (self.has_body and self.content_length is None):
            return self._careful_header(stays)
        names = {name.lower() for name, _ in self.response_headers}
        lines = [f"HTTP/1.1 {self.status}"]
        # A 304 or 204 has no body whose length or end could be told (RFC 9112 section 6.3).
        lines += [
            f"{name}: {value}"
            for name, value in self.response_headers
            if self.has_body or name.lower() != "content-length"
        ]
        if self.has_body and "content-length" not in names:
            lines.append(f"Content-Length: {self.content_length}")
        if "date" not in names:
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

    def get_environment(self) -> dict[str, object]:
        environ: dict[str, object] = super().get_environment()
        # waitress puts its ident here, which is None so that no Server header is sent; WSGI wants
        # text.
        environ["SERVER_SOFTWARE"] = "finance_api"
        return environ
