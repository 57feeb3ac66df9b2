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
from finance_api.importers.books.recurrence import Recurrence, transfer_values
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

    def add(self, period: str, generated: Transaction) -> None:
        example = generated._replace(day=date.min, legs=tuple(generated.legs))
        self._days[Rule(period, example)].append(generated.day)

    def documents(self, names: Names) -> Iterator[Document]:
        """Yield budgets and standing orders."""
        limits = _Limits()
        titles: Counter[str] = Counter()
        for rule, days in self._days.items():
            recurrence = recurrence_of(sorted(set(days)), rule.period)
            others = [each for each in rule.example.legs if self._kind(each) is not Kind.MONEY]
            is_order = rule.example.payee is not None and len(others) <= 1
            document: Document | None = None
            is_read = False
            if recurrence is not None and is_order:
                document = self._standing_order(names, rule, recurrence, others)
            elif recurrence is not None:
                is_read = self._note_limits(limits, recurrence, days, others)
            if document is not None:
                titles[rule.title] += 1
                number = titles[rule.title]
                own_id = rule.title if number == 1 else f"{rule.title} {number}"
                yield names.ids.document("StandingOrder", source_id(own_id), **document)
            elif not is_read:
                self._leave_out(rule.title)
        yield from self._budgets(names, limits)

    def _leave_out(self, title: str) -> None:
        self._remarks.name("periodic rules that are not imported", title)

    def _kind(self, leg: Leg) -> Kind:
        return self._accounts[leg.account].kind

    def _standing_order(
        self, names: Names, rule: Rule, recurrence: Recurrence, others: list[Leg]
    ) -> Document | None:
        """Return a payment with its category, or a transfer; None if it is neither."""
        legs = [each for each in rule.example.legs if self._kind(each) is Kind.MONEY]
        holdings = [Holding(each.account, each.commodity, False) for each in legs]
        if len(legs) + len(others) != 2 or not set(holdings) <= set(names.holdings()):
            return None
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

    def _note_limits(
        self, limits: "_Limits", recurrence: Recurrence, days: list[date], others: list[Leg]
    ) -> bool:
        """Collect the limits that a rule gives its categories. Return whether they are some."""
        rule = recurrence.rule or ""
        kind = _BUDGET_TYPES.get(";".join(rule.split(";")[:2]))
        expenses = [each for each in others if self._kind(each) is Kind.EXPENSE]
        incomes = sum(self._kind(each) is Kind.INCOME for each in others)
        self._remarks.count("budgets of income, not imported", incomes)
        of_money = [each for each in expenses if each.commodity in CODES]
        if kind is None or len(of_money) != len(expenses):
            return False
        for leg in expenses:
            budget = limits[leg.account, leg.commodity, kind]
            budget.has_end &= "UNTIL" in rule
            for day in days:
                budget.by_period[period_start(kind, day)] += leg.quantity
        return True

    def _budgets(self, names: Names, limits: "_Limits") -> Iterator[Document]:
        for (path, currency, kind), budget in limits.items():
            money = {day: rounded_money(limit) for day, limit in budget.by_period.items()}
            last = max(money)
            if budget.has_end:
                last = next_period(kind, last)
            values = limit_values(kind, money, min(money), last)
            if len(values["limitOverrides"]) > MAX_LIST_ELEMENTS:
                self._leave_out(f"{path}: more than {MAX_LIST_ELEMENTS} limits")
                continue
            if min(budget.by_period.values()) < 0:
                self._leave_out(f"{path}: a limit below 0")
                continue
            yield names.ids.document(
                "Budget",
                source_id(f"{path} {currency} {kind}"),
                name=self._accounts[path].name,
                currencyCode=currency,
                categoryIds=names.category_ids(path),
                **values,
            )


class _Budget:
    """by_period: the limits of periods, by their first days. has_end: whether all its rules have
    one.
    """

    def __init__(self) -> None:
        self.by_period: defaultdict[date, Fraction] = defaultdict(Fraction)
        self.has_end = True


class _Limits(defaultdict[tuple[str, str, str], _Budget]):
    """Budgets by category, currency and type."""

    def __init__(self) -> None:
        super().__init__(_Budget)
