"""A standby takes the primary's place, while clients read and files are imported."""

import http.client
import json
import random
import re
import signal
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from finance_api.http.errors import TOO_LONG_TITLE
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.sql.backend import SqlBackend
from support.native_rows import account, label
from support.nightly import NIGHTLY, count
from support.process import ServerProcess
from support.service import Client, Service
from support.standby import Pair, primary_and_standby

CLIENTS = count(8, 50)
PROMOTIONS = count(1, 10)
USERS = 6
IMPORTERS = 2
PATHS = ("labels", "accounts?withTotal=true", "labels?name=contains-i.u", "accounts.ndjson")
#: How long an operator's program needs to notice that a frozen server does not answer.
_NOTICE_SECONDS = 10
_NAME = re.compile(r"u(\d+)-(\d+)")


@dataclass
class Owner:
    """A user, all of whose rows have the name of the import that wrote them last.

    newest: the newest import that was acknowledged or seen. No later request may see an older one.
    """

    client: Client
    sent: int = 0
    newest: int = 0

    def name(self, number: int) -> str:
        return f"u{self.client.user.id}-{number}"

    def load(self, number: int) -> None:
        self.sent = max(self.sent, number)
        self.client.load(label(name=self.name(number)), account(name=self.name(number)))
        self.newest = max(self.newest, number)


@dataclass
class Crowd:
    """Clients that read, and importers, until the end of the block."""

    server: ServerProcess
    owners: list[Owner]
    statuses: Counter[int] = field(default_factory=Counter)
    #: When requests with status 200 began and ended.
    times: list[tuple[float, float]] = field(default_factory=list)
    acknowledged: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        work: list[tuple[Callable[[int], None], int]] = [(self._read, n) for n in range(CLIENTS)]
        work += [(self._import, n) for n in range(IMPORTERS)]
        self._threads = [threading.Thread(target=self._run, args=each) for each in work]

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait(self, answers: int, imports: int) -> None:
        """Wait for more responses with 200, and for more imports; both begin after this call."""
        begun = time.monotonic()
        sent, acknowledged = len(self.times), self.acknowledged
        while True:
            assert not self.wrong, self.wrong[0]
            new = sum(at > begun for at, _ in self.times[sent:])
            if new >= answers and self.acknowledged >= acknowledged + imports:
                return
            assert time.monotonic() < begun + 120
            time.sleep(0.02)

    def first_after(self, moment: float) -> float:
        """When the first request that began after ``moment`` had its 200."""
        return min(ended for begun, ended in self.times if begun > moment)

    def _run(self, work: Callable[[int], None], number: int) -> None:
        try:
            while not (self._stop.is_set() or self.wrong):
                work(number)
        except Exception:
            self.wrong.append(traceback.format_exc())

    def _import(self, number: int) -> None:
        for owner in self.owners[number::IMPORTERS]:
            following = owner.sent + 1
            while not self._stop.wait(0.05):
                try:
                    owner.load(following)
                except StorageUnavailable:
                    self.refused += 1
                else:
                    self.acknowledged += 1
                    break

    def _read(self, number: int) -> None:
        chance = random.Random(number)
        tags: dict[tuple[int, str], dict[str, int]] = {}
        with closing(http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)) as line:
            while not (self._stop.wait(0.05) or self.wrong):
                owner, path = chance.choice(self.owners), chance.choice(PATHS)
                known = tags.setdefault((owner.client.user.id, path), {})
                tag = chance.choice(["", *known])
                least, begun = owner.newest, time.monotonic()
                headers = {**owner.client.headers, "If-None-Match": tag}
                line.request("GET", f"/v1/api/{path}", headers=headers)
                response = line.getresponse()
                body = response.read().decode()
                with self._lock:
                    self.statuses[response.status] += 1
                    if response.status == 503:
                        is_late = json.loads(body)["title"] == TOO_LONG_TITLE
                        assert is_late or int(response.headers["Retry-After"]) >= 1
                        continue
                    assert response.status in (200, 304), (response.status, body)
                    if response.status == 200:
                        self.times.append((begun, time.monotonic()))
                        ((of_user, shown),) = {(int(u), int(n)) for u, n in _NAME.findall(body)}
                        assert of_user == owner.client.user.id
                        known[response.headers["ETag"]] = shown
                    else:
                        shown = known[tag]
                    assert least <= shown <= owner.sent
                    owner.newest = max(owner.newest, shown)


@pytest.fixture
def pair() -> Iterator[Pair]:
    with primary_and_standby(is_synchronous=True) as made:
        yield made


@pytest.fixture
def crowd(pair: Pair, tmp_path: Path) -> Iterator[Crowd]:
    backend = SqlBackend(pair.url)
    backend.upgrade()
    backend.close()
    service = Service("postgresql", {"finance_api.storage": "sql", "sqlalchemy.url": pair.url})
    server = ServerProcess(
        tmp_path,
        ini="production.ini",
        settings={
            "sqlalchemy.url": pair.url,
            "finance_api.allowed_hosts": "127.0.0.1",
            "finance_api.require_https": "false",
            "finance_api.jwt.keys": "",
            "finance_api.ratelimit.public": "1000000/hour",
        },
    )
    owners = [Owner(service.client()) for _ in range(USERS)]
    for owner in owners:
        owner.load(1)
    server.wait("/__heartbeat__")
    made = Crowd(server, owners)
    with made:
        made.wait(CLIENTS, USERS)
        yield made
    assert not made.wrong, made.wrong[0]
    for owner in owners:
        (shown,) = owner.client.names("labels", "name")
        assert shown in {owner.name(number) for number in range(owner.newest, owner.sent + 1)}
    assert list(service.backend.find_faults()) == []
    service.stop()
    assert server.stop() == 0, server.said
    assert "Traceback" not in server.said


def told(crowd: Crowd, stopped: float, promoted: float) -> str:
    """Return the figures of one promotion."""
    until = crowd.first_after(stopped) - promoted
    return (
        f"promoted {promoted - stopped:.1f} s after the failure, first 200 {until:.2f} s after that"
    )


def totals(crowd: Crowd) -> str:
    answers = ", ".join(f"{number:,} × {status}" for status, number in crowd.statuses.items())
    return f"{answers}; {crowd.acknowledged:,} imports, {crowd.refused} refused, 0 lost"


@pytest.mark.nightly
def test_a_promotion_loses_no_import_and_no_answer_is_wrong(
    pair: Pair, crowd: Crowd, figures: Callable[[str], None]
) -> None:
    # The guard: target_session_attrs in `Pair.url`; without it, the second promotion fails, because
    # the service keeps to the first server, which is a standby then.
    for number in range(PROMOTIONS):
        how = [signal.SIGQUIT, signal.SIGINT][number % 2]
        pair.primary.stop(how)
        stopped = time.monotonic()
        pair.promote()
        promoted = time.monotonic()
        crowd.wait(CLIENTS, USERS)
        figures(f"{how.name}: {told(crowd, stopped, promoted)}")
        pair.rebuild()
        crowd.wait(CLIENTS, USERS)
    figures(totals(crowd))


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="waits for servers that do not answer")
def test_a_primary_that_freezes_is_replaced_as_well(
    pair: Pair, crowd: Crowd, figures: Callable[[str], None]
) -> None:
    """The frozen machine accepts connections and never answers, as behind a broken network."""
    for _ in range(2):
        frozen = pair.primary
        try:
            with frozen.frozen():
                stopped = time.monotonic()
                time.sleep(_NOTICE_SECONDS)
                pair.promote()
                promoted = time.monotonic()
                # The importers still wait for the frozen server, whose machine accepts what they
                # send.
                crowd.wait(CLIENTS, 0)
                figures(told(crowd, stopped, promoted))
        finally:
            frozen.stop()
        pair.rebuild()
        crowd.wait(CLIENTS, USERS)
    figures(totals(crowd))
