"""Starts private instances of other programs. Skips the test if a program is not installed.

With FINANCE_TEST_REQUIRE_PROGRAMS=1 a missing program is a failure instead.
"""

import atexit
import configparser
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest
from sqlalchemy.engine import make_url

REQUIRED = os.environ.get("FINANCE_TEST_REQUIRE_PROGRAMS") == "1"


def missing(program: str) -> NoReturn:
    message = f"{program} is not installed"
    if REQUIRED:
        pytest.fail(f"{message}, and FINANCE_TEST_REQUIRE_PROGRAMS is 1")
    pytest.skip(message)


def as_child(command: Sequence[Any], end: str = "TERM") -> list[Any]:
    """Return a command that gets the signal ``end`` when the tests end, however they end.

    Also resets ignored signals, for example under nohup. Returns the same command if not on Linux.
    Start the result from the main thread, because the signal comes when the thread ends.
    """
    env, setpriv = shutil.which("env"), shutil.which("setpriv")
    if sys.platform != "linux" or env is None or setpriv is None:
        return list(command)
    return [env, "--default-signal=INT,QUIT,HUP", setpriv, "--pdeathsig", end, *command]


def spawn(
    command: Sequence[Any], log: Path, end: str = "TERM", **options: Any
) -> subprocess.Popen[bytes]:
    """Start a program that writes to a log, `as_child`."""
    with open(log, "ab") as output:
        return subprocess.Popen(
            as_child(command, end),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            **options,
        )


@contextmanager
def started(make: Callable[[Path], Any]) -> Iterator[Any]:
    """Yield a running server. make: makes it in a directory of its own."""
    # Not below pytest's directory, which the users of some servers cannot read.
    with tempfile.TemporaryDirectory(prefix="finance-tests-") as directory:
        server = make(Path(directory))
        try:
            server.start()
            yield server
        finally:
            server.stop()


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


#: A port at which no program listens, and that no program gets as a free one: it is privileged.
CLOSED_PORT = 1


def free_port() -> int:
    """Return a free port from a range that the system does not use for outgoing connections."""
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def postgresql_programs() -> Path | None:
    on_path = shutil.which("pg_ctl")
    if on_path:
        return Path(on_path).resolve().parent
    # Debian has a directory for each version's programs, which is not on the path.
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=_version)
    return found[-1].parent if found else None


def _version(path: Path) -> float:
    return float(path.parts[-3])


def _unprivileged_user() -> str | None:
    """Return a user for PostgreSQL and PgBouncer, which refuse to run as root, else None."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _as_user(user: str | None) -> dict[str, Any]:
    """Return the options of `subprocess.Popen` that run a process as this user."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def _run_as(user: str | None, *command: str | Path) -> str:
    """Run a program as a user. Return its output."""
    # Not in the tests' directory, which the user may not be able to read.
    done = subprocess.run(
        command, **_as_user(user), cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@cache
def _empty_data(programs: Path, user: str | None) -> Path:
    """Return the data directory of a new server. Each server gets a copy, which is faster."""
    directory = Path(tempfile.mkdtemp(prefix="finance-tests-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    if user is not None:
        shutil.chown(directory, user)
    data = directory / "data"
    _run_as(
        user,
        *(programs / "initdb", "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8"),
        *("--no-sync", "--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"),
    )
    return data


class Postgresql:
    """A private PostgreSQL server in ``directory``.

    Its collation does not sort by code points, so that tests detect a query which relies on the
    server's default collation. settings: further ones. primary: makes the server its standby.
    """

    def __init__(
        self,
        programs: Path,
        directory: Path,
        settings: Mapping[str, object] | None = None,
        primary: "Postgresql | None" = None,
    ) -> None:
        self._programs = programs
        self._directory = directory
        self._settings = settings or {}
        self._data = directory / "data"
        self._user = _unprivileged_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._port = free_port()
        self.host = f"127.0.0.1:{self._port}"
        self.url = f"postgresql://tests@{self.host}/postgres"
        if self._user is not None:
            shutil.chown(directory, self._user)
        if primary is not None:
            self.follow(primary)
            return
        _run_as(self._user, "cp", "-R", "-p", _empty_data(programs, self._user), self._data)

    def start(self) -> None:
        settings = {
            "port": self._port,
            "listen_addresses": "127.0.0.1",
            "max_connections": 200,
            "unix_socket_directories": self._directory,
            "fsync": "off",
            "full_page_writes": "off",
            # Limited because the directory may be in memory.
            "temp_file_limit": "1GB",
            **self._settings,
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        self._process = spawn(
            [self._programs / "postgres", "-D", self._data, *options],
            self._directory / "log",
            end="QUIT",
            cwd=self._directory,
            **_as_user(self._user),
        )
        ready = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self._port)]
        wait_until(lambda: subprocess.run(ready, check=False).returncode == 0)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server, by default at once, as in a failure. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(60)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend all processes of the server: it accepts connections and does not answer."""
        assert self._process is not None
        main = psutil.Process(self._process.pid)
        main.suspend()
        processes = [main, *main.children(recursive=True)]
        try:
            for process in processes:
                process.suspend()
            yield
        finally:
            for process in processes:
                process.resume()

    def follow(self, primary: "Postgresql") -> None:
        """Replace the data of this stopped server by a copy of another one, to be its standby."""
        shutil.rmtree(self._data, ignore_errors=True)
        options = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self._run("pg_basebackup", f"--pgdata={self._data}", f"--dbname={primary.url}", *options)

    def promote(self) -> None:
        self._run("pg_ctl", "promote", "-D", str(self._data))

    def run(self, sql: str) -> str:
        """Run one SQL command. Return what it selects as text."""
        return self._run("psql", "--no-psqlrc", "-qAt", f"--dbname={self.url}", f"--command={sql}")

    def _run(self, program: str, *arguments: str) -> str:
        return _run_as(self._user, self._programs / program, *arguments)


def postgresql(primary: Postgresql | None = None) -> AbstractContextManager[Postgresql]:
    """Run a server. Skips the test if PostgreSQL is not installed.

    primary: makes the server its standby.
    """
    programs = postgresql_programs() or missing("PostgreSQL")
    return started(lambda directory: Postgresql(programs, directory, primary=primary))


class PgBouncer:
    """PgBouncer in ``directory``, in front of a PostgreSQL server.

    server: the server's URL. mode: transaction or session. connections: the maximum to each
    database.
    """

    def __init__(
        self, program: str, directory: Path, server: str, mode: str, connections: int
    ) -> None:
        self._program = program
        self._directory = directory
        self._user = _unprivileged_user()
        self._port = free_port()
        server_url = make_url(server)
        self.url = server_url.set(port=self._port).render_as_string(hide_password=False)
        self._ini = _documented_pgbouncer_ini()
        self._ini["pgbouncer"].update(
            {
                "listen_port": str(self._port),
                "unix_socket_dir": "",
                "auth_type": "trust",
                "auth_file": str(directory / "users.txt"),
                "pool_mode": mode,
                "default_pool_size": str(connections),
            }
        )
        (directory / "users.txt").write_text(f'"{server_url.username}" ""\n')
        self._write(server)

    def start(self) -> None:
        self._process = spawn(
            [self._program, self._directory / "pgbouncer.ini"],
            self._directory / "log",
            cwd=self._directory,
            **_as_user(self._user),
        )
        wait_until(lambda: _accepts(self._port) or self._process.poll() is not None)
        assert self._process.poll() is None, (self._directory / "log").read_text()

    def lead_to(self, server: str) -> None:
        """Name another server in the running PgBouncer's file, and reload the file."""
        self._write(server)
        self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)

    def _write(self, server: str) -> None:
        self._ini["databases"] = {"*": f"host=127.0.0.1 port={make_url(server).port}"}
        with open(self._directory / "pgbouncer.ini", "w") as file:
            self._ini.write(file)
        if self._user is not None:
            for path in (self._directory, *self._directory.iterdir()):
                shutil.chown(path, self._user)


def pgbouncer(url: str, mode: str, connections: int) -> AbstractContextManager[PgBouncer]:
    """Run PgBouncer in front of our PostgreSQL server. Skips the test if it is not installed."""
    # On Debian, PgBouncer is not on the path.
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    program = shutil.which("pgbouncer", path=path) or missing("PgBouncer")
    return started(lambda directory: PgBouncer(program, directory, url, mode, connections))


def _documented_pgbouncer_ini() -> configparser.ConfigParser:
    """Return the sample configuration in docs/deploying.md."""
    page = Path(__file__).parents[2] / "docs" / "deploying.md"
    (sample,) = re.findall(r"```ini\n(\[databases\].*?)```", page.read_text(), re.DOTALL)
    ini = configparser.ConfigParser(interpolation=None)
    ini.read_string(sample)
    return ini


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


class RedisServer:
    """A private Redis in ``directory``, which loses its data when it ends.

    options: further ones of the program.
    """

    def __init__(self, program: str, directory: Path, options: Sequence[str] = ()) -> None:
        self._program = program
        self._options = options
        self._directory = directory
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return the URL, the same at every start. The timeouts are long, for busy machines."""
        return f"redis://127.0.0.1:{self._port}/0?socket_timeout=60&socket_connect_timeout=60"

    def start(self) -> None:
        command = [
            *(self._program, "--port", str(self._port), "--bind", "127.0.0.1"),
            *("--save", "", "--appendonly", "no", "--dir", str(self._directory)),
            *self._options,
        ]
        self._process = spawn(command, self._directory / "log")
        wait_until(self._answers)

    def stop(self) -> None:
        """Stop the server. Does nothing if it does not run."""
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


def redis_server(*options: str) -> AbstractContextManager[RedisServer]:
    """Run a server. Skips the test if Redis is not installed."""
    program = shutil.which("redis-server") or missing("Redis")
    return started(lambda directory: RedisServer(program, directory, options))
