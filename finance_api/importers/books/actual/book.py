"""The accounts, payees, categories and transactions of a book of Actual.

A damaged book can have any value in any column.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import groupby
from typing import NamedTuple

from finance_api.importers.books.reading import Remarks, check_day
from finance_api.importers.books.single_entry import Account, Category, Entry
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused, quoted

#: As in Actual: ``##`` does not begin a tag.
_TAG = re.compile(r"(?<!#)#([^#\s]+)")
#: Transactions in families: each split with its parts, the whole first.
_FAMILIES = 'CASE WHEN "isChild" = 1 THEN "parent_id" ELSE "id" END, "isChild", "id"'


class Names:
    """What transactions and plans refer to. All is by Actual's ids, without what was deleted."""

    def __init__(self, database: SqliteFile, remarks: Remarks) -> None:
        self.accounts = {
            account_id: Account(name or "-", bool(off_budget), bool(closed))
            for account_id, name, off_budget, closed, tombstone in database.rows("accounts")
            if not tombstone
        }
        groups = {row[0]: row for row in database.rows("category_groups") if not row[4]}
        self.categories: dict[str, Category] = {}
        for category_id, name, group_id, hidden, tombstone, goal in database.rows("categories"):
            if tombstone:
                continue
            # The group says whether a category is income, even if the category says otherwise.
            _, group, is_income, group_hidden, _ = groups.get(group_id, (None, None, 0, 0, 0))
            self.categories[category_id] = Category(
                name or "-", group, bool(is_income), bool(hidden or group_hidden)
            )
            remarks.count("goals of categories, not imported", goal is not None)
        self._category_mapping = dict(database.rows("category_mapping"))
        self._payee_mapping = dict(database.rows("payee_mapping"))
        self._payees = {
            payee_id: (name, transfer_account)
            for payee_id, name, transfer_account, tombstone in database.rows("payees")
            if not tombstone
        }

    def category(self, category_id: str | None) -> str | None:
        """Return the category that a row means, after merging."""
        return self._category_mapping.get(category_id, category_id)

    def account_of_payee(self, payee_id: str | None) -> str | None:
        """Return the account that a payee stands for: it is one half of a transfer."""
        _, account_id = self._payees.get(self._payee_mapping.get(payee_id, payee_id), (None, None))
        return account_id if account_id in self.accounts else None

    def payee(self, payee_id: str | None) -> str | None:
        """Return the payee's name after merging; for the payee of a transfer, the account's."""
        name, _ = self._payees.get(self._payee_mapping.get(payee_id, payee_id), (None, None))
        account_id = self.account_of_payee(payee_id)
        return name if account_id is None else self.accounts[account_id].name


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
        for values in self._database.rows("transactions", _FAMILIES):
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
            _tags_in(row.notes),
            row.other_half,
            is_opening=bool(row.is_opening) and not row.is_child,
        )


def day_of(number: int) -> date:
    """Return the day of a number such as 20261031. Raises ImportRefused."""
    year, month_and_day = divmod(number, 10_000)
    try:
        return check_day(date(year, *divmod(month_and_day, 100)), "Actual")
    except (ValueError, OverflowError):
        raise ImportRefused(f"{number} is not a date") from None


def _tags_in(notes: str | None) -> list[str]:
    tags = _TAG.findall(notes or "")
    return list(dict.fromkeys(tag for tag in tags if tag.isprintable()))
