"""Answers: the ones made here, and the application's as they leave."""

import contextlib
import logging
import traceback
import uuid
from http import HTTPStatus

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, WSGITask

from finance_api.problem import CONTENT_TYPE, problem_body
from finance_api.server.refusal import Refusal

logger = logging.getLogger(__name__)


class ProblemTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """A refusal as a problem document (RFC 9457); the connection ends with it."""

    def execute(self) -> None:
        refusal: Refusal = self.request.error
        status = HTTPStatus(refusal.status)
        request_id = uuid.uuid4().hex
        body = problem_body(refusal.status, refusal.detail)
        self.status = f"{status.value} {status.phrase}"
        # The client's own version may be the fault, and 1.0 would bring "Keep-Alive" back in.
        self.version = "1.1"
        self.response_headers = [
            ("Content-Type", CONTENT_TYPE),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Request-Id", request_id),
        ]
        self.set_close_on_finish()
        logger.info("answered %d, request %s: %s", status, request_id, refusal.detail)
        self.write(b"" if self.request.command == "HEAD" else body)


class AppTask(WSGITask):  # type: ignore[misc]  # waitress has no types
    """The application's answer to one request."""

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

    def build_response_header(self) -> bytes:
        # At the end of the server the last request that was read on a connection is its last.
        if self.channel.server.draining and len(self.channel.requests) <= 1:
            self.request.headers["CONNECTION"] = "close"
        stays = not self.has_body and self.version == "1.1" and not self.close_on_finish
        stays = stays and self.request.headers.get("CONNECTION", "").lower() != "close"
        header: bytes = super().build_response_header()
        if stays:
            # waitress ends the connection after every answer without Content-Length; a 304 or 204
            # has no body whose end could be missed (RFC 9112 section 6.3).
            self.close_on_finish = False
            header = header.replace(b"\r\nConnection: close\r\n", b"\r\n", 1)
        return header

    def get_environment(self) -> dict[str, object]:
        environ: dict[str, object] = super().get_environment()
        # waitress puts its ident here, which is None so that no Server header is sent; WSGI wants
        # text.
        environ["SERVER_SOFTWARE"] = "finance_api"
        return environ
