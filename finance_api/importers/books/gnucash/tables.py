"""Reads a book of SQLite."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from finance_api.importers.books.gnucash.book import (
    BUSINESS,
    Book,
    Recurrence,
    commodity_code,
    day,
    with_former,
)
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused

ADVICE = "open it with a current version of GnuCash, and save it as XML"
#: The columns that are read.
READ = {
    "books": "guid root_account_guid root_template_guid",
    "commodities": "guid namespace mnemonic",
    "accounts": (
        "guid name account_type commodity_guid commodity_scu:int parent_guid hidden:int "
        "placeholder:int"
    ),
    "transactions": "guid currency_guid num post_date enter_date description",
    "splits": (
        "tx_guid guid account_guid memo action reconcile_state value_num:int value_denom:int "
        "quantity_num:int quantity_denom:int"
    ),
    "slots": (
        "obj_guid name string_val guid_val gdate_val int64_val:int numeric_val_num:int "
        "numeric_val_denom:int"
    ),
    "budgets": "guid name num_periods:int",
    "budget_amounts": ("budget_guid account_guid period_num:int amount_num:int amount_denom:int"),
    "recurrences": (
        "obj_guid recurrence_mult:int recurrence_period_type recurrence_period_start "
        "recurrence_weekend_adjust"
    ),
    "schedxactions": (
        "guid name enabled:int start_date end_date num_occur:int rem_occur:int template_act_guid"
    ),
    "prices": "commodity_guid currency_guid date source value_num:int value_denom:int",
}
#: The versions of these tables in GnuCash 4.13, unless they are 1.
_VERSIONS = {"transactions": 4, "splits": 5, "slots": 4, "recurrences": 2, "prices": 3}
_BUSINESS = ("customers", "vendors", "employees", "jobs", "invoices", "orders", "billterms")
_FRAME = "sched-xaction"


def read_tables(database: SqliteFile, book: Book) -> None:
    """Raises ImportRefused, and SQLITE_DAMAGES if the file is damaged."""
    _check(database)
    _Tables(database, book).read()


def _check(database: SqliteFile) -> None:
    """Raise ImportRefused for a book in use, or of a version that may be read wrong."""
    versions = {"table_name", "table_version"} - database.columns.get("versions", set())
    stated = (
        {} if versions else dict(database.untyped_rows("versions", "table_name", "table_version"))
    )
    for table in database.read:
        version = _VERSIONS.get(table, 1)
        if not isinstance(stated.get(table), int) or stated[table] > version:
            raise ImportRefused(
                f"the table {table} of the book has the version {stated.get(table)}, and only "
                f"those up to {version} are known: finance-api needs an update to read it"
            )
    if any(database.untyped_rows("gnclock", "Hostname")):
        raise ImportRefused(
            "the book is open in GnuCash, or was not closed there: close it first, or save it as "
            "XML"
        )


class _Sorted:
    """Rows sorted by their first column, asked for by keys that ascend."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._groups = groupby(rows, itemgetter(0))
        self._key, self._rows = self._next()

    def rows(self, key: str) -> list[tuple[Any, ...]]:
        while self._key is not None and self._key < key:
            self._key, self._rows = self._next()
        return self._rows if self._key == key else []

    def _next(self) -> tuple[str | None, list[tuple[Any, ...]]]:
        key, rows = next(self._groups, (None, ()))
        return key, list(rows)


class _Tables:
    def __init__(self, database: SqliteFile, book: Book) -> None:
        self._database = database
        self._rows = database.rows
        self._book = book
        self._commodities: dict[str, tuple[str, str]] = {}
        self._recurrences: defaultdict[str, list[Recurrence]] = defaultdict(list)
        #: The slots of splits, by their whole names.
        self._slots: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._templates: set[str] = set()

    def read(self) -> None:
        books = list(self._rows("books"))
        if len(books) != 1:
            raise ImportRefused(f"the file has {len(books)} books: give one book a file")
        self._book.id, root, template_root = books[0]
        for guid, space, name in self._rows("commodities"):
            self._commodities[guid] = space, name
        self._accounts(root, template_root)
        self._read_slots()
        for guid, mult, kind, start, weekend in self._rows("recurrences"):
            self._recurrences[guid].append(Recurrence(kind, mult, day(start), weekend))
        self._budgets()
        for guid, name, is_on, start, end, times, rest, template in self._rows("schedxactions"):
            days = self._recurrences[guid]
            self._book.add_schedule(
                guid, name, bool(is_on), start, end, times, rest, template, days
            )
        self._transactions()
        for base, currency, time, source, numerator, denominator in self._rows("prices"):
            value = f"{numerator}/{denominator}"
            self._book.add_price(self._code(base), self._code(currency), time, source, value)
        for table in _BUSINESS:
            if "guid" in self._database.columns.get(table, ()):
                rows = self._database.untyped_rows(table, "guid")
                self._book.remarks.count(BUSINESS, sum(1 for _ in rows))

    def _code(self, commodity: str, account: str | None = None) -> str:
        return commodity_code(*self._commodities.get(commodity, ("", "")), account)

    def _accounts(self, root: str, template_root: str) -> None:
        for guid, name, kind, commodity, scu, parent, hidden, placeholder in self._rows("accounts"):
            if parent == template_root:
                self._templates.add(guid)
            elif kind != "ROOT":
                self._book.add_account(
                    guid,
                    name,
                    kind,
                    self._code(commodity, name),
                    scu or 1,
                    None if parent == root else parent or None,
                    is_hidden=bool(hidden),
                    is_placeholder=bool(placeholder),
                )

    def _read_slots(self) -> None:
        """Read the slots except for those of transactions."""
        options: dict[str, str] = {}
        frames: dict[str, str] = {}
        for guid, name, text, of_guid, _, _, numerator, denominator in self._rows("slots"):
            if name == _FRAME:
                frames[of_guid] = guid
            elif name.startswith((f"{_FRAME}/", "void-former-")):
                self._slots[guid][name] = text or of_guid or f"{numerator}/{denominator}"
            else:
                options[name] = text or of_guid
        for frame, owner in frames.items():
            self._slots[owner] = self._slots[frame]
        self._book.set_options(options)

    def _budgets(self) -> None:
        amounts: defaultdict[str, list[tuple[str, int, str]]] = defaultdict(list)
        for guid, account, period, numerator, denominator in self._rows("budget_amounts"):
            amounts[guid].append((account, period, f"{numerator}/{denominator}"))
        for guid, name, periods in self._rows("budgets"):
            self._book.add_budget(guid, name, periods, self._recurrences[guid], amounts[guid])

    def _transactions(self) -> None:
        splits = _Sorted(self._rows("splits", order="tx_guid, guid"))
        slots = _Sorted(self._rows("slots", order="obj_guid, id"))
        for guid, currency, num, posted, entered, description in self._rows(
            "transactions", order="guid"
        ):
            rows = splits.rows(guid)
            is_template = any(row[2] in self._templates for row in rows)
            parts: list[tuple[str, ...]] = []
            for _, own_id, account, memo, action, state, *numbers in rows:
                amounts = f"{numbers[0]}/{numbers[1]}", f"{numbers[2]}/{numbers[3]}"
                own = self._slots.get(own_id, {})
                if is_template:
                    self._book.add_template(account, description, memo, own)
                else:
                    parts.append(with_former((own_id, account, memo, action, state, *amounts), own))
            if not is_template:
                texts = {row[1]: row[2] or row[4] or str(row[5]) for row in slots.rows(guid)}
                self._book.add_transaction(
                    guid, self._code(currency), num, posted, entered, description, texts, parts
                )
