"""The times of a download are all some whole hours from those of an earlier one."""

import pytest

from finance_api.cli.import_texts import text
from finance_api.importers.interface import ImportRefused
from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import DAY_SECONDS
from support.ledger import Person, units
from support.statements import Bank, entry

HOUR = 3_600


@pytest.fixture
def bank():
    return Bank(Person(MemoryBackend()), "csv")


def row(day, hours, amount="-3.5", payee="Coffee Bar", shift=0):
    """Return an entry at this hour of a day of January, moved by some hours."""
    found = entry("1", amount, payee)
    return found._replace(date=found.date + int(((day - 1) * 24 + hours + shift) * HOUR))


def month(shift=0, first=1, last=28):
    """Return coffees at ten and eleven each day, and something else each third day."""
    return [
        each
        for day in range(first, last + 1)
        for each in (
            row(day, 10, shift=shift),
            row(day, 11, shift=shift),
            *([row(day, 23.5, f"-{day}", f"Shop {day}", shift)] if day % 3 == 0 else []),
        )
    ]


def hours(bank):
    times = [record["recordDate"] for record in bank.person.rows(RECORDS)]
    return sorted(time % DAY_SECONDS / HOUR for time in times)


@pytest.mark.parametrize("shift", [-14, -1, 1, 2, 13])
def test_rows_of_a_moved_clock_are_the_same_records(bank, shift):
    bank.file(*month())
    report = bank.file(*month(shift))
    assert (report.created, report.updated) == (0, len(month()))
    assert sum(r["amount"] for r in bank.person.rows(RECORDS)) == sum(e.amount for e in month())
    before = bank.person.snapshot()
    for rows in (month(shift), month(), month(shift)):
        assert bank.file(*rows).created == 0
    assert len(bank.person.rows(RECORDS)) == len(month())
    assert before[0]


def test_download_that_only_overlaps_has_the_same_and_new_rows(bank):
    bank.file(*month(last=14))
    bank.file(*month(1, first=8, last=21))
    assert len(bank.person.rows(RECORDS)) == len(month(last=21))
    # Now only a part of the stored rows is moved: nobody knows by how much the rest is.
    with pytest.raises(ImportRefused, match="--moved-days 0"):
        bank.file(*month(1))


def test_rest_of_the_records_follows_a_clock_that_is_known_to_have_moved(bank):
    def shops(first, last, shift=0):
        return [row(day, 10, f"-{day}", f"Shop {day}", shift) for day in range(first, last + 1)]

    bank.file(*shops(1, 9))
    bank.file(*shops(6, 14, 1))
    # Only two records are left at their old time.
    bank.file(*shops(4, 14, 1))
    bank.file(*shops(2, 14, 1))
    bank.file(*shops(1, 9))
    amounts = [record["amount"] for record in bank.person.rows(RECORDS)]
    assert sorted(amounts, reverse=True) == [units(f"-{day}") for day in range(1, 15)]


def test_download_may_begin_with_many_new_rows(bank):
    bank.file(*month(last=14))
    bank.file(*reversed(month(1)))
    assert len(bank.person.rows(RECORDS)) == len(month())


def test_gap_between_two_stored_files_is_filled(bank):
    bank.file(*month(last=9))
    bank.file(*month(first=20))
    bank.file(*month(2))
    assert len(bank.person.rows(RECORDS)) == len(month())


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_rows_an_hour_later_are_others(bank, count):
    rows = [row(5, 10), row(5, 12)][:count]
    bank.file(*rows)
    later = [each._replace(date=each.date + HOUR) for each in rows]
    report = bank.file(*later)
    assert report.created == count
    assert ["but for the hour" in text(remark) for remark in report.remarks] == [True]


@pytest.mark.parametrize("shift", [-11, -1, 2])
@pytest.mark.parametrize("rows", [[row(5, 10)], [row(5, 10), row(6, 18.5)]])
def test_the_user_can_say_that_one_or_two_rows_are_the_same(bank, rows, shift):
    bank.file(*rows)
    later = [each._replace(date=each.date + shift * HOUR) for each in rows]
    report = bank.file(*later, moved_days=1)
    assert (report.created, report.remarks) == (0, [])
    assert bank.file(*rows).created == bank.file(*later).created == 0


def test_a_coffee_of_another_hour_is_not_remarked_on_if_the_first_one_comes_again(bank):
    bank.file(row(5, 10))
    assert bank.file(row(5, 10), row(5, 11)).remarks == []


def test_rows_that_did_not_all_move_are_others(bank):
    rows = [row(5, 10), row(6, 10), row(7, 10), row(8, 10)]
    bank.file(*rows)
    others = rows[0], *(row(n, 11) for n in (6, 7, 8))
    with pytest.raises(ImportRefused, match="may be the record"):
        bank.file(*others)
    assert bank.file(*others, moved_days=0).created == 3


def test_rows_moved_by_half_an_hour_or_by_a_day_are_others(bank):
    bank.file(*(row(n, 10) for n in (5, 6, 7)))
    assert bank.file(*(row(n, 10.5) for n in (5, 6, 7)), moved_days=0).created == 3
    assert bank.file(*(row(n, 10) for n in (8, 9, 10))).created == 3


def test_rows_of_each_hour_are_new_where_the_earlier_ones_come_again(bank):
    bank.file(*(row(5, n) for n in range(8, 13)))
    assert bank.file(*(row(5, n) for n in range(10, 16))).created == 3
    assert hours(bank) == list(range(8, 16))
