"""The MCP tools over HTTP, while other clients hold connections or send many calls."""

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

PER_ADDRESS = 30
ADDRESSES = [f"127.0.0.{n}" for n in range(2, 8)]
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

    def connect(self, source: str = "127.0.0.1") -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, 120, (source, 0))

    def call(self, connection: http.client.HTTPConnection) -> tuple[int, str]:
        """Return the status, and the name of the label or the error."""
        connection.request("POST", "/mcp", BODY, head(self.token))
        response = connection.getresponse()
        told = json.loads(response.read())
        if response.status == 503:
            assert int(response.headers["Retry-After"]) > 0
        if response.status != 200:
            return response.status, told["error"]
        return 200, told["result"]["structuredContent"]["labels"][0]["name"]

    def call_once(self, source: str = "127.0.0.1") -> tuple[int, str]:
        with closing(self.connect(source)) as connection:
            return self.call(connection)


OPTIONS = ("--allow-host", "127.0.0.1", "--per-address", str(PER_ADDRESS))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = {"finance_api.storage": "memory", "finance_api.ratelimit.public": "100000/hour"}
    service = Service("memory", settings)
    client = service.client()
    client.load(label(name="household"))
    server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
    base = server.application_url.rstrip("/")
    directory = tmp_path_factory.mktemp("mcp")
    options = (*OPTIONS, "--request-seconds", "3")
    try:
        with mcp_server(directory, base, *options) as port:
            yield Site(port, client.token)
    finally:
        server.shutdown()
        service.stop()


#: Bytes after which the client sends nothing more.
NO_CALLS: dict[str, Callable[[str], bytes]] = {
    "half a header": lambda token: raw(token)[:40],
    "nothing": lambda token: b"",
    "half a body": lambda token: raw(token, len(BODY) + 1) + BODY,
}
CALLS: dict[str, Callable[[str], bytes]] = {
    "one call": lambda token: raw(token) + BODY,
    "calls, and no answer is read": lambda token: (raw(token) + BODY) * 5,
}


def is_closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        pass
    return True


#: Bytes, and the addresses that send them; by day, one number of addresses for each kind.
HELD = [
    pytest.param(sent, ADDRESSES[:number], id=f"{name}-{number}")
    for place, (name, sent) in enumerate((NO_CALLS | CALLS).items())
    for number in count(((1, len(ADDRESSES))[place % 2],), (1, len(ADDRESSES)))
]


@pytest.mark.nightly
@pytest.mark.parametrize(("sent", "addresses"), HELD)
def test_held_connections_keep_nobody_out(
    site: Site, sent: Callable[[str], bytes], addresses: list[str]
) -> None:
    # The guards, in finance_api/clients/mcp/callers.py: Connections.add, and the deadline.
    with ExitStack() as stack:
        held = []
        for number in range(count(4, 20) * PER_ADDRESS):
            source = (addresses[number % len(addresses)], 0)
            address = ("127.0.0.1", site.port)
            connection = socket.create_connection(address, source_address=source)
            held.append(stack.enter_context(connection))
            try:
                connection.sendall(sent(site.token))
            except ConnectionError:
                # The server has closed it already, for a newer connection.
                assert is_closed(connection)
            connection.setblocking(False)
        assert site.call_once("127.0.0.1") == (200, "household")
        if sent in NO_CALLS.values():
            # Not for calls, which may hold all connections of their address while they wait.
            assert site.call_once(addresses[0]) == (200, "household")
        wait_until(lambda: all(map(is_closed, held)))


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
    clients, calls = count(PER_ADDRESS, 200), count(4, 6)
    sources = ["127.0.0.1", *ADDRESSES]

    def work(number: int) -> list[tuple[int, str]]:
        with closing(site.connect(sources[number * len(sources) // clients])) as connection:
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
def silent_api() -> Iterator[tuple[str, Callable[[], int]]]:
    """Yield an address that accepts requests and never answers, and a function that counts them."""
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as stack:
        server.setblocking(False)
        accepted: list[socket.socket] = []

        def requests() -> int:
            try:
                while True:
                    accepted.append(stack.enter_context(server.accept()[0]))
            except BlockingIOError:
                return len(accepted)

        yield f"http://127.0.0.1:{server.getsockname()[1]}", requests


def test_a_call_waits_while_others_take_all_turns(tmp_path: Path) -> None:
    def send(source: str = "127.0.0.2") -> http.client.HTTPConnection:
        connection = stack.enter_context(closing(site.connect(source)))
        connection.request("POST", "/mcp", BODY, head("x"))
        return connection

    options = (*OPTIONS, "--per-address", "2", "--calls", "2", "--wait-seconds", "3")
    with (
        silent_api() as (base, requests),
        mcp_server(tmp_path, base, *options) as port,
        ExitStack() as stack,
    ):
        site = Site(port, "x")
        working = [send() for _ in range(2)]
        wait_until(lambda: requests() == 2)
        # Calls may hold all connections of their own address, but not those of others.
        with pytest.raises(OSError):
            send().getresponse()
        response = send("127.0.0.3").getresponse()
        assert (response.status, response.headers["Retry-After"]) == (503, "5")
        assert "waited 3 seconds for its turn" in json.loads(response.read())["error"]
        # A client that disconnects leaves its turn to others.
        waiting = send("127.0.0.3")
        working[0].close()
        wait_until(lambda: requests() == 3)
        waiting.close()
