"""Log records: one line each, with the request's id, without tokens and data of users.

This holds for every logger and handler of the process, whatever the ini file configures.
"""

import json
import logging
import math
import re
import sys
import threading
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from finance_api.runtime.settings import Setting, one_of
from finance_api.values.text import shown

logger = logging.getLogger(__name__)

SETTINGS = (Setting("finance_api.log.format", one_of("text", "json"), "text"),)

#: Text that may be a personal token, a JWT or the secret of a link. The group is the start of that
#: text; only the start may be logged.
_TOKEN = re.compile(r"((?:fin_|eyJ)[\w-]{4}|finq_)[\w.-]{12,}", re.ASCII)

#: The id of the request that a thread handles; "-" if it handles none.
current_request_id: ContextVar[str] = ContextVar("request_id", default="-")


class LogRecord(logging.LogRecord):
    """request_id: for ``%(request_id)s`` in a format."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request_id = current_request_id.get()
        if self.exc_info and self.exc_info[1] is not None:
            # Formatters use this text instead of their own, which has the exception's message.
            frames = "".join(traceback.format_tb(self.exc_info[2]))
            self.exc_text = frames + type(self.exc_info[1]).__name__

    def getMessage(self) -> str:  # noqa: N802
        """Return the message with control characters escaped, so that it cannot forge a line."""
        try:
            message = super().getMessage()
        except Exception:
            # Otherwise logging would write a traceback, with the arguments.
            template = self.msg if isinstance(self.msg, str) else type(self.msg).__name__
            message = f"{template} (its arguments do not fit)"
        return _public(message)


def _public(text: str) -> str:
    """Return the text on one line, without the secrets of tokens in it."""
    text = shown(text)
    # Searching for these marks first takes a tenth of the time that the expression takes.
    has_mark = "fin_" in text or "finq_" in text or "eyJ" in text
    return _TOKEN.sub(r"\1…", text) if has_mark else text


def _public_value(value: Any) -> Any:
    """Return a value for JSON; infinite numbers and NaN become texts."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    try:
        return _public(str(value))
    except Exception:
        return f"a {type(value).__name__}"


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON; named arguments of its message become members."""

    def format(self, record: logging.LogRecord) -> str:
        members = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "requestId": getattr(record, "request_id", "-"),
            "message": record.getMessage(),
        }
        if isinstance(record.args, Mapping):
            given = {_public(str(name)): _public_value(v) for name, v in record.args.items()}
            members = {**members, **given, **members}
        if record.exc_text:
            members["exception"] = record.exc_text
        return json.dumps(members)


def set_up_logs(form: str) -> None:
    """Set up logging. form: ``json``, or ``text`` in the handlers' formats."""
    logging.setLogRecordFactory(LogRecord)
    if form == "json":
        loggers = logging.getLogger(), logging.getLogger("finance_api")
        for handler in {handler for logger in loggers for handler in logger.handlers}:
            handler.setFormatter(JsonFormatter())


def log_what_python_says() -> None:
    """Log texts that Python itself would write to standard error: warnings, errors in threads.

    Applies to the whole process.
    """
    logging.captureWarnings(True)

    def log(error: Any) -> None:
        raised = error.exc_value or error.exc_type()
        frames = (error.exc_type, raised, error.exc_traceback)
        logger.error("unexpected %s", error.exc_type.__name__, exc_info=frames)

    threading.excepthook = log
    sys.unraisablehook = log
