"""Accounts, payees and categories of a plan, and how rows refer to them."""

from decimal import Decimal

from finance_api.importers.books.reading import BookIds
from finance_api.importers.books.ynab.plan import Account, Category, Plan, Schedule, Transaction
from finance_api.importers.interface import ImportRefused, quoted

#: Groups that YNAB makes itself, also in files of a time without the member ``internal``.
_CARD_PAYMENTS = "Credit Card Payments"
_OWN_GROUPS = ("Internal Master Category", _CARD_PAYMENTS)
#: A group of YNAB's own with the user's categories.
_HIDDEN = "Hidden Categories"
_UNCATEGORIZED = "Uncategorized"


class Names:
    """What transactions and plans refer to, by YNAB's ids.

    currency: of all accounts. own_categories: the categories that YNAB makes itself, such as the
    one of income, except for *Uncategorized*. used: the categories that anything refers to.
    """

    def __init__(self, plan: Plan, ids: BookIds, currency: str) -> None:
        self.ids = ids
        self.currency = currency
        self.accounts = {account.id: account for account in plan.accounts}
        self.groups = {group.id: group for group in plan.category_groups}
        self._payees = {payee.id: payee for payee in plan.payees}
        self.categories: dict[str, Category] = {}
        self.own_categories: set[str] = set()
        self.used: set[str] = set()
        self._uncategorized: set[str] = set()
        for category in plan.categories:
            if not self._is_own(category):
                self.categories[category.id] = category
            elif category.name == _UNCATEGORIZED:
                self._uncategorized.add(category.id)
            else:
                self.categories[category.id] = category
                self.own_categories.add(category.id)

    def _is_own(self, category: Category) -> bool:
        group = self.groups.get(category.category_group_id)
        if group is None or group.name == _HIDDEN:
            return category.internal
        return category.internal or group.internal or group.name in _OWN_GROUPS

    def is_income(self, category_id: str) -> bool:
        group = self.groups.get(self.categories[category_id].category_group_id)
        is_card = group is not None and group.name == _CARD_PAYMENTS
        return category_id in self.own_categories and not is_card

    def money(self, milliunits: int) -> Decimal:
        return Decimal(milliunits) / 1000

    def account(self, account_id: str) -> Account:
        """Return an account. Raises ImportRefused if the file lacks it."""
        account = self.accounts.get(account_id)
        if account is None:
            raise ImportRefused(
                f"it is on the account {quoted(account_id)}, which the file lacks: ask YNAB's API "
                "for the whole plan"
            )
        return account

    def category(self, category_id: str | None) -> str | None:
        """Return the category if there is one here."""
        return category_id if category_id in self.categories else None

    def category_id(self, category_id: str | None) -> str | None:
        """Return the id here of a category."""
        found = self.category(category_id)
        if found is None:
            return None
        self.used.add(found)
        return self.ids.get("Category", found)

    def is_lost(self, category_id: str | None) -> bool:
        """Return whether a category was deleted."""
        return category_id is not None and not (
            category_id in self.categories or category_id in self._uncategorized
        )

    def payee(self, row: Transaction | Schedule) -> str | None:
        """Return the payee's name; for a transfer, the other account's."""
        other = self.accounts.get(row.transfer_account_id or "")
        if other is not None:
            return other.name
        payee = self._payees.get(row.payee_id or "")
        return None if payee is None else payee.name


def flag(row: Transaction | Schedule) -> str | None:
    """Return the name of a row's flag, or else its colour."""
    return row.flag_name or row.flag_color or None
