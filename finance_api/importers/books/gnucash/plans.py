"""Budgets and scheduled transactions of GnuCash as budgets and standing orders."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from finance_api.importers.books.double_entry.model import Account, Kind
from finance_api.importers.books.double_entry.names import Names, rounded_money
from finance_api.importers.books.double_entry.survey import Holding
from finance_api.importers.books.gnucash.book import (
    NATURAL_SIGNS,
    Book,
    Budget,
    Recurrence,
    Schedule,
    TemplateSplit,
)
from finance_api.importers.books.gnucash.schedules import repetitions
from finance_api.importers.books.limits import limit_values
from finance_api.importers.books.reading import END_YEAR, Document
from finance_api.importers.books.recurrence import ScheduleUnfit
from finance_api.importers.native import MAX_LIST_ELEMENTS
from finance_api.resources.plans import MONTH, WEEK, YEAR

#: A number with or without decimals, or a fraction, as GnuCash writes it.
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,4}|/1(?:0{0,4}))?")
#: Period of a budget and its multiplier -> type, and months or days of a period.
_BUDGET_TYPES = {
    ("month", 1): (MONTH, 1),
    ("month", 12): (YEAR, 12),
    ("year", 1): (YEAR, 12),
    ("end of month", 1): (MONTH, 1),
    ("week", 1): (WEEK, 0),
}


class Plans:
    """The plans of a book. Counts what is not imported.

    other_budgets: names of budgets. left_out: of schedules, each with the reason.
    """

    def __init__(self, book: Book, accounts: dict[str, Account], names: Names) -> None:
        self._book = book
        self._accounts = accounts
        self._names = names
        self.counts: Counter[str] = Counter()
        self.other_budgets: list[str] = []
        self.odd_budgets: list[str] = []
        self.left_out: list[str] = []
        self.avoiding_weekends: list[str] = []
        self.formulas: list[str] = []
        self.split: list[str] = []

    # -- budgets

    def budgets(self) -> Iterator[Document]:
        """Yield a budget for each account of expenses in the book's main budget."""
        budgets = sorted(self._book.budgets, key=lambda each: (each.recurrence.start, each.id))
        main = next((b for b in budgets if b.id == self._book.default_budget), None)
        main = main or (budgets[-1] if budgets else None)
        self.other_budgets = [budget.name for budget in budgets if budget is not main]
        if main is not None:
            yield from self._budget(main)

    def _budget(self, budget: Budget) -> Iterator[Document]:
        amounts: dict[str, dict[int, Fraction]] = {}
        for (account_id, period), amount in budget.amounts.items():
            if not (0 <= period < budget.periods and amount):
                continue
            if self._accounts[account_id].kind is not Kind.EXPENSE:
                self.counts["other budgets"] += 1
                continue
            if NATURAL_SIGNS not in self._book.features:
                # The sign is as the account was displayed at that time.
                amount = abs(amount)
            self.counts["negative limits"] += amount < 0
            amounts.setdefault(account_id, {})[period] = amount
        periods = [period for by_period in amounts.values() for period in by_period]
        if not periods:
            return
        days = _first_days(budget.recurrence, max(periods) + 1)
        if days is None:
            self.odd_budgets.append(budget.name)
            return
        first, last = min(periods), max(periods)
        for account_id, by_period in amounts.items():
            account = self._accounts[account_id]
            limits = [
                (days[period].isoformat(), rounded_money(by_period.get(period, Fraction())))
                for period in range(first, last + 1)
            ]
            yield self._names.ids.document(
                "Budget",
                f"{budget.id} {account_id}",
                name=account.name,
                type=_BUDGET_TYPES[budget.recurrence.kind, budget.recurrence.mult][0],
                currencyCode=self._book.accounts[account_id].commodity,
                categoryIds=self._names.category_ids(account_id),
                closed=account.archived,
                **limit_values(limits),
            )

    # -- scheduled transactions

    def standing_orders(self) -> Iterator[Document]:
        holdings = set(self._names.holdings())
        for schedule in self._book.schedules:
            if schedule.is_over:
                self.counts["finished schedules"] += 1
                continue
            try:
                yield from self._standing_orders(schedule, holdings)
            except ScheduleUnfit as error:
                self.left_out.append(f"{schedule.name or '-'}: {error}")

    def _standing_orders(self, schedule: Schedule, holdings: set[Holding]) -> Iterator[Document]:
        """Raises ScheduleUnfit."""
        found = repetitions(schedule)
        values = self._payment(schedule, holdings)
        if any(each.weekend != "none" for each in schedule.recurrences):
            self.avoiding_weekends.append(schedule.name)
        for place, (first, rule) in enumerate(found, 1):
            is_only = len(found) == 1
            yield self._names.ids.document(
                "StandingOrder",
                schedule.id if is_only else f"{schedule.id} {place}",
                name=schedule.name if is_only else f"{schedule.name} ({place})",
                recurrenceRule=rule,
                startDate=first.isoformat(),
                **values,
            )

    def _payment(self, schedule: Schedule, holdings: set[Holding]) -> Document:
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
        is_transfer = len(of_money) == 2
        # What leaves an account is in the formula of its credit.
        of_money.sort(key=lambda split: not split.credit)
        paying = of_money[0]
        currency = self._book.accounts[paying.account].commodity
        holding = Holding(paying.account, currency, False)
        if holding not in holdings:
            raise ScheduleUnfit("moves securities")
        amount = _amount(paying)
        if amount is None:
            self.formulas.append(schedule.name)
        if len(categories) > 1:
            self.split.append(schedule.name)
        payee = paying.description or None
        note = paying.memo or None
        if is_transfer:
            other = self._accounts[of_money[1].account]
            note = "; ".join(filter(None, (f"to {other.name}", note)))
        only = categories[0].account if len(categories) == 1 else None
        is_category = only is not None and self._accounts[only].kind is not Kind.EQUITY
        return {
            "accountId": self._names.account_id(holding),
            "categoryId": self._names.category_id(only) if only and is_category else None,
            "amount": amount,
            "currencyCode": currency,
            "payee": payee,
            "note": note,
            "paymentType": "transfer" if is_transfer else None,
        }


def _amount(split: TemplateSplit) -> Decimal | None:
    """Return what gets into the account; None if it is not known before."""
    sides = [_number(text) if text else Fraction() for text in (split.debit, split.credit)]
    if sides[0] is None or sides[1] is None:
        return None
    amount = sides[0] - sides[1]
    return Decimal(amount.numerator) / amount.denominator


def _number(text: str) -> Fraction | None:
    """Return a number; None for a formula, or for one whose separators can mean two things."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def _first_days(recurrence: Recurrence, count: int) -> list[date] | None:
    """Return the first days of periods; None if they are not periods of a budget here."""
    months = _BUDGET_TYPES.get((recurrence.kind, recurrence.mult))
    first = recurrence.start
    if months is None or count > MAX_LIST_ELEMENTS or first.year >= END_YEAR:
        return None
    if recurrence.kind == "week":
        weeks = [first + timedelta(weeks=place) for place in range(count)]
        return weeks if first.weekday() == 0 else None
    if recurrence.kind == "end of month":
        # A period begins after the last day of a month.
        first = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    if first.day != 1 or (months[1] == 12 and first.month != 1):
        return None
    numbers = (first.year * 12 + first.month - 1 + place * months[1] for place in range(count))
    return [date(number // 12, number % 12 + 1, 1) for number in numbers]
