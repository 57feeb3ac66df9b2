"""Books of Actual Budget, compared with the program's own answers.

`scripts/actual_books.mjs` made the books and the answers with Actual's own library.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from finance_api.planning.tracking import BudgetPeriod, period_limit
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    LABELS,
    RECORD_RULES,
    RECORDS,
    SPLITS,
    STANDING_ORDERS,
)
from finance_api.resources.field import Resource
from finance_api.values import Row
from finance_api.values.time import date_text, parse_date
from support.actual import HOUSEHOLD, database_in, edited_actual
from support.books import BOOKS, category_sums, import_book, named, pairs
from support.ledger import Person

OPTIONS: dict[str, dict[str, Any]] = {"household": {}, "imported": {"currency": "USD"}}
each_book = pytest.mark.parametrize("name", OPTIONS)


def by_source(person: Person, resource: Resource) -> dict[str, Row]:
    return {row["sourceId"]: row for row in person.rows(resource)}


def answers(name: str) -> dict[str, Any]:
    return dict(json.loads((BOOKS / f"actual-{name}.json").read_text()))


# -- the program's own answers


@each_book
def test_balances_on_five_days_are_those_of_actual(person: Person, name: str, tmp_path: Path):
    book = (BOOKS / f"actual-{name}.zip").read_bytes()
    import_book(person, book, **OPTIONS[name])
    accounts, records = by_source(person, ACCOUNTS), person.rows(RECORDS)
    asked = answers(name)["balances"]
    assert accounts.keys() == asked.keys()
    path = tmp_path / "db.sqlite"
    path.write_bytes(database_in(book))
    connection = sqlite3.connect(path)
    query = "SELECT date, amount FROM transactions WHERE acct = ? AND starting_balance_flag"
    for account_id, account in accounts.items():
        assert account["name"] == asked[account_id]["name"]
        openings = connection.execute(query, (account_id,)).fetchall()
        assert len(asked[account_id]["on"]) == 5
        for day, balance in asked[account_id]["on"].items():
            # An initial balance is there before its day.
            if openings and account["initialBalance"]:
                ((opening_day, amount),) = openings
                balance += amount if opening_day > int(day.replace("-", "")) else 0
            last = parse_date(day)
            own = (r for r in records if r["accountId"] == account["id"])
            own_sum = sum(r["amount"] for r in own if r["recordDate"] <= last)
            assert account["initialBalance"] + own_sum == balance * 100, (account["name"], day)
    connection.close()
    person.audit()


@each_book
def test_sums_of_categories_and_months_are_those_of_actual(person: Person, name: str):
    import_book(person, (BOOKS / f"actual-{name}.zip").read_bytes(), **OPTIONS[name])
    spent = answers(name)["spent"]
    told = {(m, c): amount * 100 for m, of in spent.items() for c, amount in of.items()}
    sums = {key: amount for key, amount in category_sums(person).items() if key[0] in spent}
    assert sums == told


@each_book
def test_budgets_have_the_limit_of_each_month(person: Person, name: str):
    import_book(person, (BOOKS / f"actual-{name}.zip").read_bytes(), **OPTIONS[name])
    budgets = by_source(person, BUDGETS)
    told = answers(name)["budgets"]
    # A month without any budget is after the newest one, whose limits go on.
    assert [month for month in told if not told[month]] == [*told][3:]
    for month in [*told][:3]:
        first = parse_date(f"{month}-01")
        limits = {i: period_limit(row, BudgetPeriod(first, None)) for i, row in budgets.items()}
        assert {i: limit // 100 for i, limit in limits.items() if limit} == told[month]
        assert all(row["startDate"] <= first for row in budgets.values())


def test_limits_that_fit_no_budget_here_are_named(person: Person):
    insertion = "INSERT INTO zero_budgets (id, month, category, amount, carryover) VALUES "
    films = "(SELECT id FROM categories WHERE name = 'Films')"
    book = edited_actual(
        "UPDATE zero_budgets SET amount = -1 WHERE amount = 5000",
        # Actual has added this to the category into which it was merged.
        f"{insertion} ('x', 202602, {films}, 777, 0)",
    )
    remarks = import_book(person, book).remarks
    assert "limits of months that are below 0, which are 0 here: 1" in map(str, remarks)
    kino = named(person, BUDGETS, "Kino")
    assert (kino["limitAmount"], kino["limitOverrides"]) == (0, ())


@each_book
def test_the_same_book_again_changes_nothing(person: Person, name: str):
    book = (BOOKS / f"actual-{name}.zip").read_bytes()
    import_book(person, book, **OPTIONS[name])
    before = person.snapshot()
    person.clock.advance(100_000)
    report = import_book(person, database_in(book), **OPTIONS[name])
    assert not report.changed
    assert person.snapshot() == before


# -- what becomes of it


def test_what_is_not_as_in_actual_is_named_with_its_number(person: Person):
    assert [str(remark) for remark in import_book(person, HOUSEHOLD).remarks] == [
        "categories that roll over from month to month, which budgets do not: 1",
        "notes of categories, accounts and months, not imported: 2",
        "rules for exactly some words, which here fit every record that contains them: 1",
        "splits that count as the sum of their parts, which differs from their amount: 1",
        "splits with a transfer, another account or another day in them, whose parts are records: "
        "1",
        "starting balances that are initial balances of accounts: 2",
        "starting balances that stay records, because other transactions came before them: 1",
        "transfers with a category, which count as spent and are not linked: 1",
        "rules that are not imported: 1 ('parking')",
        "schedules that are not imported: 1 ('Club: follows days of the month and weekdays at "
        "once')",
        "schedules that no longer avoid weekends: 1 ('Gas')",
    ]


def test_accounts_are_closed_and_off_budget_as_there(person: Person):
    import_book(person, HOUSEHOLD)
    flags = {r["name"]: (r["archived"], r["excludeFromStats"]) for r in person.rows(ACCOUNTS)}
    assert flags == {
        "Giro": (False, False),
        "Savings": (False, False),
        "Card": (False, False),
        "Depot": (False, True),
        "Old account": (True, False),
    }
    assert named(person, ACCOUNTS, "Giro")["initialBalance"] == 12_345_600
    assert named(person, ACCOUNTS, "Savings")["initialBalance"] == 0


def test_categories_keep_their_groups_and_kinds(person: Person):
    import_book(person, HOUSEHOLD)
    rows = person.rows(CATEGORIES)
    kinds = sorted((r["group"], r["name"], r["kind"], r["archived"]) for r in rows)
    assert kinds == [
        ("Everyday", "Flat", "expense", False),
        ("Everyday", "Food & Drinks", "expense", False),
        ("Everyday", "Saving", "expense", False),
        ("Freizeit", "Flat", "expense", True),
        ("Freizeit", "Kino", "expense", False),
        ("Income", "Income", "income", False),
        ("Income", "Salary", "income", False),
        ("Income", "Starting Balances", "income", False),
    ]


def test_merged_payees_and_categories_are_the_ones_that_stayed(person: Person):
    import_book(person, HOUSEHOLD)
    on = {date_text(row["recordDate"]): row for row in person.rows(RECORDS)}
    assert on["2026-01-06"]["payee"] == "Corner Shop"
    assert on["2026-02-20"]["category"] == "Kino"


def test_tags_become_labels(person: Person):
    import_book(person, HOUSEHOLD)
    (row,) = [r for r in person.rows(RECORDS) if r["note"] == "weekly #food#weekly ##1"]
    assert row["labels"] == ("food", "weekly")
    assert {row["name"] for row in person.rows(LABELS)} == {"food", "home", "weekly"}


def test_transfers_are_pairs_unless_one_half_counts_as_spent(person: Person):
    import_book(person, HOUSEHOLD)
    whole = [[(name, cents // 10_000) for name, cents in pair] for pair in pairs(person)]
    assert whole == [
        [("Card", 50), ("Giro", -50)],
        [("Depot", 10), ("Giro", -10)],
        [("Giro", -500), ("Savings", 500)],
        [("Giro", 50), ("Old account", -50)],
    ]
    (saved,) = [r for r in person.rows(RECORDS) if r["category"] == "Saving"]
    assert saved["amount"] == -2_500_000 and saved["payee"] == "Depot"


def test_splits_are_splits_and_count_the_sum_of_their_parts(person: Person):
    import_book(person, HOUSEHOLD)
    parts = [row for row in person.rows(RECORDS) if row["splitId"]]
    split_ids = {row["splitId"] for row in parts}
    wholes = {row["id"]: row["amount"] for row in person.rows(SPLITS) if row["id"] in split_ids}
    assert sorted(wholes.values()) == [-600_000, -50_000]
    assert sorted((row["amount"], row["category"], row["note"]) for row in parts) == [
        (-350_000, "Food & Drinks", "bread"),
        (-250_000, "Kino", None),
        (-30_000, "Food & Drinks", None),
        (-20_000, "Kino", None),
    ]


def test_schedules_become_standing_orders(person: Person):
    import_book(person, HOUSEHOLD)
    accounts = {row["id"]: row["name"] for row in person.rows(ACCOUNTS)}
    shown = {
        row["name"]: (
            accounts[row["accountId"]],
            row["payee"],
            row["amount"] // 100,
            row["recurrenceRule"],
            date_text(row["startDate"]),
            row["manualPayment"],
        )
        for row in person.rows(STANDING_ORDERS)
    }
    rent = "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=3"
    gas = "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=15"
    last = "FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=-1;UNTIL=20370131"
    fridays = "FREQ=MONTHLY;INTERVAL=1;BYDAY=1FR,3FR"
    assert shown == {
        "Rent": ("Giro", "Müller & Söhne", -80_000, rent, "2036-01-03", False),
        "Gas": ("Giro", "Corner Shop", -4_500, gas, "2036-01-15", True),
        "Market": (
            *("Giro", "Corner Shop", -3_000, "FREQ=WEEKLY;INTERVAL=1;COUNT=10"),
            *("2036-01-15", False),
        ),
        "Aside": ("Giro", "Savings", -50_000, last, "2036-01-31", False),
        "Stammtisch": ("Giro", "Corner Shop", -1_500, fridays, "2036-01-18", False),
        "Insurance": (
            *("Giro", "Corner Shop", -12_000, "FREQ=YEARLY;INTERVAL=1", "2036-02-28", False),
        ),
        "Once": ("Giro", "Corner Shop", -100, None, "2036-04-01", False),
    }
    aside = named(person, STANDING_ORDERS, "Aside")
    assert (aside["paymentType"], aside["note"]) == ("transfer", "to Savings")


def test_the_standing_order_of_a_transfer_is_that_of_the_account_that_pays(person: Person):
    import_book(
        person,
        edited_actual("UPDATE rules SET conditions = replace(conditions, '-50000', '50000')"),
    )
    aside = named(person, STANDING_ORDERS, "Aside")
    assert aside["accountId"] == named(person, ACCOUNTS, "Savings")["id"]
    assert (aside["amount"], aside["payee"], aside["note"]) == (-5_000_000, "Giro", "to Giro")


def test_rules_become_record_rules(person: Person):
    import_book(person, HOUSEHOLD)
    categories = {row["id"]: row["name"] for row in person.rows(CATEGORIES)}
    rules = [(r["keywords"], categories[r["categoryId"]]) for r in person.rows(RECORD_RULES)]
    assert sorted(rules) == [(("Corner Shop",), "Food & Drinks"), (("cinema", "kino"), "Kino")]
