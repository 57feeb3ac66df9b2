"""Periodic rules of a journal as budgets and standing orders, from what they generate.

hledger has one kind of rule for both. A rule with a description and at most one category is a
standing order; all others are budgets.
"""

import re
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from finance_api.importers.books.double_entry.model import Account, Kind, Leg, Transaction
from finance_api.importers.books.double_entry.names import Names, rounded_money, source_id
from finance_api.importers.books.double_entry.survey import Holding
from finance_api.importers.books.plans import (
    WEEKDAYS,
    Recurrence,
    ScheduleUnfit,
    limit_values,
    next_period,
    period_start,
    transfer_values,
)
from finance_api.importers.books.reading import Document, Remarks
from finance_api.importers.native import MAX_LIST_ELEMENTS
from finance_api.resources.currencies import CODES
from finance_api.resources.plans import MONTH, WEEK, YEAR

_BUDGET_TYPES = {
    "FREQ=MONTHLY;INTERVAL=1": MONTH,
    "FREQ=WEEKLY;INTERVAL=1": WEEK,
    "FREQ=YEARLY;INTERVAL=1": YEAR,
}
#: What gives a period an end, once its first day is left out.
_FIRST_DAY = re.compile(r"\b(?:from|since) +[0-9][0-9/.-]*+(?!\.\.)")
_CLOSING = re.compile(r"[0-9]{4}|\b(?:to|until|in|this|next|last)\b|\.\. *+[0-9]")


class Rule(NamedTuple):
    """A periodic rule: its period as the user wrote it, and what it generates on each day."""

    period: str
    example: Transaction

    @property
    def title(self) -> str:
        return " ".join(filter(None, ("~", self.period, self.example.payee)))


class Plans:
    def __init__(self, accounts: Mapping[str, Account], remarks: Remarks) -> None:
        self._accounts = accounts
        self._remarks = remarks
        self._days: defaultdict[Rule, list[date]] = defaultdict(list)
        #: The limits of periods by their first days, by category, currency and type of budget.
        self._limits: defaultdict[tuple[str, str, str], defaultdict[date, Fraction]] = defaultdict(
            lambda: defaultdict(Fraction)
        )
        #: The budgets of which any rule has no end.
        self._endless: set[tuple[str, str, str]] = set()

    def add(self, period: str, generated: Transaction) -> None:
        example = generated._replace(day=date.min, legs=tuple(generated.legs))
        self._days[Rule(period, example)].append(generated.day)

    def documents(self, names: Names) -> Iterator[Document]:
        """Yield budgets and standing orders."""
        titles: Counter[str] = Counter()
        for rule, days in self._days.items():
            others = [each for each in rule.example.legs if self._kind(each) is not Kind.MONEY]
            recurrence = recurrence_of(sorted(set(days)), rule.period)
            try:
                if recurrence is None:
                    raise ScheduleUnfit
                if rule.example.payee is None or len(others) > 1:
                    self._note_limits(recurrence, days, others)
                    continue
                values = self._standing_order(names, rule, recurrence, others)
            except ScheduleUnfit:
                self._leave_out(rule.title)
                continue
            titles[rule.title] += 1
            number = titles[rule.title]
            own_id = rule.title if number == 1 else f"{rule.title} {number}"
            yield names.ids.document("StandingOrder", source_id(own_id), **values)
        yield from self._budgets(names)

    def _leave_out(self, title: str) -> None:
        self._remarks.name("periodic rules that are not imported", title)

    def _kind(self, leg: Leg) -> Kind:
        return self._accounts[leg.account].kind

    def _standing_order(
        self, names: Names, rule: Rule, recurrence: Recurrence, others: list[Leg]
    ) -> Document:
        """Return a payment with its category, or a transfer. Raises ScheduleUnfit."""
        legs = [each for each in rule.example.legs if self._kind(each) is Kind.MONEY]
        holdings = [Holding(each.account, each.commodity, False) for each in legs]
        if len(legs) + len(others) != 2 or not set(holdings) <= set(names.holdings()):
            raise ScheduleUnfit
        paying = 0 if len(legs) == 1 or legs[0].quantity < 0 else 1
        transfer: Document = {}
        if len(legs) == 2:
            transfer = transfer_values(names.account_name(holdings[1 - paying]), rule.example.note)
        return {
            "name": rule.example.payee,
            "accountId": names.account_id(holdings[paying]),
            "categoryId": names.category_id(others[0].account) if others else None,
            "amount": rounded_money(legs[paying].quantity),
            "currencyCode": legs[paying].commodity,
            "payee": rule.example.payee,
            "note": rule.example.note,
            "recurrenceRule": recurrence.rule,
            "startDate": recurrence.start.isoformat(),
            "labelIds": names.label_ids(rule.example.labels),
            **transfer,
        }

    def _note_limits(self, recurrence: Recurrence, days: list[date], others: list[Leg]) -> None:
        """Collect the limits that a rule gives its categories. Raises ScheduleUnfit."""
        rule = recurrence.rule or ""
        kind = _BUDGET_TYPES.get(";".join(rule.split(";")[:2]))
        expenses = [each for each in others if self._kind(each) is Kind.EXPENSE]
        incomes = sum(self._kind(each) is Kind.INCOME for each in others)
        self._remarks.count("budgets of income, not imported", incomes)
        if kind is None or any(each.commodity not in CODES for each in expenses):
            raise ScheduleUnfit
        for leg in expenses:
            key = leg.account, leg.commodity, kind
            if "UNTIL" not in rule:
                self._endless.add(key)
            for day in days:
                self._limits[key][period_start(kind, day)] += leg.quantity

    def _budgets(self, names: Names) -> Iterator[Document]:
        for (path, currency, kind), limits in self._limits.items():
            money = {day: rounded_money(limit) for day, limit in limits.items()}
            last = max(money)
            if (path, currency, kind) not in self._endless:
                last = next_period(kind, last)
            values = limit_values(kind, money, min(money), last)
            if len(values["limitOverrides"]) > MAX_LIST_ELEMENTS:
                self._leave_out(f"{path}: more than {MAX_LIST_ELEMENTS} limits")
            elif min(limits.values()) < 0:
                self._leave_out(f"{path}: a limit below 0")
            else:
                yield names.ids.document(
                    "Budget",
                    source_id(f"{path} {currency} {kind}"),
                    name=self._accounts[path].name,
                    currencyCode=currency,
                    categoryIds=names.category_ids(path),
                    **values,
                )


def recurrence_of(days: Sequence[date], period: str) -> Recurrence | None:
    """Return the rule of the days, which are in order; None if no rule gives exactly them.

    period: as the user wrote it; it decides whether the rule ends with the last of the days.
    """
    if len(days) == 1:
        return Recurrence(days[0], None)
    rule = next(_rules(days), None)
    if rule is None:
        return None
    has_end = _CLOSING.search(_FIRST_DAY.sub("", period)) is not None
    return Recurrence(days[0], f"{rule};UNTIL={days[-1]:%Y%m%d}" if has_end else rule)


def _rules(days: Sequence[date]) -> Iterator[str]:
    months = {(b.year - a.year) * 12 + b.month - a.month for a, b in pairwise(days)}
    if len(months) == 1 and (interval := months.pop()):
        for by in _days_of_month(days):
            if interval % 12 == 0 and by.startswith("BYMONTHDAY") and "," not in by:
                yield f"FREQ=YEARLY;INTERVAL={interval // 12};BYMONTH={days[0].month};{by}"
            else:
                yield f"FREQ=MONTHLY;INTERVAL={interval};{by}"
    gaps = {(b - a).days for a, b in pairwise(days)}
    if len(gaps) == 1:
        weeks, rest = divmod(min(gaps), 7)
        yield f"FREQ=DAILY;INTERVAL={min(gaps)}" if rest else f"FREQ=WEEKLY;INTERVAL={weeks}"
    weekdays = sorted({day.weekday() for day in days})
    span = (days[-1] - days[0]).days + 1
    if [days[0] + timedelta(n) for n in range(span) if _falls(days[0], n, weekdays)] == list(days):
        yield "FREQ=WEEKLY;INTERVAL=1;BYDAY=" + ",".join(WEEKDAYS[day] for day in weekdays)


def _falls(first: date, after: int, weekdays: Sequence[int]) -> bool:
    return (first + timedelta(after)).weekday() in weekdays


def _days_of_month(days: Sequence[date]) -> Iterator[str]:
    lengths = [monthrange(day.year, day.month)[1] for day in days]
    numbers = {day.day for day in days}
    if len(numbers) == 1:
        yield f"BYMONTHDAY={days[0].day}"
    if all(day.day == length for day, length in zip(days, lengths, strict=True)):
        yield "BYMONTHDAY=-1"
    greatest = max(numbers)
    if all(day.day == min(greatest, n) for day, n in zip(days, lengths, strict=True)):
        yield f"BYMONTHDAY={','.join(map(str, range(28, greatest + 1)))};BYSETPOS=-1"
    if len({day.weekday() for day in days}) == 1:
        nths = {(day.day - 1) // 7 + 1 for day in days}
        name = WEEKDAYS[days[0].weekday()]
        if len(nths) == 1:
            yield f"BYDAY={nths.pop()}{name}"
        elif all(day.day + 7 > length for day, length in zip(days, lengths, strict=True)):
            yield f"BYDAY=-1{name}"
