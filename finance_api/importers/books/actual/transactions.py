"""Transactions of Actual."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from finance_api.importers.books.actual.names import Names
from finance_api.importers.books.actual.tables import table_rows
from finance_api.importers.books.actual.values import day_of, tags_in
from finance_api.importers.books.single_entry import Entry
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused, quoted

#: Transactions in families: each split with its parts, the whole first.
_FAMILIES = 'CASE WHEN "isChild" = 1 THEN "parent_id" ELSE "id" END, "isChild", "id"'


class _Row(NamedTuple):
    """A row of the table, in the order of its columns that are read."""

    id: str
    is_parent: int
    is_child: int
    parent_id: str | None
    account: str
    category: str | None
    amount: int
    payee: str | None
    notes: str | None
    date: int
    imported_payee: str | None
    is_opening: int
    other_half: str | None
    tombstone: int
    cleared: int
    reconciled: int
    bank_id: str | None

    @property
    def family(self) -> str | None:
        return self.parent_id if self.is_child else self.id


class Transactions:
    """The transactions of a book. After they were read, balances: of the accounts as Actual shows
    them, in Actual's units. bank_texts: how many have a text or an id from the bank.
    """

    def __init__(self, database: SqliteFile, names: Names) -> None:
        self._database = database
        self._names = names

    def __call__(self) -> Iterator[Entry]:
        """Yield what is neither deleted nor without account and date. Raises ImportRefused."""
        self.balances: Counter[str] = Counter()
        self.bank_texts = 0
        for _, family in groupby(self._rows(), lambda row: row.family):
            rows = list(family)
            parents = {row.id for row in rows if row.is_parent}
            parts: list[Entry] = []
            wholes: list[Entry] = []
            for row in rows:
                if not row.is_parent:
                    self.balances[row.account] += row.amount
                is_orphan = row.is_child and row.parent_id not in parents
                if not is_orphan and row.account in self._names.accounts:
                    (wholes if row.is_parent else parts).append(self._entry(row))
            yield from (whole._replace(parts=parts) for whole in wholes)
            if not wholes:
                yield from parts

    def _rows(self) -> Iterator[_Row]:
        for values in table_rows(self._database, "transactions", _FAMILIES):
            row = _Row(*values)
            if not row.tombstone and row.account is not None and row.date:
                yield row

    def _entry(self, row: _Row) -> Entry:
        try:
            day = day_of(row.date).isoformat()
        except ImportRefused as refused:
            raise ImportRefused(f"the transaction {quoted(row.id)}: {refused.reason}") from None
        payee = self._names.payee(row.payee) or row.imported_payee
        has_other_text = row.imported_payee not in (None, payee)
        self.bank_texts += has_other_text or row.bank_id is not None
        return Entry(
            row.id,
            row.account,
            day,
            row.amount,
            payee,
            row.notes,
            "reconciled" if row.reconciled else "cleared" if row.cleared else "uncleared",
            self._names.category(row.category),
            tags_in(row.notes),
            row.other_half,
            is_opening=bool(row.is_opening) and not row.is_child,
        )
