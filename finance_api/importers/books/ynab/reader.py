"""Turns a plan of YNAB into objects of the native format."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from finance_api.importers.books.reading import BookIds, Document
from finance_api.importers.books.ynab.names import Names
from finance_api.importers.books.ynab.plan import Account, Plan, read_plan
from finance_api.importers.books.ynab.plans import Plans
from finance_api.importers.books.ynab.transactions import Transactions
from finance_api.importers.clauses import Topic, clause
from finance_api.importers.interface import Choice, ImportRefused, listed, quoted, stated_code
from finance_api.values.number import to_units
from finance_api.values.text import amount_text, count_text, message, shown

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


@dataclass
class YnabReader:
    """Reads a plan. currency: the user's answer if the plan does not say it."""

    currency: str | None = None
    remarks: list[str] = field(default_factory=list)
    balances: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "YnabReader":
        return cls(given.get("currency"))

    def read(self, stream: BinaryIO) -> Generator[Document]:
        """See `BookReader`."""
        plan = read_plan(stream)
        names = Names(plan, BookIds(f"ynab:{plan.id}"), self._currency(plan.currency_format))
        transactions = Transactions(plan, names)
        plans = Plans(plan, names)
        yield from transactions.documents()
        for account in plan.accounts:
            if transactions.sums[account.id] != account.balance:
                raise _differing(account, transactions.sums[account.id])
        yield from plans.budgets()
        yield from plans.standing_orders()
        yield from _accounts(names, transactions)
        yield from _categories(names)
        for label in sorted(transactions.labels | plans.labels):
            yield names.ids.document("Label", label, name=label)
        self.remarks = list(_remarks(plan, names, transactions, plans))
        self.balances = {
            names.ids.get("Account", account.id): to_units(names.money(account.balance))
            for account in plan.accounts
        }

    def _currency(self, currency_format: dict[str, Any] | None) -> str:
        stated = (currency_format or {}).get("iso_code")
        if stated:
            code = stated_code(str(stated), "the currency of the plan")
            if self.currency and code != self.currency:
                raise ImportRefused(f"the plan is kept in {code}: give no other currency")
            return code
        if self.currency:
            return self.currency
        raise ImportRefused(
            clause(Topic.CURRENCY, example="EUR"), choices=(Choice({}, needs=("currency",)),)
        )


def _differing(account: Account, found: int) -> ImportRefused:
    amounts = [
        amount_text(milliunits * 10)
        for milliunits in (account.balance, found, account.balance - found)
    ]
    return ImportRefused(
        f"the account {quoted(account.name)} has a balance of {amounts[0]} in YNAB, but its "
        f"transactions add up to {amounts[1]}, a difference of {amounts[2]}: the file may have "
        "only what changed; ask YNAB's API for the whole plan, without last_knowledge_of_server"
    )


def _accounts(names: Names, transactions: Transactions) -> Iterator[Document]:
    for account in names.accounts.values():
        opening = transactions.openings.get(account.id)
        yield names.ids.document(
            "Account",
            account.id,
            name=account.name,
            accountType=_ACCOUNT_TYPES.get(account.type, "General"),
            currencyCode=names.currency,
            initialBalance=names.money(0 if opening is None else opening.amount),
            archived=account.closed,
            excludeFromStats=not account.on_budget,
        )


def _categories(names: Names) -> Iterator[Document]:
    """Yield categories; of those that YNAB makes itself, only the ones in use."""
    for category in names.categories.values():
        is_own = category.id in names.own_categories
        if is_own and category.id not in names.used:
            continue
        group = names.groups.get(category.category_group_id)
        yield names.ids.document(
            "Category",
            category.id,
            name=category.name,
            group=None if is_own or group is None else group.name,
            kind="income" if names.is_income(category.id) else "expense",
            archived=category.hidden or (group is not None and group.hidden and not is_own),
            customCategory=True,
        )


def _other_activity(plan: Plan, names: Names, transactions: Transactions) -> list[str]:
    """Return the categories and months whose activity in YNAB is not what transactions add up to.

    The activity of categories that YNAB makes itself has other rules.
    """
    differing: list[str] = []
    for month in plan.months:
        for each in month.categories:
            if each.deleted or each.id not in names.categories or each.id in names.own_categories:
                continue
            found = transactions.activity[month.month[:7], each.id]
            if found != each.activity:
                amounts = f"{amount_text(each.activity * 10)} there, {amount_text(found * 10)} here"
                name = shown(names.categories[each.id].name)
                differing.append(message(f"{name} in {month.month[:7]}: {amounts}"))
    return differing


def _remarks(plan: Plan, names: Names, transactions: Transactions, plans: Plans) -> Iterator[str]:
    """Yield a sentence about each kind of thing that is not here as it is in YNAB."""
    counts = transactions.counts
    for what, count in {
        "starting balances that are initial balances of accounts": len(transactions.openings),
        "starting balances that stay records, because other transactions came before them": (
            counts["late openings"]
        ),
        "transfers with a category, which count as spent and are not linked": (
            counts["spent transfers"]
        ),
        "halves of transfers whose other half is missing, which are not linked": (
            counts["odd transfers"]
        ),
        "splits with a transfer in them, whose parts are records": counts["splits apart"],
        "splits that count as the sum of their parts, which differs from their amount": (
            counts["differing splits"]
        ),
        "records whose category was deleted": counts["lost categories"],
        "transactions that are not approved yet, which count as in YNAB": counts["not approved"],
        "transactions whose id from the bank is not imported": counts["bank texts"],
        "budgets whose money is carried over to the next month, which budgets here do not": (
            plans.counts["budgets"]
        ),
        "limits of months that are below 0, which are 0 here": plans.counts["negative limits"],
        "months with money set aside for a credit card's payment, not imported": (
            plans.counts["card payments"]
        ),
        "targets of categories, not imported": (
            sum(category.goal_type is not None for category in names.categories.values())
        ),
        "notes of accounts, categories and months, not imported": (
            sum(bool(account.note) for account in plan.accounts)
            + sum(bool(category.note) for category in plan.categories)
            + sum(bool(month.note) for month in plan.months)
        ),
        "places of payees, not imported": len(plan.payee_locations),
        "schedules with parts, which have the whole amount and no category": (
            plans.counts["split schedules"]
        ),
    }.items():
        if count:
            yield message(f"{what}: {count_text(count)}")
    unknown = [a.name for a in names.accounts.values() if a.type not in _ACCOUNT_TYPES]
    for what, several in {
        "accounts of an unknown type": unknown,
        "schedules that are not imported": plans.left_out,
        "activity of categories that differs from their transactions": (
            _other_activity(plan, names, transactions)
        ),
    }.items():
        if several:
            yield message(f"{what}: {count_text(len(several))} ({listed(several)})")
