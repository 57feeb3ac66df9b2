"""Programs that tests start privately: found where they are installed, else the test is skipped.

With FINANCE_TEST_REQUIRE_PROGRAMS=1 a missing program is a failure instead.
"""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REQUIRED = os.environ.get("FINANCE_TEST_REQUIRE_PROGRAMS") == "1"


def missing(program: str) -> None:
    message = f"{program} is not installed"
    if REQUIRED:
        pytest.fail(f"{message}, and FINANCE_TEST_REQUIRE_PROGRAMS is 1")
    pytest.skip(message)


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


@contextmanager
def postgresql(directory: Path) -> Iterator[str]:
    """A PostgreSQL server of our own in ``directory``; gives the URL of its first database.

    Its collation is not that of code points, so that a query that relies on the server's own
    would be found out.
    """
    programs = _postgresql_programs()
    if programs is None:
        missing("PostgreSQL")
    assert programs is not None
    user = _postgresql_user()
    directory.mkdir()
    if user is not None:
        shutil.chown(directory, user)
        # pytest's own directories are closed to others.
        for parent in list(directory.parents)[:3]:
            if parent != Path("/tmp"):
                parent.chmod(parent.stat().st_mode | 0o011)
    data, port = directory / "data", free_port()

    def run(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [programs / program, *arguments],
            user=user,
            group=None if user is None else pwd.getpwnam(user).pw_gid,
            extra_groups=None if user is None else [],
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout

    run(
        "initdb",
        *("-D", str(data), "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync"),
        *("--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"),
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={directory} "
    options += "-c fsync=off -c full_page_writes=off -c max_connections=50"
    run("pg_ctl", "-D", str(data), "-l", str(directory / "log"), "-o", options, "-w", "start")
    try:
        yield f"postgresql://tests@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
