"""Books of hledger and beancount: compared with the programs' own answers, and hostile ones.

`scripts/text_books.py` lets the programs print the books, and asks them for the answers.
"""

import gzip
import io
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.books.double_entry.mapping import DoubleEntry
from finance_api.importers.books.double_entry.model import Kind, Leg, Transaction
from finance_api.importers.books.hledger.plans import Plans, recurrence_of
from finance_api.importers.books.reading import BookIds, Remarks
from finance_api.importers.books.text_books import path_account, with_groups
from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.planning.recurrence import schedule_of
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, LABELS, RECORDS, STANDING_ORDERS
from finance_api.storage.memory import MemoryBackend
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, date_text, parse_date
from support.books import BOOKS, import_book, named, refusal
from support.ledger import Person
from support.programs import missing
from support.text_books import Entry, printed_by_beancount, printed_by_hledger

SCRIPT = Path(__file__).parents[3] / "scripts" / "text_books.py"
NAMES = [path.name.removesuffix(".txt.gz") for path in sorted(BOOKS.glob("*.txt.gz"))]
OPTIONS: dict[str, dict[str, Any]] = {"hledger-vermoegen": {"currency": "USD"}}
each_book = pytest.mark.parametrize("name", NAMES)


def printed(name: str) -> bytes:
    return gzip.decompress((BOOKS / f"{name}.txt.gz").read_bytes())


def answers(name: str) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    return dict(json.loads((BOOKS / f"{name}.json").read_text()))


def to_code(commodity: str) -> str:
    return {"€": "EUR", "$": "USD"}.get(commodity, commodity)


# -- the programs' own answers


def test_there_are_three_books_of_each_program():
    assert Counter(name.partition("-")[0] for name in NAMES) == {"hledger": 3, "beancount": 3}


@each_book
def test_balances_on_five_days_are_those_of_the_program(person: Person, name: str):
    import_book(person, printed(name), **OPTIONS.get(name, {}))
    asked = answers(name)["balances"]
    assert len(asked) == 5
    accounts = {row["id"]: row for row in person.rows(ACCOUNTS)}
    for day, told in asked.items():
        balances = {row["sourceId"]: row["initialBalance"] for row in accounts.values()}
        for row in person.rows(RECORDS):
            if row["recordDate"] <= parse_date(day):
                balances[accounts[row["accountId"]]["sourceId"]] += row["amount"]
        expected = {
            f"{path} {to_code(commodity)}": int(round(Decimal(amount), 4) * 10_000)
            for path, of in told.items()
            for commodity, amount in of.items()
            if to_code(commodity) in ("EUR", "USD")
        }
        ours = {
            key: balance
            for key, balance in balances.items()
            if balance and not key.endswith("securities")
        }
        assert ours == {key: units for key, units in expected.items() if units}, day
    person.audit()


@each_book
def test_sums_of_categories_and_months_are_those_of_the_program(person: Person, name: str):
    import_book(person, printed(name), **OPTIONS.get(name, {}))
    paths = {row["id"]: row["sourceId"] for row in person.rows(CATEGORIES)}
    sums: Counter[tuple[str, str, str]] = Counter()
    for row in person.rows(RECORDS):
        if row["categoryId"] is not None and not row["transferId"]:
            month = date_text(row["recordDate"])[:7]
            sums[month, paths[row["categoryId"]], row["currencyCode"]] -= row["amount"]
    told = {
        (month, path, to_code(commodity)): Decimal(amount)
        for month, of in answers(name)["categories"].items()
        for path, amounts in of.items()
        for commodity, amount in amounts.items()
    }
    equity = {key for key in sums if re.match("(?i)equity|kapital|eigenkapital", key[1])}
    ours = {k: Decimal(v) / 10_000 for k, v in sums.items() if v and k not in equity}
    assert ours.keys() == {key for key, amount in told.items() if amount}
    # Records are rounded, at most 4 of them in one sum.
    rounding = Decimal("0.01") if name.endswith("precise") else 0
    assert all(abs(amount - told[key]) <= rounding for key, amount in ours.items())


@each_book
def test_transfers_are_pairs_that_fit(person: Person, name: str):
    import_book(person, printed(name), **OPTIONS.get(name, {}))
    pairs: dict[str, list[Row]] = {}
    for row in person.rows(RECORDS):
        if row["transferId"]:
            pairs.setdefault(row["transferId"], []).append(row)
    assert pairs
    for first, second in pairs.values():
        assert first["amount"] * second["amount"] < 0
        assert first["accountId"] != second["accountId"]


@each_book
def test_the_same_book_again_changes_nothing(person: Person, name: str):
    options = OPTIONS.get(name, {})
    import_book(person, printed(name), **options)
    before = person.snapshot()
    person.clock.advance(100_000)
    assert not import_book(person, printed(name), **options).changed
    assert person.snapshot() == before


@pytest.mark.nightly
def test_the_programs_print_the_same_today(tmp_path: Path):
    for program in ("hledger", "bean-query"):
        if not shutil.which(program):
            missing(program)
    subprocess.run([sys.executable, SCRIPT, tmp_path], check=True)
    for name in NAMES:
        again = gzip.decompress((tmp_path / f"{name}.txt.gz").read_bytes())
        assert without_positions(again) == without_positions(printed(name))
        assert json.loads((tmp_path / f"{name}.json").read_text()) == answers(name)


def without_positions(book: bytes) -> list[bytes]:
    """Return the lines without the ids of beancount, which depend on the name of the file."""
    return [re.sub(rb"^[0-9a-f]{32},", b"", line) for line in book.splitlines()]


# -- what becomes of it


def test_what_is_not_as_in_the_journal_is_named_with_its_number(person: Person):
    assert [str(each) for each in import_book(person, printed("hledger-household")).remarks] == [
        "openings that are initial balances of accounts, from before their first day: 4",
        "transactions of several accounts, which hang on their first one as transfers: 1",
        "transactions without an account of money, on an account 'Between categories': 1",
        "virtual postings, not imported: 1",
        "equity accounts that are categories: 1 ('adjustments')",
        "periodic rules that are not imported: 1 ('~ every 10 days from 2026-01-01')",
    ]


def test_what_is_not_as_in_beancount_is_named_with_its_number(person: Person):
    assert [str(each) for each in import_book(person, printed("beancount-household")).remarks] == [
        "balance assertions, not imported: 2",
        "custom directives, such as Fava's budgets, not imported: 1",
        "events, not imported: 1",
        "notes of accounts, not imported: 1",
        "openings that are initial balances of accounts, from before their first day: 4",
        "transactions of several accounts, which hang on their first one as transfers: 1",
        "transactions without an account of money, on an account 'Between categories': 1",
        "accounts without transactions, not imported: 1 ('Old')",
    ]


def test_a_transaction_of_hledger_keeps_all_its_texts(person: Person):
    import_book(person, printed("hledger-household"))
    (row,) = [each for each in person.rows(RECORDS) if each["reference"]]
    assert {n: row[n] for n in ("payee", "note", "reference", "recordState", "labels")} == {
        "payee": "Corner Shop",
        "note": "weekly shopping\nfood:, where: market",
        "reference": "4711",
        "recordState": "cleared",
        "labels": ("food", "where: market"),
    }


def test_a_transaction_of_beancount_keeps_all_its_texts(person: Person):
    import_book(person, printed("beancount-household"))
    (row,) = [each for each in person.rows(RECORDS) if each["labels"]]
    assert {n: row[n] for n in ("payee", "note", "recordState", "labels")} == {
        "payee": "Corner Shop",
        "note": "weekly shopping",
        "recordState": "cleared",
        "labels": ("food", "receipt-1"),
    }
    assert {row["name"] for row in person.rows(LABELS)} == {"food", "receipt-1"}


def test_types_of_accounts_are_those_that_their_names_tell(person: Person):
    import_book(person, printed("hledger-household"))
    assert {row["name"]: row["accountType"] for row in person.rows(ACCOUNTS)} == {
        "giro": "CurrentAccount",
        "savings": "SavingAccount",
        "wallet": "Cash",
        "credit card": "CreditCard",
        "Between categories": "General",
    }


def test_a_fund_is_an_account_at_what_was_paid_for_it(person: Person):
    import_book(person, printed("beancount-vermoegen"))
    depot = named(person, ACCOUNTS, "Depot")
    assert (depot["accountType"], depot["currencyCode"]) == ("Investment", "EUR")
    # 10 at 100 and 5 at 110, of which 12 were sold.
    assert depot["balance"] == 330 * 10_000


def balances(person: Person) -> dict[str, int]:
    return {row["name"]: row["balance"] // 10_000 for row in person.rows(ACCOUNTS)}


def test_a_plain_zero_leaves_no_currency_open(person: Person):
    shopping = ("assets:bank -5 EUR", "expenses:food 5 EUR")
    legs = shopping, ("assets:bank 0 ",), (*shopping, "expenses 0 ")
    import_book(person, printed_by_hledger(*map(Entry, legs)))
    assert balances(person) == {"bank": -10}


def test_a_conversion_in_several_transactions_is_against_equity(person: Person):
    shopping = ("assets:bank -5 EUR", "expenses:food 5 EUR")
    out = ("assets:bank -10 EUR", "equity:conversion 10 EUR")
    back = ("assets:dollars 11 USD", "equity:conversion -11 USD")
    import_book(person, printed_by_hledger(*map(Entry, (shopping, out, back))))
    assert balances(person) == {"bank": -15, "dollars": 11}
    (row,) = [row for row in person.rows(RECORDS) if row["amount"] == -100_000]
    assert row["categoryId"] == named(person, CATEGORIES, "conversion")["id"]


def test_a_conversion_into_two_currencies_is_against_equity(person: Person):
    pounds = ("assets:pounds 9 GBP", "equity:conversion -9 GBP", "equity:conversion 20 EUR")
    dollars = ("assets:dollars 11 USD", "equity:conversion -11 USD")
    import_book(person, printed_by_hledger(Entry(("assets:bank -20 EUR", *pounds, *dollars))))
    assert balances(person) == {"bank": -20, "pounds": 9, "dollars": 11}


def test_a_text_of_beancount_may_have_other_separators_of_lines(person: Person):
    entry = Entry(("Assets:Bank -5 EUR", "Expenses:Food 5 EUR"), payee="Shop\x85in\u2028Rome")
    import_book(person, printed_by_beancount(entry))
    assert balances(person) == {"Bank": -5}


def test_cents_are_kept_where_most_amounts_have_none(person: Person):
    book = printed_by_beancount(
        Entry(("Assets:Bank -5 EUR", "Expenses:Food 5 EUR")),
        Entry(("Assets:Bank -5.49 EUR", "Expenses:Food 5 EUR", "Expenses:Fees 0.49 EUR")),
    )
    import_book(person, book)
    assert named(person, ACCOUNTS, "Bank")["balance"] == -104_900
    journal = printed("hledger-household").replace(b'"asprecision": 2', b'"asprecision": 0')
    import_book(person, journal)
    assert named(person, ACCOUNTS, "giro")["balance"] == 21_671_600


def test_rules_with_a_description_are_standing_orders(person: Person):
    import_book(person, printed("hledger-household"))
    shown = {
        row["name"]: (
            row["amount"] // 10_000,
            row["note"],
            row["recurrenceRule"],
            date_text(row["startDate"]),
        )
        for row in person.rows(STANDING_ORDERS)
    }
    assert shown == {
        "Müller & Söhne": (*(-800, "rent", "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=5", "2026-01-05"),),
        "Cleaning": (*(-30, "home:", "FREQ=WEEKLY;INTERVAL=2;UNTIL=20261221", "2026-01-05"),),
        "Savings": (*(-200, "to savings", "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=-1", "2026-01-31"),),
    }


@pytest.mark.parametrize(("weeks", "budgets"), [(1, 1), (10, 0)])
def test_only_a_rule_of_each_week_is_a_budget_of_a_week(weeks: int, budgets: int):
    kinds = {"expenses:fun": Kind.EXPENSE, "assets:bank": Kind.MONEY}
    accounts = with_groups(path_account(path, kind) for path, kind in kinds.items())
    remarks = Remarks()
    plans = Plans(accounts, remarks)
    for number in range(9):
        day = date(2026, 1, 5) + timedelta(weeks=weeks * number)
        amounts = zip(kinds, (Fraction(10), Fraction(-10)), strict=True)
        legs = [Leg("", path, amount, "EUR", amount, "EUR") for path, amount in amounts]
        plans.add(f"every {weeks} weeks", Transaction(day, legs))
    found = list(plans.documents(DoubleEntry(BookIds("test"), accounts, list, remarks).names))
    assert len(found) == budgets
    left_out = "periodic rules that are not imported: 1 ('~ every 10 weeks')"
    assert list(remarks) == [left_out] * (1 - budgets)


def test_other_rules_are_budgets_with_the_limits_of_all_months(person: Person):
    import_book(person, printed("hledger-household"))
    fun, food = named(person, BUDGETS, "fun"), named(person, BUDGETS, "groceries")
    assert (food["limitAmount"], food["limitOverrides"]) == (3_000_000, ())
    assert fun["limitAmount"] == 750_000
    assert fun["limitOverrides"] == ("2026-01-01=50", "2026-02-01=50")


def test_months_without_a_rule_have_no_limit():
    kinds = {"expenses:fun": Kind.EXPENSE, "assets:bank": Kind.MONEY}
    accounts = with_groups(path_account(path, kind) for path, kind in kinds.items())

    def budget(*rules: tuple[str, tuple[int, ...], str]) -> dict[str, Any] | None:
        remarks = Remarks()
        plans = Plans(accounts, remarks)
        for period, months, limit in rules:
            amount = Fraction(limit)
            legs = [Leg("", path, amount, "EUR", amount, "EUR") for path in kinds]
            for month in months:
                plans.add(period, Transaction(date(2026, month, 1), legs))
        names = DoubleEntry(BookIds("test"), accounts, list, remarks).names
        found = [*plans.documents(names)]
        if not found:
            assert "('expenses:fun: a limit below 0')" in next(iter(remarks))
            return None
        overrides = {o["periodStart"][5:7]: o["limit"] for o in found[0]["limitOverrides"]}
        return {"limit": found[0]["limitAmount"], **overrides}

    spring, rest = ("monthly to 2026-03", (1, 2), "100"), ("monthly", (5, 6, 7), "200.33333")
    limit = Decimal("200.3333")
    assert budget(spring, rest) == {"limit": limit, "01": 100, "02": 100, "03": 0, "04": 0}
    assert budget(spring) == {"limit": 0, "01": 100, "02": 100}
    assert budget(("monthly", (1, 2), "-5")) is None


def test_a_budget_of_all_expenses_counts_expenses_alone():
    kinds = {"expenses": Kind.EXPENSE, "assets:bank": Kind.MONEY, "expenses:fun": Kind.EXPENSE}
    accounts = with_groups(path_account(path, kind) for path, kind in kinds.items())
    remarks = Remarks()
    plans = Plans(accounts, remarks)
    legs = [Leg("", "expenses", Fraction(9), "EUR", Fraction(9), "EUR")]
    for month in (1, 2, 3):
        plans.add("monthly", Transaction(date(2026, month, 1), legs))
    names = DoubleEntry(BookIds("test"), accounts, list, remarks).names
    (budget,) = plans.documents(names)
    assert budget["categoryIds"] == [names.category_id("expenses:fun")]


def test_an_edit_of_a_transaction_changes_the_ids_of_that_transaction_alone(person: Person):
    book = printed("hledger-household")
    import_book(person, book)
    before = {row["sourceId"] for row in person.rows(RECORDS)}
    other = Person(MemoryBackend())
    import_book(other, book.replace(b'"Cinema"', b'"Theatre"'))
    after = {row["sourceId"] for row in other.rows(RECORDS)}
    # A record of the category, and both halves of the transfer between the accounts.
    assert len(before - after) == len(after - before) == 3


@pytest.mark.parametrize(
    ("days", "rule"),
    [
        (("2026-01-31", "2026-02-28", "2026-03-31"), "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=-1"),
        (
            ("2026-01-30", "2026-02-28", "2026-03-30"),
            "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=28,29,30;BYSETPOS=-1",
        ),
        (("2026-01-12", "2026-02-09", "2026-03-09"), "FREQ=MONTHLY;INTERVAL=1;BYDAY=2MO"),
        (("2024-02-10", "2025-02-10"), "FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=10"),
        (("2026-01-01", "2026-04-01"), "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1"),
        (("2026-01-01", "2026-01-11", "2026-01-21"), "FREQ=DAILY;INTERVAL=10"),
        (("2026-01-02", "2026-01-16", "2026-01-30"), "FREQ=WEEKLY;INTERVAL=2"),
        (
            ("2026-01-02", "2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09"),
            "FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR",
        ),
    ],
)
def test_a_rule_gives_exactly_the_days_that_it_was_found_from(days: tuple[str, ...], rule: str):
    dates = [date.fromisoformat(day) for day in days]
    found = recurrence_of(dates, "whenever")
    assert found is not None and found.rule == rule
    first, last = parse_date(days[0]), parse_date(days[-1])
    schedule = schedule_of(rule, first, first)
    assert schedule is not None
    assert [date_text(day) for day in schedule.days(last + DAY_SECONDS)] == list(days)


def test_days_without_a_rule_have_none():
    days = [date(2026, 1, 1), date(2026, 1, 4), date(2026, 2, 17), date(2026, 2, 18)]
    assert recurrence_of(days, "odd") is None


@pytest.mark.parametrize(
    ("period", "ends"),
    [
        ("monthly", False),
        ("monthly from 2026-01-01", False),
        ("every 15th day of month from 2026/01", False),
        ("monthly from 2026-01 to 2026-07", True),
        ("monthly in 2026", True),
        ("monthly 2026", True),
        ("monthly 2026-01..2026-07", True),
        ("monthly from 2026-01..", False),
    ],
)
def test_a_period_ends_if_it_names_an_end(period: str, ends: bool):
    found = recurrence_of([date(2026, 1, 1), date(2026, 2, 1)], period)
    assert found is not None and found.rule is not None
    assert ("UNTIL=20260201" in found.rule) == ends


# -- bad input


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("hledger-household", b'"decimalMantissa": 4210,', b'"decimalMantissa": 4211,', "balance"),
        ("hledger-household", b'"tdate": "2026-02-20"', b'"tdate": "9999-02-20"', "9999-02-20"),
        ("hledger-household", b'"Cleared"', b'"Unclear"', "is not as hledger prints it"),
        ("hledger-household", b'"RegularPosting"', b'"OtherPosting"', "as hledger prints it"),
        ("hledger-household", b'"aprice": null', b'"aprize": null', "is not as hledger prints it"),
        ("hledger-household", b'"tdescription"', b'"description"', "is not as hledger prints it"),
        ("hledger-household", b'"tindex": 4', b'"tindex": 3', "a transaction twice"),
        ("hledger-household", b'"tindex": 4', b'"tindex": [4]', "does not print"),
        ("hledger-household", b'"ttags": []', b'"ttags": [1]', "is not as hledger prints it"),
        ("hledger-household", b'"tpostings": [', b'"tpostings": [1, ', "as hledger prints it"),
        ("hledger-household", b'"expenses:fun"', rb'"expenses:\ud800"', "half of a surrogate pair"),
        ("hledger-household", b'"food",', rb'"\ud800",', "half of a surrogate pair"),
        ("hledger-household", b'"tdescription": "', b'"tdescription": ' + b"[" * 9_999, "damaged"),
        ("hledger-household", b"expenses:fun ", b"expenses:fun\n", "is not what hledger"),
        ("beancount-household", b"   24.00,EUR,", b"   29.00,EUR,", "does not balance"),
        ("beancount-household", b"2026-02-20,", b"9999-02-20,", "9999-02-20"),
        ("beancount-household", b"2026-02-20,", b"2026-02-30,", "is not a date"),
        ("beancount-household", b" 24.00,", b" 24.00.1,", "is not a number"),
        ("beancount-household", b" 24.00,", b" nan,", "is not a number"),
        ("beancount-household", b"id,date,flag", b"id,day,flag", "is not what bean-query prints"),
        ("beancount-vermoegen", b"option,name_assets", b"option,name_root", "name of a root"),
        ("beancount-vermoegen", b"option,name_assets,Vermoegen\n", b"", "has a root"),
    ],
)
def test_a_damaged_book_is_refused_with_what_is_wrong(
    person: Person, name: str, old: bytes, new: bytes, words: str
):
    book = printed(name)
    assert old in book
    format_name, options = name.partition("-")[0], OPTIONS.get(name, {})
    said = refusal(person, book.replace(old, new), format_name, **options)
    assert re.search(words, said), said


def test_a_journal_that_is_not_utf_8_is_refused_with_what_helps(person: Person):
    book = printed("hledger-household").decode().encode("latin-1", errors="replace")
    assert "print it with LC_ALL=C.UTF-8" in refusal(person, book)


@each_book
def test_a_book_that_was_cut_off_is_refused(person: Person, name: str):
    book, format_name = printed(name), name.partition("-")[0]
    for part in range(1, 10):
        data = book[: len(book) * part // 10]
        said = refusal(person, data[: data.rindex(b",") + 1], format_name, **OPTIONS.get(name, {}))
        wrong = "cut off|has no transactions|is not a number|does not balance|a difference of"
        assert re.search(wrong, said), (part, said)


@pytest.mark.parametrize("name", ["hledger-household", "beancount-household"])
def test_a_book_printed_twice_is_refused(person: Person, name: str):
    book = printed(name)
    assert "twice" in refusal(person, book + book) or "come after" in refusal(person, book + book)


def test_balances_that_differ_from_the_programs_are_refused(person: Person):
    book = printed("beancount-household").replace(b"EUR,   35.40", b"EUR,  135.40")
    said = refusal(person, book)
    assert "'Wallet' has a balance of 135.4 EUR in beancount" in said


def test_balances_of_accounts_without_transactions_are_refused(person: Person):
    heading = b"account,currency,balance"
    (found,) = (
        line
        for line in printed("beancount-household").splitlines()
        if line.replace(b" ", b"") == heading
    )
    book = printed("beancount-household").replace(found, found + b"\nAssets:Old,EUR,7")
    assert "'Old' has a balance of 7 EUR in beancount, but its records add up to 0" in refusal(
        person, book
    )


def test_a_symbol_that_many_currencies_share_is_asked_about(person: Person):
    assert "--currency" in refusal(person, printed("hledger-vermoegen"))
    import_book(person, printed("hledger-vermoegen"), currency="CAD")
    assert {row["currencyCode"] for row in person.rows(ACCOUNTS)} == {"EUR", "CAD"}
    symbol = printed("hledger-vermoegen").replace("€".encode(), b"kr")
    assert "'kr', '$'" in refusal(Person(MemoryBackend()), symbol, currency="USD")


def test_only_what_print_prints_is_enough_if_the_names_are_known(person: Person):
    book = printed("hledger-household")
    start = book.index(b"[")
    remarks = import_book(person, book[start : book.index(b"\n]", start) + 2]).remarks
    assert "balances are not compared with the program's, which are not in the file" in map(
        str, remarks
    )
    assert named(person, ACCOUNTS, "giro")["balance"] == 21_671_600


def test_accounts_whose_kind_nobody_tells_are_asked_about(person: Person):
    book = printed("hledger-vermoegen").replace(b"Aufwand", b"Dinge")
    said = refusal(person, book[book.index(b"[") :], currency="USD")
    assert "what these accounts are: 'Dinge:Gebühren', 'Dinge:Haushalt'" in said


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("2026-01-01 * Shop\n    expenses:food   1 EUR\n    assets:cash\n", "hledger"),
        ("; a comment\n\n1/2 Shop\n\texpenses  $1\n", "hledger"),
        ("account assets  ; type: A\n", "hledger"),
        ("commodity 1,000.00 EUR\n", "hledger"),
        ("~ monthly\n  expenses  1 EUR\n", "hledger"),
        ("include 2026.journal\n", "hledger"),
        ("2026-01-01 open\n    assets:cash  1 EUR\n", "hledger"),
        ("2026-01-01 balance forward\n    assets:cash  1 EUR\n", "hledger"),
        ("2026-01-01 price rise\n    assets:cash  1 EUR\n", "hledger"),
        ("commodity €\n  format € 1,000.00\n", "hledger"),
        ("decimal-mark ,\n", "hledger"),
        ("year 2026\n", "hledger"),
        ("Y2026\n", "hledger"),
        ("comment\nMine, all mine\nend comment\n", "hledger"),
        ("= expenses:food\n    (budget:food)  *-1\n", "hledger"),
        ('2020-01-01 event "place" "Rome"\n', "beancount"),
        ("2020-01-01 commodity EUR\n", "beancount"),
        ('option "title" "Book"\n', "beancount"),
        ("* Accounts\n2020-01-01 open Assets:Bank EUR\n", "beancount"),
        ('2020-01-01 * "Shop" ""\n  Assets:Bank  1 EUR\n', "beancount"),
        ('include "2026.beancount"\n', "beancount"),
    ],
)
def test_the_text_of_a_book_is_refused_with_what_helps(text: str, program: str):
    with pytest.raises(ImportRefused, match=f"which only {program} can read"):
        detect_format(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01,Shop,-5\n2026-01-02,Shop,-6\n",
        "2026-01-01 Shop -5\n2026-01-02 Shop -6\n",
        "account number,date,amount\n1,2026-01-01,5\n",
        "payee,amount\n",
        "account\tdate\n",
        "P,D\n",
    ],
)
def test_tables_are_not_taken_for_books(text: str):
    assert detect_format(io.BytesIO(text.encode())).name == "csv"


def test_books_with_other_names_are_others(person: Person):
    book = printed("hledger-household")
    import_book(person, book, book="2026")
    assert not import_book(person, book, book="2026").changed
    import_book(person, book, book="club", new_account=True)
    assert {row["source"] for row in person.rows(RECORDS)} >= {"hledger:2026", "hledger:club"}


def test_a_followed_journal_loses_what_was_edited_and_removed_there(person: Person):
    book = printed("hledger-household")
    import_book(person, book, book="2026", follow=True)
    edited = book.replace(b'"Cinema"', b'"Theatre"')
    report = import_book(person, edited, book="2026", follow=True)
    assert report.changed
    other = Person(MemoryBackend())
    import_book(other, edited, book="2026")
    shown = ("sourceId", "amount", "payee", "category", "accountName")
    ours, theirs = (
        sorted((tuple(row[n] for n in shown) for row in each.rows(RECORDS)), key=str)
        for each in (person, other)
    )
    assert ours == theirs
