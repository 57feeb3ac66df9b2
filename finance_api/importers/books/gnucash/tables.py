"""Reads a book of SQLite."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from finance_api.importers.books.gnucash.book import (
    BUSINESS,
    DAMAGED,
    Account,
    Book,
    Budget,
    Recurrence,
    Schedule,
    Split,
    Transaction,
    commodity_code,
    day,
    fraction,
    template_split,
)
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused, listed, quoted

#: Table -> its version in GnuCash 4.13, and the columns that are read.
_READ: dict[str, tuple[int, tuple[str, ...]]] = {
    "books": (1, ("guid", "root_account_guid", "root_template_guid")),
    "commodities": (1, ("guid", "namespace", "mnemonic")),
    "accounts": (
        1,
        (
            *("guid", "name", "account_type", "commodity_guid", "commodity_scu", "parent_guid"),
            *("hidden", "placeholder"),
        ),
    ),
    "transactions": (4, ("guid", "currency_guid", "num", "post_date", "enter_date", "description")),
    "splits": (
        5,
        (
            *("tx_guid", "guid", "account_guid", "memo", "action", "reconcile_state"),
            *("value_num", "value_denom", "quantity_num", "quantity_denom"),
        ),
    ),
    "slots": (
        4,
        (
            *("obj_guid", "name", "string_val", "guid_val", "gdate_val", "int64_val"),
            *("numeric_val_num", "numeric_val_denom"),
        ),
    ),
    "budgets": (1, ("guid", "name", "num_periods")),
    "budget_amounts": (
        1,
        ("budget_guid", "account_guid", "period_num", "amount_num", "amount_denom"),
    ),
    "recurrences": (
        2,
        (
            *("obj_guid", "recurrence_mult", "recurrence_period_type"),
            *("recurrence_period_start", "recurrence_weekend_adjust"),
        ),
    ),
    "schedxactions": (
        1,
        (
            *("guid", "name", "enabled", "start_date", "end_date", "num_occur", "rem_occur"),
            "template_act_guid",
        ),
    ),
    "prices": (3, ("commodity_guid", "currency_guid", "date", "value_num", "value_denom")),
}
#: The columns that are whole numbers; the others are texts.
_NUMBERS = {
    *("commodity_scu", "hidden", "placeholder", "value_num", "value_denom", "quantity_num"),
    *("quantity_denom", "int64_val", "numeric_val_num", "numeric_val_denom", "num_periods"),
    *("period_num", "amount_num", "amount_denom", "recurrence_mult", "enabled", "num_occur"),
    "rem_occur",
}
_BUSINESS = ("customers", "vendors", "employees", "jobs", "invoices", "orders", "billterms")
_FRAME = "sched-xaction"


def read_tables(database: SqliteFile, book: Book) -> None:
    """Raises ImportRefused, and SQLITE_DAMAGES if the file is damaged."""
    _check(database)
    _Tables(database, book).read()


def _check(database: SqliteFile) -> None:
    """Raise ImportRefused for a book in use, or of a version that may be read wrong."""
    for table, (_, columns) in _READ.items():
        if missing := set(columns) - database.columns.get(table, set()):
            raise ImportRefused(
                f"the book lacks {listed(sorted(missing))} in the table {table}: open it with a "
                "current version of GnuCash, and save it as XML"
            )
    versions = {"table_name", "table_version"} - database.columns.get("versions", set())
    stated = {} if versions else dict(database.rows("versions", "table_name", "table_version"))
    for table, (version, _) in _READ.items():
        if not isinstance(stated.get(table), int) or stated[table] > version:
            raise ImportRefused(
                f"the table {table} of the book has the version {stated.get(table)}, and only "
                f"those up to {version} are known: finance-api needs an update to read it"
            )
    if any(database.rows("gnclock", "Hostname")):
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
        self._book = book
        self._commodities: dict[str, tuple[str, str]] = {}
        self._recurrences: defaultdict[str, list[Recurrence]] = defaultdict(list)
        #: The owners of frames of slots, and the slots of parts of schedules by their frame.
        self._frames: dict[str, str] = {}
        self._schedule_slots: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._void_amounts: dict[tuple[str, str], tuple[int, int]] = {}
        self._templates: set[str] = set()

    def _rows(self, table: str, order: str = "rowid") -> Iterator[tuple[Any, ...]]:
        """Yield the columns of a table that are read. A missing text is empty, a number 0.

        Raises ImportRefused for a value that GnuCash does not write.
        """
        columns = _READ[table][1]
        for row in self._database.rows(table, *columns, order=order):
            values: list[Any] = []
            for value, name in zip(row, columns, strict=True):
                kind = int if name in _NUMBERS else str
                if value is None:
                    value = kind()
                elif not isinstance(value, kind):
                    raise ImportRefused(
                        f"{name} is {quoted(str(value))} in a row of the table {table}: {DAMAGED}"
                    )
                values.append(value)
            yield tuple(values)

    def read(self) -> None:
        books = list(self._rows("books"))
        if len(books) != 1:
            raise ImportRefused(f"the file has {len(books)} books: give one book a file")
        self._book.id, root, template_root = books[0]
        for guid, space, name in self._rows("commodities"):
            self._commodities[guid] = space, name
        self._accounts(root, template_root)
        self._slots()
        for guid, mult, kind, start, weekend in self._rows("recurrences"):
            self._recurrences[guid].append(Recurrence(kind, mult, day(start), weekend))
        self._budgets()
        for guid, name, enabled, start, end, times, rest, template in self._rows("schedxactions"):
            is_over = not enabled or (times > 0 and not rest)
            last = day(end) if end else None
            recurrences = self._recurrences[guid]
            self._book.schedules.append(
                Schedule(guid, name, is_over, day(start), last, times, recurrences, template)
            )
        self._transactions()
        for base, currency, time, numerator, denominator in self._rows("prices"):
            value = f"{numerator}/{denominator}"
            self._book.add_price(self._code(base), self._code(currency), time, value)
        for table in _BUSINESS:
            if "guid" in self._database.columns.get(table, ()):
                rows = self._database.rows(table, "guid")
                self._book.remarks.count(BUSINESS, sum(1 for _ in rows))

    def _code(self, commodity: str, account: str | None = None) -> str:
        return commodity_code(*self._commodities.get(commodity, ("", "")), account)

    def _accounts(self, root: str, template_root: str) -> None:
        accounts = self._book.accounts
        for guid, name, kind, commodity, scu, parent, hidden, placeholder in self._rows("accounts"):
            if parent == template_root:
                self._templates.add(guid)
            elif kind != "ROOT":
                code = self._code(commodity, name)
                above = None if parent == root else parent or None
                accounts[guid] = Account(
                    guid, name, kind, code, scu or 1, above, bool(hidden), bool(placeholder)
                )

    def _slots(self) -> None:
        """Read the slots except for those of transactions."""
        for guid, name, text, of_guid, _, _, numerator, denominator in self._rows("slots"):
            if name == _FRAME:
                self._frames[of_guid] = guid
            elif name.startswith(f"{_FRAME}/"):
                shown = text or of_guid or f"{numerator}/{denominator}"
                self._schedule_slots[guid][name] = shown
            elif name.startswith("void-former-"):
                self._void_amounts[guid, name] = numerator, denominator
            elif name.startswith("features/"):
                self._book.features.add(name.partition("/")[2])
            elif name.endswith("/Use Split Action Field for Number"):
                self._book.has_swapped_numbers = text.startswith("t")
            elif name == "default-budget":
                self._book.default_budget = of_guid or text
        owners = {owner: self._schedule_slots[frame] for frame, owner in self._frames.items()}
        self._schedule_slots = defaultdict(dict, owners)

    def _budgets(self) -> None:
        amounts: defaultdict[str, dict[tuple[str, int], Any]] = defaultdict(dict)
        for guid, account, period, numerator, denominator in self._rows("budget_amounts"):
            if account in self._book.accounts:
                amounts[guid][account, period] = fraction(numerator, denominator)
        for guid, name, periods in self._rows("budgets"):
            if not self._recurrences[guid]:
                raise ImportRefused(DAMAGED)
            first = self._recurrences[guid][0]
            self._book.budgets.append(Budget(guid, name, periods, first, amounts[guid]))

    def _transactions(self) -> None:
        splits = _Sorted(self._rows("splits", order="tx_guid, guid"))
        slots = _Sorted(self._rows("slots", order="obj_guid, id"))
        for guid, currency, num, posted, entered, description in self._rows(
            "transactions", order="guid"
        ):
            rows = splits.rows(guid)
            if any(row[2] in self._templates for row in rows):
                self._template(description, rows)
                continue
            texts = {row[1]: row[2] or row[4] or str(row[5]) for row in slots.rows(guid)}
            self._book.note_slots(texts)
            self._book.transactions.add(
                Transaction(
                    guid,
                    self._code(currency),
                    num,
                    self._day(texts.get("date-posted"), posted),
                    entered,
                    description,
                    texts.get("notes", ""),
                    texts.get("book_closing", "0") != "0",
                    [self._split(row) for row in rows],
                )
            )

    def _day(self, slot: str | None, posted: str) -> str:
        if slot:
            return day(slot).isoformat()
        if posted.isdigit() and len(posted) == 14:
            # Before version 3.0.
            posted = f"{posted[:4]}-{posted[4:6]}-{posted[6:8]} {posted[8:10]}:{posted[10:12]}"
        try:
            return self._book.transactions.day(posted)
        except ValueError:
            raise ImportRefused(f"{quoted(posted)} is not a date: {DAMAGED}") from None

    def _split(self, row: tuple[Any, ...]) -> Split:
        _, guid, account, memo, action, state, *numbers = row
        value, quantity = tuple(numbers[:2]), tuple(numbers[2:])
        if state == "v":
            value = self._void_amounts.get((guid, "void-former-value"), value)
            quantity = self._void_amounts.get((guid, "void-former-amount"), quantity)
        return Split(guid, account, memo, action, state, fraction(*value), fraction(*quantity))

    def _template(self, description: str, rows: list[tuple[Any, ...]]) -> None:
        for row in rows:
            split = template_split(self._schedule_slots[row[1]], description, row[3])
            self._book.templates.setdefault(row[2], []).append(split)
