"""Assigned money and schedules of YNAB as budgets and standing orders."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

from finance_api.importers.books.limits import limit_values
from finance_api.importers.books.reading import Document
from finance_api.importers.books.recurrence import (
    ScheduleUnfit,
    check_start,
    monthly_rule,
    yearly_rule,
)
from finance_api.importers.books.ynab.names import Names, flag
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


class Plans:
    """The plans of a plan. Counts what is not imported.

    labels: the flags of schedules. left_out: names of schedules, each with the reason.
    """

    def __init__(self, plan: Plan, names: Names) -> None:
        self._plan = plan
        self._names = names
        self.counts: Counter[str] = Counter()
        self.labels: set[str] = set()
        self.left_out: list[str] = []

    def budgets(self) -> Iterator[Document]:
        """Yield a monthly budget for each category that money was assigned to."""
        names = self._names
        limits: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for month in self._plan.months:
            for each in month.categories:
                if not each.budgeted or each.deleted or each.id not in names.categories:
                    continue
                if each.id in names.own_categories:
                    self.counts["card payments"] += 1
                else:
                    limits[each.id][month.month] = each.budgeted
                    self.counts["negative limits"] += each.budgeted < 0
        self.counts["budgets"] = len(limits)
        used = {month for by_month in limits.values() for month in by_month}
        months = sorted(month.month for month in self._plan.months)
        months = [month for month in months if min(used) <= month <= max(used)] if used else []
        for category_id, by_month in limits.items():
            category = names.categories[category_id]
            yield names.ids.document(
                "Budget",
                category_id,
                name=category.name,
                currencyCode=names.currency,
                categoryIds=[names.ids.get("Category", category_id)],
                closed=category.hidden,
                **limit_values([(month, names.money(by_month.get(month, 0))) for month in months]),
            )

    def standing_orders(self) -> Iterator[Document]:
        split = {part.scheduled_transaction_id for part in self._plan.scheduled_subtransactions}
        for schedule in self._plan.scheduled_transactions:
            try:
                yield self._standing_order(schedule)
            except ScheduleUnfit as error:
                name = self._names.payee(schedule) or schedule.memo or "-"
                self.left_out.append(f"{name}: {error}")
            else:
                self.counts["split schedules"] += schedule.id in split

    def _standing_order(self, schedule: Schedule) -> Document:
        """Raises ScheduleUnfit."""
        names, label = self._names, flag(schedule)
        start = _day(schedule.date_first)
        rule = _rule(schedule.frequency, start)
        if schedule.account_id not in names.accounts:
            raise ScheduleUnfit("has no account")
        paying, other = names.accounts[schedule.account_id], None
        amount, note = schedule.amount, schedule.memo
        if schedule.transfer_account_id is not None:
            other = names.accounts.get(schedule.transfer_account_id)
        if other is not None:
            if amount > 0:
                paying, other, amount = other, paying, -amount
            note = "; ".join(filter(None, (f"to {other.name}", note)))
        if label is not None:
            self.labels.add(label)
        payee = names.payee(schedule) if other is None else other.name
        return names.ids.document(
            "StandingOrder",
            schedule.id,
            name=payee or schedule.memo,
            accountId=names.ids.get("Account", paying.id),
            categoryId=names.category_id(schedule.category_id),
            amount=names.money(amount),
            currencyCode=names.currency,
            payee=payee,
            note=note,
            paymentType=None if other is None else "transfer",
            recurrenceRule=rule,
            startDate=start.isoformat(),
            labelIds=[] if label is None else [names.ids.get("Label", label)],
        )


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ScheduleUnfit(f"begins on {text}") from None
    return check_start(day)


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
