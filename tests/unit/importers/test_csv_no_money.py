"""Cells and rows that hold no money: dashes for amounts, pending rows, notes below the rows,
and a balance in a last row without text.
"""

import pytest

from finance_api.importers.clauses import Topic
from support.csv_files import answers, read, refusal
from support.offered import GIVEN, ends

OPTIONS = {"account": "Giro", "currency": "EUR"}
ROWS = (
    "2026-03-02,Bakery,-12.50\n2026-03-05,Employer,900.00\n"
    "2026-03-14,Garage,-30.00\n2026-03-20,Cafe,-4.10\n"
)


def amounts(text, **options):
    return [
        entry.amount / 10_000
        for whole in read(text, **OPTIONS, **options)
        for entry in whole.entries
    ]


@pytest.mark.parametrize("missing", ["-", "--", "–", "N/A", " - "])
def test_a_dash_stands_in_place_of_a_missing_amount(missing):
    text = (
        "Date,Description,Paid out,Paid in,Balance\n"
        f"2026-03-02,Bakery,12.50,{missing},{missing}\n"
        f"2026-03-05,Employer,{missing},900.00,1887.50\n"
        f"2026-03-14,Garage,30.00,{missing},1857.50\n"
    )
    assert amounts(text) == [-12.5, 900, -30]


def test_a_dash_in_the_only_column_of_amounts_is_no_amount():
    text = "Date,Description,Amount\n" + ROWS + "2026-03-21,Kiosk,-\n"
    assert refusal(text, **OPTIONS).questions[0].fact.topic == Topic.AMOUNT_EMPTY


@pytest.mark.parametrize("day", ["PENDING - 2026-03-22", "2026-03-22 (pending)", "Pending"])
def test_rows_with_a_word_for_pending_beside_the_date_are_left_out(day):
    text = f"Date,Description,Amount\n{day},Kiosk,-9.50\n{ROWS}"
    (found,) = read(text, **OPTIONS)
    assert len(found.entries) == 4
    assert found.statement.skipped == {day: 1}


def test_rows_with_a_word_for_pending_in_place_of_their_id_are_left_out():
    rows = [f"{line},A{number}\n" for number, line in enumerate(ROWS.splitlines())]
    rows.append("2026-03-22,Kiosk,-9.50,PENDING\n")
    (found,) = read("date,note,amount,id\n" + "".join(rows), **OPTIONS)
    assert [entry.bank_id for entry in found.entries] == ["A0", "A1", "A2", "A3"]


def test_dates_with_months_or_times_are_not_pending():
    rows = "Mar 2 2026 09:00 PM,Bakery,-1.00\nMar 14 2026 10:00 AM,Cafe,-2.00\n"
    text = f"Date,Description,Amount\n{rows}"
    assert amounts(text) == [-1, -2]


NOTES = "\nThis statement needs no signature\nBank of the Lake; 1 Shore Road\n"


def test_several_rows_of_notes_below_the_rows_are_left_out():
    (found,) = read("Date,Description,Amount\n" + ROWS + NOTES, **OPTIONS)
    assert len(found.entries) == 4
    assert any("left out the last 2 rows, from 'This" in each for each in found.statement.remarks)


@pytest.mark.parametrize(
    "below",
    [
        "Cut 5",
        "Cut off\n900.00,Employer\n",
        "Cut\noff 5,2026-03-21\n",
        "Cut off\n2026-03-21;Kiosk;-5\n",
    ],
)
def test_rows_below_the_rows_that_may_be_cut_short_are_not_left_out_unasked(below):
    refusal("Date,Description,Amount\n" + ROWS + below, **OPTIONS)


HEADS = ("", "Date,Description,Amount\n")


@pytest.mark.parametrize("head", HEADS)
def test_a_last_row_without_text_may_be_a_balance(head):
    text = head + ROWS + "2026-03-21,,1853.40\n"
    refused = refusal(text, **OPTIONS)
    assert refused.questions[0].fact.topic == Topic.END_WITHOUT_TEXT
    name = "Description" if head else "2"
    assert answers(refused) == ["--skip-last 1", f"--leave-out {name}="]
    words = [*GIVEN, "--account", "Giro", "--currency", "EUR"]
    assert [len(records) for records, _ in ends(text, words)] == [4, 5]


def test_a_first_row_without_text_and_headings_may_be_a_balance():
    text = "2026-03-01,,1000.00\n" + ROWS
    assert answers(refusal(text, **OPTIONS)) == ["--skip-rows 1", "--leave-out 2="]
    words = [*GIVEN, "--account", "Giro", "--currency", "EUR"]
    assert [len(records) for records, _ in ends(text, words)] == [4, 5]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("place", [1, 2])
def test_rows_without_text_between_others_are_not_asked_about(head, place):
    rows = ROWS.splitlines(keepends=True)
    rows.insert(place, "2026-03-03,,5.00\n")
    assert len(amounts(head + "".join(rows))) == 5
    rows.append("2026-03-21,,7.00\n")
    assert len(amounts(head + "".join(rows))) == 6


def test_a_column_of_types_is_the_note_if_there_is_no_other_text():
    text = "Date,Type,Amount\n2026-03-02,Card purchase,-12.50\n2026-03-05,Salary,900.00\n"
    (found,) = read(text, **OPTIONS)
    assert [entry.note for entry in found.entries] == ["Card purchase", "Salary"]
    unsigned = text.replace("-12", "12")
    assert refusal(unsigned, **OPTIONS).questions[0].fact.topic != Topic.TEXT_LOST


def test_the_account_of_the_other_party_is_no_account_of_ones_own():
    text = (
        "Date,Amount,Payee,This Party Account,Other Party Account\n"
        "2026-03-02,-12.50,Bakery,02-0100-0000000-000,01-0242-0000000-00\n"
        "2026-03-05,900.00,Employer,02-0100-0000000-000,03-1234-0000000-00\n"
    )
    (found,) = read(text, **OPTIONS)
    assert [entry.counterparty_account for entry in found.entries] == [
        "01-0242-0000000-00",
        "03-1234-0000000-00",
    ]
