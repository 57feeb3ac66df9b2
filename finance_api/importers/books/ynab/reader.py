"""Turns a plan of YNAB into objects of the native format."""

from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from datetime import date, timedelta
from typing import Any, BinaryIO

from finance_api.importers.books.plans import (
    Recurrence,
    ScheduleUnfit,
    monthly_rule,
    parse_start,
    yearly_rule,
)
from finance_api.importers.books.reading import BookIds, BookReader, Document, Remarks, parse_day
from finance_api.importers.books.single_entry import Account, Category, Entry, SingleEntry
from finance_api.importers.books.ynab.plan import NO_GROUP, Plan
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.values.text import amount_text, message, shown

#: All amounts are thousandths of the currency's unit.
_UNITS = 1_000
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
_OPENING = "Starting Balance"
_STATES = ("cleared", "uncleared", "reconciled", None)
#: Frequency -> months between two payments.
_MONTHS = {
    "monthly": 1,
    "everyOtherMonth": 2,
    "every3Months": 3,
    "every4Months": 4,
    "twiceAYear": 6,
}
_YEARS = {"yearly": 1, "everyOtherYear": 2}
#: Frequency -> the rule.
_RULES = {
    "never": None,
    "daily": "FREQ=DAILY",
    "weekly": "FREQ=WEEKLY",
    "everyOtherWeek": "FREQ=WEEKLY;INTERVAL=2",
    "every4Weeks": "FREQ=WEEKLY;INTERVAL=4",
}


class YnabReader(BookReader):
    program = "YNAB"
    advice = (
        ": the file may have only what changed; ask YNAB's API for the whole plan, without "
        "last_knowledge_of_server"
    )

    def read(self, stream: BinaryIO) -> Generator[Document]:
        plan, remarks = Plan(stream), self.remarks
        currency = self.currency(plan.currency)
        names = _Names(plan, remarks)
        book = SingleEntry(
            BookIds(f"ynab:{plan.id}"),
            currency,
            _UNITS,
            names.accounts,
            names.categories,
            remarks,
            names.uncategorized,
        )
        transactions = _entries(plan, names)
        yield from book.records(lambda: transactions)
        yield from book.budgets(_limits(plan, names, remarks))
        yield from _standing_orders(plan, names, book)
        yield from book.named()
        self.balances = book.balances({each.id: each.balance for each in plan.rows["accounts"]})
        remarks.name(
            "activity of categories that differs from their transactions",
            *_other_activity(plan, names, transactions),
        )
        self._count_what_is_not_read(plan)

    def _count_what_is_not_read(self, plan: Plan) -> None:
        count, rows = self.remarks.count, plan.rows["transactions"]
        count(
            "transactions that are not approved yet, which count as in YNAB",
            sum(row.approved is False for row in rows),
        )
        count(
            "transactions whose id from the bank is not imported",
            sum(row.import_id is not None for row in rows),
        )
        for noted in (plan.rows["accounts"], plan.rows["categories"], plan.rows["months"]):
            count(
                "notes of accounts, categories and months, not imported",
                sum(bool(each.note) for each in noted),
            )
        count("places of payees, not imported", len(plan.rows["payee_locations"]))


class _Names:
    """What transactions and plans refer to, by YNAB's ids. uncategorized: categories that mean
    none.
    """

    def __init__(self, plan: Plan, remarks: Remarks) -> None:
        self.accounts: dict[str, Account] = {}
        self.categories: dict[str, Category] = {}
        self.uncategorized: set[str] = set()
        self._payees = {payee.id: payee.name for payee in plan.rows["payees"]}
        for each in plan.rows["accounts"]:
            account_type = _ACCOUNT_TYPES.get(each.type)
            if account_type is None:
                remarks.name("accounts of an unknown type", each.name)
            self.accounts[each.id] = Account(
                each.name, not each.on_budget, bool(each.closed), account_type or "General"
            )
        groups = {group.id: group for group in plan.rows["category_groups"]}
        for category in plan.rows["categories"]:
            group = groups.get(category.category_group_id, NO_GROUP)
            is_own = bool(category.internal)
            if group.name != _HIDDEN:
                is_own = bool(is_own or group.internal or group.name in _OWN_GROUPS)
            if is_own and category.name == _UNCATEGORIZED:
                self.uncategorized.add(category.id)
                continue
            self.categories[category.id] = Category(
                category.name,
                None if is_own else group.name or None,
                is_own and group.name != _CARD_PAYMENTS,
                bool(category.hidden or (group.hidden and not is_own)),
                is_own,
            )
            remarks.count("targets of categories, not imported", category.goal_type is not None)

    def payee(self, row: Any) -> str | None:
        """Return the payee's name; for a transfer, the other account's."""
        other = self.accounts.get(row.transfer_account_id or "")
        return self._payees.get(row.payee_id or "") if other is None else other.name


def _flags(row: Any) -> list[str]:
    """Return the name of a row's flag, or else its colour."""
    flag = row.flag_name or row.flag_color
    return [flag] if flag else []


def _entries(plan: Plan, names: _Names) -> list[Entry]:
    """Return the transactions. Raises ImportRefused."""
    parts: defaultdict[str | None, list[Any]] = defaultdict(list)
    for part in plan.rows["subtransactions"]:
        parts[part.transaction_id].append(part)
    found = []
    for whole in plan.rows["transactions"]:
        entry = _entry(whole, names)
        if own := parts.get(whole.id):
            entry = entry._replace(parts=[_entry(_with_whole(part, whole), names) for part in own])
        found.append(entry)
    return found


def _with_whole(part: Any, whole: Any) -> Any:
    """Return a part, which has what it lacks from the whole."""
    return whole._replace(
        id=part.id,
        amount=part.amount,
        category_id=part.category_id,
        transfer_account_id=part.transfer_account_id,
        transfer_transaction_id=part.transfer_transaction_id,
        payee_id=part.payee_id or whole.payee_id,
        memo=part.memo or whole.memo,
    )


def _entry(row: Any, names: _Names) -> Entry:
    if row.account_id not in names.accounts:
        raise ImportRefused(
            f"the transaction {quoted(row.id)} is on the account {quoted(row.account_id)}, which "
            "the file lacks: ask YNAB's API for the whole plan"
        )
    if row.cleared not in _STATES:
        raise ImportRefused(
            f"the transaction {quoted(row.id)} has the state {quoted(str(row.cleared))}, which is "
            "not known"
        )
    payee, is_transfer = names.payee(row), row.transfer_account_id is not None
    return Entry(
        row.id,
        row.account_id,
        row.date,
        row.amount,
        payee,
        row.memo,
        row.cleared,
        row.category_id,
        _flags(row),
        row.transfer_transaction_id if is_transfer else None,
        row.transfer_account_id,
        is_opening=payee == _OPENING,
    )


def _other_activity(plan: Plan, names: _Names, transactions: list[Entry]) -> Iterator[str]:
    """Yield the categories and months whose activity in YNAB is not what transactions add up to.

    The activity of categories that YNAB makes itself has other rules.
    """
    sums: Counter[tuple[str, str | None]] = Counter()
    for whole in transactions:
        if not names.accounts[whole.account].is_off_budget:
            for entry in whole.counted:
                sums[entry.day[:7], entry.category] += entry.amount
    for month in plan.rows["months"]:
        for each in month.categories:
            category, found = names.categories.get(each.id), sums[month.month[:7], each.id]
            if category and not category.is_own and not each.deleted and found != each.activity:
                amounts = f"{amount_text(each.activity * 10)} there, {amount_text(found * 10)} here"
                yield message(f"{shown(category.name)} in {month.month[:7]}: {amounts}")


def _limits(plan: Plan, names: _Names, remarks: Remarks) -> dict[str, dict[date, int]]:
    """Return the money that was assigned to categories, by category and month."""
    found: defaultdict[str, dict[date, int]] = defaultdict(dict)
    for month in plan.rows["months"]:
        for each in month.categories:
            category = names.categories.get(each.id)
            if not each.budgeted or each.deleted or category is None:
                continue
            if category.is_own:
                remarks.count(
                    "months with money set aside for a credit card's payment, not imported"
                )
            else:
                found[each.id][parse_day(month.month, "YNAB")] = each.budgeted
    remarks.count(
        "budgets whose money is carried over to the next month, which budgets here do not",
        len(found),
    )
    return found


def _standing_orders(plan: Plan, names: _Names, book: SingleEntry) -> Iterator[Document]:
    split = {part.scheduled_transaction_id for part in plan.rows["scheduled_subtransactions"]}
    for schedule in plan.rows["scheduled_transactions"]:
        payee = names.payee(schedule)
        try:
            yield _standing_order(schedule, payee, names, book)
        except ScheduleUnfit as error:
            name = payee or schedule.memo or "-"
            book.remarks.name("schedules that are not imported", f"{name}: {error}")
        else:
            book.remarks.count(
                "schedules with parts, which have the whole amount and no category",
                schedule.id in split,
            )


def _standing_order(schedule: Any, payee: str | None, names: _Names, book: SingleEntry) -> Document:
    """Raises ScheduleUnfit."""
    start = parse_start(schedule.date_first)
    recurrence = Recurrence(start, _rule(schedule.frequency, start))
    if schedule.account_id not in names.accounts:
        raise ScheduleUnfit("has no account")
    other = schedule.transfer_account_id
    return book.standing_order(
        schedule.id,
        schedule.account_id,
        other if other in names.accounts else None,
        schedule.amount,
        recurrence,
        labels=_flags(schedule),
        categoryId=book.category_id(schedule.category_id),
        payee=payee,
        note=schedule.memo,
    )


def _rule(frequency: str, first: date) -> str | None:
    """Return the recurrence rule; None for a single day. Raises ScheduleUnfit."""
    if frequency in _RULES:
        return _RULES[frequency]
    if frequency in _MONTHS:
        return monthly_rule(first.day, _MONTHS[frequency])
    if frequency in _YEARS:
        return yearly_rule(first, _YEARS[frequency])
    if frequency == "twiceAMonth":
        return _twice_a_month(first)
    raise ScheduleUnfit(f"has an unknown frequency, {frequency}")


def _twice_a_month(first: date) -> str:
    """Return the rule for a day of the month and the day that is 15 days later."""
    low, high = sorted((first.day, (first + timedelta(days=15)).day))
    if high <= 28:
        return f"FREQ=MONTHLY;BYMONTHDAY={low},{high}"
    # In a shorter month the second day is its last one.
    days = ",".join(map(str, range(28, high + 1)))
    return f"FREQ=MONTHLY;BYMONTHDAY={low},{days};BYSETPOS=1,-1"
