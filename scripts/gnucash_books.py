"""Makes the books of tests/samples/books with GnuCash's own library, and writes its own answers
beside them: balances on five days, sums by category and month, budgets.

    apt-get install python3-gnucash libdbd-sqlite3
    /usr/bin/python3 scripts/gnucash_books.py tests/samples/books
"""

import ctypes
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from gnucash import (
    Account,
    GncCommodity,
    GncNumeric,
    GncPrice,
    Session,
    SessionOpenMode,
    Split,
    Transaction,
)
from gnucash import gnucash_core_c as core

TYPES = {
    name: getattr(core, f"ACCT_TYPE_{name}")
    for name in (
        *("BANK", "CASH", "CREDIT", "ASSET", "LIABILITY", "STOCK", "MUTUAL", "INCOME", "EXPENSE"),
        *("EQUITY", "RECEIVABLE", "PAYABLE"),
    )
}
# Functions that the Python bindings lack.
engine = ctypes.CDLL("/usr/lib/x86_64-linux-gnu/gnucash/libgnc-engine.so")
glib = ctypes.CDLL("libglib-2.0.so.0")


class Numeric(ctypes.Structure):
    _fields_ = (("num", ctypes.c_int64), ("denom", ctypes.c_int64))


class Date(ctypes.Structure):
    _fields_ = (("julian", ctypes.c_uint32), ("parts", ctypes.c_uint32))


class Recurrence(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_char * 64),)


def function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    found: Any = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found  # type: ignore[no-any-return]


P, S, INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
budget_new = function(engine, "gnc_budget_new", P, P)
budget_set_name = function(engine, "gnc_budget_set_name", None, P, S)
budget_set_periods = function(engine, "gnc_budget_set_num_periods", None, P, ctypes.c_uint)
budget_set_recurrence = function(engine, "gnc_budget_set_recurrence", None, P, P)
budget_set_value = function(
    engine, "gnc_budget_set_account_period_value", None, P, P, ctypes.c_uint, Numeric
)
budget_get_value = function(
    engine, "gnc_budget_get_account_period_value", Numeric, P, P, ctypes.c_uint
)
budget_get_actual = function(
    engine, "gnc_budget_get_account_period_actual_value", Numeric, P, P, ctypes.c_uint
)
recurrence_set = function(engine, "recurrenceSet", None, P, ctypes.c_uint16, INT, P, INT)
date_new = function(glib, "g_date_new_dmy", P, ctypes.c_uint8, INT, ctypes.c_uint16)
list_append = function(glib, "g_list_append", P, P, P)
sx_new = function(engine, "xaccSchedXactionMalloc", P, P)
sx_set_name = function(engine, "xaccSchedXactionSetName", None, P, S)
sx_set_start = function(engine, "xaccSchedXactionSetStartDate", None, P, P)
sx_set_end = function(engine, "xaccSchedXactionSetEndDate", None, P, P)
sx_set_times = function(engine, "xaccSchedXactionSetNumOccur", None, P, INT)
sx_set_schedule = function(engine, "gnc_sx_set_schedule", None, P, P)
sx_set_template = function(engine, "xaccSchedXactionSetTemplateTrans", None, P, P, P)
sxes_add = function(engine, "gnc_sxes_add_sx", None, P, P)
sxes_get = function(engine, "gnc_book_get_schedxactions", P, P)
sx_enable = function(engine, "xaccSchedXactionSetEnabled", None, P, INT)
tt_new = function(engine, "gnc_ttinfo_malloc", P)
tt_set_description = function(engine, "gnc_ttinfo_set_description", None, P, S)
tt_set_currency = function(engine, "gnc_ttinfo_set_currency", None, P, P)
tt_append = function(engine, "gnc_ttinfo_append_template_split", None, P, P)
split_new = function(engine, "gnc_ttsplitinfo_malloc", P)
split_set_account = function(engine, "gnc_ttsplitinfo_set_account", None, P, P)
split_set_memo = function(engine, "gnc_ttsplitinfo_set_memo", None, P, S)
split_set_credit = function(engine, "gnc_ttsplitinfo_set_credit_formula", None, P, S)
split_set_debit = function(engine, "gnc_ttsplitinfo_set_debit_formula", None, P, S)
book_set_dirty = function(engine, "qof_book_mark_session_dirty", None, P)
set_closing = function(engine, "xaccTransSetIsClosingTxn", None, P, INT)
state_new = function(engine, "gnc_sx_create_temporal_state", P, P)
state_increment = function(engine, "gnc_sx_incr_temporal_state", None, P, P)
next_instance = function(engine, "xaccSchedXactionGetNextInstance", Date, P, P)
date_valid = function(glib, "g_date_valid", INT, P)
date_parts = [function(glib, f"g_date_get_{part}", INT, P) for part in ("year", "month", "day")]
book_set_option = function(engine, "qof_book_set_string_option", None, P, S, S)

ONCE, DAY, WEEK, MONTH, END_OF_MONTH, NTH_WEEKDAY, LAST_WEEKDAY, YEAR = range(8)


def pointer(thing: Any) -> int:
    return int(thing.instance)


def number(text: str) -> GncNumeric:
    whole, _, places = text.partition(".")
    return GncNumeric(int(whole + places), 10 ** len(places))


def day_of(text: str) -> Any:
    day = date.fromisoformat(text)
    return date_new(day.day, day.month, day.year)


class Book:
    def __init__(self, uri: str, name: str) -> None:
        self.session = Session(f"{uri}://{name}", SessionOpenMode.SESSION_NEW_OVERWRITE)
        self.book = self.session.book
        self.root = self.book.get_root_account()
        self.accounts: dict[str, Account] = {}
        self.budgets: list[tuple[Any, int]] = []
        self.schedules: dict[str, Any] = {}

    def commodity(self, code: str) -> Any:
        return self.book.get_table().lookup("CURRENCY", code)

    def account(self, path: str, kind: str, commodity: Any = "EUR", **flags: Any) -> Account:
        account = Account(self.book)
        parent, _, name = path.rpartition(":")
        account.SetName(name)
        account.SetType(TYPES[kind])
        account.SetCommodity(self.commodity(commodity) if isinstance(commodity, str) else commodity)
        account.SetPlaceholder(bool(flags.get("placeholder")))
        if flags.get("hidden"):
            core.xaccAccountSetHidden(account.instance, True)
        if flags.get("opening"):
            core.xaccAccountSetIsOpeningBalance(account.instance, True)
        (self.accounts[parent] if parent else self.root).append_child(account)
        self.accounts[path] = account
        return account

    def add(
        self, day: str, text: str, *legs: Any, currency: str = "EUR", **more: Any
    ) -> Transaction:
        """legs: path, value in the currency, and optionally the quantity, a memo and a state."""
        transaction = Transaction(self.book)
        transaction.BeginEdit()
        transaction.SetCurrency(self.commodity(currency))
        transaction.SetDescription(text)
        moment = datetime.fromisoformat(day)
        transaction.SetDate(moment.day, moment.month, moment.year)
        transaction.SetDateEnteredSecs(datetime(2026, 11, 1) + timedelta(seconds=len(text)))
        if "number" in more:
            transaction.SetNum(more["number"])
        if "notes" in more:
            transaction.SetNotes(more["notes"])
        for path, value, *others in legs:
            quantity, memo, state = (*others, None, None, None)[:3]
            split = Split(self.book)
            split.SetParent(transaction)
            split.SetAccount(self.accounts[path])
            split.SetValue(number(value))
            split.SetAmount(number(quantity or value))
            if memo:
                split.SetMemo(memo)
            if state:
                split.SetReconcile(state)
        transaction.CommitEdit()
        return transaction

    def budget(
        self, name: str, start: str, periods: int, mult: int, limits: dict[str, Any]
    ) -> None:
        budget = budget_new(pointer(self.book))
        budget_set_name(budget, name.encode())
        recurrence = Recurrence()
        recurrence_set(ctypes.byref(recurrence), mult, MONTH, day_of(start), 0)
        budget_set_recurrence(budget, ctypes.byref(recurrence))
        budget_set_periods(budget, periods)
        for path, values in limits.items():
            for period, value in values.items():
                cents = Numeric(round(float(value) * 100), 100)
                budget_set_value(budget, pointer(self.accounts[path]), period, cents)
        self.budgets.append((budget, periods))

    def schedule(
        self, name: str, start: str, rules: list[tuple[Any, ...]], legs: list[Any], **more: Any
    ) -> None:
        """rules: each has type, multiplier and first day. legs: path, and a formula whose sign says
        the direction.
        """
        schedule = sx_new(pointer(self.book))
        sx_set_name(schedule, name.encode())
        sx_set_start(schedule, day_of(start))
        recurrences = None
        for kind, mult, first, *weekend in rules:
            recurrence = ctypes.pointer(Recurrence())
            _kept.append(recurrence)
            recurrence_set(recurrence, mult, kind, day_of(first), *(weekend or (0,)))
            recurrences = list_append(recurrences, recurrence)
        sx_set_schedule(schedule, recurrences)
        if "end" in more:
            sx_set_end(schedule, day_of(more["end"]))
        if "times" in more:
            sx_set_times(schedule, more["times"])
        template = tt_new()
        tt_set_description(template, more.get("payee", name).encode())
        tt_set_currency(template, int(self.commodity("EUR").instance))
        for path, formula in legs:
            split = split_new()
            split_set_account(split, pointer(self.accounts[path]))
            if formula.startswith("-"):
                split_set_credit(split, formula[1:].encode())
            else:
                split_set_debit(split, formula.encode())
            tt_append(template, split)
        sx_set_template(schedule, list_append(None, template), pointer(self.book))
        sx_enable(schedule, more.get("enabled", 1))
        sxes_add(sxes_get(pointer(self.book)), schedule)
        self.schedules[name] = schedule

    def answers(self, days: list[str], months: list[str]) -> dict[str, Any]:
        """Return by the ids of accounts: balances, book values of securities, and sums, in
        hundredths; limits of the first budget; and the first days of each schedule.
        """
        balances: dict[str, Any] = {}
        sums: dict[str, Any] = {}
        for path, account in self.accounts.items():
            guid = account.GetGUID().to_string()
            if account.GetType() in (TYPES["INCOME"], TYPES["EXPENSE"]):
                of_months = {}
                for month in months:
                    first = date.fromisoformat(f"{month}-01")
                    after = (first + timedelta(days=31)).replace(day=1)
                    if of_month := balance(account, after) - balance(account, first):
                        of_months[month] = of_month
                sums[guid] = of_months
            elif account.GetType() != TYPES["EQUITY"]:
                told = book_value if account.GetType() == TYPES["STOCK"] else balance
                after = [date.fromisoformat(day) + timedelta(days=1) for day in days]
                on = {day: told(account, each) for day, each in zip(days, after, strict=True)}
                balances[guid] = {"path": path, "on": on}
        return {
            "balances": balances,
            "sums": sums,
            "transfers": self.transfers(),
            "budgets": self.limits(),
            "schedules": {name: first_days(each) for name, each in self.schedules.items()},
        }

    def limits(self) -> dict[str, list[int]]:
        limits = {}
        for budget, periods in self.budgets[:1]:
            for account in self.accounts.values():
                told = [budget_get_value(budget, pointer(account), each) for each in range(periods)]
                if any(value.num for value in told):
                    guid = account.GetGUID().to_string()
                    limits[guid] = [value.num * 100 // value.denom for value in told]
        return limits

    def transfers(self) -> list[list[Any]]:
        """Return account and amount of both halves, where only two accounts of money take part."""
        names = ("BANK", "CASH", "CREDIT", "ASSET", "LIABILITY", "RECEIVABLE", "PAYABLE")
        money = [TYPES[name] for name in names]
        paths = {account.GetGUID().to_string(): path for path, account in self.accounts.items()}
        found = []
        for path, account in self.accounts.items():
            for split in account.GetSplitList():
                parts = [
                    (part.GetAccount(), cents(part.GetAmount()))
                    for part in split.GetParent().GetSplitList()
                    if part.GetAccount().GetType() != core.ACCT_TYPE_TRADING
                ]
                amount = cents(split.GetAmount())
                if len(parts) != 2 or amount >= 0:
                    continue
                if all(each.GetType() in money for each, _ in parts):
                    others = [(paths[a.GetGUID().to_string()], n) for a, n in parts if n > 0]
                    found += [[path, amount, *other] for other in others]
        return sorted(found)


def first_days(schedule: Any) -> list[str]:
    """Return up to eight days."""
    state = state_new(schedule)
    days: list[str] = []
    while len(days) < 8:
        found = next_instance(schedule, state)
        if not date_valid(ctypes.byref(found)):
            break
        year, month, day = (get(ctypes.byref(found)) for get in date_parts)
        days.append(f"{year}-{month:02d}-{day:02d}")
        state_increment(schedule, state)
    return days


#: Keeps memory that the library refers to.
_kept: list[Any] = []


def cents(number: Any) -> int:
    return round(number.num() * 100 / number.denom())


def balance(account: Account, after: date) -> int:
    """Return the balance in hundredths before a day, without the entries that close the books."""
    end = datetime(after.year, after.month, after.day) - timedelta(seconds=1)
    found = core.xaccAccountGetNoclosingBalanceAsOfDateInCurrency(
        account.instance, end, account.GetCommodity().instance, False
    )
    return round(found.num * 100 / found.denom)


def book_value(account: Account, after: date) -> int:
    values = [
        cents(split.GetValue())
        for split in account.GetSplitList()
        if split.GetParent().GetDate().date() < after
    ]
    return sum(values)


def save_as_database(book: Path, target: Path) -> None:
    """Save a book of XML as SQLite, as *Save as* does."""
    session = Session(f"xml://{book}", SessionOpenMode.SESSION_READ_ONLY)
    other = Session()
    other.begin(f"sqlite3://{target}", SessionOpenMode.SESSION_NEW_OVERWRITE)
    core.qof_session_swap_data(session.instance, other.instance)
    book_set_dirty(int(core.qof_session_get_book(other.instance)))
    other.save()
    other.end()
    session.end()


def household(book: Book) -> None:
    """A book with all that one currency has."""
    for path, kind, flags in (
        ("Assets", "ASSET", {"placeholder": True}),
        ("Assets:Bank", "BANK", {"placeholder": True}),
        ("Assets:Bank:Giro", "BANK", {}),
        ("Assets:Bank:Savings", "BANK", {}),
        ("Assets:Purse", "CASH", {}),
        ("Assets:Old bank", "BANK", {"hidden": True}),
        ("Assets:Old bank:Giro", "BANK", {"hidden": True}),
        ("Liabilities", "LIABILITY", {"placeholder": True}),
        ("Liabilities:Card", "CREDIT", {}),
        ("Liabilities:Car loan", "LIABILITY", {}),
        ("Income", "INCOME", {"placeholder": True}),
        ("Income:Salary", "INCOME", {}),
        ("Income:Interest", "INCOME", {}),
        ("Expenses", "EXPENSE", {"placeholder": True}),
        ("Expenses:Food & Drinks", "EXPENSE", {}),
        ("Expenses:Food & Drinks:Eating out", "EXPENSE", {}),
        ("Expenses:Wohnung", "EXPENSE", {}),
        ("Expenses:Wohnung:Strom", "EXPENSE", {"hidden": True}),
        ("Expenses:Interest", "EXPENSE", {}),
        ("Equity", "EQUITY", {"placeholder": True}),
        ("Equity:Opening", "EQUITY", {"opening": True}),
        ("Equity:Retained", "EQUITY", {}),
    ):
        book.account(path, kind, **flags)
    giro, savings, purse = "Assets:Bank:Giro", "Assets:Bank:Savings", "Assets:Purse"
    card, loan, food = "Liabilities:Card", "Liabilities:Car loan", "Expenses:Food & Drinks"
    out, flat, power = f"{food}:Eating out", "Expenses:Wohnung", "Expenses:Wohnung:Strom"
    book.add("2026-01-01", "Opening", (giro, "1234.56"), ("Equity:Opening", "-1234.56"))
    book.add("2026-01-01", "Opening", (loan, "-8000"), ("Equity:Opening", "8000"))
    book.add("2026-01-20", "Opening", (savings, "1000"), ("Equity:Opening", "-1000"))
    for month in range(1, 7):
        day = f"2026-{month:02d}"
        book.add(
            f"{day}-02", "Employer Ltd", (giro, "2500", None, None, "y"), ("Income:Salary", "-2500")
        )
        book.add(
            f"{day}-03",
            "Müller & Söhne",
            (giro, "-800", None, None, "c"),
            (flat, "800"),
            notes="rent 🏠",
        )
        book.add(f"{day}-05", "Bank", (giro, "-200"), (loan, "170"), ("Expenses:Interest", "30"))
        book.add(
            f"{day}-09", "Corner Shop", (card, f"-{40 + month}.15"), (food, f"{40 + month}.15")
        )
        book.add(f"{day}-25", "Card", (giro, f"-{40 + month}.15"), (card, f"{40 + month}.15"))
    book.add("2026-01-10", "aside", (giro, "-500"), (savings, "500"), number="17")
    book.add("2026-01-05", "Interest", (savings, "12"), ("Income:Interest", "-12"))
    book.add(
        "2026-02-14",
        "Supermarket",
        (giro, "-60"),
        (food, "35", None, "bread"),
        (out, "20", None, "café"),
        (power, "5"),
    )
    book.add("2026-02-15", "Two purses", (giro, "-70"), (purse, "-20"), (food, "50"), (out, "40"))
    book.add("2026-03-01", "cash", (giro, "-100"), (purse, "100"))
    book.add("2026-03-04", "Refund", (purse, "9.90"), (food, "-9.90"))
    book.add("2026-03-05", "Moved", (out, "12.34"), (food, "-12.34"))
    book.add("2026-03-06", "nothing", (giro, "0"), (food, "0"))
    book.add("2026-03-07", "Twice", (giro, "-5"), (giro, "-6"), (food, "11"))
    book.add("2026-02-01", "Old", ("Assets:Old bank:Giro", "55"), ("Income:Interest", "-55"))
    void = book.add("2026-03-08", "Mistake", (giro, "-99"), (food, "99"))
    void.BeginEdit()
    void.Void("typed twice")
    void.CommitEdit()
    closing = book.add(
        "2026-06-30", "Closing", ("Income:Salary", "15000"), ("Equity:Retained", "-15000")
    )
    closing.BeginEdit()
    set_closing(int(closing.instance), 1)
    closing.CommitEdit()
    book.budget(
        "2026",
        "2026-01-01",
        12,
        1,
        {
            food: {0: "300", 1: "300", 2: "350.50"},
            flat: dict.fromkeys(range(12), "850"),
            "Income:Salary": {0: "2500"},
        },
    )
    book.budget("quarters", "2025-01-01", 4, 3, {food: {0: "900"}})
    rent = [(giro, "-800"), (flat, "800")]
    book.schedule("Rent", "2026-07-31", [(MONTH, 1, "2026-07-31")], rent, payee="Müller & Söhne")
    book.schedule("Thirtieth", "2026-09-30", [(MONTH, 1, "2026-09-30")], rent)
    book.schedule("Quarter", "2026-08-29", [(MONTH, 3, "2026-08-29", 1)], rent)
    book.schedule("Month's end", "2026-07-01", [(END_OF_MONTH, 1, "2026-07-31")], rent)
    book.schedule(
        "Gym",
        "2026-07-06",
        [(WEEK, 1, "2026-07-06"), (WEEK, 1, "2026-07-08"), (WEEK, 1, "2026-07-10")],
        [(giro, "-10"), (out, "10")],
        times=7,
    )
    book.schedule("Third Friday", "2026-07-17", [(NTH_WEEKDAY, 1, "2026-07-17")], rent)
    book.schedule("Fifth Friday", "2026-07-31", [(NTH_WEEKDAY, 1, "2026-07-31")], rent)
    book.schedule("Last Monday", "2026-07-27", [(LAST_WEEKDAY, 2, "2026-07-27")], rent)
    book.schedule("Leap day", "2028-02-29", [(YEAR, 1, "2028-02-29")], rent)
    book.schedule(
        "Salary",
        "2026-07-05",
        [(MONTH, 1, "2026-07-05"), (MONTH, 1, "2026-07-20")],
        [(giro, "1250"), ("Income:Salary", "-1250")],
        end="2026-12-31",
    )
    book.schedule(
        "Aside", "2026-07-10", [(MONTH, 1, "2026-07-10")], [(savings, "500"), (giro, "-500")]
    )
    book.schedule(
        "Loan",
        "2026-07-05",
        [(MONTH, 1, "2026-07-05")],
        [(giro, "-200"), (loan, "170"), ("Expenses:Interest", "30")],
    )
    book.schedule(
        "Power",
        "2026-07-08",
        [(MONTH, 1, "2026-07-08")],
        [(giro, "-usage * 0.35"), (power, "usage * 0.35")],
    )
    book.schedule(
        "Shopping",
        "2026-07-04",
        [(DAY, 14, "2026-07-04")],
        [(giro, "-60.5"), (food, "40.5"), (out, "20")],
    )
    book.schedule("Once", "2026-12-24", [(ONCE, 1, "2026-12-24")], rent)
    book.schedule("Off", "2026-07-04", [(DAY, 1, "2026-07-04")], rent, enabled=0)


def travel(book: Book) -> None:
    """A book with currencies, trading accounts and securities."""
    book_set_option(pointer(book.book), b"options/Accounts/Use Trading Accounts", b"t")
    table = book.book.get_table()
    share = GncCommodity(book.book, "Allstate", "NASDAQ", "ALL", "", 10_000)
    table.insert(share)
    for path, kind, commodity in (
        ("Assets", "ASSET", "EUR"),
        ("Assets:Giro", "BANK", "EUR"),
        ("Assets:Dollars", "BANK", "USD"),
        ("Assets:Yen", "CASH", "JPY"),
        ("Assets:Depot", "ASSET", "EUR"),
        ("Assets:Depot:ALL", "STOCK", share),
        ("Assets:Owed", "RECEIVABLE", "EUR"),
        ("Income", "INCOME", "EUR"),
        ("Income:Salary", "INCOME", "EUR"),
        ("Income:Gains", "INCOME", "EUR"),
        ("Income:Dividends", "INCOME", "USD"),
        ("Expenses", "EXPENSE", "EUR"),
        ("Expenses:Fees", "EXPENSE", "EUR"),
        ("Expenses:Trip", "EXPENSE", "EUR"),
        ("Expenses:Hotel", "EXPENSE", "USD"),
        ("Equity", "EQUITY", "EUR"),
    ):
        book.account(path, kind, commodity)
    giro, dollars, yen, stock = "Assets:Giro", "Assets:Dollars", "Assets:Yen", "Assets:Depot:ALL"
    book.add("2026-01-01", "Opening", (giro, "20000"), ("Equity", "-20000"))
    book.add("2026-01-02", "exchange", (giro, "-1000"), (dollars, "1000", "1110.25"))
    book.add(
        "2026-01-03",
        "exchange",
        (giro, "-250.50"),
        (yen, "250", "40123"),
        ("Expenses:Fees", "0.50"),
    )
    book.add("2026-01-05", "Inn", (dollars, "-180"), ("Expenses:Hotel", "180"), currency="USD")
    book.add("2026-01-06", "Inn", (giro, "-90"), ("Expenses:Hotel", "90", "99.90"))
    book.add(
        "2026-01-07", "Train", (yen, "-1500"), ("Expenses:Trip", "1500", "9.37"), currency="JPY"
    )
    book.add(
        "2026-01-08",
        "Buy",
        (giro, "-1010.10"),
        (stock, "1000", "12.3456"),
        ("Expenses:Fees", "10.10"),
    )
    book.add("2026-02-08", "Buy", (giro, "-500"), (stock, "500", "5"))
    book.add("2026-03-08", "Sell", (giro, "900"), (stock, "-900", "-9"))
    book.add("2026-03-08", "Gain", (stock, "171.11", "0"), ("Income:Gains", "-171.11"))
    book.add("2026-03-09", "Split", (stock, "0", "8.3456"))
    book.add(
        "2026-03-10",
        "Dividend",
        (dollars, "12.50"),
        ("Income:Dividends", "-12.50"),
        (stock, "0", "0"),
        currency="USD",
    )
    book.add("2026-03-11", "Invoice", ("Assets:Owed", "300"), ("Income:Salary", "-300"))
    book.add("2026-03-20", "Paid", (giro, "300"), ("Assets:Owed", "-300"))
    book.add(
        "2026-03-21",
        "Three",
        (giro, "-300"),
        (dollars, "100", "111.11"),
        (yen, "190", "30000"),
        ("Expenses:Fees", "10"),
    )
    prices = book.book.get_price_db()
    for commodity, currency, value in (
        ("USD", "EUR", (100, 111)),
        ("JPY", "EUR", (6, 1000)),
        (share, "USD", (985, 10)),
    ):
        price = GncPrice(book.book)
        price.set_commodity(book.commodity(commodity) if isinstance(commodity, str) else commodity)
        price.set_currency(book.commodity(currency))
        price.set_value(GncNumeric(*value))
        price.set_time64(datetime(2026, 3, 31))
        prices.add_price(price)


def mixed(book: Book) -> None:
    """A book of many legs, made at random."""
    chance = random.Random(7)  # noqa: S311
    money = [f"Assets:{name}" for name in ("Giro", "Savings", "Purse", "Card")]
    categories = [f"Expenses:{name}" for name in ("Food", "Travel", "Health")]
    categories += [f"Income:{name}" for name in ("Pay", "Gifts")]
    book.account("Assets", "ASSET")
    for path in money:
        book.account(path, "CREDIT" if path.endswith("Card") else "BANK")
    for top, kind in (("Expenses", "EXPENSE"), ("Income", "INCOME"), ("Equity", "EQUITY")):
        book.account(top, kind)
    for path in categories:
        book.account(path, "EXPENSE" if path.startswith("E") else "INCOME")
    for count in range(120):
        day = date(2025, 10, 1) + timedelta(days=chance.randrange(150))
        paths = chance.choice(
            (money[:2], [*money, *categories, "Equity"], categories, [*money, *categories])
        )
        chosen = chance.sample(paths, chance.choice((2, 2, 2, 3, 4)) if len(paths) > 3 else 2)
        amounts = [chance.randrange(-20_000, 20_000) for _ in chosen[1:]]
        amounts.append(-sum(amounts))
        legs = [
            (
                path,
                f"{'-' * (amount < 0)}{abs(amount) // 100}.{abs(amount) % 100:02d}",
                None,
                chance.choice(("", f"memo {count}")),
            )
            for path, amount in zip(chosen, amounts, strict=True)
        ]
        book.add(day.isoformat(), f"Payee {count % 11}", *legs)
    months = {each: str(100 + 10 * each) for each in range(3)}
    book.budget("years", "2025-01-01", 3, 12, {"Expenses:Food": months, "Expenses": {1: "5000"}})


BOOKS = {
    "household": (
        household,
        ["2025-12-31", "2026-01-10", "2026-02-15", "2026-03-31", "2026-12-31"],
        [f"2026-{month:02d}" for month in range(1, 7)],
    ),
    "travel": (
        travel,
        ["2026-01-02", "2026-01-06", "2026-01-08", "2026-03-08", "2026-12-31"],
        ["2026-01", "2026-02", "2026-03"],
    ),
    "mixed": (
        mixed,
        ["2025-10-15", "2025-11-15", "2025-12-31", "2026-01-15", "2026-12-31"],
        ["2025-10", "2025-11", "2025-12", "2026-01", "2026-02"],
    ),
}


def main(target: Path) -> None:
    """Write each book as XML, and as SQLite, which is packed because it is mostly empty."""
    for name, (fill, days, months) in BOOKS.items():
        with tempfile.TemporaryDirectory() as folder:
            path, database = Path(folder) / "book.gnucash", Path(folder) / "book.sqlite"
            book = Book("xml", str(path))
            fill(book)
            answers = book.answers(days, months)
            book.session.save()
            book.session.end()
            save_as_database(path, database)
            (target / f"gnucash-{name}.gnucash").write_bytes(path.read_bytes())
            packed = gzip.compress(database.read_bytes(), mtime=0)
            (target / f"gnucash-{name}.sqlite.gz").write_bytes(packed)
        text = json.dumps(answers, indent=1, ensure_ascii=False)
        (target / f"gnucash-{name}.json").write_text(f"{text}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
