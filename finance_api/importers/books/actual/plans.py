"""Budgets, schedules and rules of Actual as budgets, standing orders and record rules."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from finance_api.importers.books.actual.names import Names
from finance_api.importers.books.actual.schedules import parse_schedule
from finance_api.importers.books.actual.tables import table_rows
from finance_api.importers.books.actual.values import json_list
from finance_api.importers.books.limits import limit_values
from finance_api.importers.books.reading import Document
from finance_api.importers.books.recurrence import ScheduleUnfit
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.importers.native import MAX_LIST_ELEMENTS

#: `preferences.budgetType` -> the table with the budgets; each type has had two names.
_BUDGET_TABLES = {
    "envelope": "zero_budgets",
    "rollover": "zero_budgets",
    "tracking": "reflect_budgets",
    "report": "reflect_budgets",
}
_FIRST_MONTH, _LAST_MONTH = 190001, 219912
#: The fields of a rule's conditions whose words can become keywords.
_TEXTS = ("description", "imported_description", "notes")


class _RuleUnfit(ValueError):
    """A record rule cannot say this."""


class Plans:
    """The plans of a book. Counts what is not imported."""

    def __init__(self, database: SqliteFile, names: Names) -> None:
        self._database = database
        self._names = names
        self.negative_limits = 0
        self.income_budgets = 0
        self.rollovers: set[str] = set()
        self.held_months = sum(held != 0 for _, held in table_rows(database, "zero_budget_months"))
        self.finished = 0
        #: Names of schedules, each with the reason.
        self.left_out: list[str] = []
        self.avoiding_weekends: list[str] = []
        #: The number of rules for exactly one payee, and the words of rules that are left out.
        self.wider_rules = 0
        self.rules_left_out: list[str] = []

    def budgets(self, budget_type: str) -> Iterator[Document]:
        """Yield a budget for each category of expenses. Raises ImportRefused."""
        table = _BUDGET_TABLES.get(budget_type)
        if table is None:
            raise ImportRefused(f"the book has budgets of an unknown type, {quoted(budget_type)}")
        limits: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for month, category_id, amount, carryover in table_rows(self._database, table):
            # If a category was merged into another one, Actual has moved its amounts.
            category = self._names.categories.get(category_id)
            if category is None:
                continue
            if amount:
                limits[category_id][month] = amount
            if carryover and not category.is_income:
                self.rollovers.add(category_id)
        incomes = [each for each in limits if self._names.categories[each].is_income]
        self.income_budgets = len([limits.pop(category_id) for category_id in incomes])
        months = _months({month for by_month in limits.values() for month in by_month})
        for category_id, by_month in limits.items():
            yield self._budget(category_id, [(month, by_month.get(month, 0)) for month in months])

    def _budget(self, category_id: str, by_month: Sequence[tuple[int, int]]) -> Document:
        """Return the budget of a category. by_month: its limits, from the book's first month on."""
        category = self._names.categories[category_id]
        self.negative_limits += sum(limit < 0 for _, limit in by_month)
        return self._names.ids.document(
            "Budget",
            category_id,
            name=category.name,
            currencyCode=self._names.currency,
            categoryIds=[self._names.ids.get("Category", category_id)],
            closed=category.is_hidden,
            **limit_values(
                [(_first_day(month), self._names.money(limit)) for month, limit in by_month]
            ),
        )

    def standing_orders(self) -> Iterator[Document]:
        """Yield a standing order for each schedule that is not finished."""
        rules = {row[0]: row for row in table_rows(self._database, "rules")}
        for row in table_rows(self._database, "schedules"):
            schedule_id, rule_id, completed, posts, tombstone, name = row
            rule = rules.get(rule_id)
            if tombstone or rule is None:
                continue
            if completed:
                self.finished += 1
                continue
            try:
                yield self._standing_order(schedule_id, name, rule, is_manual=not posts)
            except ValueError as error:
                self.left_out.append(f"{name or '-'}: {error}")

    def _standing_order(
        self, schedule_id: str, name: str | None, rule: tuple[Any, ...], *, is_manual: bool
    ) -> Document:
        """Return the standing order of a schedule. Raises ValueError."""
        _, conditions, _, actions, _ = rule
        values: dict[str, Any] = {}
        for condition in json_list(conditions):
            values.setdefault(str(condition.get("field")), condition.get("value"))
        names = self._names
        account_id, payee_id = values.get("acct"), values.get("description")
        recurrence, amount = parse_schedule(values.get("date")), _amount(values.get("amount"))
        payee = names.payee(payee_id) if isinstance(payee_id, str) else None
        if recurrence.avoids_weekends:
            self.avoiding_weekends.append(name or payee or "-")
        other = names.account_of_payee(payee_id) if isinstance(payee_id, str) else None
        return names.ids.document(
            "StandingOrder",
            schedule_id,
            name=name or payee,
            accountId=names.account_id(account_id),
            categoryId=self._category_set_by(json_list(actions)),
            amount=None if amount is None else names.money(amount),
            currencyCode=names.currency,
            payee=payee,
            note=None if other is None else f"to {other.name}",
            paymentType=None if other is None else "transfer",
            recurrenceRule=recurrence.rule,
            startDate=recurrence.start.isoformat(),
            manualPayment=is_manual,
        )

    def _category_set_by(self, actions: list[dict[str, Any]]) -> str | None:
        for action in actions:
            if action.get("op") == "set" and action.get("field") == "category":
                return self._names.category_id(action.get("value"))
        return None

    def record_rules(self) -> Iterator[Document]:
        """Yield a record rule for each rule that gives records with certain words a category."""
        for rule_id, conditions, op, actions, tombstone in table_rows(self._database, "rules"):
            if tombstone:
                continue
            words: list[str] = []
            try:
                acting, conditioned = json_list(actions), json_list(conditions)
                if any(action.get("op") == "link-schedule" for action in acting):
                    continue
                is_wider = self._note_words(conditioned, words)
                if op != "or" and len(conditioned) != 1:
                    raise _RuleUnfit
                category_id = self._category_set_by(acting)
                if len(acting) != 1 or category_id is None:
                    raise _RuleUnfit
            except ValueError:
                self.rules_left_out.append(words[0] if words else str(rule_id))
                continue
            self.wider_rules += is_wider
            yield self._names.ids.document(
                "RecordRule", rule_id, name=words[0], keywords=words, categoryId=category_id
            )

    def _note_words(self, conditions: list[dict[str, Any]], words: list[str]) -> bool:
        """Collect the words of conditions. Return whether one asks for exactly these words.

        Raises _RuleUnfit if they ask for more.
        """
        is_wider = is_unfit = False
        for condition in conditions:
            name, op, value = map(condition.get, ("field", "op", "value"))
            values = value if isinstance(value, list) else [value]
            if name == "description" and op in ("is", "oneOf"):
                values = [self._names.payee(each) for each in values if isinstance(each, str)]
            elif op not in ("contains", "is", "oneOf"):
                is_unfit = True
            texts = [each for each in values if isinstance(each, str) and each.strip()]
            if name not in _TEXTS or len(texts) != len(values) or not texts:
                is_unfit = True
            is_wider |= op != "contains"
            words += texts
        if is_unfit or not 0 < len(words) <= MAX_LIST_ELEMENTS:
            raise _RuleUnfit
        return is_wider


def _amount(value: Any) -> int | None:
    """Return the cents of a schedule; the middle of a range, rounded as in Actual."""
    match value:
        case int() if not isinstance(value, bool):
            return value
        case {"num1": int(low), "num2": int(high)}:
            return (low + high + 1) // 2
        case None:
            return None
    raise ScheduleUnfit("has no amount in whole cents")


def _months(numbers: set[int]) -> list[int]:
    """Return all months from the first to the last: 202611, 202612, 202701.

    Raises ImportRefused.
    """
    for number in numbers:
        if not (_FIRST_MONTH <= number <= _LAST_MONTH and 1 <= number % 100 <= 12):
            raise ImportRefused(
                f"the book has a budget for the month {number}, which cannot be right"
            )
    if not numbers:
        return []
    every = range(min(numbers), max(numbers) + 1)
    return [number for number in every if 1 <= number % 100 <= 12]


def _first_day(month: int) -> str:
    return f"{month // 100}-{month % 100:02d}-01"
