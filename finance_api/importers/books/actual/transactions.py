"""Transactions of Actual as records, splits and transfers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from finance_api.importers.books.actual.names import Names
from finance_api.importers.books.actual.tables import table_rows
from finance_api.importers.books.actual.values import iso_day, tags_in
from finance_api.importers.books.reading import Document
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused, quoted

#: Transactions in families: each split with its parts, the whole first.
_FAMILIES = 'CASE WHEN "isChild" = 1 THEN "parent_id" ELSE "id" END, "isChild", "id"'


class _Transaction(NamedTuple):
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
    """The transactions of a book, read twice: first what each depends on in other rows.

    openings: the transaction that is an account's initial balance, by account. balances: of the
    accounts as Actual shows them, in Actual's units, by account.
    """

    def __init__(self, database: SqliteFile, names: Names) -> None:
        self._database = database
        self._names = names
        self.counts: Counter[str] = Counter()
        self.labels: set[str] = set()
        self.balances: Counter[str] = Counter()
        #: The sums of what is imported, which must be the same.
        self._sums: Counter[str] = Counter()
        self.openings: dict[str, _Transaction] = {}
        self._parents: set[str] = set()
        self._transfers: dict[str, str] = {}
        self._survey()

    def _rows(self, order: str = "rowid") -> Iterator[_Transaction]:
        """Yield what is neither deleted nor without account and date."""
        for values in table_rows(self._database, "transactions", order):
            row = _Transaction(*values)
            if not row.tombstone and row.account is not None and row.date:
                yield row

    def _survey(self) -> None:
        halves: dict[str, _Transaction] = {}
        first_days: dict[str, int] = {}
        openings: list[_Transaction] = []
        for row in self._rows():
            if row.is_parent:
                self._parents.add(row.id)
                continue
            self.balances[row.account] += row.amount
            first_days[row.account] = min(first_days.get(row.account, row.date), row.date)
            if row.other_half is not None:
                halves[row.id] = row
            if row.is_opening and not row.is_child:
                openings.append(row)
        for row in sorted(openings, key=lambda row: (row.date, row.id)):
            if row.date == first_days[row.account] and row.other_half is None:
                self.openings.setdefault(row.account, row)
            if self.openings.get(row.account) != row:
                self.counts["late openings"] += 1
        for row in halves.values():
            other = halves.get(row.other_half or "")
            if other is not None and row.id <= other.id and self._is_transfer(row, other):
                self._transfers |= {row.id: row.id, other.id: row.id}

    def _is_transfer(self, row: _Transaction, other: _Transaction) -> bool:
        """Return whether two rows are a transfer here: it counts neither as spent nor as income."""
        if not (self._lives(row) and self._lives(other)) or other.other_half != row.id:
            return False
        if row.account == other.account or not row.amount or row.amount != -other.amount:
            self.counts["odd transfers"] += 1
            return False
        if any(self._is_spent(each) for each in (row, other)):
            self.counts["spent transfers"] += 1
            return False
        return True

    def _lives(self, row: _Transaction) -> bool:
        is_whole = not row.is_child or row.parent_id in self._parents
        return is_whole and row.account in self._names.accounts

    def _is_spent(self, row: _Transaction) -> bool:
        has_category = self._names.category(row.category) is not None
        return has_category and not self._names.accounts[row.account].is_off_budget

    def documents(self) -> Iterator[Document]:
        """Yield records and splits. Raises ImportRefused."""
        for _, family in groupby(self._rows(_FAMILIES), lambda row: row.family):
            rows = [row for row in family if self._lives(row)]
            wholes = [row for row in rows if row.is_parent]
            parts = [row for row in rows if not row.is_parent]
            try:
                yield from self._family(wholes, parts)
            except ImportRefused as refused:
                title = quoted((wholes or parts)[0].id)
                raise ImportRefused(f"the transaction {title}: {refused.reason}") from None

    def _family(
        self, wholes: Sequence[_Transaction], parts: Sequence[_Transaction]
    ) -> Iterator[Document]:
        for row in parts:
            self._sums[row.account] += row.amount
        if not wholes:
            for row in parts:
                # A starting balance is in its account.
                is_opening = self.openings.get(row.account) == row
                yield self._whole(row, row.amount) if is_opening else self._record(row)
            return
        whole = wholes[0]
        amount = sum(row.amount for row in parts)
        yield self._whole(whole, amount)
        if self._stands_apart(whole, parts):
            yield from map(self._record, parts)
            return
        self.counts["differing splits"] += amount != whole.amount
        split_id = self._names.ids.get("Record", whole.id)
        for row in parts:
            # The whole has the id of the program.
            yield self._record(row) | {"source": None, "sourceId": None, "splitId": split_id}

    def _whole(self, row: _Transaction, amount: int) -> Document:
        """Return the whole of a split. Without parts it counts nothing; it takes the place of the
        record that the transaction was before.
        """
        document = self._names.ids.document("SplitRecord", row.id, **self._values(row, amount))
        return document | {"id": self._names.ids.get("Record", row.id)}

    def _stands_apart(self, whole: _Transaction, parts: Sequence[_Transaction]) -> bool:
        """Return whether the parts cannot be parts here; counts why."""
        if not parts:
            self.counts["empty splits"] += 1
            return True
        is_transfer = any(row.id in self._transfers for row in parts)
        is_elsewhere = any((row.account, row.date) != (whole.account, whole.date) for row in parts)
        self.counts["splits apart"] += is_transfer or is_elsewhere
        return is_transfer or is_elsewhere

    def _values(self, row: _Transaction, amount: int) -> Document:
        names = self._names
        state = "reconciled" if row.reconciled else "cleared" if row.cleared else "uncleared"
        payee = names.payee(row.payee) or row.imported_payee
        has_other_text = row.imported_payee not in (None, payee)
        self.counts["bank texts"] += has_other_text or row.bank_id is not None
        return {
            "accountId": names.account_id(row.account),
            "amount": names.money(amount),
            "recordDate": iso_day(row.date),
            "payee": payee,
            "note": row.notes,
            "recordState": state,
        }

    def _record(self, row: _Transaction) -> Document:
        names, tags = self._names, tags_in(row.notes)
        self.labels.update(tags)
        pair = self._transfers.get(row.id)
        self.counts["lost categories"] += (
            row.category is not None and names.category(row.category) is None
        )
        return names.ids.document(
            "Record",
            row.id,
            **self._values(row, row.amount),
            categoryId=names.category_id(row.category),
            labelIds=[names.ids.get("Label", tag) for tag in tags],
            transferId=None if pair is None else names.ids.get("Transfer", pair),
        )

    def differing_balance(self) -> tuple[str, int, int] | None:
        """Return an account whose imported rows do not add up to its balance in Actual, with the
        balance and the sum.
        """
        for account_id in self._names.accounts:
            told, found = self.balances[account_id], self._sums[account_id]
            if told != found:
                return account_id, told, found
        return None
