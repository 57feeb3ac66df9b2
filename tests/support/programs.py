"""Programs that tests start privately: found where they are installed, else the test is skipped.

With FINANCE_TEST_REQUIRE_PROGRAMS=1 a missing program is a failure instead.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

REQUIRED = os.environ.get("FINANCE_TEST_REQUIRE_PROGRAMS") == "1"


def missing(program: str) -> None:
    message = f"{program} is not installed"
    if REQUIRED:
        pytest.fail(f"{message}, and FINANCE_TEST_REQUIRE_PROGRAMS is 1")
    pytest.skip(message)


def as_child(command: Sequence[Any], end: str = "TERM") -> list[Any]:
    """The command such that it ends when the tests do, however they end, by the signal ``end``.

    And such that signals mean what they usually do, also under nohup. On Linux; elsewhere as it is.
    To be started by the main thread: it ends with the thread that started it.
    """
    env, setpriv = shutil.which("env"), shutil.which("setpriv")
    if sys.platform != "linux" or env is None or setpriv is None:
        return list(command)
    return [env, "--default-signal=INT,QUIT,HUP", setpriv, "--pdeathsig", end, *command]


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _postgresql_programs() -> Path | None:
    on_path = shutil.which("pg_ctl")
    if on_path:
        return Path(on_path).resolve().parent
    # Debian keeps each version's servers apart, off the path.
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=_version)
    return found[-1].parent if found else None


def _version(path: Path) -> float:
    return float(path.parts[-3])


def _postgresql_user() -> str | None:
    """PostgreSQL refuses to run as root; None where the tests run as somebody else."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


class Postgresql:
    """A PostgreSQL server of our own in ``directory``.

    Its collation is not that of code points, so that a query that relies on the server's own
    would be found out.
    """

    def __init__(self, programs: Path, directory: Path) -> None:
        self._programs = programs
        self._directory = directory
        self._data = directory / "data"
        self._user = _postgresql_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._port = free_port()
        self.url = f"postgresql://tests@127.0.0.1:{self._port}/postgres"
        if self._user is not None:
            shutil.chown(directory, self._user)
        self._run(
            "initdb",
            *("-D", str(self._data), "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync"),
            *("--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"),
        )

    def start(self) -> None:
        settings = {
            "port": self._port,
            "listen_addresses": "127.0.0.1",
            "max_connections": 50,
            "unix_socket_directories": self._directory,
            "fsync": "off",
            "full_page_writes": "off",
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        with open(self._directory / "log", "ab") as log:
            self._process = subprocess.Popen(
                as_child([self._programs / "postgres", "-D", self._data, *options], end="QUIT"),
                **self._as_user,
                cwd=self._directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        ready = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self._port)]
        wait_until(lambda: subprocess.run(ready, check=False).returncode == 0)

    def stop(self) -> None:
        """At once, as when it fails; harmless if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGQUIT)
            process.wait(60)

    @property
    def _as_user(self) -> dict[str, Any]:
        if self._user is None:
            return {}
        return {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []}

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            **self._as_user,
            cwd=self._directory,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def postgresql() -> Iterator[Postgresql]:
    """A running server; the test is skipped where PostgreSQL is not installed."""
    programs = _postgresql_programs()
    if programs is None:
        missing("PostgreSQL")
    assert programs is not None
    # Not below pytest's own directory, which is closed to PostgreSQL's user.
    directory = Path(tempfile.mkdtemp(prefix="finance-tests-"))
    try:
        server = Postgresql(programs, directory)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory)


class RedisServer:
    """A Redis of our own in ``directory``, which keeps nothing when it ends."""

    def __init__(self, program: str, directory: Path) -> None:
        self._program = program
        self._directory = directory
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The same at every start."""
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        with open(self._directory / "log", "ab") as log:
            self._process = subprocess.Popen(
                as_child(
                    [
                        *(self._program, "--port", str(self._port), "--bind", "127.0.0.1"),
                        *("--save", "", "--appendonly", "no", "--dir", str(self._directory)),
                    ]
                ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until(self._answers)

    def stop(self) -> None:
        """Harmless if it does not run."""
        self._end(lambda process: process.terminate())

    def kill(self) -> None:
        self._end(lambda process: process.kill())

    def _end(self, how: Callable[[subprocess.Popen[bytes]], None]) -> None:
        process, self._process = self._process, None
        if process is not None:
            how(process)
            process.wait(30)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A running server; the test is skipped where Redis is not installed."""
    program = shutil.which("redis-server")
    if program is None:
        missing("Redis")
    assert program is not None
    directory = Path(tempfile.mkdtemp(prefix="finance-tests-"))
    try:
        server = RedisServer(program, directory)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory)
