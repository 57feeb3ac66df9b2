"""Changing many records takes work in proportion to their number."""

import pytest

from finance_api.resources import LABELS, RECORDS
from finance_api.storage.testing import Unit, make_row
from finance_api.storage.testing.units import make_query
from support.nightly import count

#: With fewer rows, PostgreSQL may read all rows of the user.
COUNT = 12_000
BATCH = 2_000


def test_what_is_to_be_changed_is_found_by_an_index(new_backend):
    unit = Unit(new_backend("postgresql"))
    rows = [make_row(RECORDS, n, recordDate=n % 97 * 86_400) for n in range(COUNT)]
    unit.put(RECORDS, *rows)
    with unit.writing() as storage:
        for _ in range(2):
            for at in range(0, COUNT, BATCH):
                changed = [{**row, "note": "changed"} for row in rows[at : at + BATCH]]
                storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=changed)
        read = storage.data.connection.sqlalchemy.exec_driver_sql(
            "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0)"
            " FROM pg_stat_xact_user_tables"
            " WHERE relname IN ('records', 'records_by_date')"
        ).all()
        sums = dict(map(tuple, read))
    # Each record is changed twice, with a look-up in each place where it may be and another one to
    # delete it there; and its month is looked up once. PostgreSQL may also pass the row as it was
    # before. Reading all rows for each batch would be 12 times their number.
    assert max(sums.values()) <= 8 * COUNT, sums


#: More rows than values that one query can bind: 32,766 in SQLite, 65,535 in PostgreSQL.
MANY = {"sqlite": 33_000, "postgresql": 66_000}


@pytest.mark.nightly
def test_any_number_of_rows_is_changed_at_once(new_backend):
    for database in count(["sqlite"], MANY):
        number = MANY[database]
        unit = Unit(new_backend(database))
        rows = [make_row(LABELS, n, name="old") for n in range(number)]
        unit.put(LABELS, *rows)
        with unit.writing() as storage:
            changed = [{**row, "name": "new"} for row in rows]
            storage.data.put_rows(unit.user.id, LABELS, new=(), changed=changed)
        with unit.reading() as storage:
            query = make_query(LABELS, limit=1, with_total=True, name="eq.new")
            assert storage.data.list_rows(unit.user.id, query).total == len(rows)
