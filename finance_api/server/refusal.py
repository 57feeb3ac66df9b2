"""Why a message is refused, and what is answered then."""

import logging
import traceback
import uuid

from finance_api.problem import CONTENT_TYPE, problem_body

logger = logging.getLogger(__name__)


class Refusal(Exception):
    """A message that is answered here and never reaches the application.

    status: of the answer, 4xx or 5xx. detail: one sentence for a person; it repeats nothing that
    the client sent.
    """

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def report_failure(error: BaseException) -> Refusal:
    """Logs what the application has raised. Returns what is answered then."""
    # The message may hold values of the user's, the path may hold line ends: neither is logged.
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("the application raised %s\n%s", type(error).__name__, frames)
    return Refusal(500, "the server failed to answer this request")


def refusal_answer(refusal: Refusal) -> tuple[list[tuple[str, str]], bytes]:
    """Headers and body of a problem document (RFC 9457), with an id that is logged too."""
    request_id = uuid.uuid4().hex
    body = problem_body(refusal.status, refusal.detail)
    logger.info("answered %d, request %s: %s", refusal.status, request_id, refusal.detail)
    headers = [
        ("Content-Type", CONTENT_TYPE),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Request-Id", request_id),
    ]
    return headers, body
