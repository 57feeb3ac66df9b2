"""The meaning of a query, in plain Python over rows in memory.

The memory storage answers with it, and every other storage must agree with it. Text compares by
code point.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from finance_api.query.model import Condition, Operator, SortKey, Span
from finance_api.values import Row
from finance_api.values.text import fold

_folded: Callable[[str], str] = lru_cache(maxsize=256)(fold)

_TEXT_TESTS: dict[Operator, Callable[[str, str], bool]] = {
    Operator.EQ: lambda value, operand: value == operand,
    Operator.CONTAINS: lambda value, operand: operand in value,
    Operator.CONTAINS_I: lambda value, operand: _folded(operand) in fold(value),
}


def matches(row: Mapping[str, Any], conditions: Iterable[Condition]) -> bool:
    """Whether every condition holds; a missing value meets none but ``is.null``."""
    return all(_holds(condition, row[condition.field.name]) for condition in conditions)


def _holds(condition: Condition, value: Any) -> bool:
    missing = value is None or value == ()
    if condition.operator is Operator.IS_NULL:
        return missing
    if condition.operator is Operator.NOT_NULL:
        return not missing
    if missing:
        return False
    if condition.field.kind.is_list:
        return any(_element_holds(condition, element) for element in value)
    return _element_holds(condition, value)


def _element_holds(condition: Condition, value: Any) -> bool:
    operand = condition.operand
    if condition.operator is Operator.ANY_OF:
        assert isinstance(operand, tuple)
        return value in operand
    if isinstance(operand, Span):
        bounds = condition.bounds()
        return bounds is not None and bounds[0] <= value <= bounds[1]
    if isinstance(operand, bool):
        return bool(value) is operand
    assert isinstance(operand, str)
    return _TEXT_TESTS[condition.operator](value, operand)


def sorted_rows(rows: Iterable[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    """The rows in order: by the keys, missing values last in both directions, then by id."""
    return in_order(sorted(rows, key=lambda row: row["id"]), keys)


def in_order(rows: Iterable[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    """The rows by the keys, missing values last in both directions; equal ones as they come."""
    ordered = list(rows)
    for key in reversed(keys):
        name = key.field.name
        # A reversed sort keeps the order of equal rows, as a plain one does.
        if key.equals is not None:
            ordered.sort(key=lambda row: row[name] == key.equals, reverse=key.descending)
            continue
        present = [row for row in ordered if row[name] is not None]
        missing = [row for row in ordered if row[name] is None]
        present.sort(key=lambda row: row[name], reverse=key.descending)
        ordered = present + missing
    return ordered
