"""Periodic rules of a journal as budgets and standing orders, from what they generate.

hledger has one kind of rule for both. A rule with a description and at most one category is a
standing order; all others are budgets.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from finance_api.importers.books.double_entry.model import Account, Kind, Leg, Transaction
from finance_api.importers.books.double_entry.names import Names, rounded_money, source_id
from finance_api.importers.books.double_entry.survey import Holding
from finance_api.importers.books.hledger.recurring import recurrence_of
from finance_api.importers.books.limits import limit_values, next_period, period_start
from finance_api.importers.books.reading import Document, Remarks
from finance_api.importers.books.recurrence import Recurrence, ScheduleUnfit, transfer_values
from finance_api.importers.native import MAX_LIST_ELEMENTS
from finance_api.resources.currencies import CODES
from finance_api.resources.plans import MONTH, WEEK, YEAR

_BUDGET_TYPES = {
    "FREQ=MONTHLY;INTERVAL=1": MONTH,
    "FREQ=WEEKLY;INTERVAL=1": WEEK,
    "FREQ=YEARLY;INTERVAL=1": YEAR,
}


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
