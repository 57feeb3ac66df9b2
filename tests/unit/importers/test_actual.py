"""Books of Actual Budget: compared with the program's own answers, and hostile ones.

`scripts/actual_books.mjs` made the books and the answers with Actual's own library.
"""

import io
import json
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.books.actual.reader import ActualReader
from finance_api.importers.books.reading import book_file
from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import add_record, change_records, remove_records
from finance_api.ledger.edits.splits import Part, split_record
from finance_api.ledger.edits.transfers import link_records
from finance_api.ledger.importing import import_file
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.orders import ImportReport, StatementOptions, make_order
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
from finance_api.resources.records import VOID
from finance_api.storage.memory import MemoryBackend
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, date_text, parse_date
from support.edits import edited as edited_by_hand
from support.ledger import IMPORT_SETTINGS, Person, document

BOOKS = Path(__file__).parents[2] / "samples" / "books"
HOUSEHOLD = (BOOKS / "actual-household.zip").read_bytes()
OPTIONS: dict[str, dict[str, Any]] = {"household": {}, "imported": {"currency": "USD"}}
each_book = pytest.mark.parametrize("name", OPTIONS)


def database_in(book: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return archive.read("db.sqlite")


@pytest.fixture
def person() -> Person:
    return Person(MemoryBackend())


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., bytes]:
    """Return the database of the household after SQL statements."""

    def edit(*statements: str) -> bytes:
        path = tmp_path / "db.sqlite"
        path.write_bytes(database_in(HOUSEHOLD))
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return path.read_bytes()

    return edit


def imported(person: Person, book: bytes, **options: Any) -> ImportReport:
    order = make_order(
        io.BytesIO(book), options, IMPORT_SETTINGS, email=person.user.email, now=person.clock.now()
    )
    return import_file(person.backend, order)


def refusal(person: Person, book: bytes, **options: Any) -> str:
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refused:
        imported(person, book, **options)
    assert person.snapshot() == before
    return str(refused.value)


def by_source(person: Person, resource: Resource) -> dict[str, Row]:
    return {row["sourceId"]: row for row in person.rows(resource)}


def named(person: Person, resource: Resource, name: str) -> Row:
    (row,) = [row for row in person.rows(resource) if row["name"] == name]
    return row


def answers(name: str) -> dict[str, Any]:
    return dict(json.loads((BOOKS / f"actual-{name}.json").read_text()))


# -- the program's own answers


@each_book
def test_balances_on_five_days_are_those_of_actual(person: Person, name: str, tmp_path: Path):
    book = (BOOKS / f"actual-{name}.zip").read_bytes()
    imported(person, book, **OPTIONS[name])
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
    imported(person, (BOOKS / f"actual-{name}.zip").read_bytes(), **OPTIONS[name])
    accounts = {row["id"]: row for row in person.rows(ACCOUNTS)}
    category_ids = {row["id"]: row["sourceId"] for row in person.rows(CATEGORIES)}
    sums: Counter[tuple[str, str]] = Counter()
    for row in person.rows(RECORDS):
        counts = not accounts[row["accountId"]]["excludeFromStats"] and row["transferId"] is None
        if counts and row["categoryId"] is not None:
            sums[date_text(row["recordDate"])[:7], category_ids[row["categoryId"]]] += row["amount"]
    spent = answers(name)["spent"]
    told = {(m, c): amount * 100 for m, of in spent.items() for c, amount in of.items()}
    assert {key: amount for key, amount in sums.items() if amount and key[0] in spent} == told


@each_book
def test_budgets_have_the_limit_of_each_month(person: Person, name: str):
    imported(person, (BOOKS / f"actual-{name}.zip").read_bytes(), **OPTIONS[name])
    budgets = by_source(person, BUDGETS)
    told = answers(name)["budgets"]
    # A month without any budget is after the newest one, whose limits go on.
    assert [month for month in told if not told[month]] == [*told][3:]
    for month in [*told][:3]:
        first = parse_date(f"{month}-01")
        limits = {i: period_limit(row, BudgetPeriod(first, None)) for i, row in budgets.items()}
        assert {i: limit // 100 for i, limit in limits.items() if limit} == told[month]
        assert all(row["startDate"] <= first for row in budgets.values())


def test_limits_that_fit_no_budget_here_are_named(person: Person, edited: Callable[..., bytes]):
    insertion = "INSERT INTO zero_budgets (id, month, category, amount, carryover) VALUES "
    films = "(SELECT id FROM categories WHERE name = 'Films')"
    book = edited(
        "UPDATE zero_budgets SET amount = -1 WHERE amount = 5000",
        # Actual has added this to the category into which it was merged.
        f"{insertion} ('x', 202602, {films}, 777, 0)",
    )
    remarks = imported(person, book).remarks
    assert "limits of months that are below 0, which are 0 here: 1" in map(str, remarks)
    kino = named(person, BUDGETS, "Kino")
    assert (kino["limitAmount"], kino["limitOverrides"]) == (0, ())


@each_book
def test_the_same_book_again_changes_nothing(person: Person, name: str):
    book = (BOOKS / f"actual-{name}.zip").read_bytes()
    imported(person, book, **OPTIONS[name])
    before = person.snapshot()
    person.clock.advance(100_000)
    report = imported(person, database_in(book), **OPTIONS[name])
    assert not report.changed
    assert person.snapshot() == before


# -- what becomes of it


def test_what_is_not_as_in_actual_is_named_with_its_number(person: Person):
    assert [str(remark) for remark in imported(person, HOUSEHOLD).remarks] == [
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
    imported(person, HOUSEHOLD)
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
    imported(person, HOUSEHOLD)
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
    imported(person, HOUSEHOLD)
    on = {date_text(row["recordDate"]): row for row in person.rows(RECORDS)}
    assert on["2026-01-06"]["payee"] == "Corner Shop"
    assert on["2026-02-20"]["category"] == "Kino"


def test_tags_become_labels(person: Person):
    imported(person, HOUSEHOLD)
    (row,) = [r for r in person.rows(RECORDS) if r["note"] == "weekly #food#weekly ##1"]
    assert row["labels"] == ("food", "weekly")
    assert {row["name"] for row in person.rows(LABELS)} == {"food", "home", "weekly"}


def test_transfers_are_pairs_unless_one_half_counts_as_spent(person: Person):
    imported(person, HOUSEHOLD)
    names = {row["id"]: row["name"] for row in person.rows(ACCOUNTS)}
    pairs: dict[str, list[tuple[str, int]]] = {}
    for row in person.rows(RECORDS):
        if row["transferId"]:
            side = names[row["accountId"]], row["amount"] // 10_000
            pairs.setdefault(row["transferId"], []).append(side)
    assert sorted(map(sorted, pairs.values())) == [
        [("Card", 50), ("Giro", -50)],
        [("Depot", 10), ("Giro", -10)],
        [("Giro", -500), ("Savings", 500)],
        [("Giro", 50), ("Old account", -50)],
    ]
    (saved,) = [r for r in person.rows(RECORDS) if r["category"] == "Saving"]
    assert saved["amount"] == -2_500_000 and saved["payee"] == "Depot"


def test_splits_are_splits_and_count_the_sum_of_their_parts(person: Person):
    imported(person, HOUSEHOLD)
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
    imported(person, HOUSEHOLD)
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


def test_the_standing_order_of_a_transfer_is_that_of_the_account_that_pays(
    person: Person, edited: Callable[..., bytes]
):
    imported(person, edited("UPDATE rules SET conditions = replace(conditions, '-50000', '50000')"))
    aside = named(person, STANDING_ORDERS, "Aside")
    assert aside["accountId"] == named(person, ACCOUNTS, "Savings")["id"]
    assert (aside["amount"], aside["payee"], aside["note"]) == (-5_000_000, "Giro", "to Giro")


def test_rules_become_record_rules(person: Person):
    imported(person, HOUSEHOLD)
    categories = {row["id"]: row["name"] for row in person.rows(CATEGORIES)}
    rules = [(r["keywords"], categories[r["categoryId"]]) for r in person.rows(RECORD_RULES)]
    assert sorted(rules) == [(("Corner Shop",), "Food & Drinks"), (("cinema", "kino"), "Kino")]


# -- a changed book


def test_a_changed_book_changes_what_changed(person: Person, edited: Callable[..., bytes]):
    imported(person, HOUSEHOLD)
    report = imported(
        person,
        edited(
            "UPDATE transactions SET amount = -13000 WHERE amount = -12050",
            "UPDATE accounts SET name = 'Kreditkarte' WHERE name = 'Card'",
        ),
    )
    assert (report.created, report.updated) == (0, 3)
    assert named(person, ACCOUNTS, "Kreditkarte")["balance"] == -800_000
    person.audit()


def test_what_was_deleted_there_stays_and_the_difference_is_named(
    person: Person, edited: Callable[..., bytes]
):
    imported(person, HOUSEHOLD)
    report = imported(person, edited("UPDATE transactions SET tombstone=1 WHERE amount=-12050"))
    assert [str(remark) for remark in report.remarks][-1] == (
        "the balance of 'Card' is -70.5 EUR here and 50 EUR in the file, a difference of "
        "-120.5 EUR, because of 1 record added here or deleted there"
    )


def test_the_records_that_a_book_lacks_are_counted(person: Person, edited: Callable[..., bytes]):
    imported(person, HOUSEHOLD)
    card = {"accountId": named(person, ACCOUNTS, "Card")["id"]}
    for amount, state in ((-5, None), (-7, None), (-9, VOID)):
        person.clock.advance(1)
        values = {**card, "amount": amount * 10_000, "recordDate": shopping(person)["recordDate"]}
        edited_by_hand(person, add_record, {**values, "recordState": state})
    edited_by_hand(person, split_record, shopping(person)["id"], [Part(-100_000), Part(-99_900)])
    book = edited("UPDATE transactions SET tombstone = 1 WHERE amount = -12050")
    remarks = [str(remark) for remark in imported(person, book).remarks]
    assert [remark for remark in remarks if "the balance of" in remark] == [
        "the balance of 'Card' is -82.5 EUR here and 50 EUR in the file, a difference of "
        "-132.5 EUR, because of 3 records added here or deleted there"
    ]


def test_a_difference_that_no_records_explain_is_refused(person: Person):
    imported(person, HOUSEHOLD)
    words = "a difference of -0.01 EUR, which no records explain: undo the earlier imports of the "
    with (
        book_file(ActualReader(), io.BytesIO(HOUSEHOLD)) as file,
        changing(person.backend, person.user.email, 1, action="import") as session,
        pytest.raises(ImportRefused, match=words),
    ):
        others = {i: balance + 100 for i, balance in file.balances.items()}
        importing = NativeImport(session, ImportReport())
        importing.run(file._replace(balances=others), StatementOptions())


def test_a_record_becomes_a_split_and_a_split_stands_apart(
    person: Person, edited: Callable[..., bytes]
):
    imported(person, HOUSEHOLD)
    row = "SELECT 'p' || number, acct, amount / 2, date, id, 1 FROM transactions, "
    row += "(SELECT 1 AS number UNION SELECT 2) WHERE amount = -12050"
    card_split = (
        f"INSERT INTO transactions (id, acct, amount, date, parent_id, isChild) {row}",
        "UPDATE transactions SET isParent = 1 WHERE amount = -12050",
    )
    imported(person, edited(*card_split))
    assert len([row for row in person.rows(RECORDS) if row["splitId"]]) == 6
    person.audit()
    moved = "UPDATE transactions SET date = 20260228 WHERE id = 'p1'"
    imported(person, edited(*card_split, moved))
    assert len([row for row in person.rows(RECORDS) if row["splitId"]]) == 4
    assert named(person, ACCOUNTS, "Card")["balance"] == -705_000
    person.audit()


def test_a_record_that_becomes_a_split_with_a_transfer_counts_once(
    person: Person, edited: Callable[..., bytes]
):
    imported(person, HOUSEHOLD)
    split = "UPDATE transactions SET isParent = 1 WHERE amount = -12050"
    row = "INSERT INTO transactions (id, acct, amount, date, parent_id, isChild, transferred_id) "
    row += "SELECT 'p1', acct, -2050, date, id, 1, NULL FROM transactions WHERE amount = -12050 "
    row += "UNION SELECT 'p2', acct, -10000, date, id, 1, 'q' FROM transactions "
    row += "WHERE amount = -12050"
    other = "INSERT INTO transactions (id, acct, amount, date, transferred_id) "
    other += "SELECT 'q', id, 10000, 20260227, 'p2' FROM accounts WHERE name = 'Savings'"
    report = imported(person, edited(split, row, other))
    assert "the balance of" not in str(report.remarks)
    assert named(person, ACCOUNTS, "Card")["balance"] == -705_000
    person.audit()


SPLIT = "(SELECT id FROM transactions WHERE isParent = 1 AND amount = -1000 AND NOT tombstone)"
PARTS_DELETED = {
    "the whole is less": (
        f"UPDATE transactions SET tombstone = 1 WHERE amount = -300 AND parent_id = {SPLIT}",
        "UPDATE transactions SET amount = -200 WHERE isParent = 1 AND amount = -1000",
    ),
    "the other part is more": (
        f"UPDATE transactions SET tombstone = 1 WHERE amount = -300 AND parent_id = {SPLIT}",
        f"UPDATE transactions SET amount = -500 WHERE amount = -200 AND parent_id = {SPLIT}",
    ),
    "the other part stands apart": (
        f"UPDATE transactions SET tombstone = 1 WHERE amount = -300 AND parent_id = {SPLIT}",
        f"UPDATE transactions SET date = 20260306 WHERE amount = -200 AND parent_id = {SPLIT}",
    ),
    "none is left": (f"UPDATE transactions SET tombstone = 1 WHERE parent_id = {SPLIT}",),
}


@pytest.mark.parametrize("case", PARTS_DELETED)
def test_parts_that_a_split_no_longer_has_are_removed(
    person: Person, edited: Callable[..., bytes], case: str
):
    imported(person, HOUSEHOLD)
    before = person.everything()
    book = edited(*PARTS_DELETED[case])
    assert "the balance of" not in str(imported(person, book).remarks)
    assert imported(person, book).updated == 0
    person.audit()
    fresh = Person(MemoryBackend())
    imported(fresh, book)
    for row in fresh.rows(ACCOUNTS):
        for name in ("balance", "initialBalance", "recordCount"):
            assert named(person, ACCOUNTS, row["name"])[name] == row[name]
    person.undo()
    assert person.everything()[RECORDS.name] == before[RECORDS.name]


def test_a_split_of_the_book_replaces_one_made_here(person: Person, edited: Callable[..., bytes]):
    join = (
        f"UPDATE transactions SET tombstone = 1 WHERE parent_id = {SPLIT}",
        "UPDATE transactions SET isParent = 0, amount = -500 WHERE isParent = 1 AND amount = -1000",
    )
    imported(person, edited(*join))
    (row,) = [row for row in person.rows(RECORDS) if row["amount"] == -50_000]
    edited_by_hand(person, split_record, row["id"], [Part(-10_000), Part(-40_000)])
    assert "the balance of" not in str(imported(person, HOUSEHOLD).remarks)
    parts = [part["amount"] for part in person.rows(RECORDS) if part["splitId"] == row["id"]]
    assert sorted(parts) == [-30_000, -20_000]
    person.audit()


def test_a_starting_balance_counts_once_whatever_comes_before_it(
    person: Person, edited: Callable[..., bytes]
):
    earlier = "UPDATE transactions SET date = 20260110 WHERE amount = 26000 OR amount = 25000"
    later = "UPDATE transactions SET date = 20260210 WHERE amount = 25000"
    for statement in (later, earlier, later):
        report = imported(person, edited(statement))
        assert "the balance of" not in str(report.remarks)
        initial = 0 if statement == earlier else 50_000_000
        assert named(person, ACCOUNTS, "Depot")["initialBalance"] == initial
        assert named(person, ACCOUNTS, "Depot")["balance"] == 52_600_000
        person.audit()


def edit(person: Person, row: Row, values: dict[str, Any]) -> None:
    person.clock.advance(1)
    edited_by_hand(person, change_records, [row["id"]], values)


def shopping(person: Person) -> Row:
    (row,) = [row for row in person.rows(RECORDS) if row["amount"] == -199_900]
    return row


@pytest.mark.parametrize("to_card", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_a_moved_record_is_back_where_the_book_has_it(person: Person, to_card: bool, times: int):
    imported(person, HOUSEHOLD)
    before = shopping(person)
    moved = {"recordDate": before["recordDate"] + 10 * DAY_SECONDS}
    if to_card:
        moved = {"accountId": named(person, ACCOUNTS, "Card")["id"]}
    for _ in range(times):
        edit(person, shopping(person), moved)
        moved_there = person.everything()
        report = imported(person, HOUSEHOLD)
        assert "records that were moved here, and are where the file has them again: 1" in map(
            str, report.remarks
        )
        assert "the balance of" not in str(report.remarks)
        assert shopping(person)["id"] == before["id"]
        assert shopping(person)["recordDate"] == before["recordDate"]
        assert imported(person, HOUSEHOLD).updated == 0
        person.audit()
    person.undo()
    assert person.everything()[RECORDS.name] == moved_there[RECORDS.name]


@pytest.mark.parametrize("further", ["split", "transfer", "again"])
def test_what_was_done_to_a_moved_record_goes_with_it(person: Person, further: str):
    imported(person, HOUSEHOLD)
    card = named(person, ACCOUNTS, "Card")["id"]
    edit(person, shopping(person), {"accountId": card})
    row = shopping(person)
    if further == "split":
        edited_by_hand(person, split_record, row["id"], [Part(-100_000), Part(-99_900)])
    elif further == "again":
        edit(person, row, {"recordDate": row["recordDate"] + 20 * DAY_SECONDS})
    else:
        other = {"accountId": named(person, ACCOUNTS, "Savings")["id"], "amount": 199_900}
        edited_by_hand(person, add_record, {**other, "recordDate": row["recordDate"]})
        (half,) = [row for row in person.rows(RECORDS) if row["amount"] == 199_900]
        edited_by_hand(person, link_records, row["id"], half["id"])
    imported(person, HOUSEHOLD)
    assert shopping(person)["accountName"] == "Giro"
    assert named(person, ACCOUNTS, "Card")["balance"] == -705_000
    person.audit()


def test_a_moved_record_that_a_statement_has_there_stays(person: Person):
    imported(person, HOUSEHOLD)
    day = shopping(person)["recordDate"]
    edit(person, shopping(person), {"accountId": named(person, ACCOUNTS, "Card")["id"]})
    csv_of(person, "Card", (date_text(day), "-19.99"))
    assert shopping(person)["accountName"] == "Card"
    report = imported(person, HOUSEHOLD)
    accounts = [r["accountName"] for r in person.rows(RECORDS) if r["amount"] == -199_900]
    assert sorted(accounts) == ["Card", "Giro"]
    assert "the balance of 'Card'" in str(report.remarks)


@pytest.mark.parametrize("done", ["moved", "split", "deleted", "void"])
def test_a_record_that_becomes_the_starting_balance_counts_once(
    person: Person, edited: Callable[..., bytes], done: str
):
    imported(person, edited("UPDATE transactions SET date = 20260110 WHERE amount = 25000"))
    (opening,) = [row for row in person.rows(RECORDS) if row["amount"] == 50_000_000]
    if done == "moved":
        edit(person, opening, {"recordDate": opening["recordDate"] + 30 * DAY_SECONDS})
    elif done == "split":
        parts = [Part(20_000_000), Part(30_000_000)]
        edited_by_hand(person, split_record, opening["id"], parts)
    elif done == "deleted":
        edited_by_hand(person, remove_records, [opening["id"]])
    else:
        edit(person, opening, {"recordState": VOID})
    assert "the balance of" not in str(imported(person, HOUSEHOLD).remarks)
    depot = named(person, ACCOUNTS, "Depot")
    assert (depot["initialBalance"], depot["balance"]) == (50_000_000, 52_600_000)
    person.audit()


# -- what is asked and refused


def test_a_book_without_currency_asks_for_it(person: Person):
    book = (BOOKS / "actual-imported.zip").read_bytes()
    with pytest.raises(ImportRefused) as refused:
        imported(person, book)
    assert refused.value.questions[0].choices[0].needs == ("currency",)


def test_another_currency_than_the_book_has_is_refused(person: Person):
    assert refusal(person, HOUSEHOLD, currency="USD") == (
        "the book is kept in EUR: give no other currency, or change it in Actual"
    )


def test_money_without_decimals_is_asked_for_its_units(
    person: Person, edited: Callable[..., bytes]
):
    yen = edited("UPDATE preferences SET value = 'JPY' WHERE id = 'defaultCurrencyCode'")
    with pytest.raises(ImportRefused) as refused:
        imported(person, yen)
    choices = [choice.changes for choice in refused.value.questions[0].choices]
    assert choices == [{"units": "minor"}, {"units": "major"}]
    imported(person, yen, units="major")
    assert named(person, ACCOUNTS, "Card")["balance"] == -7_050 * 10_000
    imported(person, yen, units="minor")
    assert named(person, ACCOUNTS, "Card")["balance"] == -7_050 * 100


def test_categories_and_labels_of_the_same_name_are_named(person: Person):
    person.native(document("Category", 5, name="Flat"), document("Label", 6, name="food"))
    remarks = [str(remark) for remark in imported(person, HOUSEHOLD).remarks]
    assert remarks[-2:] == [
        "categories that are here twice now, of the book and your own: 1 ('Flat')",
        "labels that are here twice now, of the book and your own: 1 ('food')",
    ]
    assert len([row for row in person.rows(CATEGORIES) if row["name"] == "Flat"]) == 3
    assert "twice" not in str(imported(person, HOUSEHOLD).remarks)


def csv_of(person: Person, account: str, *rows: tuple[str, str]) -> None:
    lines = "".join(f"{day},{amount},x\n" for day, amount in rows)
    person.csv(f"date,amount,payee\n{lines}", account=account, currency="EUR", positive="in")


def test_an_account_that_is_here_already_is_not_imported_a_second_time(person: Person):
    csv_of(person, "Tagesgeld", ("2026-01-05", "12"), ("2026-01-13", "500"), ("2026-01-20", "1000"))
    assert refusal(person, HOUSEHOLD) == (
        "3 of the 3 entries for the new account Savings are already in the account Tagesgeld, "
        "at most a day apart; if it is the same account, give --into 'Savings=Tagesgeld'; if it "
        "is another one, give --new-accounts"
    )
    imported(person, HOUSEHOLD, new_account=True)
    assert not imported(person, HOUSEHOLD).changed


def test_an_account_of_which_few_records_are_here_is_another_one(person: Person):
    csv_of(person, "Bank", ("2026-01-02", "2500"), ("2026-01-03", "-800"), ("2026-01-05", "-19.99"))
    imported(person, HOUSEHOLD)
    assert len(person.rows(ACCOUNTS)) == 6


REFUSED = {
    "a part without its split": (
        "UPDATE transactions SET tombstone = 1 WHERE isParent = 1 AND amount = -6000",
        "the account 'Giro' has a balance of 4510.8 EUR in Actual, but its records add up to "
        "4570.8 EUR, a difference of -60 EUR: a part of a split may lack its split; choose Repair "
        "transactions",
    ),
    "year 9999": (
        "UPDATE transactions SET date = 99991231 WHERE amount = -777",
        "9999-12-31 cannot be right",
    ),
    "a month that is none": (
        "UPDATE zero_budgets SET month = 202613 WHERE amount = 5000",
        "20261301 is not a date",
    ),
    "a month in years": (
        "UPDATE zero_budgets SET month = 9000000000000000001 WHERE amount = 5000",
        "900000000000000000101 is not a date",
    ),
    "no date": ("UPDATE transactions SET date = 20260231 WHERE amount = -777", "is not a date"),
    "half a cent": (
        "UPDATE transactions SET amount = 0.5 WHERE amount = -777",
        "'amount' is '0.5' in a row",
    ),
    "bytes": ("UPDATE accounts SET name = x'00ff' WHERE name = 'Card'", "where Actual has a text"),
    "too much money": (
        "UPDATE transactions SET amount = 9000000000000000000 WHERE amount = -777",
        "the Record '",
    ),
    "a half of a surrogate pair": (
        "UPDATE payees SET name = CAST(x'eda080' AS TEXT) WHERE name = 'Corner Shop'",
        "damaged or cut short",
    ),
    "an older version": (
        "ALTER TABLE zero_budgets DROP COLUMN carryover",
        "the book lacks 'carryover' in the table zero_budgets: open it with a current version",
    ),
    "a number as an id": ("UPDATE transactions SET id = x'31' WHERE amount = -777", "'id' is"),
    "no id": ("UPDATE transactions SET id = NULL WHERE amount = -777", "'id' is 'None'"),
    "a day beyond all years": (
        "UPDATE transactions SET date = 9000000000000000000 WHERE amount = -777",
        "is not a date",
    ),
    "an unknown currency": (
        "UPDATE preferences SET value = 'XBT' WHERE id = 'defaultCurrencyCode'",
        "the currency of the book 'XBT' is not an ISO 4217 code",
    ),
    "no accounts": ("DELETE FROM accounts", "the book has no accounts"),
    "another kind of budget": (
        "INSERT INTO preferences VALUES ('budgetType', 'magic')",
        "budgets of an unknown type, 'magic'",
    ),
    "a long text": (
        "UPDATE transactions SET notes = hex(zeroblob(2000000)) WHERE amount = -777",
        "damaged or cut short",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_book_that_cannot_be_right_is_refused(
    person: Person, edited: Callable[..., bytes], case: str
):
    statement, reason = REFUSED[case]
    assert reason in refusal(person, edited(statement))


def test_a_newer_version_is_refused_by_name_if_what_is_read_changed(
    person: Person, edited: Callable[..., bytes]
):
    newer = "INSERT INTO __migrations__ VALUES (1900000000000)"
    report = imported(person, edited(newer))
    assert "newer version of Actual (migration 1900000000000)" in report.remarks[0]
    changed = edited(newer, "ALTER TABLE transactions ADD COLUMN currency TEXT")
    assert "changed 'currency' in the table transactions" in refusal(person, changed)


def test_views_triggers_and_indexes_of_the_file_are_ignored(
    person: Person, edited: Callable[..., bytes]
):
    hostile = edited(
        "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM accounts; END",
        "CREATE VIEW boom AS SELECT randomblob(1000000000)",
        "CREATE INDEX hidden ON transactions (amount) WHERE amount > 0",
    )
    imported(person, hostile)
    assert len(person.rows(ACCOUNTS)) == 5


@pytest.mark.parametrize("table", ["accounts", "transactions"])
def test_a_view_in_place_of_a_table_is_refused(
    person: Person, edited: Callable[..., bytes], table: str
):
    book = edited(
        "PRAGMA legacy_alter_table = ON",
        f"ALTER TABLE {table} RENAME TO real_{table}",
        f"CREATE VIEW {table} AS SELECT * FROM real_{table}",
    )
    assert f"in the table {table}" in refusal(person, book)


@pytest.mark.parametrize("kind", ["VIRTUAL", "VIRTUAL NOT NULL", "STORED NOT NULL"])
@pytest.mark.parametrize("table", ["other", "search_content"])
def test_a_column_that_the_file_computes_is_refused(
    person: Person, edited: Callable[..., bytes], table: str, kind: str
):
    # Where this is computed, it fails.
    least = "abs(-9223372036854775807 - id)"
    computed = f"CREATE TABLE {table} (id, c0, note TEXT GENERATED ALWAYS AS ({least}) {kind})"
    book = edited(
        "CREATE TABLE other (id, c0)",
        # Its own tables are neither ordinary nor virtual.
        "CREATE VIRTUAL TABLE search USING fts5(word)",
        f"INSERT INTO {table} VALUES (1, 2)",
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_schema SET sql = '{computed}' WHERE name = '{table}'",
    )
    expected = f"the table '{table}' has a column that SQL in the file computes"
    assert expected in refusal(person, book)


def test_a_database_whose_newest_changes_are_elsewhere_is_refused(person: Person):
    data = bytearray(database_in(HOUSEHOLD))
    data[18:20] = b"\x02\x02"
    assert "name ends with -wal" in refusal(person, bytes(data))


def zipped(database: bytes, *others: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("metadata.json", "db.sqlite"):
            archive.writestr(name, database if name == "db.sqlite" else "{}")
        for name in others:
            archive.writestr(name, database)
    return stream.getvalue()


def test_a_book_in_a_folder_of_the_zip_is_found(person: Person):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("My-Finances/metadata.json", "{}")
        archive.writestr("My-Finances/db.sqlite", database_in(HOUSEHOLD))
    imported(person, stream.getvalue())
    assert len(person.rows(ACCOUNTS)) == 5


def test_two_books_in_one_zip_are_refused(person: Person):
    book = zipped(database_in(HOUSEHOLD), "old/db.sqlite")
    assert "has 2 databases" in refusal(person, book)


def test_a_zip_bomb_is_refused(person: Person, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("finance_api.importers.books.sqlite_file.MAX_BYTES", 1_000_000)
    assert "1,000,000 bytes" in refusal(person, zipped(bytes(2_000_000)))


@pytest.mark.parametrize("kind", ["zip", "database"])
def test_a_book_that_is_cut_off_is_refused(person: Person, kind: str):
    whole = HOUSEHOLD if kind == "zip" else database_in(HOUSEHOLD)
    for length in range(20_000, len(whole) - 1, len(whole) // 12):
        assert "book is damaged or cut short" in refusal(person, whole[:length])


def test_damaged_bytes_are_read_right_or_refused(person: Person):
    whole = database_in(HOUSEHOLD)
    refused = 0
    for place in range(100, len(whole), len(whole) // 60):
        damaged = bytearray(whole)
        damaged[place : place + 8] = b"\xff" * 8
        try:
            imported(Person(person.backend, person.clock), bytes(damaged))
        except ImportRefused as error:
            refused += 1
            assert len(error.reason) > 15
    assert refused > 5


def test_a_book_is_recognised_by_its_content():
    for data in (HOUSEHOLD, database_in(HOUSEHOLD)):
        assert detect_format(io.BytesIO(data)).name == "actual"
    other = sqlite3.connect(":memory:")
    other.execute("CREATE TABLE transactions (id)")
    with pytest.raises(ImportRefused, match="SQLite database"):
        detect_format(io.BytesIO(other.serialize()))
    other.close()
