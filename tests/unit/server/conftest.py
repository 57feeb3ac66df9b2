"""A server in a process of its own, and a client that sends raw bytes."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
# Generous: it only ends a test that hangs.
PATIENCE_SECONDS = 15


@dataclass(frozen=True)
class Answer:
    """One answer; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


def split_answers(raw, bodiless=False):
    """The answers in what a connection sent, in order; bodiless: to HEAD."""
    answers = []
    while raw:
        head, end, raw = raw.partition(b"\r\n\r\n")
        assert end, f"an answer broke off: {head!r}"
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.split(": ", 1) for line in lines]
        headers = {name.lower(): value for name, value in pairs}
        assert len(headers) == len(pairs), f"a header came twice: {lines}"
        status = int(first.split(" ")[1])
        length = 0 if bodiless or status == 100 else int(headers["content-length"])
        assert len(raw) >= length, "the body broke off"
        answers.append(Answer(status, headers, raw[:length]))
        raw = raw[length:]
    return answers


class Connection:
    """A client's side of one connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)

    def send(self, raw):
        self.socket.sendall(raw)

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def read_to_end(self):
        parts = []
        while part := self.socket.recv(65536):
            parts.append(part)
        self.socket.close()
        return b"".join(parts)

    def read_answers(self, bodiless=False):
        """Every answer until the server ends the connection."""
        return split_answers(self.read_to_end(), bodiless)

    def read_one(self):
        """One answer with a body of known length; the connection stays open."""
        raw = b""
        while b"\r\n\r\n" not in raw:
            raw += self.socket.recv(65536)
        head, _, body = raw.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += self.socket.recv(65536)
        (answer,) = split_answers(head + b"\r\n\r\n" + body)
        return answer


class Server:
    """The process, its port and what it says."""

    def __init__(self, **settings):
        self.process = subprocess.Popen(
            self.command({"port": "0", **settings}),
            env={**os.environ, "PYTHONPATH": f"{REPOSITORY}:{HERE}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.connections = []
        self.lines = queue.Queue()
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()
        self.first_line = self.read_first_line()
        serving = self.first_line.startswith("Serving on ")
        self.port = int(self.first_line.rpartition(":")[2]) if serving else None

    def command(self, settings):
        given = (f"{key}={value}" for key, value in settings.items())
        return [sys.executable, str(HERE / "served_app.py"), *given]

    def read_first_line(self):
        return self.lines.get(timeout=PATIENCE_SECONDS)

    def _read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put("")

    def connect(self):
        self.connections.append(Connection(self.port))
        return self.connections[-1]

    def exchange(self, raw, bodiless=False):
        """Send, end our side, and return every answer."""
        connection = self.connect()
        connection.send(raw)
        connection.half_close()
        return connection.read_answers(bodiless)

    def refused(self, raw, bodiless=False):
        """The only answer to ``raw``, after which the server, not the client, closes."""
        connection = self.connect()
        connection.send(raw)
        (answer,) = connection.read_answers(bodiless)
        assert answer.headers["connection"] == "close"
        return answer

    def hold(self, count):
        """As many connections with a request in the application's hands."""
        connections = []
        for _ in range(count):
            connections.append(self.connect())
            connections[-1].send(b"GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
            assert self.lines.get(timeout=PATIENCE_SECONDS) == "held"
        return connections

    def release(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait_until_not_listening(self):
        # Each try that still succeeds gives the server the processor; the test runner's own limit
        # would end it.
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                return

    def exit_code(self):
        return self.process.wait(timeout=PATIENCE_SECONDS)

    def errors(self):
        return self.process.stderr.read()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()
        for connection in self.connections:
            connection.socket.close()


class GranianServer(Server):
    """The same application in processes of granian's, under pserve.

    application: settings of its section. arguments: of pserve.
    """

    INI = """
[app:main]
paste.app_factory = served_app:make
release = %(here)s/release
refuses = %(here)s/refuses
{application}
[server:granian]
paste.server_runner = finance_api.server.granian:serve
{section}
"""

    def __init__(self, directory, application=(), arguments=(), **settings):
        self.directory = directory
        self._application = dict(application)
        self._arguments = arguments
        super().__init__(**settings)

    def command(self, settings):
        lines = (
            "\n".join(f"{k} = {v}" for k, v in x.items()) for x in (self._application, settings)
        )
        application, section = lines
        ini = self.directory / "x.ini"
        ini.write_text(self.INI.format(application=application, section=section))
        pserve = (sys.executable, "-W", "ignore", "-m", "pyramid.scripts.pserve")
        # Options last: before Python 3.13, argparse takes no variables behind them.
        return [*pserve, str(ini), *self._arguments, "--server-name", "granian"]

    def read_first_line(self):
        # The hooks of the application that the parent looks at are called before.
        while True:
            line = self.lines.get(timeout=PATIENCE_SECONDS)
            if not line or line.startswith("Serving on "):
                return line

    def release(self):
        (self.directory / "release").touch()

    def workers(self):
        return {child.pid for child in psutil.Process(self.process.pid).children()}

    def ask(self, raw, bodiless=False):
        """The answers to messages that end their connection, without ending it from here."""
        connection = self.connect()
        connection.send(raw)
        return connection.read_answers(bodiless)

    def kill(self):
        workers = psutil.Process(self.process.pid).children() if self.process.poll() is None else []
        super().kill()
        # They see that their parent has gone, and end.
        _, left = psutil.wait_procs(workers, timeout=PATIENCE_SECONDS)
        for worker in left:
            worker.kill()
        assert not left


@pytest.fixture
def start_server():
    """Starts servers with settings of one's own; they are killed at the end."""
    started = []

    def start(**settings):
        started.append(Server(**settings))
        return started[-1]

    yield start
    for server in started:
        server.kill()


@pytest.fixture
def start_granian(tmp_path_factory):
    """Starts servers of granian with settings of one's own; they are killed at the end."""
    pytest.importorskip("granian", reason="granian is not installed (the extra granian)")
    started = []

    def start(**settings):
        started.append(GranianServer(tmp_path_factory.mktemp("granian"), **settings))
        return started[-1]

    yield start
    for server in started:
        server.kill()


@pytest.fixture(scope="session")
def granian(tmp_path_factory):
    """Two processes of granian's, which must outlive every message sent to them."""
    pytest.importorskip("granian", reason="granian is not installed (the extra granian)")
    running = GranianServer(tmp_path_factory.mktemp("granian"), workers=2)
    workers = running.workers()
    yield running
    assert running.workers() == workers
    running.signal()
    assert running.exit_code() == 0
    running.kill()


@pytest.fixture(scope="session")
def server():
    """One server with the default settings, which must outlive every message sent to it."""
    running = Server()
    yield running
    assert running.process.poll() is None
    assert running.exchange(b"GET /after HTTP/1.1\r\nHost: x\r\n\r\n")[0].status == 200
    running.kill()
