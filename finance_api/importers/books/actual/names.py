"""Accounts, payees and categories of a book, and how rows refer to them."""

from decimal import Decimal
from typing import NamedTuple

from finance_api.importers.books.actual.tables import table_rows
from finance_api.importers.books.reading import BookIds
from finance_api.importers.books.sqlite_file import SqliteFile


class Account(NamedTuple):
    name: str
    is_off_budget: bool
    is_closed: bool


class Category(NamedTuple):
    name: str
    group: str | None
    is_income: bool
    is_hidden: bool
    has_goal: bool


class Names:
    """What transactions and plans refer to. All is by Actual's ids, without what was deleted.

    currency: of all accounts. cents: how many of Actual's units are one of the currency's.
    """

    def __init__(self, database: SqliteFile, ids: BookIds, currency: str, cents: int) -> None:
        self.ids = ids
        self.currency = currency
        self._cents = cents
        self.accounts = {
            account_id: Account(name or "-", bool(off_budget), bool(closed))
            for account_id, name, off_budget, closed, tombstone in table_rows(database, "accounts")
            if not tombstone
        }
        groups = {row[0]: row for row in table_rows(database, "category_groups") if not row[4]}
        self.categories: dict[str, Category] = {}
        for category_id, name, group_id, hidden, tombstone, goal in table_rows(
            database, "categories"
        ):
            if tombstone:
                continue
            # The group says whether a category is income, even if the category says otherwise.
            _, group, is_income, group_hidden, _ = groups.get(group_id, (None, None, 0, 0, 0))
            self.categories[category_id] = Category(
                name or "-", group, bool(is_income), bool(hidden or group_hidden), goal is not None
            )
        self._category_mapping = dict(table_rows(database, "category_mapping"))
        self._payee_mapping = dict(table_rows(database, "payee_mapping"))
        self._payees = {
            payee_id: (name, transfer_account)
            for payee_id, name, transfer_account, tombstone in table_rows(database, "payees")
            if not tombstone
        }

    def money(self, amount: int) -> Decimal:
        return Decimal(amount) / self._cents

    def account_id(self, account_id: object) -> str | None:
        """Return the id here of an account; None if it was deleted."""
        known = isinstance(account_id, str) and account_id in self.accounts
        return self.ids.get("Account", str(account_id)) if known else None

    def category(self, category_id: str | None) -> str | None:
        """Return the category that a row means, after merging; None if it was deleted."""
        merged = self._category_mapping.get(category_id, category_id)
        return merged if merged in self.categories else None

    def category_id(self, category_id: object) -> str | None:
        """Return the id here of the category that a row means."""
        found = self.category(category_id) if isinstance(category_id, str) else None
        return None if found is None else self.ids.get("Category", found)

    def account_of_payee(self, payee_id: str | None) -> Account | None:
        """Return the account that a payee stands for: it is one half of a transfer."""
        _, account_id = self._payees.get(self._payee_mapping.get(payee_id, payee_id), (None, None))
        return self.accounts.get(account_id)

    def payee(self, payee_id: str | None) -> str | None:
        """Return the payee's name after merging; for the payee of a transfer, the account's."""
        name, _ = self._payees.get(self._payee_mapping.get(payee_id, payee_id), (None, None))
        account = self.account_of_payee(payee_id)
        return name if account is None else account.name
