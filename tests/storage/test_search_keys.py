"""The order in which SQLite's index for searching knows records."""

import pytest

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageNotReady
from finance_api.storage.sql.projection import search_keys, searching
from finance_api.storage.sql.projection.search_keys import day_of, first_key, keys_between
from finance_api.storage.testing import Unit, make_row
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS

DAY = 86_400
DATES = [MAX_SECONDS, 2_000_000_000, DAY, DAY - 1, 0, -1, -DAY, -DAY - 1, MIN_SECONDS]


def found(unit, text):
    conditions = parse_conditions(RECORDS.get_field("note"), f"contains-i.{text}")
    query = Query(RECORDS, conditions, parse_sort(RECORDS, RECORDS.default_sort), limit=100)
    with unit.reading() as storage:
        return len(storage.data.list_json(unit.user.id, query).rows)


def in_order(backend):
    """What the index itself finds wrong with it; it raises."""
    with backend.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO record_search (record_search) VALUES ('integrity-check')"
        )


def test_a_newer_day_comes_first_and_another_user_s_days_before_or_after():
    keys = [first_key(user, day_of(-date)) for user in (0, 1, 2) for date in DATES]
    assert keys == sorted(keys)
    # A date's day, from its first second to its last one.
    assert day_of(-DAY) + 1 == day_of(-DAY + 1) == day_of(0) == day_of(1) - 1 == day_of(DAY) - 1
    assert max(keys) < 2**63 and min(keys) >= 0
    assert first_key((1 << 24) - 1, day_of(-MIN_SECONDS) + 1) < 2**63


def test_keys_between_bounds_are_those_of_their_days_and_of_the_user():
    low, high = keys_between(3, None, None)
    assert (low, high) == (first_key(3, 0), first_key(4, 0) - 1)
    for first in (-MAX_UNITS, -MAX_SECONDS, 0, 5 * DAY, -MIN_SECONDS, MAX_UNITS):
        for last in (-MAX_UNITS, -MAX_SECONDS, 0, 5 * DAY, -MIN_SECONDS, MAX_UNITS):
            bounds = keys_between(3, first, last)
            assert low <= bounds[0] and bounds[1] <= high
            for newest_first in (0, DAY, 5 * DAY + 1, -MIN_SECONDS, -MAX_SECONDS):
                if first <= newest_first <= last:
                    assert bounds[0] <= first_key(3, day_of(newest_first)) <= bounds[1]


@pytest.mark.parametrize("key", [first_key(7, day_of(5 * DAY)) + 3, first_key(7, 12) + 1])
def test_what_is_known_ends_before_the_last_key_s_day(key):
    known = search_keys.last_of_whole_days(key)
    if key < first_key(7, day_of(-MAX_SECONDS)):
        # It is one of the overflow: nothing is.
        assert known < -MAX_SECONDS
    else:
        # 5 * DAY is the first second of a day, so the last one of those before it in the list.
        assert known == 4 * DAY


def test_a_day_with_more_records_than_it_has_keys_has_some_of_the_overflow(
    new_backend, monkeypatch
):
    monkeypatch.setattr(search_keys, "_RECORD_BITS", 1)
    backend = new_backend("sqlite")
    unit = Unit(backend)
    unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=DAY, note="abcd") for n in range(20)))
    unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=DAY, note="abcd") for n in range(20, 30)))
    assert found(unit, "bcd") == 30
    in_order(backend)
    monkeypatch.setattr(search_keys, "_OVERFLOW_DAYS", 8)
    with pytest.raises(StorageNotReady, match="so many records of one day"):
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=DAY) for n in range(30, 60)))
    assert found(unit, "bcd") == 30


def test_what_was_written_just_before_goes_out_of_the_index_as_well(new_backend):
    backend = new_backend("sqlite")
    unit, other = Unit(backend, "one"), Unit(backend, "two")
    rows = [make_row(RECORDS, n, recordDate=n * DAY, note="abcd") for n in range(50)]
    other.put(RECORDS, *rows)
    with unit.writing() as storage:
        storage.data.put_rows(unit.user.id, RECORDS, new=rows, changed=())
        changed = [{**row, "note": "efgh", "recordDate": 0} for row in rows[:10]]
        storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=changed)
    assert (found(unit, "abc"), found(unit, "fgh"), found(other, "abc")) == (40, 10, 50)
    in_order(backend)
    with unit.writing() as storage:
        new = [make_row(RECORDS, n, recordDate=n * DAY, note="abcd") for n in range(50, 60)]
        storage.data.put_rows(unit.user.id, RECORDS, new=new, changed=())
        storage.users.delete(unit.user.id)
    assert found(other, "abc") == 50
    in_order(backend)
    with backend.engine.connect() as connection:
        matches = "SELECT count(*) FROM record_search WHERE record_search MATCH '\"abc\"'"
        assert connection.exec_driver_sql(matches).scalar() == 50


@pytest.mark.parametrize("length", range(3, 40))
def test_the_trigrams_of_a_text_hold_all_its_characters(length):
    text = "".join(chr(0x4E00 + number) for number in range(length))
    found = searching._trigrams(text)
    assert len(found) == -(-length // 3)
    assert set("".join(found)) == set(text)
    assert all(len(trigram) == 3 and trigram in text for trigram in found)
