"""A standby: what readers see of it, and what they lose if it was behind when it is promoted."""

import random
import signal
import time

import pytest

from finance_api.storage.sql.backend import SqlBackend
from support.command import Command
from support.mirror import Mirror
from support.native_rows import account, label, record
from support.nightly import count
from support.programs import pgbouncer, wait_until
from support.service import Client, Service
from support.standby import primary_and_standby

STEPS = count(50, 3_000)
PATHS = ("labels", "accounts?withTotal=true", "changes")


@pytest.fixture(scope="module")
def fresh():
    """Yield a function that returns a primary, and a standby that has what the primary has."""
    used = False

    def pair():
        nonlocal used
        if used:
            made.primary.stop()
            made.standby.stop()
            made.primary.start()
            made.rebuild()
        used = True
        return made

    with primary_and_standby() as made:
        backend = SqlBackend(made.url)
        backend.upgrade()
        backend.close()
        yield pair


@pytest.fixture
def pair(fresh):
    return fresh()


@pytest.fixture
def start(pair):
    """Starts services that write to the primary."""
    services = []

    def start(**settings):
        given = {"finance_api.storage": "sql", "sqlalchemy.url": pair.url}
        service = Service("postgresql", {**given, **settings})
        services.append(service)
        return service

    yield start
    for service in services:
        service.stop()


def promote(pair):
    pair.primary.stop()
    pair.promote()


def revision(answer):
    return int(answer.headers["X-Last-Data-Change-Rev"])


def test_a_command_finds_the_server_that_can_be_written_to(pair, tmp_path):
    command = Command(tmp_path, {"sqlalchemy.url": pair.url})
    promote(pair)
    command.done("user", "add", "anna@example.org")
    rows = command.file("rows.csv", "Date,Amount,Payee\n2026-03-01,-5.00,Shop\n")
    options = ("--account", "Giro", "--currency", "EUR")
    assert b"1 created" in command.done("import", "anna@example.org", rows, *options)
    before = command.done("dump", "anna@example.org")
    backup = str(tmp_path / "finance.backup")
    command.done("backup", backup)
    command.done("user", "delete", "anna@example.org", "--yes")
    command.done("restore", backup, "--yes")
    assert command.done("dump", "anna@example.org") == before


def test_what_the_standby_did_not_have_is_lost_and_never_mixes_with_what_follows(pair, start):
    service = start()
    client = service.client()
    client.load(account(), record(1))
    kept, ahead = Mirror(client), Mirror(client)
    kept.read_all()
    pair.catch_up()
    pair.standby.stop(signal.SIGINT)
    client.load(record(2, note="lost"))
    ahead.read_all()
    lost = client.get("records")
    assert revision(lost) == 2
    pair.primary.stop()
    pair.standby.start()
    pair.promote()
    wait_until(lambda: client.get("records").status_int == 200)
    condition = {"If-None-Match": lost.headers["ETag"]}
    shown = client.get("records", headers=condition)
    assert (shown.status_int, revision(shown)) == (200, 1)
    gone = client.get("changes", since=ahead.since)
    assert gone.status_int == 410
    assert "since is later than the current revision" in gone.json["detail"]
    # The next change has the number of the lost one.
    client.load(record(3, note="new"))
    shown = client.get("records", headers=condition)
    assert (shown.status_int, revision(shown)) == (200, 2)
    assert b"new" in shown.body and b"lost" not in shown.body
    gone = client.get("changes", since=ahead.since)
    assert gone.status_int == 410
    assert "since belongs to data that has been replaced" in gone.json["detail"]
    kept.read_all()
    kept.check()


@pytest.mark.parametrize("mode", count(["transaction"], ["transaction", "session"]))
def test_a_pgbouncer_leads_to_the_promoted_server_when_it_is_told(pair, start, mode, figures):
    with pgbouncer(pair.primary.url, mode, 10) as pooler:
        service = start(**{"sqlalchemy.url": pooler.url})
        client = service.client()
        client.load(account())
        pair.catch_up()
        promote(pair)
        pooler.lead_to(pair.primary.url)
        begun = time.monotonic()
        wait_until(lambda: client.get("accounts").status_int == 200)
        figures(f"{mode}: first 200 {time.monotonic() - begun:.2f} s after the reload")
        client.load(record(1))
        assert revision(client.get("records")) == 2
        # Close the pool before PgBouncer ends.
        service.backend.close()


class Reader:
    """A client of all services, who never sees an older revision than before."""

    def __init__(self, services, client):
        self.clients = [Client(each, client.user, client.token) for each in services]
        self.seen = 0
        self.tags = {path: [] for path in PATHS}

    def read(self, chance):
        path = chance.choice(PATHS)
        tag = chance.choice(["", "*", *self.tags[path][-3:]])
        answer = chance.choice(self.clients).get(path, headers={"If-None-Match": tag})
        assert answer.status_int in (200, 304), answer.text
        assert revision(answer) >= self.seen
        self.seen = revision(answer)
        self.tags[path].append(answer.headers["ETag"])


def test_with_one_replica_nobody_sees_an_older_revision_than_before(pair, start):
    """This holds even when the replica becomes the primary."""
    # The guard: `respond` caches a response under the tag of its own data, not of the primary's.
    replica = pair.standby
    services = [start(**{"sqlalchemy.read_url": replica.url}) for _ in range(2)]
    writer = services[0].client()
    writer.load(account(), label(), record(1))
    pair.catch_up()
    reader, chance = Reader(services, writer), random.Random(1)
    written, behind = 1, 0
    for number in range(STEPS):
        if number % 10 == 0:
            replica.run(f"SELECT pg_wal_replay_{['pause', 'resume'][number // 10 % 2]}()")
        if number % 20 == 5:
            writer.load(label(name=f"label {number}"))
            written += 1
        reader.read(chance)
        behind += reader.seen < written
    assert 0 < behind < STEPS
    replica.run("SELECT pg_wal_replay_pause()")
    writer.load(label(name="not shown by the replica"))
    promote(pair)
    wait_until(lambda: all(client.get("labels").status_int == 200 for client in reader.clients))
    for number in range(STEPS // 10):
        writer.load(label(name=f"new {number}"))
        reader.read(chance)
    assert reader.seen > STEPS // 10


def test_a_url_of_several_replicas_reads_on_from_the_primary(pair, start):
    hosts = f"host={pair.primary.host}&host={pair.standby.host}"
    url = f"postgresql://tests@/postgres?{hosts}&target_session_attrs=prefer-standby"
    service = start(**{"sqlalchemy.read_url": url})
    client = service.client()
    client.load(account())
    pair.catch_up()
    pair.standby.run("SELECT pg_wal_replay_pause()")
    client.load(record(1))
    assert revision(client.get("records")) == 1
    pair.standby.stop()
    wait_until(lambda: client.get("records").status_int == 200)
    assert revision(client.get("records")) == 2
    pair.standby.start()
