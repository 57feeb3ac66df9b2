"""A unit of work has one time limit for all its reads."""

import math
import time
from types import SimpleNamespace

import psycopg
import pytest
from sqlalchemy import text

from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dimensions import DIMENSIONS
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.runtime import time_limit as limits
from finance_api.runtime.time_limit import TookTooLong, seconds_left, time_limit
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.sql import reading
from finance_api.storage.testing import Unit, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
#: Enough for the first, quick query on a busy machine.
_SECONDS = 1
#: Queries that never end in practice, in short steps that need no memory.
ENDLESS = {
    "sqlite": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT count(*) FROM n",
    "postgresql": "SELECT count(*) FROM generate_series(1, 10000) a,"
    " generate_series(1, 10000) b, generate_series(1, 10000) c, generate_series(1, 10000) d",
}


def endless(database):
    return text(ENDLESS[database])


def one(database):
    return text("SELECT 1")


@pytest.fixture
def unit(new_backend):
    def make(database):
        unit = Unit(new_backend(database))
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        return unit

    return make


@DATABASES
@pytest.mark.parametrize("in_snapshot", [False, True])
def test_a_statement_is_ended_at_what_is_left_of_the_limit(unit, database, in_snapshot):
    made = unit(database)
    backend = made.backend
    storage = backend.read()
    with time_limit(_SECONDS):
        # The first query has used some of the time.
        storage.users.list_all()
        if in_snapshot:
            storage.users.connection.begin_snapshot()
        with pytest.raises(TookTooLong):
            storage.users.connection.fetch(endless, values={})
        # The connection is not used again, in this unit of work or in another one.
        with pytest.raises(TookTooLong):
            storage.users.list_all()
    storage.close()
    again = backend.read()
    assert again.users.connection.fetch(one, values={}) == [(1,)]
    again.close()
    assert backend.read_engine.pool.checkedout() == 0


@pytest.mark.parametrize("lost", [0, 2], ids=["asked once", "asked before it began"])
def test_postgresql_does_not_go_on_with_what_was_ended(unit, lost, monkeypatch):
    """lost: how many requests to cancel the database ignores."""
    backend = unit("postgresql").backend
    cancel, asked = psycopg.Connection.cancel_safe, []

    def cancel_later(connection, *, timeout):
        asked.append(timeout)
        if len(asked) > lost:
            cancel(connection, timeout=timeout)

    monkeypatch.setattr(psycopg.Connection, "cancel_safe", cancel_later)
    storage = backend.read()
    with time_limit(0.1), pytest.raises(TookTooLong):
        storage.users.connection.fetch(endless, values={})
    storage.close()
    running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%%generate_series%%'"
    running += " AND state = 'active' AND pid <> pg_backend_pid()"
    until = time.monotonic() + 60
    with backend.engine.connect() as connection:
        while connection.exec_driver_sql(running).scalar_one():
            connection.rollback()
            assert time.monotonic() < until


@DATABASES
def test_where_nothing_is_left_no_statement_is_begun(unit, database, monkeypatch):
    found = unit(database)
    seconds = [1_000.0]
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    storage = found.backend.read()
    with time_limit(5):
        assert len(storage.data.scan_rows(found.user.id, ACCOUNTS)) == 1
        # Not even the driver is called.
        seconds[0] = 1_005.0
        monkeypatch.setattr(storage.data.connection._driver, "rows", None)
        for read in (
            lambda: storage.data.scan_rows(found.user.id, ACCOUNTS),
            lambda: storage.data.get_state(found.user.id),
            storage.users.list_all,
        ):
            with pytest.raises(TookTooLong):
                read()
    storage.close()


@DATABASES
def test_what_is_worked_out_of_rows_is_ended_too(unit, database, monkeypatch):
    found = unit(database)
    found.put(RECORDS, make_row(RECORDS, 1))
    seconds = [1_000.0]
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    read = reading.SqlDataReader.sum_by

    def read_until_the_end(*given, **options):
        sums = read(*given, **options)
        seconds[0] = 1_005.0
        return sums

    storage = found.backend.read()
    query = SummaryQuery(group_by=(DIMENSIONS["label"],))
    with time_limit(5):
        assert len(summarize(storage, found.user.id, query).groups) == 1
        monkeypatch.setattr(reading.SqlDataReader, "sum_by", read_until_the_end)
        # A unit of work adds up records only once.
        storage.close()
        storage = found.backend.read()
        with pytest.raises(TookTooLong):
            summarize(storage, found.user.id, query)
    storage.close()


@DATABASES
def test_writing_has_no_limit(unit, database):
    found = unit(database)
    with time_limit(0):
        found.put(RECORDS, make_row(RECORDS, 1))
        assert seconds_left() <= 0
    assert seconds_left() == math.inf
    assert found.ids(RECORDS) == [1]


def test_a_statement_that_the_database_itself_ends(unit):
    """A role may have its own limit: a request treats it as its own, a command reports it."""
    storage = unit("postgresql").backend.read()
    read = storage.users.connection
    read.driver.connection.execute("SET statement_timeout = 100")
    with time_limit(60), pytest.raises(TookTooLong):
        read.fetch(endless, values={})
    storage.close()
    again = unit("postgresql").backend.read()
    again.users.connection.driver.connection.execute("SET statement_timeout = 100")
    with pytest.raises(StorageUnavailable, match="took too long"):
        again.users.connection.fetch(endless, values={})
    again.close()
