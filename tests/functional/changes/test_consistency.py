"""Reads during an import see one state: body, tag and revision belong together."""

import io
import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.runtime.response_cache import ResponseCache
from finance_api.storage.sql.read_model.drivers import SqliteDriver
from finance_api.storage.sql.read_model.libpq import PostgresqlDriver
from support.native_rows import (
    account,
    budget,
    category,
    goal,
    label,
    record,
    record_rule,
    standing_order,
    uid,
)
from support.nightly import count
from support.service import native_line

COUNT = 60
DATABASES = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
PATHS = [
    *(str(resource.path) for resource in PUBLIC_RESOURCES),
    "records?limit=50&withTotal=true",
    "records?limit=20&offset=50",
    "records?limit=20&offset=50&recordDate=lt.2026-03-28",
    "records?limit=10&recordDate=gte.2026-03-10&recordDate=lt.2026-03-20",
    "records?limit=50&sortBy=%2Bamount&withTotal=true",
    "records?note=contains-i.of%20state",
    "records?note=contains.STATE&limit=5",
    "records?note=contains-i.rare",
    f"records/by-id?id={uid('Record', 1)},{uid('Record', 40)},{uid('Record', 59)}",
    "get-records?limit=300",
    "get-docs?document_type=all",
]
#: By day, one list of documents is enough.
WALKED = count([path for path in PATHS if "?" in path or path in ("records", "budgets")], PATHS)
ACCEPTS = ["application/json", "text/csv", "application/x-ndjson"]

pytestmark = pytest.mark.nightly


def state(number):
    """Return all of the user's rows, each with the number of its import. Their order changes,
    too.
    """
    name = f"STATE{number:04}"
    return [
        account(name=name),
        category(name=name),
        label(name=name),
        budget(name=name),
        goal(name=name),
        standing_order(name=name),
        record_rule(name=name),
        *(
            record(
                n,
                amount=-n - number,
                note=f"of {name}" + (" rare" if n % 20 == 0 else ""),
                payee=name,
                recordDate=f"2026-03-{1 + (n * 5 + number * 3) % 28:02}",
            )
            for n in range(1, COUNT)
        ),
    ]


def states_in(text):
    return {int(part[:4]) for part in text.split("STATE")[1:] if part[:4].isdigit()}


class VersionedUser:
    """A user whose data always has one state, which the revision determines."""

    def __init__(self, services, kind):
        self.service = services(kind)
        self.service.clock.set("2026-03-18T12:00:00Z")
        self.client = self.service.client()
        self.elsewhere = self.service.elsewhere()
        self.revision = 0
        self.load()

    def load(self):
        self.revision += 1
        data = "".join(map(native_line, state(self.revision))).encode()
        now = self.service.clock.now() + self.revision
        import_file(self.elsewhere, ImportOrder(self.client.user.email, io.BytesIO(data), now=now))

    def ask(self, path, accept="application/json", **headers):
        ask = self.client.internal if path.startswith("get-") else self.client.get
        return ask(path, headers={"Accept": accept, **headers})

    def check(self, answer):
        """Check that the response has a single state; return its revision."""
        assert answer.status_int == 200, answer.text
        revision = int(answer.headers["X-Last-Data-Change-Rev"])
        assert states_in(answer.text) == {revision}
        return revision


@pytest.fixture
def user_of(services):
    made = []

    def make(kind, *, cached=True):
        found = VersionedUser(services, kind)
        made.append(found)
        found.service.replace(response_cache=ResponseCache((32 << 20) if cached else 0))
        return found

    yield make
    for each in made:
        each.elsewhere.close()
        each.service.replace(response_cache=ResponseCache(32 << 20))


def accepts_of(path):
    if path.startswith(("get-", "records/by-id")):
        return ACCEPTS[:1]
    # NDJSON is made from the same data as JSON, and all lists make CSV in the same way.
    by_day = {"records": ACCEPTS}.get(path, ACCEPTS[:1] if "?" in path else ACCEPTS[:2])
    return count(by_day, ACCEPTS)


@contextmanager
def before_statement(backend, number, work):
    """Do ``work`` before the backend runs its ``number``-th query, by whichever way."""
    done = 0

    def step():
        nonlocal done
        done += 1
        if done == number:
            work()

    connections = set()

    def note_connection(connection, record, proxy):
        connections.add(connection)

    def noting(method):
        def noted(driver, *arguments):
            if driver.connection in connections:
                step()
            return method(driver, *arguments)

        return noted

    with pytest.MonkeyPatch.context() as monkeypatch:
        for kind in (SqliteDriver, PostgresqlDriver):
            for method in (kind.rows, kind.lines, kind.begin_snapshot):
                monkeypatch.setattr(kind, method.__name__, noting(method))
        event.listen(backend.read_engine, "checkout", note_connection)
        yield lambda: done
        event.remove(backend.read_engine, "checkout", note_connection)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        *(("sqlite", path) for path in WALKED),
        *(("postgresql", path) for path in count(WALKED[::3], PATHS)),
    ],
)
def test_an_import_between_two_statements_is_seen_whole_or_not_at_all(user_of, kind, path):
    both = user_of(kind, cached=False)
    seen = set()
    for accept in accepts_of(path):
        number, more = 0, True
        while more:
            number += 1
            before = both.revision
            with before_statement(both.service.backend, number, both.load) as counted:
                answer = both.ask(path, accept)
                more = counted() >= number
            found = both.check(answer)
            assert found in (before, both.revision)
            seen.add(found - before)
            # The tag belongs to that state, and to no other.
            again = both.ask(path, accept)
            assert both.check(again) == both.revision
            assert (again.headers["ETag"] == answer.headers["ETag"]) == (found == both.revision)
            if found == both.revision:
                assert again.body == answer.body
                same = ("Last-Modified", "X-Last-Data-Change-At", "Link", "X-Next-Offset")
                assert [again.headers.get(h) for h in same] == [answer.headers.get(h) for h in same]
        assert number >= 2
    assert 1 in seen


@DATABASES
def test_an_import_while_a_cached_response_is_looked_up_is_seen_whole(user_of, kind):
    both = user_of(kind)
    for path in WALKED:
        for number in (1, 2, 3):
            both.check(both.ask(path))
            with before_statement(both.service.backend, number, both.load):
                both.check(both.ask(path))
            assert both.check(both.ask(path)) == both.revision


@DATABASES
def test_what_is_not_committed_is_seen_by_nobody(user_of, kind):
    both = user_of(kind, cached=False)
    before = {path: both.ask(path) for path in PATHS}
    paused, going_on, seen = threading.Event(), threading.Event(), []

    def at_the_end(connection):
        paused.set()
        going_on.wait(60)

    event.listen(both.elsewhere.engine, "commit", at_the_end)
    thread = threading.Thread(target=both.load)
    thread.start()
    try:
        assert paused.wait(60)
        for path, expected in before.items():
            answer = both.ask(path)
            assert answer.body == expected.body
            assert answer.headers["ETag"] == expected.headers["ETag"]
            tag = {"If-None-Match": expected.headers["ETag"]}
            assert both.ask(path, **tag).status_int == 304
            seen.append(path)
    finally:
        going_on.set()
        thread.join(60)
        event.remove(both.elsewhere.engine, "commit", at_the_end)
    assert seen == PATHS
    for path, expected in before.items():
        assert both.check(both.ask(path)) == 2
        tag = {"If-None-Match": expected.headers["ETag"]}
        assert both.ask(path, **tag).status_int == 200
