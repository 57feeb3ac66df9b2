"""The tables: distributable by user, as the migrations make them, and asked for one user only."""

import re

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions
from finance_api.resources import RECORDS, RESOURCES
from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.interface import DataState
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.tables import DATA_TABLES, metadata
from finance_api.storage.testing import Unit, make_id, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])


@pytest.mark.parametrize("table", DATA_TABLES.values(), ids=lambda t: t.table.name)
def test_every_key_and_index_of_data_begins_with_the_user(table):
    keys = [list(table.table.primary_key.columns)]
    keys += [list(index.expressions) for index in table.table.indexes]
    keys += [
        list(constraint.columns)
        for constraint in table.table.constraints
        if type(constraint).__name__ == "UniqueConstraint"
    ]
    assert len(keys) >= 2
    for columns in keys:
        assert columns[0] is table.user_id


@DATABASES
def test_the_migrations_make_the_declared_tables(new_backend, database):
    with new_backend(database).engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, metadata) == []


@DATABASES
def test_every_statement_on_data_is_bound_to_the_user(new_backend, database):
    backend = new_backend(database)
    unit = Unit(backend)
    statements = []

    @event.listens_for(backend.engine, "before_cursor_execute")
    def note(connection, cursor, statement, parameters, context, executemany):
        statements.append(statement)

    for resource in RESOURCES:
        row = make_row(resource, 1, source="a", sourceId="b")
        with unit.writing() as storage:
            storage.lock_data(unit.user.id)
            storage.put_rows(unit.user.id, resource, new=[row], changed=[])
            storage.put_rows(unit.user.id, resource, new=[], changed=[row])
            storage.get_rows_by_source(unit.user.id, resource, "a", ["b"])
            storage.set_data_state(unit.user.id, DataState(1, 1))
        conditions = [
            condition
            for field in resource.listed_fields
            if field.can_be_missing
            for condition in parse_conditions(field, "is.null")
        ]
        with unit.reading() as storage:
            storage.list_rows(unit.user.id, Query(resource, tuple(conditions), with_total=True))
            storage.get_rows(unit.user.id, resource, [make_id(1)])
            storage.scan_rows(unit.user.id, resource, conditions=conditions)
    with unit.reading() as storage:
        storage.sum_records(unit.user.id, ())
    names = "|".join(re.escape(t.table.name) for t in DATA_TABLES.values())
    on_data = [s for s in statements if re.search(rf"(?:FROM|UPDATE|INTO) ({names})\b", s)]
    assert len(on_data) > 5 * len(RESOURCES)
    for statement in on_data:
        if "INTO" in statement:
            assert re.search(r"\((?:[a-z_]+, )*user_id", statement)
        else:
            assert re.search(r"\buser_id = ", statement), statement


def test_an_index_serves_the_default_order_of_records(new_backend):
    backend = new_backend("sqlite")
    with backend.engine.connect() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT * FROM records WHERE user_id = 1 "
            "ORDER BY record_date DESC, id LIMIT 10"
        ).all()
    assert "ix_records_user_id_record_date_id" in str(plan)
    assert "TEMP B-TREE" not in str(plan)
    assert RECORDS.default_sort == "-recordDate"


def test_a_database_without_tables_is_not_ready(tmp_path):
    backend = SqlBackend(f"sqlite:///{tmp_path / 'new.db'}")
    with pytest.raises(StorageNotReady, match="db upgrade"):
        backend.check()
    backend.upgrade()
    backend.upgrade()
    backend.check()
    backend.close()


def test_tables_of_another_version_are_not_ready(new_backend):
    backend = new_backend("sqlite")
    with backend.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageNotReady, match="9999"):
        backend.check()


def test_a_damaged_file_is_never_an_empty_answer(new_sqlite_url):
    url = new_sqlite_url()
    path = url.removeprefix("sqlite:///")
    backend = SqlBackend(url)
    unit = Unit(backend)
    unit.put(RECORDS, *(make_row(RECORDS, n) for n in range(500)))
    backend.close()
    with open(path, "r+b") as file:
        size = file.seek(0, 2)
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    backend = SqlBackend(url)
    unit.backend = backend
    with pytest.raises((StorageUnavailable, StorageNotReady)):
        unit.ids(RECORDS)
    backend.close()


@pytest.mark.parametrize(
    ("url", "reason"),
    [("nonsense", "sqlalchemy.url"), ("mysql://x/y", "neither sqlite nor postgresql")],
)
def test_a_url_that_cannot_be_used_is_named(url, reason):
    with pytest.raises(StorageNotReady, match=reason):
        SqlBackend(url)


def test_a_statement_that_takes_too_long_is_ended(new_sqlite_url):
    backend = SqlBackend(new_sqlite_url(), statement_seconds=0)
    unit = Unit(backend)
    unit.put(RECORDS, *(make_row(RECORDS, n, note="x" * 50) for n in range(20_000)))
    with pytest.raises(StorageUnavailable):
        unit.found(RECORDS, "note", *["contains-i.y"] * 5)
    backend.close()
