"""Without the read model, the storage needs nothing of it."""

import json
from copy import copy

import pytest
from sqlalchemy import text
from sqlalchemy.schema import DropTable

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.runtime.time_limit import TookTooLong, time_limit
from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.read_model.tables import record_anchors, record_sums, records_by_date
from finance_api.storage.testing import Unit, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
START = (0, "", "")


@DATABASES
def test_rows_are_read_and_written_without_the_tables_of_the_read_model(new_backend, database):
    backend = new_backend(database, read_model=False)
    with backend.engine.begin() as connection:
        for table in (record_anchors, record_sums, records_by_date):
            connection.execute(DropTable(table))
    unit = Unit(backend)
    unit.put(RECORDS, *(make_row(RECORDS, n) for n in range(1, 8)))
    unit.put(RECORDS, make_row(RECORDS, 8))
    user, query = unit.user.id, Query(RECORDS, limit=3, with_total=True)
    with unit.writing() as storage:
        storage.data.delete_rows(user, RECORDS, [make_row(RECORDS, 1)["id"]])
    with unit.reading() as storage:
        page = storage.data.list_json(user, query)
        changes = storage.data.list_changes(
            user, [RECORDS], rows_after=START, deletions_after=START, limit=99
        )
        (found,) = storage.data.sum_by(user, ["isVoid"], ()).values()
        lines = b"\n".join(storage.data.stream_json(user, query)).splitlines()
    assert (len(page.rows), page.has_more, page.total) == (3, True, 7)
    assert lines[:3] == page.rows
    assert len(lines) == found.number == 7
    changed = [json.loads(line) for line in changes.lines]
    assert [change["op"] for change in changed].count("delete") == 1
    rows = {row["id"]: row for row in map(json.loads, lines)}
    assert {each["id"]: each["data"] for each in changed if each["op"] == "put"} == rows


@DATABASES
@pytest.mark.parametrize("written_with", [True, False], ids=["fast", "plain"])
def test_a_room_refuses_derived_data_of_the_other_until_it_is_rebuilt(
    new_backend, database, written_with
):
    """Otherwise the read model would answer without what was written past it."""
    first = new_backend(database, read_model=written_with)
    url = first.engine.url.render_as_string(hide_password=False)
    unit = Unit(first)
    unit.put(RECORDS, *(make_row(RECORDS, n) for n in range(1, 8)))
    other = SqlBackend(url, read_model=not written_with)
    for use in (other.check, lambda: unit_of(other, unit).put(RECORDS, make_row(RECORDS, 9))):
        with pytest.raises(StorageNotReady, match=r"read model has version .* db upgrade"):
            use()
    other.upgrade()
    again = unit_of(other, unit)
    again.put(RECORDS, make_row(RECORDS, 8))
    with pytest.raises(StorageNotReady, match="read model has version"):
        unit.put(RECORDS, make_row(RECORDS, 9))
    with again.reading() as storage:
        page = storage.data.list_json(unit.user.id, Query(RECORDS, limit=9, with_total=True))
    assert (len(page.rows), page.total) == (8, 8)
    assert {fault.kind for fault in other.find_faults()} <= {"revisions"}
    other.close()


def unit_of(backend, unit):
    """Return a unit of the same user in another backend."""
    found = copy(unit)
    found.backend = backend
    return found


ENDLESS = {
    "sqlite": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}


@DATABASES
def test_a_time_limit_ends_a_read_and_all_later_ones(new_backend, database):
    unit = Unit(new_backend(database, read_model=False))
    unit.put(RECORDS, make_row(RECORDS, 1))
    with unit.reading() as storage, time_limit(0.3):
        with pytest.raises(TookTooLong):
            storage.data.connection.fetch(text(ENDLESS[database]), values={})
        with pytest.raises(TookTooLong):
            storage.data.get_state(unit.user.id)
    assert unit.ids(RECORDS) == [1]


@DATABASES
def test_a_unit_of_work_that_reads_cannot_write(new_backend, database):
    unit = Unit(new_backend(database, read_model=False))
    with unit.reading() as storage, pytest.raises(StorageUnavailable, match="read-only"):
        storage.data.connection.fetch(text("DELETE FROM records RETURNING id"), values={})
