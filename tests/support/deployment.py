"""The service as in production: granian behind nginx, both with the project's own files."""

import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from support.native_rows import label
from support.nginx import HOST, Nginx, nginx
from support.nightly import count
from support.process import ServerProcess
from support.programs import free_port, wait_until
from support.service import Client, Service

WORKERS = count(1, 2)
LABELS = "/v1/api/labels"
HSTS = "max-age=31536000"
_PATIENCE_SECONDS = 90
#: Pause between two requests of a client in a crowd, so that a starting service can proceed.
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Answer:
    """A response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class SiteClient:
    """The program of one user. The user's only data is a label that names the user."""

    def __init__(self, site: "Site", client: Client) -> None:
        self._site = site
        self.load = client.load
        self.token = client.token
        self._name = f"of-{client.user.id}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(
        self, path: str = LABELS, connection: http.client.HTTPConnection | None = None
    ) -> Answer:
        """connection: from `Site.connect`; by default a new connection."""
        if connection is None:
            with closing(self._site.connect()) as own:
                return self.get(path, own)
        connection.request("GET", path, headers={"Host": HOST, **self.headers})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, response.read())

    def check(self, answer: Answer) -> None:
        """Check that a response to `LABELS` has this user's label and no other."""
        assert answer.status == 200, answer
        assert [each["name"] for each in answer.json["labels"]] == [self._name]
        assert answer.headers["x-request-id"]

    def check_or_503(self, answer: Answer) -> None:
        """Check that the response is right, or a 503 that says when to retry."""
        if answer.status == 503:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json["status"] == 503
        else:
            self.check(answer)


class Crowd:
    """Clients that send requests until the end of the block, each on its own connection."""

    def __init__(self, site: "Site", clients: int, pause_seconds: float = _PAUSE_SECONDS) -> None:
        self._site = site
        self._pause_seconds = pause_seconds
        self._stop = threading.Event()
        self.answered = 0
        #: Wrong responses, and errors of connections that ended.
        self.lost: list[object] = []
        self._lock = threading.Lock()
        # There are fewer users than clients, so some clients share a token.
        users = [site.client() for _ in range(min(clients, 10))]
        self._threads = [
            threading.Thread(target=self._ask, args=(users[n % len(users)],))
            for n in range(clients)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait(self, answers: int) -> None:
        """Wait until this many more answers have come, or something is lost."""
        before = self.answered
        wait_until(lambda: bool(self.lost) or self.answered >= before + answers, 300)

    def _ask(self, client: SiteClient) -> None:
        with closing(self._site.connect()) as connection:
            while not self._stop.is_set():
                try:
                    client.check(client.get(LABELS, connection))
                except Exception as error:
                    with self._lock:
                        self.lost.append(error)
                    return
                with self._lock:
                    self.answered += 1
                self._stop.wait(self._pause_seconds)


def split_answers(raw: bytes) -> list[Answer]:
    """Return the responses in a connection's bytes, in order."""
    answers = []
    while raw:
        head, end, raw = raw.partition(b"\r\n\r\n")
        assert end or not head.startswith(b"HTTP/"), f"an answer broke off: {head!r}"
        if not end:
            # HTTP/0.9 has neither status nor headers.
            return [*answers, Answer(json.loads(head)["status"], {"connection": "close"}, head)]
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
        length = int(headers.get("content-length", 0))
        assert len(raw) >= length, "the body broke off"
        answers.append(Answer(int(first.split(" ")[1]), headers, raw[:length]))
        raw = raw[length:]
    return answers


class Site:
    """nginx, one or two services behind it, and users who have data."""

    nginx: Nginx

    def __init__(
        self, directory: Path, storage: str, settings: dict[str, str], redis_url: str
    ) -> None:
        self.storage = storage
        self.url = settings["sqlalchemy.url"]
        self.service = Service(storage, settings)
        self.directory = directory
        self._settings = {
            "sqlalchemy.url": settings["sqlalchemy.url"],
            "finance_api.allowed_hosts": HOST,
            "finance_api.jwt.keys": "",
            # Tests hold locks.
            "sqlalchemy.statement_seconds": "60",
            "finance_api.ratelimit.public": "1000000/hour",
            "finance_api.ratelimit.backend": "redis",
            "finance_api.ratelimit.redis_url": redis_url,
            "server.workers": str(WORKERS),
            # More threads than concurrent requests in any test by day, even if one worker gets them
            # all: slow requests must wait here rather than be refused.
            "server.threads": "14",
            "finance_api.max_data_requests": "11",
            "sqlalchemy.pool_size": "14",
        }
        self.ports = (free_port(), free_port())
        self.running: list[ServerProcess] = []
        self.ended: list[ServerProcess] = []

    def start(self, **settings: str) -> ServerProcess:
        """Start a service on the first free port. Return it once all its workers serve.

        Call this from the main thread.
        """
        used = {server.port for server in self.running}
        server = ServerProcess(
            self.directory,
            ini="production.ini",
            settings={**self._settings, **{f"server.{k}": v for k, v in settings.items()}},
            port=next(port for port in self.ports if port not in used),
        )
        self.running.append(server)
        server.wait("/__heartbeat__")
        wait_until(lambda: server.said.count("Started worker") == WORKERS)
        return server

    def forget(self, server: ServerProcess) -> None:
        """Note that a service has ended, or is about to end."""
        self.running.remove(server)
        self.ended.append(server)

    def end(self, server: ServerProcess) -> None:
        self.forget(server)
        assert server.stop() == 0, server.said

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "127.0.0.1", self.nginx.port, timeout=_PATIENCE_SECONDS, context=self.nginx.tls
        )

    def raw(self) -> ssl.SSLSocket:
        plain = socket.create_connection(("127.0.0.1", self.nginx.port), timeout=_PATIENCE_SECONDS)
        return self.nginx.tls.wrap_socket(plain, server_hostname=HOST)

    def exchange(self, raw: bytes) -> list[Answer]:
        """Send raw bytes. Return all responses until nginx closes the connection."""
        parts = []
        with self.raw() as connection:
            try:
                connection.sendall(raw)
                while part := connection.recv(65536):
                    parts.append(part)
            except ConnectionError:
                # nginx closes the connection this way if it has not read everything.
                pass
        return split_answers(b"".join(parts))

    def restart(self) -> None:
        """Restart without a gap: start a process on the other port, then stop the old process."""
        (old,) = self.running
        self.start()
        self.end(old)

    def client(self) -> "SiteClient":
        client = self.service.client()
        client.load(label(name=f"of-{client.user.id}"))
        return SiteClient(self, client)

    def audit(self) -> None:
        """Check what must hold after every fault."""
        for server in (*self.running, *self.ended):
            assert "Traceback" not in server.said, server.said
            assert "fin_" not in server.said
            assert " ERROR " not in server.said, server.said
        assert "fin_" not in self.nginx.said
        for _ in range(4):
            client = self.client()
            client.check(client.get("/v1/api/labels"))

    def memory_bytes(self) -> int:
        """Return the resident memory of all workers."""
        workers = [worker for server in self.running for worker in server.workers]
        return sum(worker.memory_info().rss for worker in workers)


@contextmanager
def site(directory: Path, storage: str, settings: dict[str, str], redis_url: str) -> Iterator[Site]:
    """Yield a running site, with a service on one of its ports."""
    made = Site(directory, storage, settings, redis_url)
    with nginx(made.ports) as proxy:
        made.nginx = proxy
        try:
            made.start()
            yield made
        finally:
            codes = [server.stop() for server in made.running]
            made.service.stop()
        assert set(codes) == {0}
