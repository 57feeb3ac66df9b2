"""Log records: the request each is of, one line each, without what users' data may stand in.

These hold for every logger and handler of the process, whatever the ini file says of them.
"""

import json
import logging
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from finance_api.values.text import shown

#: The id of the request that a thread is at; "-" in a thread that serves none.
current_request_id: ContextVar[str] = ContextVar("request_id", default="-")


class LogRecord(logging.LogRecord):
    """request_id: for ``%(request_id)s`` in a format."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request_id = current_request_id.get()
        if self.exc_info and self.exc_info[1] is not None:
            # A formatter takes this in place of its own text, which has the exception's message.
            frames = "".join(traceback.format_tb(self.exc_info[2]))
            self.exc_text = frames + type(self.exc_info[1]).__name__

    def getMessage(self) -> str:  # noqa: N802
        """The message with control characters escaped, so that it cannot forge a line."""
        return shown(super().getMessage())


class JsonFormatter(logging.Formatter):
    """One JSON object on a line; named arguments of a message are members of it."""

    def format(self, record: logging.LogRecord) -> str:
        members = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "requestId": getattr(record, "request_id", "-"),
            "message": record.getMessage(),
        }
        if isinstance(record.args, Mapping):
            members = {**members, **record.args, **members}
        if record.exc_text:
            members["exception"] = record.exc_text
        return json.dumps(members, default=str)


def set_up_logs(form: str) -> None:
    """form: text, as the handlers have it, or json."""
    logging.setLogRecordFactory(LogRecord)
    if form == "json":
        loggers = logging.getLogger(), logging.getLogger("finance_api")
        for handler in {handler for logger in loggers for handler in logger.handlers}:
            handler.setFormatter(JsonFormatter())
