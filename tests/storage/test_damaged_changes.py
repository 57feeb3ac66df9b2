"""A change whose stored JSON is damaged is never an answer, and never a deletion."""

import orjson
import pytest
from sqlalchemy import bindparam, update

from finance_api.resources import LABELS, RECORDS
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.interface import DataState
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.tables import records_by_date
from finance_api.storage.testing import Unit, make_id, make_row

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
START = (0, "", "")


def changes_of(unit, resource):
    with unit.reading() as storage:
        return storage.data.list_changes(
            unit.user.id, [resource], rows_after=START, deletions_after=START, limit=10
        ).lines


def unit_with_json(backend, resource, json):
    """Return a unit with rows 1 and 3, a deleted row 4, and row 2, which has this stored JSON."""
    unit = Unit(backend)
    unit.put(resource, *(make_row(resource, n) for n in range(1, 5)))
    with unit.writing() as storage:
        storage.data.delete_rows(unit.user.id, resource, [make_id(4)])
        storage.data.set_state(unit.user.id, DataState(1, 10))
    changes = map(orjson.loads, changes_of(unit, resource))
    assert [change["op"] for change in changes] == ["put"] * 3 + ["delete"]
    table = DATA_TABLES[resource.name].table if resource is LABELS else records_by_date
    with backend.engine.begin() as connection:
        own = table.c.id == make_id(2)
        connection.execute(update(table).where(own).values(json=bindparam("to", json)))
    return unit


@DATABASES
@pytest.mark.parametrize("resource", [RECORDS, LABELS])
@pytest.mark.parametrize("json", ["\n", '{"id":\n"b"}'])
def test_a_line_end_is_damage(new_backend, database, resource, json):
    unit = unit_with_json(new_backend(database), resource, json)
    with pytest.raises(StorageDamaged, match="cannot be read"):
        changes_of(unit, resource)


@DATABASES
@pytest.mark.parametrize("resource", [RECORDS, LABELS])
def test_an_empty_text_is_damage_and_no_deletion(new_backend, database, resource):
    unit = unit_with_json(new_backend(database), resource, "")
    with pytest.raises(StorageDamaged, match="cannot be read"):
        changes_of(unit, resource)


def test_bytes_that_are_no_text_are_damage(new_backend):
    unit = unit_with_json(new_backend("sqlite"), LABELS, "{}")
    with unit.backend.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE labels SET json = x'7bff'")
    with pytest.raises(StorageDamaged, match="is not UTF-8"):
        changes_of(unit, LABELS)
