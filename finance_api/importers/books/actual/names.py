"""Accounts, payees and categories of a book, and how rows refer to them."""

from finance_api.importers.books.actual.tables import table_rows
from finance_api.importers.books.reading import Remarks
from finance_api.importers.books.single_entry import Account, Category
from finance_api.importers.books.sqlite_file import SqliteFile


class Names:
    """What transactions and plans refer to. All is by Actual's ids, without what was deleted."""

    def __init__(self, database: SqliteFile, remarks: Remarks) -> None:
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
                name or "-", group, bool(is_income), bool(hidden or group_hidden)
            )
            remarks.count("goals of categories, not imported", goal is not None)
        self._category_mapping = dict(table_rows(database, "category_mapping"))
        self._payee_mapping = dict(table_rows(database, "payee_mapping"))
        self._payees = {
            payee_id: (name, transfer_account)
            for payee_id, name, transfer_account, tombstone in table_rows(database, "payees")
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
