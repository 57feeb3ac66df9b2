"""The accounts, payees, categories and transactions of a book of Actual.

A damaged book can have any value in any column.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import groupby
from typing import Any

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
            row.id: Account(row.name or "-", bool(row.offbudget), bool(row.closed))
            for row in database.rows("accounts")
            if not row.tombstone
        }
        groups = {row.id: row for row in database.rows("category_groups") if not row.tombstone}
        self.categories: dict[str, Category] = {}
        for row in database.rows("categories"):
            if row.tombstone:
                continue
            group = groups.get(row.cat_group)
            # The group says whether a category is income, even if the category says otherwise.
            self.categories[row.id] = Category(
                row.name or "-",
                group and group.name,
                bool(group and group.is_income),
                bool(row.hidden or (group and group.hidden)),
            )
            remarks.count("goals of categories, not imported", row.goal_def is not None)
        self._category_mapping = dict(database.rows("category_mapping"))
        self._payee_mapping = dict(database.rows("payee_mapping"))
        self._payees = {
            row.id: (row.name, row.transfer_acct)
            for row in database.rows("payees")
            if not row.tombstone
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
        rows = self._database.rows("transactions", _FAMILIES)
        counted = (r for r in rows if not r.tombstone and r.acct is not None and r.date)
        for _, family in groupby(counted, lambda row: row.parent_id if row.isChild else row.id):
            members = list(family)
            parents = {row.id for row in members if row.isParent}
            parts: list[Entry] = []
            wholes: list[Entry] = []
            for row in members:
                if not row.isParent:
                    self.balances[row.acct] += row.amount
                is_orphan = row.isChild and row.parent_id not in parents
                if not is_orphan and row.acct in self._names.accounts:
                    (wholes if row.isParent else parts).append(self._entry(row))
            yield from (whole._replace(parts=parts) for whole in wholes)
            if not wholes:
                yield from parts

    def _entry(self, row: Any) -> Entry:
        try:
            day = day_of(row.date).isoformat()
        except ImportRefused as refused:
            raise ImportRefused(f"the transaction {quoted(row.id)}: {refused.reason}") from None
        payee = self._names.payee(row.description) or row.imported_description
        has_other_text = row.imported_description not in (None, payee)
        self.bank_texts += has_other_text or row.financial_id is not None
        return Entry(
            row.id,
            row.acct,
            day,
            row.amount,
            payee,
            row.notes,
            "reconciled" if row.reconciled else "cleared" if row.cleared else "uncleared",
            self._names.category(row.category),
            _tags_in(row.notes),
            row.transferred_id,
            is_opening=bool(row.starting_balance_flag) and not row.isChild,
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
