"""Evaluates queries in plain Python, over rows in memory.

The memory storage uses this; every other storage must return the same rows. Text is compared
by code point.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any

from finance_api.query.model import Condition, SortKey, Span
from finance_api.query.operators import PARTED, Operator
from finance_api.resources.records import SEARCHED, VOID
from finance_api.values import Row
from finance_api.values.text import plain
from finance_api.values.time import DAY_SECONDS, HOUR_SECONDS, Period, start_of


def matches(row: Mapping[str, Any], conditions: Iterable[Condition]) -> bool:
    """Return whether all conditions hold.

    If a value is missing, only ``is.null`` and ``ne-or-null.`` hold.
    """
    return all(_test_of_rows(condition)(row) for condition in conditions)


def matching(
    rows: Iterable[Row], conditions: Iterable[Condition], *, with_void: bool = True
) -> Iterator[Row]:
    """Yield the rows that `matches` accepts; this is faster for many rows."""
    for condition in conditions:
        rows = filter(_test_of_rows(condition), rows)
    return (row for row in rows if with_void or row["recordState"] != VOID)


def _test_of_rows(condition: Condition) -> Callable[[Mapping[str, Any]], bool]:
    name, operator = condition.field.name, condition.operator
    if operator in PARTED:
        tests = [_test_of_rows(part) for part in condition.parts]
        if operator is Operator.NOT_ALL:
            return lambda row: not all(test(row) for test in tests)
        return lambda row: any(test(row) for test in tests)
    if operator is Operator.WORD:
        word: Any = condition.operand
        return lambda row: any(word in plain(t) for name in SEARCHED for t in _elements(row[name]))
    if operator.is_null_test:
        return lambda row: (not _elements(row[name])) == (operator is Operator.IS_NULL)
    is_negated, or_missing = operator.is_negated, operator is Operator.NE_OR_NULL
    holds = _test_of_elements(condition.positive())

    def test(row: Mapping[str, Any]) -> bool:
        elements = _elements(row[name])
        return any(map(holds, elements)) != is_negated if elements else or_missing

    return test


def _elements(value: Any) -> tuple[Any, ...]:
    """Return the values to test: a list's elements, one value, or none if it is missing."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _test_of_elements(condition: Condition) -> Callable[[Any], bool]:
    operand: Any = condition.operand
    if isinstance(operand, Span):
        low, high = condition.bounds() or (1, 0)
        if condition.absolute:
            return lambda value: low <= abs(value) <= high
        return lambda value: low <= value <= high
    comparison = condition.operator.value
    meets, operand = comparison.meets, comparison.prepared(operand)
    return lambda value: meets(value, operand)


def sorted_rows(rows: Iterable[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    """Return the rows sorted by the keys, then by id; missing values last in both directions."""
    return in_order(sorted(rows, key=itemgetter("id")), keys)


def in_order(rows: Iterable[Row], keys: tuple[SortKey, ...]) -> list[Row]:
    """Return the rows sorted by the keys, missing values last; equal rows keep their order."""
    ordered = list(rows)
    for key in reversed(keys):
        name = key.field.name
        # Python's sort keeps the order of equal rows, also with reverse=True.
        if key.equals is not None:
            ordered.sort(key=lambda row: row[name] == key.equals, reverse=key.descending)
            continue
        present = (row for row in ordered if row[name] is not None)
        missing = [row for row in ordered if row[name] is None]
        ordered = sorted(present, key=itemgetter(name), reverse=key.descending) + missing
    return ordered


def _hour(date: int) -> int | None:
    time = date % DAY_SECONDS
    return time - time % HOUR_SECONDS if time else None


#: Groups that are derived from fields: the day (even if the time is stored) and the month of a
#: recordDate, each as its first second, the hour as its first second in the day (None: there is no
#: time), and two flags.
DERIVED_GROUPS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "recordDate": lambda record: start_of(Period.DAY, record["recordDate"]),
    "month": lambda record: start_of(Period.MONTH, record["recordDate"]),
    "hour": lambda record: _hour(record["recordDate"]),
    "isVoid": lambda record: record["recordState"] == VOID,
    "isTransfer": lambda record: record["transferId"] is not None,
}


def group_of(record: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the record's values for these names: fields or `DERIVED_GROUPS`."""
    return tuple([DERIVED_GROUPS[n](record) if n in DERIVED_GROUPS else record[n] for n in names])
