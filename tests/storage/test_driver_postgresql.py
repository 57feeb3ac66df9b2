"""Queries as libpq receives them."""

from contextlib import contextmanager
from decimal import Decimal

import psycopg
import pytest
from psycopg.errors import DivisionByZero, SyntaxError
from sqlalchemy import text

from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.sql.connections.engine import make_engine
from finance_api.storage.sql.connections.unit import HAS_OWN_SESSION
from finance_api.storage.sql.read_model import libpq
from finance_api.storage.sql.read_model.connection import FastConnection, driver_of
from finance_api.storage.sql.read_model.counting import Comparisons
from finance_api.storage.sql.read_model.drivers import CompiledSql, SqlCache


@pytest.fixture
def connection(new_postgresql_url):
    engine = make_engine(new_postgresql_url(), pool_size=1, for_reading=True)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def reading_driver(connection):
    return driver_of(connection.connection, "postgresql", prepares=True)


@pytest.fixture
def driver(connection):
    return reading_driver(connection)


@pytest.fixture
def statement(connection):
    return lambda written: CompiledSql(text(written), connection.dialect)


def prepared(connection):
    return connection.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements").scalar()


def test_values_come_and_go_as_they_are(driver, statement):
    values = {"text": "ä'\"\\%$1 \u2028 😀", "number": -(2**63), "none": None, "yes": True}
    asked = statement(
        "SELECT :text ::text, :number ::bigint, :none ::text, :yes ::boolean, NOT :yes ::boolean,"
        " :text ::varchar, 2 ::smallint, 3 ::integer, 12345678901234567890.5 ::numeric, 'a%b'"
    )
    row = (*values.values(), False, values["text"], 2, 3, Decimal("12345678901234567890.5"), "a%b")
    # The query gives the same at first and when prepared.
    assert driver.rows(asked, values) == [row] == driver.rows(asked, values)


def test_nothing_else_is_bound_or_read(driver, statement):
    with pytest.raises(TypeError, match="float"):
        driver.rows(statement("SELECT :x ::text"), {"x": 1.5})
    with pytest.raises(ValueError, match="NUL"):
        driver.rows(statement("SELECT :x ::text"), {"x": "a\0b"})


def test_lines_are_the_state_and_a_json_row_on_each(driver, statement):
    assert driver.lines(statement("SELECT 1, 2, 'x' WHERE false"), {}) is None
    assert driver.lines(statement("SELECT 1, 2, NULL ::text"), {}) == ((1, 2), b"")
    two = statement("SELECT 1, 2, json FROM (VALUES ('[1]'), ('[2, 3, \"ß\"]')) AS v (json)")
    assert driver.lines(two, {}) == ((1, 2), '[1]\n[2, 3, "ß"]'.encode())


def test_what_was_not_used_for_longest_is_forgotten(connection, driver, statement, monkeypatch):
    monkeypatch.setattr(libpq, "_MAX_PREPARED", 3)
    asked = [statement(f"SELECT {number}") for number in range(5)]
    for number in (0, 1, 2, 0, 3, 0, 4, 1):
        assert driver.rows(asked[number], {}) == [(number,)]
    assert prepared(connection) == 3
    left = connection.exec_driver_sql("SELECT statement FROM pg_prepared_statements").scalars()
    assert sorted(left) == ["SELECT 0", "SELECT 1", "SELECT 4"]


@pytest.mark.parametrize(
    "written", ["SELECT now()", "SELECT nothing FROM users", "SELECT 1.5 >> 2", "SELECT 1 FROM no"]
)
def test_tables_that_are_not_known_are_reported(new_postgresql_url, written):
    """An older program may find such tables. They once caused a 500, except the last one."""
    engine = make_engine(new_postgresql_url(), pool_size=1, for_reading=True)
    unit = FastConnection(engine, SqlCache(engine.dialect), Comparisons())
    with pytest.raises(StorageNotReady):
        unit.fetch(lambda database: text(written), values={})
    unit.close()
    engine.dispose()


def test_a_roll_back_or_other_statements_leave_what_is_prepared(connection, driver, statement):
    asked = statement("SELECT :x ::text")
    for number in range(12):
        for other in range(8):
            connection.exec_driver_sql(f"SELECT {other % 2}")
        driver.begin_snapshot()
        assert driver.rows(asked, {"x": str(number)}) == [(str(number),)]
        connection.connection.driver_connection.rollback()
    assert prepared(connection) == 1


def test_where_psycopg_prepares_nothing_is_prepared_here(new_postgresql_url):
    engine = make_engine(new_postgresql_url(), pool_size=1)
    for _ in range(2):
        with engine.connect() as connection:
            driver = driver_of(connection.connection, "postgresql", prepares=False)
            for number in range(12):
                asked = CompiledSql(text("SELECT :x ::text"), connection.dialect)
                assert driver.rows(asked, {"x": str(number)}) == [(str(number),)]
            found = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'finance%%'"
            assert connection.exec_driver_sql(found).scalar() == 0
    engine.dispose()


def names(connection):
    found = "SELECT name FROM pg_prepared_statements WHERE name LIKE 'finance%%'"
    return set(connection.exec_driver_sql(found).scalars())


def test_a_name_means_one_statement_on_every_connection(new_postgresql_url):
    engine = make_engine(new_postgresql_url(), pool_size=2, for_reading=True)
    texts = ["SELECT :x ::text", "SELECT :x ::text || 'a'"]
    with engine.connect() as one, engine.connect() as other:
        seen = []
        for connection, order in ((one, texts), (other, texts[::-1])):
            for written in order:
                before = names(connection)
                asked = CompiledSql(text(written), connection.dialect)
                reading_driver(connection).rows(asked, {"x": "a"})
                (name,) = names(connection) - before
                seen.append((written, name))
        assert len(set(seen)) == 2 == len({name for _, name in seen})
    engine.dispose()


#: What is done to a session, each time twice.
OTHERS = {
    "forgotten": ["DEALLOCATE ALL"] * 2,
    "another type": [
        f"ALTER TABLE things ALTER number TYPE {each}" for each in ("numeric", "bigint")
    ],
}
MAKE_THINGS = "CREATE TABLE things AS SELECT 7::bigint AS number"


@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS)
def test_what_is_prepared_no_longer_is_asked_again(connection, driver, statement, others):
    connection.exec_driver_sql(MAKE_THINGS)
    asked = statement("SELECT number FROM things")
    for other in ("SELECT", *others):
        connection.exec_driver_sql(other)
        for _ in range(3):
            assert driver.rows(asked, {}) == [(7,)]


def test_what_somebody_else_has_prepared_is_not_asked(connection, driver, statement):
    """An unnoticed pooler may give a session on which the name is already taken."""
    asked = statement("SELECT 1")
    driver.rows(asked, {})
    driver._prepared.clear()
    for _ in range(2):
        assert driver.rows(asked, {}) == [(1,)]
    assert prepared(connection) == 1


@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS)
def test_a_snapshot_begins_again_unless_it_has_been_read_from(new_postgresql_url, others):
    engine = make_engine(new_postgresql_url(), pool_size=1, for_reading=True)
    statements = SqlCache(engine.dialect)

    def read(database):
        return text("SELECT number FROM things")

    def count(database):
        return text("SELECT count(*) FROM things")

    def execute(written):
        with engine.connect() as connection:
            connection.exec_driver_sql(written)

    @contextmanager
    def snapshot():
        unit = FastConnection(engine, statements, Comparisons())
        unit.begin_snapshot()
        yield unit
        unit.close()

    execute(MAKE_THINGS)
    with snapshot() as unit:
        assert unit.fetch(read, values={}) == [(7,)]
    execute(others[0])
    with snapshot() as unit:
        assert unit.fetch(read, values={}) == unit.fetch(read, values={}) == [(7,)]
        # The snapshot still sees the row.
        execute_elsewhere(engine, "DELETE FROM things")
        assert unit.fetch(read, values={}) == [(7,)]
    execute_elsewhere(engine, "INSERT INTO things VALUES (7)")
    if "DEALLOCATE" in others[0]:
        # Nothing more to test: a shared connection prepares nothing.
        engine.dispose()
        return
    with snapshot() as unit:
        unit.fetch(read, values={})
    execute(others[1])
    with snapshot() as unit:
        assert unit.fetch(count, values={}) == [(1,)]
        with pytest.raises(StorageUnavailable, match="has changed"):
            unit.fetch(read, values={})
    with snapshot() as unit:
        assert unit.fetch(read, values={}) == [(7,)]
    engine.dispose()


def execute_elsewhere(engine, written):
    with psycopg.connect(engine.url.render_as_string(hide_password=False)) as other:
        other.execute(written)


@pytest.mark.parametrize("mode", ["transaction", "session"])
def test_behind_a_pooler_nothing_is_prepared_or_set(request, mode):
    url = request.getfixturevalue(f"new_pgbouncer_{mode}_url")()
    for for_reading in (True, False):
        engine = make_engine(url, pool_size=1, for_reading=for_reading)
        with engine.connect() as connection:
            driver = reading_driver(connection)
            assert not connection.info[HAS_OWN_SESSION]
            asked = CompiledSql(text("SELECT :x ::text"), connection.dialect)
            for number in range(12):
                assert driver.rows(asked, {"x": str(number)}) == [(str(number),)]
                connection.execute(text("SELECT CAST(:x AS text)"), {"x": str(number)})
            assert prepared(connection) == 0
            changed = (
                "SELECT count(*) FROM pg_settings WHERE source = 'session' AND name <> ALL(%s)"
            )
            # Settings that PgBouncer itself sets for each client.
            known = ["DateStyle", "TimeZone", "application_name", "client_encoding"]
            known += ["standard_conforming_strings"]
            assert connection.exec_driver_sql(changed, (known,)).scalar() == 0
        engine.dispose()


def test_failures_are_distinguished(new_postgresql_url):
    engine = make_engine(new_postgresql_url(), pool_size=1, for_reading=True)
    connection = FastConnection(engine, SqlCache(engine.dialect), Comparisons())

    def run(written):
        return connection.fetch(lambda database: text(written), values={})

    with pytest.raises(DivisionByZero, match="division by zero"):
        run("SELECT 1 / 0")
    with pytest.raises(SyntaxError, match="syntax error"):
        run("SELEC")
    # The connection is still usable after these errors.
    assert run("SELECT 1") == [(1,)]
    with pytest.raises(StorageUnavailable):
        run("SELECT 1 FROM pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(StorageUnavailable):
        run("SELECT 1")
    connection.close()
    engine.dispose()


def test_a_search_is_planned_for_its_user(connection, driver, statement):
    asked = statement("SELECT strpos(:x ::text, 'b')")
    assert [driver.rows(asked, {"x": "abc"}) for _ in range(2)] == [[(2,)]] * 2
    assert prepared(connection) == 0
