"""The MCP tools over HTTP, while other clients send many calls or leave."""

import http.client
import json
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from webtest.http import StopableWSGIServer

from support.mcp_server import mcp_server
from support.native_rows import label
from support.nightly import count
from support.programs import wait_until
from support.service import Service

pytest.importorskip("uvicorn")

CALL = {"name": "categories_and_labels", "arguments": {}}
BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}).encode()


def head(token: str, length: int = len(BODY)) -> dict[str, str]:
    return {
        "Host": "127.0.0.1",
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Content-Length": str(length),
    }


def raw(token: str, length: int = len(BODY)) -> bytes:
    lines = [f"{name}: {value}\r\n" for name, value in head(token, length).items()]
    return f"POST /mcp HTTP/1.1\r\n{''.join(lines)}\r\n".encode()


class Site:
    """The server over HTTP, and a user with a label."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, 120)

    def call(self, connection: http.client.HTTPConnection) -> tuple[int, str]:
        """Return the status, and the name of the label or the error."""
        connection.request("POST", "/mcp", BODY, head(self.token))
        response = connection.getresponse()
        told = json.loads(response.read())
        if response.status != 200:
            return response.status, told["error"]
        return 200, told["result"]["structuredContent"]["labels"][0]["name"]

    def call_once(self) -> tuple[int, str]:
        with closing(self.connect()) as connection:
            return self.call(connection)


OPTIONS = ("--allow-host", "127.0.0.1")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = {"finance_api.storage": "memory", "finance_api.ratelimit.public": "100000/hour"}
    service = Service("memory", settings)
    client = service.client()
    client.load(label(name="household"))
    server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
    base = server.application_url.rstrip("/")
    directory = tmp_path_factory.mktemp("mcp")
    try:
        with mcp_server(directory, base, *OPTIONS) as port:
            yield Site(port, client.token)
    finally:
        server.shutdown()
        service.stop()


def test_a_client_that_leaves_early_causes_no_error(site: Site) -> None:
    """The fixture checks the server's log at the end."""
    reset = struct.pack("ii", 1, 0)
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", site.port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            connection.sendall(raw(site.token) + BODY)
    assert site.call_once() == (200, "household")


@pytest.mark.nightly
def test_calls_of_many_at_once_are_all_answered(site: Site) -> None:
    # The guard: turns. If all calls ran at once, the API could not answer in time.
    clients, calls = count(30, 200), count(4, 6)

    def work(_: int) -> list[tuple[int, str]]:
        with closing(site.connect()) as connection:
            return [site.call(connection) for _ in range(calls)]

    with ThreadPoolExecutor(clients) as crowd:
        answers = [answer for each in crowd.map(work, range(clients)) for answer in each]
    assert answers == [(200, "household")] * (clients * calls)


def test_only_post_is_allowed(site: Site) -> None:
    for method in ("GET", "DELETE"):
        with closing(site.connect()) as connection:
            connection.request(method, "/mcp", headers={"Authorization": "Bearer x"})
            response = connection.getresponse()
            assert (response.status, response.headers["Allow"]) == (405, "POST")


def test_a_stream_is_refused_and_keeps_nobody_waiting(site: Site) -> None:
    version = "2026-07-28"
    meta = {
        "protocolVersion": version,
        "clientInfo": {"name": "test", "version": "1"},
        "clientCapabilities": {},
    }
    parameters = {
        "notifications": {"toolsListChanged": True},
        "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()},
    }
    method = "subscriptions/listen"
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
    headers = head(site.token, len(body))
    with closing(site.connect()) as connection:
        more = {"MCP-Protocol-Version": version, "Mcp-Method": method}
        connection.request("POST", "/mcp", body, {**headers, **more})
        response = connection.getresponse()
        assert json.loads(response.read())["error"]["message"] == "Method not found"
    assert site.call_once() == (200, "household")


@contextmanager
def slow_api() -> Iterator[tuple[str, list[socket.socket], Callable[[], int]]]:
    """Yield an address that answers nothing by itself, its requests, and a count of them."""
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as stack:
        server.setblocking(False)
        accepted: list[socket.socket] = []

        def requests() -> int:
            try:
                while True:
                    accepted.append(stack.enter_context(server.accept()[0]))
            except BlockingIOError:
                return len(accepted)

        yield f"http://127.0.0.1:{server.getsockname()[1]}", accepted, requests


def test_a_call_waits_while_others_take_all_turns(tmp_path: Path) -> None:
    with (
        slow_api() as (base, accepted, requests),
        mcp_server(tmp_path, base, *OPTIONS, "--calls", "2") as port,
        ExitStack() as stack,
    ):
        site = Site(port, "x")
        waiting = [stack.enter_context(closing(site.connect())) for _ in range(3)]
        for connection in waiting:
            connection.request("POST", "/mcp", BODY, head("x"))
        wait_until(lambda: requests() == 2)
        # The server still responds, to everything that does not ask the API.
        with closing(site.connect()) as connection:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            body = json.dumps(message).encode()
            connection.request("POST", "/mcp", body, head("x", len(body)))
            assert connection.getresponse().status == 200
        assert requests() == 2
        accepted[0].close()
        wait_until(lambda: requests() == 3)
        for request in accepted:
            request.close()
        assert all("does not respond" in c.getresponse().read().decode() for c in waiting)
