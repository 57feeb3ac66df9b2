"""One time limit for all that a unit of work reads."""

import math
import time
from types import SimpleNamespace

import psycopg
import pytest
from sqlalchemy import text

from finance_api.planning.summaries import DIMENSIONS, SummaryQuery, summarize
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.errors import StatementTimeout, StorageUnavailable
from finance_api.storage.sql import connections, driver_postgresql, reading
from finance_api.storage.testing import Unit, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
#: It takes longer than any test; each of its steps is short, and nothing of it is kept.
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
def test_a_statement_is_ended_at_what_is_left_of_the_limit(unit, database):
    backend = unit(database).backend
    storage = backend.read(time.monotonic() + 0.3)
    # The first statement has taken some of it.
    storage.users.list_all()
    with pytest.raises(StatementTimeout):
        storage.users.connection.fetch(endless, values={})
    # The connection is not used again, in this unit of work or in another one.
    with pytest.raises(StatementTimeout):
        storage.users.list_all()
    storage.close()
    again = backend.read()
    assert again.users.connection.fetch(one, values={}) == [(1,)]
    again.close()
    assert backend.read_engine.pool.checkedout() == 0


@DATABASES
def test_a_snapshot_is_ended_at_the_limit(unit, database):
    found = unit(database)
    storage = found.backend.read(time.monotonic() + 0.3)
    storage.data.get_state(found.user.id)
    with pytest.raises(StatementTimeout):
        storage.data.connection.fetch(endless, values={})
    storage.close()


@pytest.mark.parametrize("lost", [0, 2], ids=["asked once", "asked before it began"])
def test_postgresql_does_not_go_on_with_what_was_ended(unit, lost, monkeypatch):
    """lost: how often the database takes no notice."""
    backend = unit("postgresql").backend
    cancel, asked = psycopg.Connection.cancel_safe, []

    def cancel_later(connection, *, timeout):
        asked.append(timeout)
        if len(asked) > lost:
            cancel(connection, timeout=timeout)

    monkeypatch.setattr(psycopg.Connection, "cancel_safe", cancel_later)
    storage = backend.read(time.monotonic() + 0.1)
    with pytest.raises(StatementTimeout):
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
    """Before: each statement had the whole limit, so that a request of 60 had 60 times as much."""
    found = unit(database)
    seconds = [1_000.0]
    for module in (connections, driver_postgresql):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    storage = found.backend.read(1_005.0)
    assert len(storage.data.scan_rows(found.user.id, ACCOUNTS)) == 1
    # Computed, not read.
    seconds[0] = 1_005.0
    monkeypatch.setattr(storage.data.connection._driver, "rows", None)
    for read in (
        lambda: storage.data.scan_rows(found.user.id, ACCOUNTS),
        lambda: storage.data.get_state(found.user.id),
        storage.users.list_all,
    ):
        with pytest.raises(StatementTimeout):
            read()
    storage.close()


@DATABASES
def test_what_is_worked_out_of_rows_is_ended_too(unit, database, monkeypatch):
    """Before: only statements were; a summary of 200,000 sets of labels took thrice the limit."""
    found = unit(database)
    found.put(RECORDS, make_row(RECORDS, 1))
    seconds = [1_000.0]
    for module in (connections, driver_postgresql):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    read = reading.SqlDataReader.sum_by

    def read_until_the_end(*given, **options):
        sums = read(*given, **options)
        seconds[0] = 1_005.0
        return sums

    storage = found.backend.read(1_005.0)
    query = SummaryQuery(group_by=(DIMENSIONS["label"],))
    assert len(summarize(storage, found.user.id, query).groups) == 1
    monkeypatch.setattr(reading.SqlDataReader, "sum_by", read_until_the_end)
    with pytest.raises(StatementTimeout):
        summarize(storage, found.user.id, query)
    storage.close()


@DATABASES
def test_the_limit_is_that_of_one_unit_of_work(unit, database):
    found = unit(database)
    storage = found.backend.read(time.monotonic() + 60)
    driver = storage.users.connection.driver
    assert driver.deadline < math.inf
    storage.close()
    assert driver.deadline == math.inf
    assert issubclass(StatementTimeout, StorageUnavailable)
