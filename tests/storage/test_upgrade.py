"""Databases of earlier versions, with rows in them."""

import pytest
from sqlalchemy import select, update

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.interface import reading
from finance_api.storage.sql.tables import DATA_TABLES, record_anchors, records_by_date
from finance_api.storage.testing import Unit, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
DAY = 86_400
COUNT = 600

#: As of version 0004: keys in the order in which records were stored.
OLD_INDEX = (
    "DROP TABLE record_search",
    "CREATE VIRTUAL TABLE record_search USING fts5(payee_folded, note_folded, content='',"
    " columnsize=0, tokenize='trigram case_sensitive 1')",
    "UPDATE records_by_date SET search_key = user_id * (1 << 36)"
    " + (SELECT count(*) FROM records_by_date AS other WHERE other.id < records_by_date.id)",
    "INSERT INTO record_search (rowid, payee_folded, note_folded)"
    " SELECT search_key, payee_folded, note_folded FROM records_by_date ORDER BY search_key",
)


@pytest.fixture
def unit(new_backend):
    def make(database):
        unit = Unit(new_backend(database))
        rows = [
            make_row(RECORDS, n, recordDate=n * 7 % 365 * DAY, note=f"note {n} of {n % 9}")
            for n in range(1, COUNT)
        ]
        unit.put(RECORDS, *rows)
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n) for n in range(1, 20)))
        return unit

    return make


def answers(unit):
    keys = parse_sort(RECORDS, RECORDS.default_sort)
    searches = [parse_conditions(RECORDS.get_field("note"), f"contains-i.{n} of") for n in (7, 77)]
    queries = [
        Query(RECORDS, (), keys, 50, COUNT - 70),
        *(Query(RECORDS, conditions, keys, 30) for conditions in searches),
        Query(ACCOUNTS, (), parse_sort(ACCOUNTS, ACCOUNTS.default_sort), 50),
    ]
    with reading(unit.backend) as storage:
        found = [storage.list_json(unit.user.id, query) for query in queries]
    assert all(page.lines for page in found)
    return found


def upgrade(unit):
    with unit.backend.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0004'")
    unit.backend.upgrade()


@DATABASES
def test_what_answers_are_made_of_is_prepared_for_rows_that_are_there(unit, database):
    unit = unit(database)
    expected = answers(unit)
    with unit.backend.engine.begin() as connection:
        for table in (record_anchors, records_by_date):
            connection.execute(table.delete())
        for table in DATA_TABLES.values():
            if table.json is not None:
                connection.execute(update(table.table).values(json=""))
    upgrade(unit)
    assert answers(unit) == expected


@DATABASES
def test_what_is_prepared_already_stays_right(unit, database):
    unit = unit(database)
    expected = answers(unit)
    if database == "sqlite":
        with unit.backend.engine.begin() as connection:
            for statement in OLD_INDEX:
                connection.exec_driver_sql(statement)
    upgrade(unit)
    assert answers(unit) == expected
    # What comes then has its place as well.
    unit.put(RECORDS, make_row(RECORDS, COUNT, recordDate=DAY, note="77 of all"))
    with unit.backend.engine.connect() as connection:
        assert len(connection.execute(select(records_by_date.c.id)).all()) == COUNT
    assert answers(unit)[2].lines.count(b"\n") == expected[2].lines.count(b"\n") + 1
