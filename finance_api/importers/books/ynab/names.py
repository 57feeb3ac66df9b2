"""Accounts, payees and categories of a plan, and how rows refer to them."""

from finance_api.importers.books.reading import Remarks
from finance_api.importers.books.single_entry import Account, Category
from finance_api.importers.books.ynab import plan as ynab

_ACCOUNT_TYPES = {
    "checking": "CurrentAccount",
    "savings": "SavingAccount",
    "cash": "Cash",
    "creditCard": "CreditCard",
    "lineOfCredit": "Overdraft",
    "otherAsset": "General",
    "otherLiability": "General",
    "mortgage": "Mortgage",
    "autoLoan": "Loan",
    "studentLoan": "Loan",
    "personalLoan": "Loan",
    "medicalDebt": "Loan",
    "otherDebt": "Loan",
}
#: Groups that YNAB makes itself, also in files of a time without the member ``internal``.
_CARD_PAYMENTS = "Credit Card Payments"
_OWN_GROUPS = ("Internal Master Category", _CARD_PAYMENTS)
#: A group of YNAB's own with the user's categories.
_HIDDEN = "Hidden Categories"
_UNCATEGORIZED = "Uncategorized"
_NO_GROUP = ynab.CategoryGroup("", "")


class Names:
    """What transactions and plans refer to, by YNAB's ids. uncategorized: categories that mean
    none.
    """

    def __init__(self, plan: ynab.Plan, remarks: Remarks) -> None:
        self.accounts: dict[str, Account] = {}
        self.categories: dict[str, Category] = {}
        self.uncategorized: set[str] = set()
        self._payees = {payee.id: payee.name for payee in plan.payees}
        for each in plan.accounts:
            account_type = _ACCOUNT_TYPES.get(each.type)
            if account_type is None:
                remarks.name("accounts of an unknown type", each.name)
            self.accounts[each.id] = Account(
                each.name, not each.on_budget, each.closed, account_type or "General"
            )
        groups = {group.id: group for group in plan.category_groups}
        for category in plan.categories:
            group = groups.get(category.category_group_id, _NO_GROUP)
            is_own = category.internal
            if group.name != _HIDDEN:
                is_own = is_own or group.internal or group.name in _OWN_GROUPS
            if is_own and category.name == _UNCATEGORIZED:
                self.uncategorized.add(category.id)
                continue
            self.categories[category.id] = Category(
                category.name,
                None if is_own else group.name or None,
                is_own and group.name != _CARD_PAYMENTS,
                category.hidden or (group.hidden and not is_own),
                is_own,
            )
            remarks.count("targets of categories, not imported", category.goal_type is not None)

    def payee(self, row: ynab.Transaction | ynab.Schedule) -> str | None:
        """Return the payee's name; for a transfer, the other account's."""
        other = self.accounts.get(row.transfer_account_id or "")
        return self._payees.get(row.payee_id or "") if other is None else other.name


def flags(row: ynab.Transaction | ynab.Schedule) -> list[str]:
    """Return the name of a row's flag, or else its colour."""
    flag = row.flag_name or row.flag_color
    return [flag] if flag else []
