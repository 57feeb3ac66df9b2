"""Books of GnuCash: compared with the program's own answers, and hostile ones.

`scripts/gnucash_books.py` made the books and the answers with GnuCash's own library.
"""

import gzip
import io
import json
import re
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.books.gnucash.reader import GnucashReader
from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.planning.recurrence import schedule_of
from finance_api.planning.tracking import BudgetPeriod, period_limit
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, RECORDS, SPLITS, STANDING_ORDERS
from finance_api.resources.records import VOID
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import date_text, parse_date
from support.books import BOOKS, category_sums, import_book, named, pairs, refusal
from support.ledger import Person
from support.nightly import count

_SCRIPT = Path(__file__).parents[3] / "scripts" / "gnucash_books.py"
NAMES = ("household", "travel", "mixed")
HOUSEHOLD = (BOOKS / "gnucash-household.gnucash").read_bytes()
#: The ways in which GnuCash saves a book -> reads one of this folder.
FORMS: dict[str, Callable[[Path, str], bytes]] = {
    "gzip": lambda folder, name: (folder / f"gnucash-{name}.gnucash").read_bytes(),
    "xml": lambda folder, name: gzip.decompress(FORMS["gzip"](folder, name)),
    "sqlite": lambda folder, name: gzip.decompress(
        (folder / f"gnucash-{name}.sqlite.gz").read_bytes()
    ),
}
each_book = pytest.mark.parametrize("name", NAMES)
each_form = pytest.mark.parametrize("form", FORMS)


def has_gnucash() -> bool:
    command = ["/usr/bin/python3", "-c", "import gnucash"]
    return not subprocess.run(command, check=False, capture_output=True).returncode


def answers(name: str, folder: Path = BOOKS) -> dict[str, Any]:
    return dict(json.loads((folder / f"gnucash-{name}.json").read_text()))


def edited(*changes: tuple[str, str]) -> bytes:
    """Return the household as XML after its texts were replaced once."""
    text = gzip.decompress(HOUSEHOLD).decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text.encode()


@pytest.fixture
def database(tmp_path: Path) -> Callable[..., bytes]:
    """Return the household as SQLite after SQL statements."""

    def edit(*statements: str) -> bytes:
        path = tmp_path / "book"
        path.write_bytes(FORMS["sqlite"](BOOKS, "household"))
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return path.read_bytes()

    return edit


# -- the program's own answers


def check_balances(person: Person, told: dict[str, Any]) -> None:
    accounts = {row["sourceId"].split()[0]: row for row in person.rows(ACCOUNTS)}
    assert {guid for guid, each in told.items() if any(each["on"].values())} <= accounts.keys()
    for guid, account in accounts.items():
        if account["name"].startswith("Between categories"):
            assert account["balance"] == 0
            continue
        own = [r for r in person.rows(RECORDS) if r["accountId"] == account["id"]]
        for day, balance in told[guid]["on"].items():
            until = [r for r in own if r["recordDate"] <= parse_date(day)]
            found = account["initialBalance"]
            found += sum(r["amount"] for r in until if r["recordState"] != VOID)
            # An initial balance is there before its day.
            expected = balance * 100 if balance or until else account["initialBalance"]
            assert found == expected, (told[guid]["path"], day)


def check_sums(person: Person, told: dict[str, Any]) -> None:
    expected = {
        (month, guid): -amount * 100
        for guid, of_months in told.items()
        for month, amount in of_months.items()
    }
    months = {month for month, _ in expected}
    # Equity is a category here, and GnuCash has no sums of it.
    sums = {key: s for key, s in category_sums(person).items() if key[1] in told}
    assert {key: s for key, s in sums.items() if key[0] in months} == expected


def check_transfers(person: Person, told: dict[str, Any]) -> None:
    names = {row["sourceId"]: row["name"] for row in person.rows(ACCOUNTS)}
    paths = {each["path"]: names.get(guid) for guid, each in told["balances"].items()}
    expected = Counter(
        tuple(sorted([(paths[one], amount * 100), (paths[other], got * 100)]))
        for one, amount, other, got in told["transfers"]
    )
    found = Counter(map(tuple, pairs(person)))
    assert not expected - found
    assert expected


@each_form
@each_book
def test_the_answers_are_those_of_gnucash(person: Person, name: str, form: str):
    import_book(person, FORMS[form](BOOKS, name))
    told = answers(name)
    check_balances(person, told["balances"])
    check_sums(person, told["sums"])
    check_transfers(person, told)
    person.audit()


@pytest.mark.nightly
@pytest.mark.skipif(not has_gnucash(), reason="needs python3-gnucash")
def test_the_answers_are_those_of_books_that_are_made_now(tmp_path: Path):
    command = ["/usr/bin/python3", str(_SCRIPT), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    for name in NAMES:
        told, person = answers(name, tmp_path), Person(MemoryBackend())
        for form, read in FORMS.items():
            report = import_book(person, read(tmp_path, name))
            assert report.changed == (form == "gzip")
        check_balances(person, told["balances"])
        check_sums(person, told["sums"])
        check_transfers(person, told)


@pytest.mark.parametrize(
    ("name", "step", "left_out"), [("household", 1, {"income"}), ("mixed", 12, set())]
)
def test_budgets_have_the_limit_of_each_period(
    person: Person, name: str, step: int, left_out: set[str]
):
    import_book(person, FORMS["gzip"](BOOKS, name))
    told, kinds = answers(name)["budgets"], {r["sourceId"]: r for r in person.rows(CATEGORIES)}
    budgets = {row["sourceId"].split()[1]: row for row in person.rows(BUDGETS)}
    names = {each["path"] for each in answers(name)["balances"].values()}
    assert budgets and names
    for guid, row in budgets.items():
        year, month = (int(part) for part in date_text(row["startDate"]).split("-")[:2])
        for place, limit in enumerate(told.pop(guid)):
            number = year * 12 + month - 1 + place * step
            first = parse_date(f"{number // 12}-{number % 12 + 1:02d}-01")
            assert period_limit(row, BudgetPeriod(first, None)) == limit * 100
    # Those of income are not imported.
    assert {kinds[guid]["kind"] for guid in told} == left_out


def test_a_budget_of_all_expenses_counts_expenses_alone(person: Person):
    import_book(person, FORMS["gzip"](BOOKS, "mixed"))
    names = {row["id"]: row["name"] for row in person.rows(CATEGORIES)}
    every = named(person, BUDGETS, "Expenses")
    assert sorted(names[i] for i in every["categoryIds"]) == ["Food", "Health", "Travel"]
    assert every["type"] == "BUDGET_INTERVAL_YEAR"


def test_a_budget_of_more_periods_than_a_budget_has_is_named(person: Person):
    text = gzip.decompress(HOUSEHOLD).decode()
    start = text.index("<bgt:name>2026<")
    budget = text[start : text.index("</gnc:budget>", start)]
    endless = budget.replace("periods>12<", "periods>2000000000<")
    endless = endless.replace("<slot:key>11<", "<slot:key>1999999999<")
    remarks = import_book(person, text.replace(budget, endless).encode()).remarks
    what = "budgets of other periods than calendar months, years and weeks, or of more than 1,000"
    assert f"{what}, not imported: 1 ('2026')" in map(str, remarks)
    assert not person.rows(BUDGETS)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_a_schedule_of_impossible_years_is_named(person: Person, day: str):
    text = gzip.decompress(HOUSEHOLD).decode()
    start = text.index("<sx:name>Gym<")
    schedule = text[start : text.index("</gnc:schedxaction>", start)]
    other = re.sub("<gdate>[0-9-]+<", f"<gdate>{day}<", schedule)
    remarks = import_book(person, text.replace(schedule, other).encode()).remarks
    assert any(f"'Gym: has the date {day}'" in str(remark) for remark in remarks)


def test_schedules_have_the_days_of_gnucash(person: Person):
    import_book(person, HOUSEHOLD)
    days: dict[str, list[str]] = {}
    for row in person.rows(STANDING_ORDERS):
        schedule = schedule_of(row["recurrenceRule"], row["startDate"], row["startDate"])
        assert schedule is not None
        found = map(date_text, islice(schedule.days(), 8))
        days.setdefault(row["name"].split(" (")[0], []).extend(found)
    told = answers("household")["schedules"]
    left_out = {"Loan", "Off"}
    # Weekends are not avoided here.
    moved = {"Quarter"}
    assert days.keys() == told.keys() - left_out
    for name in days.keys() - moved:
        assert sorted(days[name])[: len(told[name])] == told[name], name


@each_book
def test_the_same_book_in_another_form_changes_nothing(person: Person, name: str):
    import_book(person, FORMS["gzip"](BOOKS, name))
    before = person.snapshot()
    for form in ("gzip", "xml", "sqlite"):
        person.clock.advance(100_000)
        assert not import_book(person, FORMS[form](BOOKS, name)).changed
        assert person.snapshot() == before


# -- what becomes of it


def test_what_is_not_as_in_gnucash_is_named_with_its_number(person: Person):
    assert list(map(str, import_book(person, HOUSEHOLD).remarks)) == [
        "limits of income and of accounts, not imported: 1",
        "openings that are initial balances of accounts, from before their first day: 2",
        "schedules that are finished or switched off, not imported: 1",
        "transactions of several accounts, which hang on their first one as transfers: 7",
        "transactions that close the books, not imported: 1",
        "transactions without an account of money, on an account 'Between categories': 1",
        "void transactions, which count nothing here either: 1",
        "budgets that are not the main one, not imported: 1 ('quarters')",
        "equity accounts that are categories: 1 ('Opening')",
        "schedules that are not imported: 1 ('Loan: moves money of several accounts and "
        "categories')",
        "schedules that no longer avoid weekends: 1 ('Quarter')",
        "schedules whose amount is a formula, without amount here: 1 ('Power')",
        "schedules with several categories, which have the whole amount and no category: 1 "
        "('Shopping')",
    ]


def test_accounts_keep_their_types_and_two_of_one_name_their_group(person: Person):
    import_book(person, HOUSEHOLD)
    shown = sorted((r["name"], r["accountType"], r["archived"]) for r in person.rows(ACCOUNTS))
    assert shown == [
        ("Bank:Giro", "CurrentAccount", False),
        ("Between categories", "General", False),
        ("Car loan", "Loan", False),
        ("Card", "CreditCard", False),
        ("Old bank:Giro", "CurrentAccount", True),
        ("Purse", "Cash", False),
        ("Savings", "CurrentAccount", False),
    ]


def test_categories_are_a_tree_of_both_kinds(person: Person):
    import_book(person, HOUSEHOLD)
    rows = person.rows(CATEGORIES)
    names = {row["id"]: row["name"] for row in rows}
    shown = sorted((r["name"], names.get(r["parentId"]), r["kind"], r["archived"]) for r in rows)
    assert shown == [
        ("Eating out", "Food & Drinks", "expense", False),
        ("Food & Drinks", None, "expense", False),
        ("Interest", None, "expense", False),
        ("Interest", None, "income", False),
        ("Opening", None, "expense", False),
        ("Salary", None, "income", False),
        ("Strom", "Wohnung", "expense", True),
        ("Wohnung", None, "expense", False),
    ]


def test_states_notes_and_numbers_are_kept(person: Person):
    import_book(person, HOUSEHOLD)
    by_payee = {row["payee"]: row for row in person.rows(RECORDS)}
    assert by_payee["Müller & Söhne"]["note"] == "rent 🏠"
    assert by_payee["Müller & Söhne"]["recordState"] == "cleared"
    assert by_payee["Employer Ltd"]["recordState"] == "reconciled"
    assert by_payee["aside"]["reference"] == "17"
    void = by_payee["Mistake"]
    assert (void["recordState"], void["amount"], void["category"]) == (
        *("void", -990_000, "Food & Drinks"),
    )
    assert "Closing" not in by_payee


def test_splits_are_splits(person: Person):
    import_book(person, HOUSEHOLD)
    parts = [row for row in person.rows(RECORDS) if row["splitId"]]
    assert sorted((r["amount"], r["category"], r["note"]) for r in parts) == [
        (-350_000, "Food & Drinks", "bread"),
        (-200_000, "Eating out", "café"),
        (-50_000, "Strom", None),
    ]
    (split_id,) = {row["splitId"] for row in parts}
    assert [(s["payee"], s["amount"]) for s in person.rows(SPLITS) if s["id"] == split_id] == [
        ("Supermarket", -600_000)
    ]


def test_schedules_pay_what_gnucash_pays(person: Person):
    import_book(person, HOUSEHOLD)
    aside = named(person, STANDING_ORDERS, "Aside")
    assert (aside["amount"], aside["note"], aside["paymentType"]) == (
        *(-5_000_000, "to Savings", "transfer"),
    )
    assert aside["accountId"] == named(person, ACCOUNTS, "Bank:Giro")["id"]
    rent = named(person, STANDING_ORDERS, "Rent")
    assert (rent["amount"], rent["payee"]) == (-8_000_000, "Müller & Söhne")
    assert rent["categoryId"] == named(person, CATEGORIES, "Wohnung")["id"]
    assert named(person, STANDING_ORDERS, "Salary (1)")["amount"] == 12_500_000
    assert named(person, STANDING_ORDERS, "Power")["amount"] is None
    shopping = named(person, STANDING_ORDERS, "Shopping")
    assert (shopping["amount"], shopping["categoryId"]) == (-605_000, None)


def test_a_security_with_the_code_of_a_currency_is_no_currency(person: Person):
    remarks = list(map(str, import_book(person, FORMS["gzip"](BOOKS, "travel")).remarks))
    depot = named(person, ACCOUNTS, "ALL")
    assert (depot["currencyCode"], depot["accountType"]) == ("EUR", "Investment")
    assert {r["currencyCode"] for r in person.rows(ACCOUNTS)} == {"EUR", "USD", "JPY"}
    assert "12.3456 NASDAQ:ALL" in {r["note"] for r in person.rows(RECORDS)}
    assert "accounts of securities at book value, without units and market prices: 1 ('ALL')" in (
        remarks
    )
    assert "exchange rates in the book, which only the command 'rates import' imports: 2" in remarks
    assert "prices of securities, not imported: 1" in remarks


def test_what_changed_there_changes_here(person: Person):
    import_book(person, HOUSEHOLD)
    report = import_book(person, edited(("Müller &amp; Söhne", "Hausverwaltung")))
    assert (report.created, report.updated) == (0, 1)
    person.audit()


def test_the_number_may_be_in_the_splits(person: Person):
    key = "Use Split Action Field for Number"
    slots = "<slot:key>options</slot:key><slot:value type='frame'><slot><slot:key>Accounts"
    slots += f"</slot:key><slot:value type='frame'><slot><slot:key>{key}</slot:key>"
    slots += "<slot:value type='string'>t</slot:value></slot></slot:value></slot></slot:value>"
    count_data = '<gnc:count-data cd:type="commodity">'
    action = "<split:action>4711</split:action><split:reconciled-state>y"
    book = edited(
        (count_data, f"<book:slots><slot>{slots}</slot></book:slots>{count_data}"),
        ("<split:reconciled-state>y", action),
    )
    import_book(person, book)
    assert {row["reference"] for row in person.rows(RECORDS)} >= {"4711", "17"}


def test_what_business_books_have_is_counted(person: Person, database: Callable[..., bytes]):
    end = "</gnc:book>"
    customers = '<gnc:GncCustomer version="2.0.0"><cust:name>A</cust:name></gnc:GncCustomer>' * 2
    link = "<slot><slot:key>assoc_uri</slot:key><slot:value type='string'>a.pdf</slot:value></slot>"
    slots = "  <trn:slots>\n"
    book = edited((end, customers + end), (slots, slots + link))
    expected = [
        "links to documents, not imported: 1",
        "customers, suppliers, invoices and other business objects, not imported: 2",
    ]
    assert set(expected) <= {*map(str, import_book(person, book).remarks)}
    book = database(
        "INSERT INTO jobs (guid, id, name, reference, active) VALUES ('a', '1', 'A', '', 1), "
        "('b', '2', 'B', '', 1)",
        "INSERT INTO slots (obj_guid, name, slot_type, string_val) SELECT guid, 'doclink', 4, 'a' "
        "FROM transactions WHERE description = 'aside'",
    )
    assert set(expected) <= {*map(str, import_book(person, book).remarks)}


@pytest.mark.parametrize(
    ("formula", "amount"),
    [("812.5", -8_125_000), ("1,5", None), ("1.234,50", None), ("800 + 12", None), ("1/3", None)],
)
def test_an_amount_is_a_plain_number(person: Person, formula: str, amount: int | None):
    credit = '<slot:key>credit-formula</slot:key>\n              <slot:value type="string">800<'
    book = edited((credit, credit.replace("800", formula)))
    import_book(person, book)
    amounts = [row["amount"] for row in person.rows(STANDING_ORDERS) if row["payee"]]
    assert amounts.count(amount) == (2 if amount is None else 1)


def test_an_account_can_show_more_places_than_its_currency(person: Person):
    scu = "<act:commodity-scu>100</act:commodity-scu>"
    aside = [
        (f"<split:{what}>{sign}50000/100<", f"<split:{what}>{sign}500005/1000<")
        for what in ("value", "quantity")
        for sign in ("", "-")
    ]
    import_book(person, edited((scu, scu.replace("100", "1000")), *aside))
    amounts = [row["amount"] for row in person.rows(RECORDS) if row["payee"] == "aside"]
    assert sorted(amounts) == [-5_000_050, 5_000_050]


# -- days of old books

POSTED = "<ts:date>2026-01-10 10:59:00 +0000</ts:date>"
SLOT = """  <trn:slots>
    <slot>
      <slot:key>date-posted</slot:key>
      <slot:value type="gdate">
        <gdate>2026-01-10</gdate>
      </slot:value>
    </slot>
  </trn:slots>
"""


@pytest.mark.parametrize(
    ("posted", "day", "is_uncertain"),
    [
        ("2026-01-10 10:59:00 +0000", "2026-01-10", False),
        ("2026-01-10 00:00:00 +0100", "2026-01-10", False),
        ("2026-01-09 23:00:00 +0000", "2026-01-10", True),
        ("2026-01-10 05:00:00 +0000", "2026-01-10", True),
    ],
)
def test_days_of_old_books_are_the_nearest_midnight(
    person: Person, posted: str, day: str, is_uncertain: bool
):
    book = edited((POSTED, f"<ts:date>{posted}</ts:date>"), (SLOT, ""))
    remarks = list(map(str, import_book(person, book).remarks))
    days = {date_text(r["recordDate"]) for r in person.rows(RECORDS) if r["payee"] == "aside"}
    assert days == {day}
    named_there = "transactions of an old book whose day follows from a time of day: 1" in remarks
    assert named_there == is_uncertain


def test_a_time_after_the_last_day_of_the_calendar_is_refused(person: Person):
    posted = "<ts:date>9999-12-31 23:00:00 +0000</ts:date>"
    assert "is not a date" in refusal(person, edited((POSTED, posted), (SLOT, "")))


def test_a_database_of_before_version_3_has_other_dates(
    person: Person, database: Callable[..., bytes]
):
    import_book(person, HOUSEHOLD)
    book = database(
        "DELETE FROM slots WHERE name = 'date-posted'",
        "UPDATE transactions SET post_date = replace(replace(replace(post_date, '-', ''), ':', ''),"
        " ' ', '')",
    )
    assert not import_book(person, book).changed


# -- what is refused

REFUSED_XML: dict[str, tuple[tuple[str, str], str]] = {
    "a newer transaction": (
        ('<gnc:transaction version="2.0.0">', '<gnc:transaction version="3.0.0">'),
        "the book has the version '3.0.0' of gnc:transaction, and only 2.0.0 is known",
    ),
    "another number of transactions": (
        ('cd:type="transaction">', 'cd:type="transaction">1'),
        "objects of the type transaction, but has 4",
    ),
    "an account of an unknown type": (
        ("<act:type>CREDIT</act:type>", "<act:type>CRYPTO</act:type>"),
        "the account 'Card' is of the type 'CRYPTO', which is not known",
    ),
    "a currency that is none": (
        (
            "<cmdty:id>EUR</cmdty:id>\n  </act:commodity>",
            "<cmdty:id>XBT</cmdty:id>\n  </act:commodity>",
        ),
        "is kept in 'XBT', which is not a currency of ISO 4217",
    ),
    "a transaction that does not balance": (
        ("<split:value>-50000/100</split:value>", "<split:value>-50001/100</split:value>"),
        "the transaction 'aside' of 2026-01-10 does not balance by -0.01 EUR: choose Check &",
    ),
    "year 9999": (("<gdate>2026-01-10</gdate>", "<gdate>9999-12-31</gdate>"), "9999-12-31 cannot"),
    "no date": (("<gdate>2026-01-10</gdate>", "<gdate>2026-02-31</gdate>"), "is not a date"),
    "no number": (("<split:value>-50000/100<", "<split:value>-5e4/100<"), "is not a number"),
    "divided by zero": (("<split:value>-50000/100<", "<split:value>-50000/0<"), "is not a number"),
    "an unknown state": (
        ("<split:reconciled-state>y<", "<split:reconciled-state>z<"),
        "the transaction 'Employer Ltd' of 2026-01-02 has an unknown state",
    ),
    "a feature of a newer version": (
        (
            "<book:slots>",
            "<book:slots><slot><slot:key>features</slot:key><slot:value type='frame'><slot>"
            "<slot:key>Time travel</slot:key><slot:value type='string'>a</slot:value></slot>"
            "</slot:value></slot>",
        ),
        "the book needs something that is newer than GnuCash 4.13, 'Time travel'",
    ),
    "two books": (
        ("</gnc:book>", '</gnc:book><gnc:book version="2.0.0"></gnc:book>'),
        "has 2 books",
    ),
    "deep nesting": (("<book:slots>", "<book:slots>" + "<a>" * 200), "damaged or cut short"),
}


@pytest.mark.parametrize("case", REFUSED_XML)
def test_xml_that_cannot_be_right_is_refused(person: Person, case: str):
    change, reason = REFUSED_XML[case]
    book = gzip.decompress(HOUSEHOLD).decode()
    if "<book:slots>" not in book:
        slots = ('<gnc:count-data cd:type="commodity">', "<book:slots></book:slots>")
        book = book.replace(slots[0], slots[1] + slots[0], 1)
    assert change[0] in book
    assert reason in refusal(person, book.replace(*change, 1).encode())


def test_a_document_type_is_refused(person: Person):
    entity = '<!DOCTYPE gnc-v2 [<!ENTITY b "c">]><gnc-v2'
    assert "has a document type" in refusal(person, edited(("<gnc-v2", entity)))


def test_accounts_below_each_other_are_refused(person: Person, database: Callable[..., bytes]):
    guid = "(SELECT guid FROM accounts WHERE name = 'Eating out')"
    book = database(f"UPDATE accounts SET parent_guid = {guid} WHERE name = 'Food & Drinks'")
    assert "is below itself" in refusal(person, book)


REFUSED_SQL = {
    "in use": (
        "INSERT INTO gnclock VALUES ('home', 1)",
        "the book is open in GnuCash, or was not closed there",
    ),
    "a newer version": (
        "UPDATE versions SET table_version = 9 WHERE table_name = 'splits'",
        "the table splits of the book has the version 9, and only those up to 5 are known",
    ),
    "a missing column": (
        "ALTER TABLE splits DROP COLUMN memo",
        "the book lacks 'memo' in the table splits: open it with a current version of GnuCash",
    ),
    "a text for a number": (
        "UPDATE splits SET value_num = 'a' WHERE value_num = -50000",
        "'value_num' is 'a' in a row of the table splits",
    ),
    "a missing account": (
        "DELETE FROM accounts WHERE name = 'Purse'",
        "has an account that the book lacks",
    ),
    "no book": ("DELETE FROM books", "the file has 0 books"),
}


@pytest.mark.parametrize("case", REFUSED_SQL)
def test_a_database_that_cannot_be_right_is_refused(
    person: Person, database: Callable[..., bytes], case: str
):
    statement, reason = REFUSED_SQL[case]
    assert reason in refusal(person, database(statement))


def test_views_and_triggers_of_the_file_are_ignored(person: Person, database: Callable[..., bytes]):
    import_book(person, HOUSEHOLD)
    book = database(
        "CREATE TRIGGER t AFTER INSERT ON slots BEGIN DELETE FROM accounts; END",
        "CREATE VIEW boom AS SELECT randomblob(1000000000)",
    )
    assert not import_book(person, book).changed
    view = database(
        "PRAGMA legacy_alter_table = ON",
        "ALTER TABLE splits RENAME TO real_splits",
        "CREATE VIEW splits AS SELECT * FROM real_splits",
    )
    assert "in the table splits" in refusal(person, view)


def test_a_database_whose_newest_changes_are_elsewhere_is_refused(person: Person):
    data = bytearray(FORMS["sqlite"](BOOKS, "household"))
    data[18:20] = b"\x02\x02"
    assert "name ends with -wal" in refusal(person, bytes(data))


def test_a_gzip_bomb_is_refused(person: Person, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("finance_api.importers.books.gnucash.markup.MAX_BYTES", 100_000)
    text = gzip.decompress(HOUSEHOLD)
    assert "has more than 100,000 bytes" in refusal(person, gzip.compress(text))


@each_form
def test_a_book_that_is_cut_off_is_refused(person: Person, form: str):
    whole = FORMS[form](BOOKS, "household")
    # A database says what it is of after some of its pages.
    first = 120_000 if form == "sqlite" else 4_500
    for length in range(first, len(whole) - 20, len(whole) // 12):
        assert "damaged or cut short" in refusal(person, whole[:length])


@each_form
def test_damaged_bytes_are_read_right_or_refused(form: str):
    whole = FORMS[form](BOOKS, "household")
    refused = 0
    for place in range(4_100, len(whole), len(whole) // count(20, 400)):
        damaged = bytearray(whole)
        damaged[place : place + 8] = b"\xff" * 8
        try:
            import_book(Person(MemoryBackend()), bytes(damaged))
        except ImportRefused as error:
            refused += 1
            assert len(error.reason) > 15
    assert refused > 3


def test_a_book_is_recognised_by_its_content():
    for form, read in FORMS.items():
        assert detect_format(io.BytesIO(read(BOOKS, "travel"))).name == "gnucash", form


def test_many_transactions_take_little_memory():
    number = count(2_000, 200_000)
    text = gzip.decompress(HOUSEHOLD).decode()
    start = text.index("<gnc:transaction ")
    one = text[start : text.index("</gnc:transaction>") + len("</gnc:transaction>\n")]
    stated = text.index('cd:type="transaction">') + len('cd:type="transaction">')
    before = int(text[stated : text.index("<", stated)])
    head = text[:start].replace(
        f'cd:type="transaction">{before}', f'cd:type="transaction">{before + number}'
    )
    ids = [part.split("<", 1)[0] for part in one.split(':id type="guid">')[1:]]

    def copies() -> Any:
        yield head.encode()
        for place in range(number):
            copy = one
            for guid in ids:
                copy = copy.replace(guid, f"{place:08x}{guid[8:]}")
            yield copy.encode()
        yield text[start:].encode()

    stream = io.BytesIO(b"".join(copies()))
    found = sum(d["reserved_model_type"] == "Record" for d in GnucashReader().read(stream))
    assert found >= number
