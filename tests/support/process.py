"""Runs the service in a separate process, as an operator starts it."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Self

import psutil

from finance_api.runtime.settings import ENVIRONMENT_PREFIX
from finance_api.settings import SERVER_SETTINGS, SETTINGS
from support.programs import free_port, spawn

_ROOT = Path(__file__).parents[2]
_PROGRAMS = Path(sys.executable).parent
_VARIABLES = {setting.name: setting.variable for setting in (*SETTINGS, *SERVER_SETTINGS)}
_START_SECONDS = 300
_END_SECONDS = 120


class ServerProcess:
    """pserve with one of the project's ini files, in ``directory``."""

    def __init__(
        self,
        directory: Path,
        *,
        ini: str = "development.ini",
        settings: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        """settings: passed as environment variables, in addition to the ini file."""
        self.port = port or free_port()
        (directory / ini).write_text((_ROOT / ini).read_text())
        variables = {_VARIABLES[name]: value for name, value in (settings or {}).items()}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ENVIRONMENT_PREFIX)}
        self._log = directory / f"{self.port}.log"
        self._begin = self._log.stat().st_size if self._log.exists() else 0
        self.process = spawn(
            [_PROGRAMS / "pserve", ini, f"http_port={self.port}"],
            self._log,
            cwd=directory,
            env={**kept, **variables, "PYTHONUNBUFFERED": "1"},
        )

    @property
    def said(self) -> str:
        """Return the process's output so far."""
        return self._log.read_bytes()[self._begin :].decode(errors="replace")

    def wait(self, path: str = "/__lbheartbeat__") -> Self:
        """Wait until the service responds with 200. Return the server itself."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers(path):
            assert self.process.poll() is None and time.monotonic() < deadline, self.said
            time.sleep(0.02)
        return self

    def _answers(self, path: str) -> bool:
        with self.connect() as connection:
            try:
                connection.request("GET", path)
                return connection.getresponse().status == 200
            except OSError:
                return False

    def connect(self) -> closing[http.client.HTTPConnection]:
        """Return a connection that can send several requests."""
        return closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=_START_SECONDS))

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Return status, headers and body. path: sent unchanged. connection: a new one if None."""
        if connection is None:
            with self.connect() as new:
                return self.ask(method, path, headers, new)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": "localhost", **(headers or {})}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def get(
        self, path: str, token: str, connection: http.client.HTTPConnection | None = None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        return self.ask("GET", path, {"Authorization": f"Bearer {token}"}, connection)

    @property
    def workers(self) -> list[psutil.Process]:
        """Return granian's worker processes."""
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]

    def worker_of(self, connection: http.client.HTTPConnection) -> int:
        """Return the id of the worker process that serves a connection."""
        port = connection.sock.getsockname()[1]
        for worker in self.workers:
            for each in worker.net_connections("tcp"):
                if each.raddr and each.raddr.port == port:
                    return worker.pid
        raise AssertionError("none of the workers has it")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End the server as an operator does. Return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
