"""The access log, and the request id in every line of a request."""

import json
import logging
import re
import subprocess
import sys

import pytest

from finance_api.runtime.logs import JsonFormatter
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Token
from support.service import Service, on_one_storage

ID = re.compile("[0-9a-f]{32}")


class Log(logging.Handler):
    """Each record in the text of the ini files' form, and as a JSON object."""

    _text = logging.Formatter("%(levelname)s %(name)s %(request_id)s %(message)s")

    def __init__(self):
        super().__init__()
        self.lines = []
        self.objects = []

    def emit(self, record):
        self.lines.append(self._text.format(record))
        self.objects.append(json.loads(JsonFormatter().format(record)))


@pytest.fixture
def log():
    handler = Log()
    logger = logging.getLogger("finance_api")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel("INFO")
    yield handler
    logger.setLevel(level)
    logger.removeHandler(handler)


@pytest.fixture(scope="module")
def behind_proxy():
    service = Service(
        "memory", {"finance_api.storage": "memory", "finance_api.trusted_proxies": "10.0.0.0/8"}
    )
    yield service
    service.stop()


def test_line_has_client_method_path_status_time_and_token_id(client, log):
    response = client.get("records", limit=1, payee="eq.Zoë")
    (token,) = client.service.change(
        lambda storage: storage.users.list_owned(Token, client.user.id)
    )
    request_id = response.headers["X-Request-Id"]
    assert ID.fullmatch(request_id)
    (line,) = log.lines
    start = f"INFO finance_api.access {request_id} - GET /v1/api/records 200 "
    assert re.fullmatch(rf"{re.escape(start)}[0-9]+\.[0-9]ms {token.id}", line), line
    (members,) = log.objects
    assert (
        members.items()
        >= {
            "requestId": request_id,
            "client": "-",
            "method": "GET",
            "path": "/v1/api/records",
            "status": 200,
            "credential": token.id,
        }.items()
    )
    assert isinstance(members["milliseconds"], float)
    jwt = client.service.jwt(client.user, jti="of this one")
    client.internal("get-docs", document_type="Label", headers={"Authorization": f"Bearer {jwt}"})
    assert log.lines[-1].endswith("ms of this one")
    assert log.objects[-1]["credential"] == "of this one"


@on_one_storage
def test_line_of_a_page_or_of_a_request_that_is_refused_has_no_credential(visitor, service, log):
    visitor.get("/settings/tokens")
    assert log.objects[-1]["path"] == "/settings/tokens"
    for headers in ({}, {"Authorization": "Bearer nonsense"}):
        service.web.get("/v1/api/records", headers=headers, status=401)
        assert log.objects[-1]["status"] == 401
    assert {line["credential"] for line in log.objects} == {"-"}


def test_no_line_has_a_token_or_what_was_looked_for(client, log):
    token, jwt = client.token, client.service.jwt(client.user)
    client.get("records", payee="contains.secret-payee")
    client.get("records", access_token=token)
    client.internal("get-records", headers={"Authorization": f"Bearer {jwt}"}, date_from=token)
    client.get("records", headers={"Authorization": f"Bearer {token}x"})
    assert len(log.lines) == 4
    said = "\n".join(log.lines) + json.dumps(log.objects)
    for secret in ("secret-payee", token, token[-20:], *jwt.split(".")):
        assert secret not in said


@pytest.mark.parametrize(
    ("address", "forwarded", "client"),
    [
        ("203.0.113.9", None, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "192.0.2.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.0.0.1", "nonsense\n203.0.113.1", "10.0.0.1"),
        ("", None, "-"),
    ],
)
def test_client_is_the_nearest_hop_that_is_no_trusted_proxy(
    behind_proxy, log, address, forwarded, client
):
    environ = {"REMOTE_ADDR": address}
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    behind_proxy.web.get("/__lbheartbeat__", extra_environ=environ)
    assert log.objects[-1]["client"] == client
    assert f" {client} GET /__lbheartbeat__ 200 " in log.lines[-1]


@pytest.mark.parametrize("path", ["/a%0d%0aINFO%20forged", "/a%0bb", "/%e2%80%a8x", "/%ff%0a"])
@on_one_storage
def test_no_path_forges_a_line(service, log, path):
    service.web.get(path, status="*")
    (line,) = log.lines
    assert len(line.splitlines()) == 1
    assert "INFO forged" not in line


def test_error_of_the_storage_has_the_id_of_its_request(client, log, monkeypatch):
    def away():
        raise StorageUnavailable("the database does not answer:\nconnection refused")

    monkeypatch.setattr(client.service.backend, "read", away)
    response = client.get("records")
    assert response.status_int == 503
    request_id = response.headers["X-Request-Id"]
    error, access = log.objects
    assert (error["level"], error["requestId"]) == ("ERROR", request_id)
    assert "connection refused" in error["message"]
    assert (access["status"], access["requestId"]) == (503, request_id)
    assert all(request_id in line and "\n" not in line for line in log.lines)


@on_one_storage
def test_line_after_a_request_is_of_none(service, log):
    service.web.get("/__lbheartbeat__")
    logging.getLogger("finance_api.elsewhere").warning("later")
    assert [line["requestId"] == "-" for line in log.objects] == [False, True]


def test_unexpected_error_is_reported_without_its_message(client, log, monkeypatch):
    def broken():
        held = "account 4711"
        raise RuntimeError(f"cannot read {held}")

    monkeypatch.setattr(client.service.backend, "read", broken)
    response = client.get("records")
    assert response.status_int == 500
    error, access = log.objects
    assert error["requestId"] == access["requestId"] == response.headers["X-Request-Id"]
    assert error["requestId"] in response.json["detail"]
    assert error["exception"].endswith("RuntimeError")
    assert "in broken" in error["exception"]
    assert "4711" not in error["message"] + error["exception"]


_IN_FORKED_PROCESSES = """
import os
from finance_api.storage.interface import Token
from finance_api import main
from webtest import TestApp

app = TestApp(main({}, **{"finance_api.storage": "memory"}))
app.get("/__lbheartbeat__")
for _ in range(2):
    if not (child := os.fork()):
        for _ in range(3):
            print(app.get("/__lbheartbeat__").headers["X-Request-Id"], flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_processes_that_were_forked_draw_different_ids():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _IN_FORKED_PROCESSES],
        capture_output=True,
        check=True,
        text=True,
    )
    ids = done.stdout.split()
    assert len(ids) == 6
    assert len(set(ids)) == 6
