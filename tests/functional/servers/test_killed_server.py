"""The production server if its parent process is killed, and servers with the same port."""

import random
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from support.nightly import count
from support.process import ServerProcess
from support.programs import free_port, wait_until

KILLS = count(1, 200)
RIVALS = count(2, 3)
Start = Callable[..., ServerProcess]


@pytest.fixture
def start(tmp_path: Path, new_sqlite_url: Callable[[], str], redis_url: str) -> Iterator[Start]:
    """Starts servers on one database, in folders of their own."""
    settings = {
        "sqlalchemy.url": new_sqlite_url(),
        "finance_api.allowed_hosts": "127.0.0.1",
        "finance_api.require_https": "false",
        "finance_api.jwt.keys": "",
        "finance_api.ratelimit.backend": "redis",
        "finance_api.ratelimit.redis_url": redis_url,
    }
    started: list[ServerProcess] = []

    def start(port: int, ini: str = "production.ini", **server: str) -> ServerProcess:
        directory = tmp_path / str(len(started))
        directory.mkdir()
        given = {f"server.{key}": value for key, value in server.items()}
        process = ServerProcess(directory, ini=ini, settings={**settings, **given}, port=port)
        started.append(process)
        return process

    yield start
    for process in started:
        process.stop()


def answering(server: ServerProcess) -> int:
    """Return the process id of the worker that responds."""
    with server.connect() as connection:
        assert server.ask("GET", "/__lbheartbeat__", {}, connection)[0] == 200
        return server.worker_of(connection)


def is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def is_alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def ended_alone(server: ServerProcess) -> bool:
    """Return whether the server ended because the port is in use, with one sentence."""
    if server.process.poll() is None:
        return False
    lines = [line for line in server.said.splitlines() if not line.startswith("Starting server")]
    refusal = (
        f"cannot listen on 127.0.0.1:{server.port}: Address already in use; choose another port "
        "with --port (make: PORT=7000)"
    )
    assert (server.process.returncode, lines) == (1, [f"finance-api: server.port: {refusal}"])
    return True


@pytest.mark.nightly
def test_workers_end_with_a_parent_that_is_killed(
    start: Start, figures: Callable[[str], None]
) -> None:
    # The guard: _end_with_parent in finance_api/server/worker.py.
    port = free_port()
    longest = 0.0
    chance = random.Random(1)
    for n in range(KILLS):
        server = start(port, workers=str(1 + n % 2))
        if n % 4 == 1:
            # Kill it while workers load, at a random moment.
            wait_until(lambda server=server: len(server.workers) > 0)  # type: ignore[misc]
            time.sleep(chance.random())
        else:
            server.wait()
            assert answering(server) in {worker.pid for worker in server.workers}
        workers = server.workers
        server.process.kill()
        server.process.wait()
        killed = time.monotonic()
        wait_until(lambda: is_free(port))
        longest = max(longest, time.monotonic() - killed)
        wait_until(lambda workers=workers: not any(map(is_alive, workers)))  # type: ignore[misc]
    figures(f"{KILLS} parents killed: the port was free after at most {longest:.1f} s")


@pytest.mark.nightly
def test_one_of_the_servers_that_start_at_once_gets_the_port(start: Start) -> None:
    port = free_port()
    servers = [start(port) for _ in range(RIVALS)]
    wait_until(lambda: sum(ended_alone(server) for server in servers) == RIVALS - 1)
    (winner,) = (server for server in servers if server.process.poll() is None)
    winner.wait()
    waitress = start(port, "development.ini")
    assert waitress.process.wait(60) == 1
    assert "Address already in use" in waitress.said
    assert {answering(winner) for _ in range(10)} == {winner.workers[0].pid}
