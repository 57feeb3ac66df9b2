"""An upgrade while the old program imports and serves: its writes are complete and consistent.

The next version of the tables is a migration that only these tests have. A separate process runs
it.
"""

import io
import re
import subprocess
import sys
import threading
from textwrap import dedent

import pytest
from sqlalchemy import text

from finance_api.ledger.changing import changing
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.ledger.session import IMPORT
from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.interface import reading, unit_of_work
from finance_api.storage.sql import schema
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.connections.engine import writing
from finance_api.storage.testing import make_row
from support.native_rows import account, record, uid
from support.nightly import count
from support.programs import as_child
from support.service import Service, native_line

DATABASES = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
RECORDS = 60

#: Marks each row that exists when the tables are altered. On PostgreSQL it also changes the types
#: of the records' columns, so that the table is rewritten.
MIGRATION = """
    import sqlalchemy as sa
    from alembic import op

    revision = "next"
    down_revision = {newest!r}

    def upgrade():
        op.add_column("records", sa.Column("altered", sa.Boolean()))
        op.execute("UPDATE records SET altered = true")
        if op.get_bind().dialect.name == "postgresql":
            op.execute("ALTER TABLE records ALTER COLUMN amount TYPE numeric")
            op.execute("ALTER TABLE user_data ALTER COLUMN record_count TYPE numeric")
"""

#: The part of the next version's program that matters here.
UPGRADE = """
    import sys
    from finance_api.storage.sql import schema
    from finance_api.storage.sql.backend import SqlBackend

    url, directory = sys.argv[1:]
    config = schema._config

    def with_next():
        made = config()
        made.set_main_option("path_separator", "os")
        made.set_main_option(
            "version_locations", f"{made.get_main_option('script_location')}/versions:{directory}"
        )
        return made

    versions = (*schema.versions(), "next")
    schema._config, schema.versions = with_next, lambda: versions
    backend = SqlBackend(url)
    backend.upgrade()
    backend.check()
    backend.close()
"""
PATHS = [
    "records?limit=100&withTotal=true",
    "records?limit=20&offset=30",
    "records?limit=100&sortBy=%2Bamount&withTotal=true",
    "records?note=contains-i.of%20state&limit=100",
    f"records/by-id?id={uid('Record', 1)},{uid('Record', 40)}",
    "accounts",
]


def state(number):
    return [
        account(name=f"STATE{number}"),
        *(record(n, amount=-n - number, note=f"of STATE{number}") for n in range(1, RECORDS)),
    ]


class Old:
    """This version's program: imports one state after the other, and serves them."""

    def __init__(self, kind, settings):
        self.url = settings["sqlalchemy.url"]
        self.service = Service(kind, settings)
        self.client = self.service.client()
        self.importing = SqlBackend(self.url)
        self.revision = 0

    def load(self):
        data = "".join(map(native_line, state(self.revision + 1))).encode()
        import_file(
            self.importing, ImportOrder(self.client.user.email, io.BytesIO(data), now=1_000)
        )
        self.revision += 1

    def check(self, path):
        """Check that a response has only the state of its revision, or is a 503. Return the
        status.
        """
        answer = self.client.get(path)
        if answer.status_int == 503:
            assert int(answer.headers["Retry-After"]) >= 1
            return 503
        assert answer.status_int == 200, answer.text
        said = answer.headers["X-Last-Data-Change-Rev"]
        assert set(re.findall(r"STATE(\d+)", answer.text)) == {said}, path
        if "withTotal" in path:
            assert answer.json["total"] == len(answer.json["records"]) == RECORDS - 1
        return 200

    def close(self):
        self.service.stop()
        self.importing.close()


@pytest.fixture
def old(request, new_settings):
    made = Old(request.param, new_settings(request.param))
    yield made
    made.close()


def upgrading(url, directory):
    migration = dedent(MIGRATION).format(newest=schema.newest_version())
    (directory / "next.py").write_text(migration)
    command = [sys.executable, "-c", dedent(UPGRADE), url, str(directory)]
    return subprocess.Popen(as_child(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(count(1, 20)))
@pytest.mark.parametrize("old", count(["postgresql"], ["sqlite", "postgresql"]), indirect=True)
def test_no_old_row_is_written_onto_new_tables(old, number, tmp_path):
    old.load()
    done, failures, statuses, refusals = threading.Event(), [], [], []

    def run(work):
        try:
            work()
        except Exception as error:
            failures.append(error)

    def import_on():
        while not done.is_set():
            try:
                old.load()
            except StorageNotReady as error:
                refusals.append(error)
                return
            except StorageUnavailable:
                # Its transaction began before the upgrade; the next one sees the version.
                continue
            # SQLite's lock has no queue: imports without a pause can keep an upgrade waiting until
            # it gives up.
            done.wait(0.02)

    def read_on():
        while not done.is_set():
            statuses.extend(old.check(path) for path in PATHS)

    threads = [threading.Thread(target=run, args=(work,)) for work in (import_on, read_on, read_on)]
    for thread in threads:
        thread.start()
    with upgrading(old.url, tmp_path) as process:
        said, _ = process.communicate(timeout=240)
    threads[0].join(30)
    done.set()
    for thread in threads:
        thread.join(120)
    assert (process.returncode, said) == (0, b"")
    assert failures == []
    assert "run 'finance-api db upgrade'" not in str(refusals[0])
    assert "have version next" in str(refusals[0])
    assert 200 in statuses
    with old.importing.engine.connect() as connection:
        found = connection.execute(text("SELECT altered, count(*) FROM records GROUP BY altered"))
        assert [(bool(altered), rows) for altered, rows in found] == [(True, RECORDS - 1)]
    # Lists, searches, totals and look-ups agree, or get a 503.
    assert old.revision >= 1
    for path in PATHS:
        old.check(path)


@DATABASES
def test_who_waits_for_an_upgrade_writes_nothing(new_backend, kind):
    backend = new_backend(kind)
    backend.check()
    outcome = []

    def add():
        try:
            with unit_of_work(backend) as storage:
                storage.users.add(
                    uuid="u", email="a@b.org", premium=True, password_hash=None, created_at=0
                )
        except Exception as error:
            outcome.append(error)

    with writing(backend.engine, alters=True).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        thread = threading.Thread(target=add)
        thread.start()
        thread.join(0.3)
        assert outcome == []
    thread.join(60)
    (error,) = outcome
    assert isinstance(error, StorageNotReady)
    assert "have version 9999" in str(error)
    with backend.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM users")).scalar() == 0


@DATABASES
def test_a_change_that_fails_over_upgraded_tables_names_the_upgrade(new_backend, kind):
    backend = new_backend(kind)
    with unit_of_work(backend) as storage:
        storage.users.add(uuid="u", email="a@b.org", premium=True, password_hash=None, created_at=0)

    def change():
        with changing(backend, "a@b.org", 1_000, action=IMPORT, decides_first=True):
            with backend.engine.begin() as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
            # A column of the upgraded tables is of a type that this program does not expect.
            raise TypeError("Type is not JSON serializable: decimal.Decimal")

    with pytest.raises(StorageNotReady, match="have version 9999"):
        change()


@DATABASES
@pytest.mark.parametrize("table", ["alembic_version", "projection_version"])
def test_who_finds_no_version_writes_nothing(new_backend, kind, table):
    backend = new_backend(kind)
    with backend.engine.begin() as connection:
        connection.execute(text(f"DELETE FROM {table}"))
    with pytest.raises(StorageNotReady, match="db upgrade"), unit_of_work(backend):
        pass
    with pytest.raises(StorageNotReady, match=r"no tables yet|read model has version none"):
        backend.check()


def test_a_snapshot_does_not_take_a_table_that_is_rewritten_for_empty(new_backend):
    backend = new_backend("postgresql")
    with unit_of_work(backend) as storage:
        user = storage.users.add(
            uuid="u", email="a@b.org", premium=True, password_hash=None, created_at=0
        )
        storage.data.put_rows(user.id, ACCOUNTS, new=[make_row(ACCOUNTS, 1)], changed=())
    found = []

    def read():
        with reading(backend) as storage:
            storage.data.get_state(user.id)
            found.extend(storage.data.scan_rows(user.id, ACCOUNTS))

    def alter(before, after):
        with writing(backend.engine, alters=True).begin() as connection:
            schema._lock_tables(connection)
            before()
            connection.execute(text("ALTER TABLE accounts ALTER balance TYPE numeric"))
        after()

    # The reader begins in the middle of the upgrade.
    thread = threading.Thread(target=read)

    def begin_reading():
        thread.start()
        thread.join(0.3)
        assert found == []

    alter(begin_reading, lambda: thread.join(60))
    assert len(found) == 1
    # The upgrade begins while a reader reads.
    altered = []
    thread = threading.Thread(target=alter, args=(int, lambda: altered.append(True)))
    with reading(backend) as storage:
        storage.data.get_state(user.id)
        thread.start()
        thread.join(0.3)
        assert altered == []
        assert len(storage.data.scan_rows(user.id, ACCOUNTS)) == 1
    thread.join(60)
    assert altered == [True]
