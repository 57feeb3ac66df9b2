"""Assigned money and schedules of YNAB as budgets and standing orders."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

from finance_api.importers.books.reading import Document, Remarks, parse_day
from finance_api.importers.books.recurrence import (
    Recurrence,
    ScheduleUnfit,
    monthly_rule,
    parse_start,
    yearly_rule,
)
from finance_api.importers.books.single_entry import SingleEntry
from finance_api.importers.books.ynab.names import Names, flags
from finance_api.importers.books.ynab.plan import Plan, Schedule

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


def limits(plan: Plan, names: Names, remarks: Remarks) -> dict[str, dict[date, int]]:
    """Return the money that was assigned to categories, by category and month."""
    found: defaultdict[str, dict[date, int]] = defaultdict(dict)
    for month in plan.months:
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


def standing_orders(plan: Plan, names: Names, book: SingleEntry) -> Iterator[Document]:
    split = {part.scheduled_transaction_id for part in plan.scheduled_subtransactions}
    for schedule in plan.scheduled_transactions:
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


def _standing_order(
    schedule: Schedule, payee: str | None, names: Names, book: SingleEntry
) -> Document:
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
        labels=flags(schedule),
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
