"""Evaluates queries in plain Python, over rows in memory.

The memory storage uses this; every other storage must return the same rows. Text compares by
code point.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from finance_api.query.model import Condition, Operator, SortKey, Span
from finance_api.resources.records import SEARCHED, VOID
from finance_api.values import Row
from finance_api.values.text import fold, plain
from finance_api.values.time import Period, start_of

_folded: Callable[[str], str] = lru_cache(maxsize=256)(fold)

_TESTS: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: lambda value, operand: value == operand,
    Operator.CONTAINS: lambda value, operand: operand in value,
    Operator.CONTAINS_I: lambda value, operand: _folded(operand) in fold(value),
    Operator.STARTS_WITH_I: lambda value, operand: fold(value).startswith(_folded(operand)),
}


def matches(row: Mapping[str, Any], conditions: Iterable[Condition]) -> bool:
    """Whether every condition holds. A missing value meets only ``is.null`` and `or_missing`."""
    return all(_holds(condition, row) for condition in conditions)


def _holds(condition: Condition, row: Mapping[str, Any]) -> bool:
    if condition.operator is Operator.EITHER:
        return any(_holds(part, row) for part in condition.parts)
    if condition.operator is Operator.WORD:
        assert isinstance(condition.operand, str)
        texts = (text for name in SEARCHED for text in _elements(row[name]))
        return any(condition.operand in plain(text) for text in texts)
    elements = _elements(row[condition.field.name])
    if condition.or_missing and not elements:
        return True
    match condition.operator:
        case Operator.IS_NULL:
            return not elements
        case Operator.NOT_NULL:
            return bool(elements)
        case Operator.NE:
            equals = condition.negated()
            return bool(elements) and not any(_element_holds(equals, e) for e in elements)
    return any(_element_holds(condition, element) for element in elements)


def _elements(value: Any) -> tuple[Any, ...]:
    """Return the values to test: the elements of a list, none if the value is missing."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _element_holds(condition: Condition, value: Any) -> bool:
    operand = condition.operand
    if condition.operator is Operator.ANY_OF:
        assert isinstance(operand, tuple)
        return value in operand
    if isinstance(operand, Span):
        bounds = condition.bounds()
        compared = abs(value) if condition.absolute else value
        return bounds is not None and bounds[0] <= compared <= bounds[1]
    return _TESTS[condition.operator](value, operand)


def sorted_rows(rows: Iterable[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    """Return the rows sorted by the keys, then by id; missing values last in both directions."""
    return in_order(sorted(rows, key=lambda row: row["id"]), keys)


def in_order(rows: Iterable[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    """Return the rows sorted by the keys, missing values last; equal rows keep their order."""
    ordered = list(rows)
    for key in reversed(keys):
        name = key.field.name
        # Python's sort keeps the order of equal rows, also with reverse=True.
        if key.equals is not None:
            ordered.sort(key=lambda row: row[name] == key.equals, reverse=key.descending)
            continue
        present = [row for row in ordered if row[name] is not None]
        missing = [row for row in ordered if row[name] is None]
        present.sort(key=lambda row: row[name], reverse=key.descending)
        ordered = present + missing
    return ordered


#: Groups that are derived from fields: the day (even if the time is stored) and the month of a
#: recordDate, each as its first second, and two flags.
DERIVED_GROUPS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "recordDate": lambda record: start_of(Period.DAY, record["recordDate"]),
    "month": lambda record: start_of(Period.MONTH, record["recordDate"]),
    "isVoid": lambda record: record["recordState"] == VOID,
    "isTransfer": lambda record: record["transferId"] is not None,
}


def group_of(record: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the record's values for these names: fields or `DERIVED_GROUPS`."""
    return tuple([DERIVED_GROUPS[n](record) if n in DERIVED_GROUPS else record[n] for n in names])
