"""Budgets and scheduled transactions of GnuCash as budgets and standing orders."""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from finance_api.importers.books.double_entry.model import Kind
from finance_api.importers.books.double_entry.names import Names, rounded_money
from finance_api.importers.books.double_entry.survey import Holding
from finance_api.importers.books.gnucash import book as gnucash
from finance_api.importers.books.plans import (
    WEEKDAYS,
    Recurrence,
    ScheduleUnfit,
    check_start,
    ended,
    limit_values,
    monthly_rule,
    next_period,
    period_start,
    transfer_values,
    yearly_rule,
)
from finance_api.importers.books.reading import END_YEAR, Document
from finance_api.importers.native import MAX_LIST_ELEMENTS
from finance_api.resources.plans import MONTH, WEEK, YEAR

#: A number with or without decimals, or a fraction, as GnuCash writes it.
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,4}|/1(?:0{0,4}))?")
_MOST_MULT = 1_000
#: Period of a budget and its multiplier -> the type of the budget.
_BUDGET_TYPES = {
    ("month", 1): MONTH,
    ("month", 12): YEAR,
    ("year", 1): YEAR,
    ("end of month", 1): MONTH,
    ("week", 1): WEEK,
}


class Plans:
    """The plans of a book."""

    def __init__(self, book: gnucash.Book, names: Names) -> None:
        self._book = book
        self._accounts = book.accounts
        self._names = names
        self._remarks = book.remarks

    # -- budgets

    def budgets(self) -> Iterator[Document]:
        """Yield a budget for each account of expenses in the book's main budget."""
        budgets = sorted(self._book.budgets, key=lambda each: (each.recurrence.start, each.id))
        main = next((b for b in budgets if b.id == self._book.default_budget), None)
        main = main or (budgets[-1] if budgets else None)
        self._remarks.name(
            "budgets that are not the main one, not imported",
            *(budget.name for budget in budgets if budget is not main),
        )
        if main is not None:
            yield from self._budget(main)

    def _budget(self, budget: gnucash.Budget) -> Iterator[Document]:
        amounts: dict[str, dict[int, Fraction]] = {}
        for (account_id, period), amount in budget.amounts.items():
            if not (0 <= period < budget.periods and amount):
                continue
            if self._accounts[account_id].kind is not Kind.EXPENSE:
                self._remarks.count("limits of income and of accounts, not imported")
                continue
            if gnucash.NATURAL_SIGNS not in self._book.features:
                # The sign is as the account was displayed at that time.
                amount = abs(amount)
            self._remarks.count("limits that are below 0, which are 0 here", amount < 0)
            amounts.setdefault(account_id, {})[period] = amount
        periods = [period for by_period in amounts.values() for period in by_period]
        if not periods:
            return
        kind = _BUDGET_TYPES.get((budget.recurrence.kind, budget.recurrence.mult), "")
        days = _first_days(budget.recurrence, kind, max(periods) + 1)
        if not days:
            self._remarks.name(
                "budgets of other periods than calendar months, years and weeks, or of more than "
                "1,000, not imported",
                budget.name,
            )
            return
        for account_id, by_period in amounts.items():
            account = self._accounts[account_id]
            limits = {days[period]: rounded_money(limit) for period, limit in by_period.items()}
            yield self._names.ids.document(
                "Budget",
                f"{budget.id} {account_id}",
                name=account.name,
                currencyCode=self._book.commodities[account_id],
                categoryIds=self._names.category_ids(account_id),
                closed=account.archived,
                **limit_values(kind, limits, days[min(periods)], days[max(periods)]),
            )

    # -- scheduled transactions

    def standing_orders(self) -> Iterator[Document]:
        holdings = set(self._names.holdings())
        for schedule in self._book.schedules:
            if schedule.is_over:
                self._remarks.count("schedules that are finished or switched off, not imported")
                continue
            try:
                yield from self._standing_orders(schedule, holdings)
            except ScheduleUnfit as error:
                self._remarks.name(
                    "schedules that are not imported", f"{schedule.name or '-'}: {error}"
                )

    def _standing_orders(
        self, schedule: gnucash.Schedule, holdings: set[Holding]
    ) -> Iterator[Document]:
        """Raises ScheduleUnfit."""
        found = _repetitions(schedule)
        values = self._payment(schedule, holdings)
        if any(each.weekend != "none" for each in schedule.recurrences):
            self._remarks.name("schedules that no longer avoid weekends", schedule.name)
        for place, recurrence in enumerate(found, 1):
            is_only = len(found) == 1
            yield self._names.ids.document(
                "StandingOrder",
                schedule.id if is_only else f"{schedule.id} {place}",
                name=schedule.name if is_only else f"{schedule.name} ({place})",
                recurrenceRule=recurrence.rule,
                startDate=recurrence.start.isoformat(),
                **values,
            )

    def _payment(self, schedule: gnucash.Schedule, holdings: set[Holding]) -> Document:
        """Return what a schedule pays. Raises ScheduleUnfit."""
        splits = self._book.templates.get(schedule.template_account, [])
        if any(split.account not in self._accounts for split in splits):
            raise ScheduleUnfit("has a part without an account")
        of_money = [s for s in splits if self._accounts[s.account].kind is Kind.MONEY]
        categories = [s for s in splits if self._accounts[s.account].kind is not Kind.MONEY]
        if not of_money or len({split.account for split in of_money}) != len(of_money):
            raise ScheduleUnfit("has not one account that pays or gets paid")
        if len(of_money) > 2 or (len(of_money) == 2 and categories):
            raise ScheduleUnfit("moves money of several accounts and categories")
        # What leaves an account is in the formula of its credit.
        of_money.sort(key=lambda split: not split.credit)
        paying = of_money[0]
        currency = self._book.commodities[paying.account]
        holding = Holding(paying.account, currency, False)
        if holding not in holdings:
            raise ScheduleUnfit("moves securities")
        amount = _amount(paying)
        if amount is None:
            self._remarks.name(
                "schedules whose amount is a formula, without amount here", schedule.name
            )
        if len(categories) > 1:
            self._remarks.name(
                "schedules with several categories, which have the whole amount and no category",
                schedule.name,
            )
        note = paying.memo or None
        transfer: Document = {}
        if len(of_money) == 2:
            transfer = transfer_values(self._accounts[of_money[1].account].name, note)
        only = categories[0].account if len(categories) == 1 else None
        is_category = only is not None and self._accounts[only].kind is not Kind.EQUITY
        return {
            "accountId": self._names.account_id(holding),
            "categoryId": self._names.category_id(only) if only and is_category else None,
            "amount": amount,
            "currencyCode": currency,
            "payee": paying.description or None,
            "note": note,
            **transfer,
        }


def _amount(split: gnucash.TemplateSplit) -> Decimal | None:
    """Return what gets into the account; None if it is not known before."""
    sides = [_number(text) if text else Fraction() for text in (split.debit, split.credit)]
    if sides[0] is None or sides[1] is None:
        return None
    amount = sides[0] - sides[1]
    return Decimal(amount.numerator) / amount.denominator


def _number(text: str) -> Fraction | None:
    """Return a number; None for a formula, or for one whose separators can mean two things."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def _first_days(recurrence: gnucash.Recurrence, kind: str, count: int) -> list[date]:
    """Return the first days of periods; none if they are not periods of a budget here."""
    day = recurrence.start
    if not kind or count > MAX_LIST_ELEMENTS or day.year >= END_YEAR:
        return []
    if recurrence.kind == "end of month":
        # A period begins after the last day of a month.
        day = next_period(MONTH, day)
    if day != period_start(kind, day):
        return []
    days = [day]
    while len(days) < count:
        days.append(next_period(kind, days[-1]))
    return days


def _repetitions(schedule: gnucash.Schedule) -> list[Recurrence]:
    """Return the days of a schedule: those of any of its recurrences. Raises ScheduleUnfit."""
    recurrences = schedule.recurrences
    if not recurrences:
        raise ScheduleUnfit("has no days")
    for each in recurrences:
        check_start(each.start)
    if len(recurrences) > 1 and (joined := _weekly(recurrences)):
        return [_ended(schedule, *joined)]
    if len(recurrences) > 1 and schedule.times:
        raise ScheduleUnfit("follows several rules, a number of times altogether")
    return [_ended(schedule, *_rule(schedule.start, each)) for each in recurrences]


def _weekly(recurrences: Sequence[gnucash.Recurrence]) -> tuple[date, str] | None:
    """Return several days of the week as one rule, if they are in the same weeks."""
    mults = {each.mult for each in recurrences}
    starts = sorted(each.start for each in recurrences)
    weeks = {each - timedelta(days=each.weekday()) for each in starts}
    if {each.kind for each in recurrences} != {"week"} or len(mults) > 1:
        return None
    if mults != {1} and len(weeks) > 1:
        return None
    days = ",".join(WEEKDAYS[day] for day in sorted({each.weekday() for each in starts}))
    return starts[0], f"FREQ=WEEKLY;INTERVAL={_mult(recurrences[0])};BYDAY={days}"


def _rule(start: date, recurrence: gnucash.Recurrence) -> tuple[date, str | None]:
    """Return the first day and the rule. Raises ScheduleUnfit."""
    first, kind = recurrence.start, recurrence.kind
    if kind == "once":
        return first, None
    mult = _mult(recurrence)
    match kind:
        case "day" | "week":
            return first, f"FREQ={'DAILY' if kind == 'day' else 'WEEKLY'};INTERVAL={mult}"
        case "month":
            return first, monthly_rule(first.day, mult)
        case "year":
            return first, yearly_rule(first, mult)
        case "end of month":
            last = first.replace(day=monthrange(first.year, first.month)[1])
            return last, monthly_rule(31, mult)
        case "nth weekday":
            nth = (first.day - 1) // 7 + 1
            return first, f"FREQ=MONTHLY;INTERVAL={mult};BYDAY={nth}{WEEKDAYS[first.weekday()]}"
        case "last weekday":
            last = first.replace(day=monthrange(first.year, first.month)[1])
            last -= timedelta(days=(last.weekday() - first.weekday()) % 7)
            return last, f"FREQ=MONTHLY;INTERVAL={mult};BYDAY=-1{WEEKDAYS[first.weekday()]}"
    raise ScheduleUnfit(f"has an unknown rhythm, {kind}")


def _mult(recurrence: gnucash.Recurrence) -> int:
    if not 1 <= recurrence.mult <= _MOST_MULT:
        raise ScheduleUnfit(f"repeats every {recurrence.mult} times")
    return recurrence.mult


def _ended(schedule: gnucash.Schedule, first: date, rule: str | None) -> Recurrence:
    if schedule.start > first:
        raise ScheduleUnfit("starts after the first day of its rule")
    return ended(first, rule, schedule.end, schedule.times or None)
