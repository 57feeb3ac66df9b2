"""Budgets, schedules and rules of Actual as budgets, standing orders and record rules."""

import json
from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from finance_api.importers.books.actual.book import Names, day_of
from finance_api.importers.books.plans import (
    WEEKDAYS,
    Recurrence,
    ScheduleUnfit,
    ended,
    parse_start,
)
from finance_api.importers.books.reading import END_YEAR, Document
from finance_api.importers.books.single_entry import SingleEntry
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
#: The fields of a rule's conditions whose words can become keywords.
_TEXTS = ("description", "imported_description", "notes")
_FREQUENCIES = ("daily", "weekly", "monthly", "yearly")
_INTERVALS = range(1, 1_001)
#: A rule that has no day in this many of its months never has one.
_MONTHS = 48


class Plans:
    """The plans of a book."""

    def __init__(self, database: SqliteFile, names: Names, book: SingleEntry) -> None:
        self._database = database
        self._names = names
        self._book = book
        self._remarks = book.remarks

    def budgets(self, budget_type: str) -> Iterator[Document]:
        """Yield a budget for each category of expenses. Raises ImportRefused."""
        table = _BUDGET_TABLES.get(budget_type)
        if table is None:
            raise ImportRefused(f"the book has budgets of an unknown type, {quoted(budget_type)}")
        limits: defaultdict[str, dict[date, int]] = defaultdict(dict)
        incomes: set[str] = set()
        rollovers: set[str] = set()
        for month, category_id, amount, carryover in self._database.rows(table):
            # If a category was merged into another one, Actual has moved its amounts.
            category = self._names.categories.get(category_id)
            if category is None:
                continue
            if category.is_income:
                incomes |= {category_id} if amount else set()
                continue
            if amount:
                limits[category_id][day_of(month * 100 + 1)] = amount
            if carryover:
                rollovers.add(category_id)
        self._remarks.count("budgets of income, not imported", len(incomes))
        self._remarks.count(
            "categories that roll over from month to month, which budgets do not", len(rollovers)
        )
        for _, held in self._database.rows("zero_budget_months"):
            self._remarks.count("months that hold money for the next one, not imported", held != 0)
        yield from self._book.budgets(limits)

    def standing_orders(self) -> Iterator[Document]:
        """Yield a standing order for each schedule that is not finished."""
        rules = {row[0]: row for row in self._database.rows("rules")}
        for row in self._database.rows("schedules"):
            schedule_id, rule_id, completed, posts, tombstone, name = row
            rule = rules.get(rule_id)
            if tombstone or rule is None:
                continue
            if completed:
                self._remarks.count("finished schedules, not imported")
                continue
            try:
                yield self._standing_order(schedule_id, name, rule, is_manual=not posts)
            except ValueError as error:
                self._remarks.name("schedules that are not imported", f"{name or '-'}: {error}")

    def _standing_order(
        self, schedule_id: str, name: str | None, rule: tuple[Any, ...], *, is_manual: bool
    ) -> Document:
        """Return the standing order of a schedule. Raises ValueError."""
        _, conditions, _, actions, _ = rule
        values: dict[str, Any] = {}
        for condition in _json_list(conditions):
            values.setdefault(str(condition.get("field")), condition.get("value"))
        account, payee_id = (_text(values.get(each)) for each in ("acct", "description"))
        when = values.get("date")
        recurrence, amount = _recurrence(when), _amount(values.get("amount"))
        payee = self._names.payee(payee_id)
        if isinstance(when, dict) and when.get("skipWeekend"):
            self._remarks.name("schedules that no longer avoid weekends", name or payee or "-")
        return self._book.standing_order(
            schedule_id,
            account,
            self._names.account_of_payee(payee_id),
            amount,
            recurrence,
            name=name or payee,
            categoryId=self._category_set_by(_json_list(actions)),
            payee=payee,
            manualPayment=is_manual,
        )

    def _category_set_by(self, actions: list[dict[str, Any]]) -> str | None:
        for action in actions:
            if action.get("op") == "set" and action.get("field") == "category":
                return self._book.category_id(self._names.category(_text(action.get("value"))))
        return None

    def record_rules(self) -> Iterator[Document]:
        """Yield a record rule for each rule that gives records with certain words a category."""
        for rule_id, conditions, op, actions, tombstone in self._database.rows("rules"):
            try:
                acting, conditioned = _json_list(actions), _json_list(conditions)
            except ValueError:
                acting, conditioned = [], []
            if tombstone or any(action.get("op") == "link-schedule" for action in acting):
                continue
            words, is_fit = self._words(conditioned)
            category_id = self._category_set_by(acting) if len(acting) == 1 else None
            is_fit &= op == "or" or len(conditioned) == 1
            if category_id is None or not is_fit:
                name = words[0] if words else str(rule_id)
                self._remarks.name("rules that are not imported", name)
                continue
            self._remarks.count(
                "rules for exactly some words, which here fit every record that contains them",
                any(condition.get("op") != "contains" for condition in conditioned),
            )
            yield self._book.ids.document(
                "RecordRule", rule_id, name=words[0], keywords=words, categoryId=category_id
            )

    def _words(self, conditions: list[dict[str, Any]]) -> tuple[list[str], bool]:
        """Return the words of conditions, and whether these ask for nothing but words."""
        words: list[str] = []
        is_fit = True
        for condition in conditions:
            name, op, value = map(condition.get, ("field", "op", "value"))
            values = value if isinstance(value, list) else [value]
            if name == "description" and op in ("is", "oneOf"):
                values = [self._names.payee(_text(each)) for each in values]
            texts = [each for each in values if isinstance(each, str) and each.strip()]
            words += texts
            is_fit &= op in ("contains", "is", "oneOf") and name in _TEXTS
            is_fit &= 0 < len(texts) == len(values)
        return words, is_fit and 0 < len(words) <= MAX_LIST_ELEMENTS


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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _json_list(text: str | None) -> list[dict[str, Any]]:
    """Return the objects of a list in JSON. Raises ValueError if it is anything else."""
    try:
        found = json.loads(text or "[]", parse_float=Decimal)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError("is not a list of objects")
    return found


def _recurrence(value: Any) -> Recurrence:
    """Return the days of a schedule's date, which is a day or a rule. Raises ScheduleUnfit."""
    if isinstance(value, str):
        return Recurrence(parse_start(value), None)
    if not isinstance(value, dict):
        raise ScheduleUnfit("has no date")
    frequency, interval = value.get("frequency"), value.get("interval") or 1
    if frequency not in _FREQUENCIES or type(interval) is not int or interval not in _INTERVALS:
        raise ScheduleUnfit("has another rhythm")
    start = parse_start(value.get("start"))
    rule = f"FREQ={frequency.upper()};INTERVAL={interval}"
    if frequency == "monthly":
        days, weekdays = _patterns(value.get("patterns") or [])
        if days and weekdays:
            raise ScheduleUnfit("follows days of the month and weekdays at once")
        if weekdays:
            rule += ";BYDAY=" + ",".join(f"{nth}{WEEKDAYS[day]}" for nth, day in weekdays)
        else:
            days = days or [start.day]
            rule += ";BYMONTHDAY=" + ",".join(map(str, days))
        start = _first_day(start, interval, days, weekdays)
    match value.get("endMode") or "never", value.get("endOccurrences"):
        case "never", _:
            return Recurrence(start, rule)
        case "on_date", _:
            return ended(start, rule, parse_start(value.get("endDate")), None)
        case "after_n_occurrences", int(times) if not isinstance(times, bool):
            return ended(start, rule, None, times)
    raise ScheduleUnfit("has another end")


def _patterns(patterns: Any) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the days of the month, -1 for the last, and the weekdays, each with its number."""
    days: list[int] = []
    weekdays: list[tuple[int, int]] = []
    for pattern in patterns if isinstance(patterns, list) else [None]:
        match pattern:
            case {"type": "day", "value": int(number)} if number == -1 or 1 <= number <= 31:
                days.append(number)
            case {"type": str(name), "value": int(number)} if name in WEEKDAYS and (
                number == -1 or 1 <= number <= 5
            ):
                weekdays.append((number, WEEKDAYS.index(name)))
            case _:
                raise ScheduleUnfit("has another rhythm")
    return days, weekdays


def _first_day(
    start: date, interval: int, days: Sequence[int], weekdays: Sequence[tuple[int, int]]
) -> date:
    """Return the first day from ``start`` on that a monthly rule has."""
    for count in range(_MONTHS):
        years, month = divmod(start.month - 1 + count * interval, 12)
        if start.year + years >= END_YEAR:
            break
        last = monthrange(start.year + years, month + 1)[1]
        for number in range(1, last + 1):
            day = date(start.year + years, month + 1, number)
            nths = (number - 1) // 7 + 1, -1 if number > last - 7 else 0
            is_weekday = any((nth, day.weekday()) in weekdays for nth in nths)
            is_day = number in days or (number == last and -1 in days)
            if day >= start and (is_weekday or is_day):
                return day
    raise ScheduleUnfit("has no day")
