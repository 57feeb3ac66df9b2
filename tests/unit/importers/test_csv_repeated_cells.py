"""Cells that were left out because they repeat the row above: offered, and never silent."""

import pytest

from finance_api.importers.csv.index import Profiles
from finance_api.importers.csv.profile_file import parse_profile, profile_text
from support.csv_files import Memory, answers, read, refusal

HEADINGS = "Date,Account,Currency,Type,Amount,Notes\n"
ROWS = "2026-03-17,Giro,EUR,Expense,19.45,Drinks\n{}2026-03-19,Savings,USD,Income,900.00,Wages\n"


def amounts(text, **options):
    """Return account, currency and amount of each record."""
    return [
        (each.statement.account.name, each.statement.account.currency, entry.amount / 10_000)
        for each in read(text, **options)
        for entry in each.entries
    ]


@pytest.mark.parametrize(
    ("cells", "sign", "offered"),
    [
        (",Giro,EUR,Expense", "Type", "--fill-down Date"),
        (
            ",,,",
            "Type",
            "--fill-down Date --fill-down Account --fill-down Currency --fill-down Type",
        ),
        ("2026-03-17,,EUR,Expense", "Type", "--fill-down Account"),
        ("2026-03-17,Giro,,Expense", "Type", "--fill-down Currency"),
        ("2026-03-17,Giro,EUR,", None, "--sign Type --fill-down Type"),
        ("2026-03-17,Giro,EUR,", "Type", "--sign Type --fill-down Type"),
    ],
)
def test_blank_cells_are_offered_to_repeat_the_row_above(cells, sign, offered):
    text = HEADINGS + ROWS.format(f"{cells},1.50,Snack\n")
    assert offered in answers(refusal(text, account=None, sign=sign))
    filled = offered.replace("--sign Type", "").replace("--fill-down", "").split()
    assert amounts(text, fill_down=filled, sign="Type") == [
        ("Giro", "EUR", -19.45), ("Giro", "EUR", -1.5), ("Savings", "USD", 900)
    ]  # fmt: skip


def test_a_row_without_a_direction_is_first_offered_to_be_left_out():
    text = HEADINGS + ROWS.format("2026-03-17,Giro,EUR,,1.50,Snack\n")
    first = answers(refusal(text, account=None))[0]
    assert first == "--sign Type --only Type=Expense --only Type=Income"


def test_cells_that_repeat_the_named_account_are_offered_to_be_filled():
    text = "Date,Account,Amount,Notes\n2026-03-17,Giro,-19.45,Drinks\n2026-03-18,,-1.50,Snack\n"
    assert answers(refusal(text, currency="EUR"))[0] == "--fill-down Account"


def test_days_at_the_end_are_offered_to_be_filled_before_rows_are_left_out():
    text = "Date,Notes,Amount\n2026-03-17,Drinks,-19.45\n2026-03-18,Kiosk,-1.50\n,Snack,-2.50\n"
    assert "--fill-down Date" in answers(refusal(text, currency="EUR"))


def test_the_option_is_remembered_for_the_account():
    text = "Date,Notes,Amount\n2026-03-17,Drinks,-9.45\n,Snack,-1.50\n2026-03-19,Wages,900.00\n"
    memory = Memory()
    memory.read(text, currency="EUR", fill_down=["Date"])
    found = memory.read(text.replace("-1.50", "-2.50"), currency="EUR")
    assert [entry.amount for entry in found.entries] == [-94_500, -25_000, 9_000_000]


def test_a_total_below_filled_days_is_no_record_of_the_last_day():
    text = "Date,Text,Amount\n2026-01-01,A,-1.00\n,B,-2.00\n2026-01-03,D,6.00\n,{},3.00\n"
    given = {"currency": "EUR", "fill_down": ["Date"]}
    assert refusal(text.format(""), **given).line == 5
    assert [amount for *_, amount in amounts(text.format("Total"), account="A", **given)] == [
        -1, -2, 6
    ]  # fmt: skip


def test_a_saved_profile_fills_the_same_cells():
    text = profile_text("Mine", ["Date", "Notes", "Amount"], {"fill_down": ["Date"]})
    file = "Date,Notes,Amount\n2026-03-17,Drinks,-9.45\n,Snack,-1.50\n2026-03-19,Wages,900.00\n"
    given = {"profiles": Profiles([parse_profile("mine", text)]), "profile": "mine"}
    found = amounts(file, account="A", currency="EUR", **given)
    assert [amount for *_, amount in found] == [-9.45, -1.5, 900]
