"""Whether the statements of one file continue each other."""

import pytest

from finance_api.importers import sections
from finance_api.importers.interface import Entry
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.bank_files import (
    camt,
    camt_balance,
    camt_entry,
    camt_statement,
    mt940,
    mt940_entry,
    mt942,
    read_bank_file,
)
from support.whole import Whole


def message(opening: str, amount: str, closing: str, day: str = "2026-01-05") -> str:
    return mt940([mt940_entry(day, amount)], opening=(opening, day), closing=(closing, day))


def told(whole: Whole) -> list[str | None]:
    """The opening and the closing balance."""
    both = whole.statement.opening, whole.statement.closing
    return [each and f"{decimal_text(each.amount)} {date_text(each.date)}" for each in both]


def numbers(*wholes: Whole) -> list[int | None]:
    entries: list[Entry] = [entry for whole in wholes for entry in whole.entries]
    return [entry.section for entry in entries]


def test_a_gap_between_balances_begins_another_statement() -> None:
    first, second = read_bank_file(
        message("100", "-10", "90") + message("80", "-10", "70", "2026-01-07")
    )
    assert told(first) == ["100 2026-01-04", "90 2026-01-05"]
    assert told(second) == ["80 2026-01-06", "70 2026-01-07"]
    assert numbers(first, second) == [1, 2]


def test_a_statement_that_comes_to_nothing_does_not_follow_itself() -> None:
    def nothing(day: str) -> str:
        entries = [mt940_entry(day, "-10"), mt940_entry(day, "10")]
        return mt940(entries, opening=("100", day), closing=("100", day))

    one, other = nothing("2026-01-05"), nothing("2026-01-06")
    (found,) = read_bank_file(one + other + one + other)
    assert numbers(found) == [1] * 4 + [2] * 4
    (found,) = read_bank_file(one + one)
    assert numbers(found) == [1, 1, 2, 2]


def test_of_two_on_one_day_the_last_one_states_its_closing_balance() -> None:
    first, second = read_bank_file(message("100", "-10", "90") + message("80", "-10", "70"))
    assert told(first) == ["100 2026-01-04", None]
    assert told(second) == ["80 2026-01-04", "70 2026-01-05"]


def test_a_closing_balance_is_after_the_last_entry() -> None:
    """Entries without an entry date have their value date, which may be after the closing
    balance.
    """
    data = mt940(
        [mt940_entry("2026-01-09", "-10"), mt940_entry("2026-01-03", "-10")],
        opening=("100", "2026-01-04"),
        closing=("80", "2026-01-05"),
    )
    (found,) = read_bank_file(data)
    assert told(found) == ["100 2026-01-02", "80 2026-01-09"]


def test_a_statement_without_closing_balance_takes_that_of_the_one_before() -> None:
    """Otherwise the balance would lack some records of its day."""
    opening = [camt_balance("OPBD", "90", "2026-01-05")]
    first = camt_statement(
        [camt_entry("2026-01-05", "-10")], balances=[camt_balance("CLBD", "90", "2026-01-05")]
    )
    (found,) = read_bank_file(
        camt(first, camt_statement([camt_entry("2026-01-05", "-5")], balances=opening))
    )
    assert told(found) == [None, None]
    (found,) = read_bank_file(camt(first, camt_statement(balances=opening)))
    assert told(found) == [None, "90 2026-01-05"]


def test_an_opening_balance_without_entries_is_of_its_own_day() -> None:
    (found,) = read_bank_file(mt940(opening=("1", "2026-01-05"), closing=("1", "2026-01-07")))
    assert told(found) == ["1 2026-01-05", "1 2026-01-07"]


def test_reports_without_balances_can_state_the_same_and_notifications_cannot() -> None:
    entry = mt940_entry("2026-01-05", "-1")
    (found,) = read_bank_file(mt942([entry]) + mt942([entry, entry]))
    assert numbers(found) == [1, 2, 2]
    statement = camt_statement([camt_entry("2026-01-05", "-1")])
    for name, expected in [("camt.052", [1, 2]), ("camt.053", [1, 2]), ("camt.054", [1, 1])]:
        (found,) = read_bank_file(camt(statement, statement, message=name))
        assert numbers(found) == expected


def test_the_number_of_statements_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "MAX_STATEMENTS", 3)
    days = [f"2026-01-{day:02}" for day in range(5, 15)]
    found = read_bank_file("".join(message("100", "-10", "90", day) for day in days))
    assert len(found) == 3
    assert numbers(*found) == list(range(1, 11))
    assert told(found[-1]) == ["100 2026-01-06", "90 2026-01-14"]
