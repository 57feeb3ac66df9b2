"""F15: many requests, changes and faults, and the same service at the end."""

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from finance_api.storage.sql.backend import SqlBackend
from support.browser import PASSWORD, Visitor, new_token, new_user
from support.command import Command
from support.nightly import NIGHTLY, count
from support.process import ServerProcess
from support.programs import postgresql, redis_server, wait_until
from support.rounds import Model, rows
from support.service import Service
from support.soak import Person, Reader, Remote, Tally, Writer

REQUESTS = count(600, int(os.environ.get("FINANCE_TEST_SOAK_REQUESTS", "1000000")))
PEOPLE = count(3, 100)
TOKENS = count(10, 50)
READERS = count(3, 8)
#: The minimum, which is one round.
CHANGES = 4
WORKERS = 2
#: Each fault is made after this share of the requests.
FAULTS = count(
    [(0.2, "worker"), (0.4, "redis"), (0.6, "database")],
    [
        *((0.03, "worker"), (0.2, "database"), (0.3, "redis"), (0.4, "database"), (0.5, "worker")),
        *((0.6, "database"), (0.7, "redis"), (0.8, "database"), (0.9, "redis")),
    ],
)
AWAY_SECONDS = count(0.5, 20)
_SETTINGS = {
    "finance_api.allowed_hosts": "localhost",
    "finance_api.require_https": "false",
    "finance_api.ratelimit.backend": "redis",
    # All readers may be connected to one worker.
    "finance_api.max_data_requests": "12",
    "finance_api.max_downloads": "10",
    "server.threads": "24",
    "server.workers": str(WORKERS),
    "sqlalchemy.pool_size": "12",
    # These tests are not about slow machines.
    "sqlalchemy.statement_seconds": "60",
}


class Use(NamedTuple):
    memory: int
    threads: int
    files: int


class Rig:
    """The service as in production, its database and Redis, and users with data."""

    def __init__(self, directory: Path, storage: str, stack: ExitStack) -> None:
        self.redis = stack.enter_context(redis_server())
        self.database = None
        if storage == "postgresql":
            self.database = stack.enter_context(postgresql())
        url = self.database.url if self.database else f"sqlite:///{directory / 'finance.db'}"
        backend = SqlBackend(url)
        backend.upgrade()
        backend.close()
        self.tally = Tally(REQUESTS if self.database else REQUESTS // 4)
        self.model = Model()
        self._service = Service(storage, {"finance_api.storage": "sql", "sqlalchemy.url": url})
        stack.callback(self._service.stop)
        self._service.clock.seconds = int(time.time())
        redis_url = self.redis.url
        own = {"sqlalchemy.url": url, "finance_api.ratelimit.redis_url": redis_url}
        own["finance_api.jwt.keys"] = self._service.key_file
        self.command = Command(directory, {"sqlalchemy.url": url})
        self.directory = directory
        self.server = ServerProcess(directory, ini="production.ini", settings={**_SETTINGS, **own})
        stack.callback(self.server.stop)
        self.remote = Remote(self.server, self.tally)
        self.people = people = [self._person(f"u{n}") for n in range(1, PEOPLE + 1)]
        self.server.wait("/__heartbeat__")
        self.readers = [
            Reader(self.server, self.model, self.tally, people, seed) for seed in range(READERS)
        ]
        self.writer = Writer(
            self.remote, self.command, self.model, self.tally, people, count(0.0, 0.5)
        )
        #: (share of the soak that is over, process id of each worker -> what it uses)
        self.samples: list[tuple[float, dict[int, Use]]] = []

    def _person(self, name: str) -> Person:
        service = self._service
        user = new_user(service)
        tokens = [new_token(service, user) for _ in range(TOKENS)]
        service.load(user, rows(name, "first"))
        self.model.add(name)
        jwt = service.jwt(user, expires_at=int(time.time()) + 86_400)
        visitor = Visitor(self.remote)  # type: ignore[arg-type]
        return Person(name, user, itertools.cycle(tokens), jwt, visitor)

    # -- faults

    def run(self) -> None:
        """Make the faults while readers and writer work, and wait for their end."""
        threads = [*self.readers, self.writer]
        for thread in threads:
            thread.start()
        faults = [(at, kind) for at, kind in FAULTS if self.database or kind != "database"]
        for at, kind in faults:
            self._wait(at)
            if not self.tally.stopped.is_set():
                getattr(self, f"_{kind}_fails")()
        self._wait(1)
        wait_until(lambda: self.writer.changes >= CHANGES or self.tally.stopped.is_set())
        self.tally.stopped.set()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()

    def _wait(self, share: float) -> None:
        """Wait until this share of the requests is answered."""
        tally, seen, seen_at = self.tally, -1, time.monotonic()
        while tally.share < share and not tally.stopped.is_set():
            if tally.answered > seen:
                seen, seen_at = tally.answered, time.monotonic()
            assert time.monotonic() < seen_at + 120, f"no response after {seen}"
            if not self.samples or tally.share > self.samples[-1][0] + 0.01:
                self.sample()
            time.sleep(0.05)

    def sample(self) -> None:
        tally = self.tally
        use = {worker.pid: self._use(worker) for worker in self.server.workers}
        self.samples.append((tally.share, use))
        if NIGHTLY:
            counts = f"{tally.answered:,} answered, {len(tally.wrong)} wrong, {dict(tally.counts)}"
            print(f"{time.strftime('%H:%M:%S')} {counts}", *use.values(), flush=True)

    def _use(self, worker: psutil.Process) -> Use:
        """Return what a worker uses, without the connections of clients."""
        connections = worker.net_connections("tcp")
        clients = sum(c.laddr.port == self.server.port and bool(c.raddr) for c in connections)
        return Use(worker.memory_info().rss, worker.num_threads(), worker.num_fds() - clients)

    def _worker_fails(self) -> None:
        """Kill the oldest worker first, then the newest."""
        workers = sorted(self.server.workers, key=lambda worker: worker.create_time())
        started = self.server.said.count("Started worker")
        victim = workers[-1 if started > WORKERS else 0]
        with self.tally.fault("worker"):
            victim.kill()
            wait_until(lambda: self.server.said.count("Started worker") > started)

    def _redis_fails(self) -> None:
        with self.tally.fault("redis"):
            self.redis.kill()
            time.sleep(AWAY_SECONDS)
            self.redis.start()

    def _database_fails(self) -> None:
        assert self.database is not None
        with self.tally.fault("database"):
            self.database.stop()
            sent = [reader.sent for reader in self.readers]
            time.sleep(AWAY_SECONDS)
            for reader, before in zip(self.readers, sent, strict=True):
                if reader.sent == before:
                    reader.give_up()
            self.database.start()

    # -- the closing audit

    def growth(self) -> list[tuple[Use, Use]]:
        """Return what each worker used after a fifth of the soak, and what it uses at the end."""
        found = []
        for pid, end in self.samples[-1][1].items():
            own = [(at, use[pid]) for at, use in self.samples if pid in use]
            begin = next((use for at, use in own if at >= own[0][0] + 0.2), end)
            found.append((begin, end))
        return found

    def audit_log(self) -> None:
        secrets = [PASSWORD]
        for person in self.people:
            secrets += [person.jwt, person.visitor.secret or PASSWORD]
        with open(next(self.directory.glob("*.log")), errors="replace") as log:
            for line in log:
                assert "Traceback" not in line
                assert "fin_" not in line
                assert not any(secret in line for secret in secrets), line


@pytest.fixture
def rig(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Rig]:
    # As in deploy/finance-api@.service.
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    with ExitStack() as stack:
        yield Rig(tmp_path, request.param, stack)


@pytest.mark.nightly
@pytest.mark.parametrize("rig", count(["postgresql"], ["sqlite", "postgresql"]), indirect=True)
def test_f15_a_soak_with_changes_and_faults(rig: Rig, figures: Callable[[str], None]) -> None:
    begun = time.monotonic()
    rig.run()
    tally = rig.tally
    assert not tally.wrong, "\n\n".join(tally.wrong[:5])
    seconds = time.monotonic() - begun
    rig.sample()
    counts = ", ".join(f"{what} {number:,}" for what, number in sorted(tally.counts.items()))
    figures(f"{tally.answered:,} responses in {seconds:,.0f} s, 0 wrong: {counts}")
    p99 = [sorted(part)[len(part) * 99 // 100] * 1000 for part in tally.seconds if part]
    figures(f"p99 by tenth: {', '.join(f'{each:.0f}' for each in p99)} ms")
    figures(f"the last 503 came {tally.settled_seconds:.1f} s after the database was back")
    for begin, end in rig.growth():
        grown = ", ".join(
            f"{name} {before:,} and {after:,}"
            for name, before, after in zip(Use._fields, begin, end, strict=True)
        )
        figures(f"a worker after a fifth and at the end: {grown}")
        if NIGHTLY:
            assert end.memory <= begin.memory * 1.1
            # Pools open their threads and connections as needed; a leak would be thousands.
            assert end.threads < begin.threads + 16
            assert end.files < begin.files + 32
    rig.audit_log()
    assert b"nothing is wrong" in rig.command.done("check")
    assert rig.server.stop() == 0
