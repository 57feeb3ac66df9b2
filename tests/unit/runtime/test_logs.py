"""Log records: their request id, one line each, no token, and nothing of users' data in errors."""

import io
import json
import logging
import math
import sys
import threading
import warnings
from datetime import datetime
from pathlib import Path

import orjson
import pytest

from finance_api import main
from finance_api.auth.personal_tokens import new_token
from finance_api.auth.question_links import new_secret
from finance_api.runtime.logs import (
    JsonFormatter,
    LogRecord,
    current_request_id,
    log_what_python_says,
)

logger = logging.getLogger("finance_api.tests")

#: A format that an ini file may have.
FORMAT = "%(levelname)s %(name)s [%(request_id)s] %(message)s"


@pytest.fixture
def written():
    """Yield a handler of the application's loggers that writes to a stream, and the stream's
    text.
    """
    factory = logging.getLogRecordFactory()
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(logging.Formatter(FORMAT))
    parent = logging.getLogger("finance_api")
    parent.addHandler(handler)
    logging.setLogRecordFactory(LogRecord)
    yield handler, handler.stream.getvalue
    parent.removeHandler(handler)
    logging.setLogRecordFactory(factory)


@pytest.fixture(params=["text", "json"])
def either(request, written):
    """The written text, in each of the two forms."""
    handler, text = written
    if request.param == "json":
        handler.setFormatter(JsonFormatter())
    return text


@pytest.fixture
def in_request():
    token = current_request_id.set("0123abcd")
    yield
    current_request_id.reset(token)


def fail(secret):
    raise ValueError(f"{secret} in the message")


def test_line_within_a_request_has_its_id_whichever_logger_writes_it(written, in_request):
    handler, text = written
    elsewhere = logging.getLogger("elsewhere")
    elsewhere.addHandler(handler)
    elsewhere.error("one")
    elsewhere.removeHandler(handler)
    logger.error("Zoë paid 5 € at %s, 100%%", "寿司 Sakura")
    assert text() == (
        "ERROR elsewhere [0123abcd] one\n"
        "ERROR finance_api.tests [0123abcd] Zoë paid 5 € at 寿司 Sakura, 100%\n"
    )


def test_thread_that_was_started_in_a_request_is_not_of_it(written, in_request):
    thread = threading.Thread(target=logger.error, args=("work",))
    thread.start()
    thread.join()
    assert "[-] work" in written[1]()


@pytest.mark.parametrize(
    "text", ["a\nERROR root b", "a\r\nb", "a\x0bb", "a\x1b[2Kb", "a\x85b", "a\u2028b", "a\udc80b"]
)
def test_no_text_forges_a_line(either, text):
    logger.error("in an argument: %s", text)
    logger.error(f"in the message: {text}")
    logger.error("in a named one: %(text)s", {"text": text})
    assert len(either().splitlines()) == 3
    assert either().isascii()


def test_exception_is_reported_by_place_and_type_alone(either):
    try:
        fail(47 * 100 + 11)
    except ValueError:
        logger.exception("it failed")
    logger.error("nothing went wrong", exc_info=True)
    said = either()
    assert "nothing went wrong" in said
    assert "ValueError" in said and "test_logs.py" in said and "in fail" in said
    assert "4711" not in said


def test_json_has_a_whole_line_for_a_record(written, in_request):
    handler, text = written
    handler.setFormatter(JsonFormatter())
    before = datetime.now().astimezone()
    logger.info("nothing")
    # A library may log anything under any name.
    logger.warning("%(level)d rows of %(path)s", {"level": 3, "path": Path("/x")})
    try:
        fail("4711")
    except ValueError:
        logger.exception("failed: %s", "why")
    warning, error = map(json.loads, text().splitlines())
    time = datetime.fromisoformat(warning.pop("time"))
    assert time.utcoffset().total_seconds() == 0
    assert abs((time - before).total_seconds()) < 60
    assert warning == {
        "level": "WARNING",
        "logger": "finance_api.tests",
        "requestId": "0123abcd",
        "message": "3 rows of /x",
        "path": "/x",
    }
    assert error["message"] == "failed: why"
    assert error["exception"].endswith("ValueError")


@pytest.mark.parametrize("form", ["text", "json"])
def test_setting_chooses_the_form_of_every_handler(written, form):
    app = main({}, **{"finance_api.storage": "memory", "finance_api.log.format": form})
    app.registry.services.close()
    logger.error("hello")
    (line,) = written[1]().splitlines()
    if form == "json":
        assert json.loads(line)["message"] == "hello"
    else:
        assert line == "ERROR finance_api.tests [-] hello"


TOKEN, LINK = new_token(), new_secret()
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl-_"


class Unprintable:
    def __str__(self):
        raise ValueError(TOKEN)


HOSTILE = [
    *(
        LINK,
        f"//q/{LINK}.csv",
        TOKEN,
        JWT,
        f"/v1/api/labels/{TOKEN}.csv",
        f'"}},{{"{TOKEN}',
        f"Bearer {JWT}",
        TOKEN[:-1],
    ),
    *("a\udc80b", "a\nb", "\x00", "{", '"', "%s %d", "é\u2028", b"\xff", "x" * 10_000),
    *(math.nan, math.inf, -math.inf, 2**70, True, None, [TOKEN], {"a": {JWT}}, Unprintable()),
]


def test_every_line_parses_and_has_no_token(either):
    for value in HOSTILE:
        logger.error("in an argument: %s", value)
        logger.error("in a named one: %(text)s", {"text": value, TOKEN: 1})
        logger.error("that does not fit: %s %d", value, value)
        logger.warning(value)
    lines = either().splitlines()
    assert len(lines) == 4 * len(HOSTILE)
    for secret in (LINK[5:], TOKEN[8:-1], "eyJzdWI", "c2lnb"):
        assert secret not in either()
    if lines[0].startswith("{"):
        # Use a strict parser: Python's accepts NaN, and half of a surrogate pair.
        assert {orjson.loads(line)["requestId"] for line in lines} == {"-"}


def test_what_python_would_write_itself_is_a_line(written, monkeypatch):
    handler, text = written
    handler.setFormatter(JsonFormatter())
    for module, name in ((threading, "excepthook"), (sys, "unraisablehook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    log_what_python_says()
    try:
        thread = threading.Thread(target=fail, args=("4711",))
        thread.start()
        thread.join()
        logging.getLogger("py.warnings").addHandler(handler)
        warnings.showwarning("old", DeprecationWarning, "x.py", 1)
    finally:
        logging.getLogger("py.warnings").removeHandler(handler)
        logging.captureWarnings(False)
    error, warning = map(json.loads, text().splitlines())
    assert error["message"] == "unexpected ValueError"
    assert error["exception"].endswith("ValueError") and "4711" not in text()
    assert "DeprecationWarning: old" in warning["message"]
