"""A PostgreSQL server only for the suite, pinned to the servers' core.

``python -m bench.postgresql`` starts it, prints its URLs and waits to be interrupted.
"""

import argparse
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from bench.processes import busy_seconds, children, cores, free_port, pinned, proportional_bytes
from bench.sizes import SIZES
from bench.workspace import WORK, Workspace

OURS, PLAIN, THEIRS = "finance_api", "plain", "competitors"
_USER = "bench"
#: Settings for a small dedicated machine; the rest are PostgreSQL's defaults.
_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "512MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "effective_cache_size": "1GB",
    "max_wal_size": "4GB",
    "random_page_cost": "1.1",
    "jit": "off",
}


@cache
def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; None if it is not installed."""
    on_path = shutil.which("pg_ctl")
    if on_path:
        return Path(on_path).resolve().parent
    # Debian has a folder for each version's programs, which is not on the PATH.
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=_version)
    return found[-1].parent if found else None


def _version(path: Path) -> float:
    return float(path.parts[-3])


class Postgresql:
    """One server. Its data stays when the server stops."""

    def __init__(self, workspace: Workspace) -> None:
        found = programs()
        if found is None:
            raise RuntimeError("PostgreSQL is not installed")
        self._programs = found
        self._account = _account()
        self.directory = _home(workspace, self._account)
        self._data = self.directory / "data"
        self._port = 0

    def url(self, database: str) -> str:
        """Return the database's URL for SQLAlchemy."""
        return f"postgresql://{_USER}@127.0.0.1:{self._port}/{database}"

    def start(self) -> bool:
        """Start the server unless it runs already. Return whether this call started it."""
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        running = self._running_port()
        if running is not None:
            self._port = running
            return False
        self._port = free_port()
        options = {**_OPTIONS, "port": str(self._port)}
        options["unix_socket_directories"] = str(self.directory)
        given = " ".join(f"-c {name}={value}" for name, value in options.items())
        log = str(self.directory / "log")
        command = ["pg_ctl", "-D", str(self._data), "-l", log, "-o", given, "-w", "start"]
        self._run(command, core=cores()[0])
        return True

    def stop(self) -> None:
        self._run(["pg_ctl", "-D", str(self._data), "-m", "fast", "-w", "stop"])

    def files(self) -> Iterator[Path]:
        """Yield the files of the server's databases."""
        return (path for path in (self._data / "base").rglob("*") if path.is_file())

    def recreate(self, database: str) -> None:
        """Create an empty database of this name; drop the old one if any."""
        self.drop(database)
        self.run_sql("postgres", f"CREATE DATABASE {database}")

    def drop(self, database: str) -> None:
        """Drop the database, if it exists."""
        self.run_sql("postgres", f"DROP DATABASE IF EXISTS {database}")

    def run_sql(self, database: str, sql: str) -> str:
        """Return the output of psql for ``sql``, without headings."""
        where = ["-h", "127.0.0.1", "-p", str(self._port), "-U", _USER, "-d", database]
        return self._run(["psql", *where, "-X", "-q", "-A", "-t", "-c", sql])

    @property
    def pid(self) -> int:
        """Return the id of the server's first process, which is the parent of all others."""
        return int((self._data / "postmaster.pid").read_text().splitlines()[0])

    def ended_seconds(self) -> float:
        """Return the processor time of the server's ended processes, such as those of closed
        connections.
        """
        values = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        # cutime and cstime: see proc(5).
        return (int(values[13]) + int(values[14])) / os.sysconf("SC_CLK_TCK")

    def busy_seconds(self) -> float:
        """Return the processor time of all of the server's processes, including ended ones."""
        return self.ended_seconds() + sum(map(busy_seconds, children(self.pid)))

    def memory_bytes(self) -> int:
        """Return the memory of the server, with its shared buffers counted once."""
        return sum(map(proportional_bytes, (self.pid, *children(self.pid))))

    def _initialise(self) -> None:
        shutil.rmtree(self._data, ignore_errors=True)
        command = ["initdb", "-D", str(self._data), "-U", _USER, "-A", "trust", "-E", "UTF8"]
        self._run([*command, "--locale=C.UTF-8"])

    def _running_port(self) -> int | None:
        """Return the port of the server that runs on this data, if any."""
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
            os.kill(int(lines[0]), 0)
            return int(lines[3])
        except (OSError, IndexError, ValueError):
            return None

    def _run(self, command: list[str], core: int | None = None) -> str:
        command = [str(self._programs / command[0]), *command[1:]]
        account = self._account
        # Not a pipe: the server inherits the output and would keep a pipe open while it runs.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                command if core is None else pinned(core, command),
                user=account,
                group=None if account is None else pwd.getpwnam(account).pw_gid,
                extra_groups=None if account is None else [],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
            output.seek(0)
            said = output.read()
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]}: {said}")
        return said


def _account() -> str | None:
    """Return the account to run as, since PostgreSQL refuses root; None if we are not root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _home(workspace: Workspace, account: str | None) -> Path:
    """Return the folder of the server's files: in the workspace if ``account`` has access."""
    directory = workspace.directory / "postgresql"
    directory.mkdir(exist_ok=True)
    if account is not None:
        shutil.chown(directory, account)
        test = ["test", "-x", str(directory)]
        if subprocess.run(test, user=account, check=False, cwd="/").returncode != 0:
            directory = (
                Path("/var/tmp") / f"finance-api-bench-{WORK.stat().st_ino}-{workspace.size.name}"
            )
            directory.mkdir(exist_ok=True)
            shutil.chown(directory, account)
    return directory


@contextmanager
def running(workspace: Workspace) -> Iterator[Postgresql | None]:
    """Yield the server, or None if not installed. At the end, stop it if it was started here."""
    if programs() is None:
        yield None
        return
    server = Postgresql(workspace)
    started = server.start()
    try:
        yield server
    finally:
        if started:
            server.stop()


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="full")
    workspace = Workspace(SIZES[parser.parse_args().size])
    # SIGTERM ends the program like Ctrl-C, so that the server is stopped.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    with running(workspace) as server:
        if server is None:
            raise SystemExit("PostgreSQL is not installed (Debian: apt-get install postgresql)")
        print(server.url(OURS), server.url(THEIRS), sep="\n", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    _main()
