"""Databases whose read models have another version than this program's."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, String, inspect, select, update

from finance_api.ledger.edits.objects import remove_object
from finance_api.ledger.edits.rules import add_rule
from finance_api.resources import (
    ACCOUNTS,
    LABELS,
    PUBLIC_RESOURCES,
    RECORD_RULES,
    RECORDS,
    RESOURCES,
)
from finance_api.resources.common import text_field
from finance_api.serialization.rows import change_key
from finance_api.storage.errors import StorageNotReady
from finance_api.storage.interface import DataState, reading
from finance_api.storage.sql import data_tables, derived, read_model, schema, writing
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.indexes import metadata
from finance_api.storage.sql.read_model import ReadModel, projection
from finance_api.storage.sql.read_model.tables import (
    GRAINS,
    record_anchors,
    record_sums,
    records_by_date,
)
from finance_api.storage.sql.reading import SqlDataReader
from finance_api.storage.sql.tables import projection_version, user_data, users
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.storage.testing.units import make_query
from support.edits import edited
from support.ledger import Person, document
from support.next_version import add_next_version

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
DAY = 86_400
COUNT = 600


def rows():
    return [
        make_row(RECORDS, n, recordDate=n * 7 % 365 * DAY, note=f"note {n} of {n % 9}")
        for n in range(1, COUNT)
    ]


@pytest.fixture
def unit(new_backend):
    def make(database):
        backend = new_backend(database)
        # Another user, and a user without data.
        Unit(backend, "other").put(RECORDS, *rows()[:50])
        Unit(backend, "nobody")
        unit = Unit(backend)
        unit.put(RECORDS, *rows())
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n) for n in range(1, 20)))
        return unit

    return make


def answers(unit):
    queries = [
        make_query(RECORDS, limit=50, offset=COUNT - 70),
        *(make_query(RECORDS, limit=30, note=f"contains-i.{n} of") for n in (7, 77)),
        make_query(ACCOUNTS, limit=50),
    ]
    with reading(unit.backend) as storage:
        found = [storage.data.list_json(unit.user.id, query) for query in queries]
        sums = storage.data.sum_by(unit.user.id, ["month", "recordType"], ())
    assert all(page.lines for page in found)
    assert sum(each.number for each in sums.values()) >= COUNT - 1
    return [*(page.rows for page in found), sums]


def emptied(connection, database):
    for table in (record_anchors, records_by_date, record_sums):
        connection.execute(table.delete())
    for table in DATA_TABLES.values():
        if table.json is not None:
            connection.execute(update(table.table).values(json=""))
    connection.execute(update(user_data).values(record_count=7))


def half_there(connection, database):
    """Leave only some of the records, and store wrong anchors and sums."""
    connection.execute(records_by_date.delete().where(records_by_date.c.id < make_id(300)))
    connection.execute(update(record_anchors).values(newest_first=1, id=make_id(1)))
    connection.execute(update(record_sums).values(amount_low=7))


def untouched(connection, database):
    pass


@DATABASES
@pytest.mark.parametrize("damage", [emptied, half_there, untouched])
def test_an_upgrade_rebuilds_a_projection_of_another_version(unit, database, damage):
    unit = unit(database)
    backend, expected = unit.backend, answers(unit)
    with backend.engine.begin() as connection:
        damage(connection, database)
        connection.execute(update(projection_version).values(version=ReadModel.version - 1))
    with pytest.raises(StorageNotReady, match=f"version {ReadModel.version - 1}, .* db upgrade"):
        backend.check()
    backend.upgrade()
    backend.check()
    assert answers(unit) == expected
    # The rebuilt read model also receives later records.
    unit.put(RECORDS, make_row(RECORDS, COUNT, recordDate=DAY, note="77 of all"))
    with backend.engine.connect() as connection:
        of_user = select(records_by_date.c.id).where(records_by_date.c.user_id == unit.user.id)
        assert len(connection.execute(of_user).all()) == COUNT
        counts = select(users.c.email, user_data.c.record_count)
        found = connection.execute(counts.where(users.c.id == user_data.c.user_id))
        assert {name.partition("@")[0]: count for name, count in found} == {
            "one": COUNT,
            "other": 49 + 1,
            "nobody": 0,
        }
    assert len(answers(unit)[2]) == len(expected[2]) + 1


@DATABASES
def test_what_was_read_before_a_rebuilding_is_of_no_state_that_is_known(unit, database):
    """Otherwise a mirror would keep rows that now look different."""
    unit = unit(database)
    with unit.writing() as storage:
        storage.data.delete_rows(unit.user.id, RECORDS, [make_id(1)])
        for revision in (1, 2):
            storage.data.set_state(unit.user.id, DataState(revision, 50))

    def changes():
        everything = {"rows_after": (0, "", ""), "deletions_after": (0, "", ""), "limit": 9_999}
        with unit.reading() as storage:
            return storage.data.list_changes(
                unit.user.id, PUBLIC_RESOURCES, **everything, revisions=[0, 1, 2]
            )

    before = changes()
    with unit.backend.engine.begin() as connection:
        schema.rebuild_all(connection, unit.backend.room)
    after = changes()
    assert after.state == DataState(2, 50, after.state.tag)
    assert after.tags == {2: after.state.tag}
    assert len({*before.tags.values(), after.state.tag}) == 4
    shown = [(change_key(line)[0], b'"op":"put"' in line) for line in after.lines]
    assert shown == [(2, True)] * (COUNT - 2 + 19)


@DATABASES
def test_an_upgrade_leaves_a_projection_of_this_version(unit, database, monkeypatch):
    unit = unit(database)
    monkeypatch.setattr(schema, "rebuild_all", lambda *arguments: pytest.fail("rebuilt"))
    unit.backend.upgrade()


def test_rebuilding_never_holds_all_rows_of_a_user(unit, monkeypatch):
    unit = unit("sqlite")
    get_rows, sizes = SqlDataReader.get_rows, []

    def note(self, user_id, resource, ids):
        sizes.append(len(ids))
        return get_rows(self, user_id, resource, ids)

    monkeypatch.setattr(SqlDataReader, "get_rows", note)
    monkeypatch.setattr(writing, "_REBUILT_ROWS", 100)
    with unit.backend.engine.begin() as connection:
        schema.rebuild_all(connection, unit.backend.room)
    assert max(sizes) == 100
    assert len(sizes) > COUNT // 100


def test_the_version_of_the_projection_changes_with_what_is_shown(monkeypatch):
    assert read_model.get_version() == ReadModel.version

    def changed(module, name, value):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, value)
            return read_model.get_version() != ReadModel.version

    more = replace(LABELS, fields=(*LABELS.fields, text_field("note", "Free text.", "mine")))
    others = tuple(more if each is LABELS else each for each in PUBLIC_RESOURCES)
    assert changed(derived, "PUBLIC_RESOURCES", others)
    assert changed(read_model, "GRAINS", GRAINS[1:])
    assert changed(read_model, "SUM_KEY", read_model.SUM_KEY[1:])
    assert changed(data_tables, "plain", str.upper)
    assert changed(projection, "shortened", lambda json: json + " ")


def test_the_version_of_the_projection_is_the_same_in_every_process():
    code = "from finance_api.storage.sql.read_model import ReadModel; print(ReadModel.version)"
    for seed in ("1", "2"):
        found = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        assert int(found.stdout) == ReadModel.version


def test_the_version_of_the_projection_keeps_if_only_words_change(monkeypatch):
    words = [replace(field, meaning="Other words.", example=None) for field in LABELS.fields]
    other = replace(LABELS, fields=tuple(words), meaning="Other words.")
    others = tuple(other if each is LABELS else each for each in PUBLIC_RESOURCES)
    monkeypatch.setattr(derived, "PUBLIC_RESOURCES", others)
    assert read_model.get_version() == ReadModel.version


def test_versions_are_those_of_the_migrations_in_their_order():
    """Commands read the versions from the file names, so that they need not import alembic."""
    revisions = ScriptDirectory.from_config(schema._config()).walk_revisions()
    assert schema.versions() == tuple(script.revision for script in reversed(list(revisions)))


#: Databases of the first version. SQLite: a user's household, as `.dump` writes it.
FIXTURES = Path(__file__).parents[1] / "samples" / "databases"
FIRST = {"sqlite": "0012_initial.sql", "postgresql": "0012_initial_postgresql.sql"}


def load_first(url, database):
    """Fill an empty database with the tables of the first version."""
    statements = (FIXTURES / FIRST[database]).read_text("utf-8")
    if database == "sqlite":
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            connection.executescript(statements)
    else:
        with psycopg.connect(url) as connection:
            connection.execute(statements)


@pytest.fixture
def stored(empty_url):
    """A SQLite database from the fixture of the first version."""
    load_first(empty_url("sqlite"), "sqlite")
    backend = SqlBackend(empty_url("sqlite"))
    yield backend
    backend.close()


def all_rows(backend):
    with reading(backend) as storage:
        (user,) = storage.users.list_all()
        return {r.name: storage.data.scan_rows(user.id, r) for r in RESOURCES}


#: Indexes that only one of the databases has.
INDEXES = {
    "sqlite": {
        *("ix_records_searched", "ix_records_user_id", "ix_records_by_date"),
        *("ix_records_by_payee", "ix_accounts_by_name"),
        *("ix_categories_by_name", "ix_labels_by_name"),
    },
    "postgresql": {
        *("ix_records_by_date_including", "ix_record_sums_category"),
        *("ix_records_by_short_payee", "ix_records_long_payee"),
    },
}


def reflected_from(connection):
    found = MetaData()
    found.reflect(connection, only=list(metadata.tables))
    return found


def collations(tables, dialect=None):
    """The collation of each text column; dialect: that of the database, for declared columns."""
    types = {
        str(column): column.type if dialect is None else column.type.dialect_impl(dialect)
        for table in tables.tables.values()
        for column in table.columns
    }
    return {name: kind.collation for name, kind in types.items() if isinstance(kind, String)}


@DATABASES
@pytest.mark.parametrize("is_first", [True, False], ids=["first version", "new"])
def test_new_and_upgraded_databases_have_the_declared_tables(empty_url, database, is_first):
    """If this fails for the first version, a migration for a change of the tables is missing."""
    url = empty_url(database)
    if is_first:
        load_first(url, database)
    backend = SqlBackend(url)
    backend.upgrade()

    def is_compared(item, name, kind, reflected, compare_to):
        others = set().union(*INDEXES.values()) - INDEXES[database]
        return reflected or name not in others

    with backend.engine.connect() as connection:
        assert schema.get_version(connection) == schema.newest_version()
        context = MigrationContext.configure(connection, opts={"include_object": is_compared})
        assert compare_metadata(context, metadata) == []
        # Alembic does not compare collations.
        assert collations(metadata, connection.dialect) == collations(reflected_from(connection))
        indexes = {
            index["name"]
            for table in inspect(connection).get_table_names()
            for index in inspect(connection).get_indexes(table)
        }
        assert indexes & set().union(*INDEXES.values()) == INDEXES[database]
    backend.close()


def test_a_later_migration_keeps_the_data_of_the_fixture(stored, tmp_path, monkeypatch):
    stored.upgrade()
    before = all_rows(stored)
    assert all(before[resource.name] for resource in PUBLIC_RESOURCES)
    old = schema.versions()
    add_next_version(monkeypatch, tmp_path)
    with pytest.raises(StorageNotReady, match="run 'finance-api db upgrade'"):
        stored.check()
    stored.upgrade()
    stored.check()
    assert all_rows(stored) == before
    with stored.engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT amount, weight FROM records").all()
        assert found
        assert all(weight == 2 * amount for amount, weight in found)
    monkeypatch.setattr(schema, "versions", lambda: old)
    with pytest.raises(StorageNotReady, match=r"next.*use the newer version"):
        stored.check()


#: The versions from before the first one that an upgrade knows.
EARLIER = [
    *("0001", "0009", "0017", "0001_initial", "0002_user_data", "0003_user_region"),
    *("0004_plain_texts", "0005_splits", "0006_goal_links", "0007_questions", "0008_orders"),
    *("0009_question_links", "0010_names", "0011_initial", "0012_uploads", "0017_upload_workers"),
    f"{schema.newest_version()[:4]}_earlier",
]


@pytest.mark.parametrize("version", EARLIER)
@DATABASES
def test_tables_from_before_the_first_migration_are_refused(new_backend, database, version):
    backend = new_backend(database)
    with backend.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'")
    for use in (backend.check, backend.upgrade):
        with pytest.raises(StorageNotReady, match=f"version {version}.*finance-api dump EMAIL"):
            use()
    with backend.engine.connect() as connection:
        assert schema.get_version(connection) == version


def test_an_undo_restores_rows_from_before_a_field_was_added(new_backend):
    person = Person(new_backend("sqlite"))
    person.native(document("Category", 11, name="Food"))
    edited(person, add_rule, ["shop"], category="Food")
    edited(person, remove_object, RECORD_RULES, "shop")
    with person.backend.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE before_images SET \"row\" = json_remove(\"row\", '$.wholePayee', '$.payee')"
        )
    person.undo()
    assert person.only(RECORD_RULES)["wholePayee"] is False
