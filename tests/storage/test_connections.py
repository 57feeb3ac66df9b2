"""The connections for reading: how many there are, how long they live, and what ends them."""

import threading

import psycopg
import pytest
from sqlalchemy import delete, event

from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import reading
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.connections import engine as engines
from finance_api.storage.sql.read_model.drivers import SqliteDriver
from finance_api.storage.sql.read_model.libpq import PostgresqlDriver
from finance_api.storage.sql.tables import users
from finance_api.storage.testing import Unit, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])


def connections(engine):
    """Return a list that collects the connections made from now on."""
    made = []
    event.listen(engine, "connect", lambda connection, record: made.append(connection))
    return made


def terminate(backend):
    """Closes all connections, as a restart of the database does."""
    url = backend.engine.url.render_as_string(hide_password=False)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture
def away(new_backend, monkeypatch):
    """A backend whose PostgreSQL is unavailable while ``error`` is set; counts connection
    attempts.
    """
    backend = new_backend("postgresql")
    backend.asked = 0
    backend.error = psycopg.OperationalError("away")
    connect = backend.engine.dialect.connect

    def count(*arguments, **options):
        backend.asked += 1
        if backend.error is not None:
            raise backend.error
        return connect(*arguments, **options)

    for engine in (backend.engine, backend.read_engine):
        monkeypatch.setattr(engine.dialect, "connect", count)
    return backend


def test_a_database_that_is_away_is_asked_once_a_second_for_reading_and_writing(away, monkeypatch):
    seconds = [1_000.0]
    monkeypatch.setattr(away.server.circuit, "_monotonic", lambda: seconds[0])
    for _ in range(3):
        with reading(away) as storage, pytest.raises(StorageUnavailable, match="does not answer"):
            storage.users.list_all()
        with pytest.raises(StorageUnavailable, match="does not answer"):
            Unit(away)
    assert away.asked == 1
    away.error = None
    with reading(away) as storage, pytest.raises(StorageUnavailable, match="does not answer"):
        storage.users.list_all()
    seconds[0] += 1
    for _ in range(2):
        with reading(away) as storage:
            assert storage.users.list_all() == []
    # The same connection is used again.
    assert away.asked == 2


@DATABASES
def test_who_finds_every_connection_in_use_is_refused_after_a_while(
    new_settings, database, monkeypatch
):
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 0.1)
    backend = SqlBackend(new_settings(database)["sqlalchemy.url"], pool_size=2)
    units = [backend.read() for _ in range(3)]
    for unit in units[:2]:
        unit.users.list_all()
    with pytest.raises(StorageUnavailable, match="every database connection is in use"):
        units[2].users.list_all()
    units[0].close()
    assert units[2].users.list_all() == []
    for unit in units:
        unit.close()
    backend.close()


@DATABASES
def test_a_connection_is_given_back_once_and_without_its_snapshot(new_backend, database):
    backend = new_backend(database)
    unit, made = Unit(backend), connections(backend.read_engine)
    for number in range(1, 4):
        with reading(backend) as storage:
            assert len(storage.data.scan_rows(unit.user.id, ACCOUNTS)) == number - 1
            unit.put(ACCOUNTS, make_row(ACCOUNTS, number))
            # The unit of work sees one state until it ends.
            assert len(storage.data.scan_rows(unit.user.id, ACCOUNTS)) == number - 1
        storage.close()
        # Its connection may already serve another thread.
        with pytest.raises(RuntimeError, match="has ended"):
            storage.users.list_all()
        with reading(backend):
            # A unit of work that reads nothing takes no connection.
            assert backend.read_engine.pool.checkedout() == 0
        with pytest.raises(ZeroDivisionError), reading(backend) as storage:
            storage.users.list_all()
            _ = 1 // 0
    assert len(made) == 1
    assert backend.read_engine.pool.checkedout() == 0


def test_after_a_disconnect_no_connection_of_before_is_used(new_backend):
    backend = new_backend("postgresql")
    unit = Unit(backend)
    units = [backend.read() for _ in range(3)]
    for each in units:
        each.users.list_all()
    for each in units:
        each.close()
    made = connections(backend.read_engine)
    terminate(backend)
    with reading(backend) as storage:
        with pytest.raises(StorageUnavailable, match="does not answer"):
            storage.users.list_all()
        # The unit of work does not continue with another state.
        with pytest.raises(StorageUnavailable, match="does not answer"):
            storage.users.list_all()
    for _ in range(3):
        with reading(backend) as storage:
            assert len(storage.users.list_all()) == 1
    assert len(made) == 1
    # A unit of work that writes uses none of the old connections, either.
    unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))


def test_a_new_connection_is_used_even_if_others_are_lost_meanwhile(new_backend):
    backend = new_backend("postgresql")
    with reading(backend) as storage:
        storage.users.list_all()

    @event.listens_for(backend.read_engine, "connect")
    def lose_others(connection, record):
        backend.server.generation += 1

    backend.server.generation += 1
    with reading(backend) as storage:
        assert storage.users.list_all() == []


def test_a_connection_that_was_idle_is_asked_before_it_is_used(new_backend, monkeypatch):
    backend = new_backend("postgresql")
    Unit(backend)
    with reading(backend) as storage:
        storage.users.list_all()
    terminate(backend)
    monkeypatch.setattr(engines, "_IDLE_SECONDS", -1)
    with reading(backend) as storage:
        assert len(storage.users.list_all()) == 1
    Unit(backend, "two")


@DATABASES
def test_a_connection_that_reads_cannot_write(new_backend, database):
    backend = new_backend(database)
    with reading(backend) as storage, pytest.raises(TypeError, match="cannot write"):
        storage.users.connection.fetch(lambda database: delete(users), values={})


@DATABASES
def test_threads_use_connections_of_their_own(new_backend, database):
    backend = new_backend(database)
    Unit(backend)
    barrier, drivers = threading.Barrier(4), []

    def read():
        with reading(backend) as storage:
            storage.users.list_all()
            drivers.append(storage.users.connection.driver)
            barrier.wait(30)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len({id(driver) for driver in drivers}) == 4
    assert all(isinstance(driver, SqliteDriver | PostgresqlDriver) for driver in drivers)
