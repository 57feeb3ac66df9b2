"""Conditions on records that the program itself sets."""

from collections.abc import Iterable
from dataclasses import replace

from finance_api.query.model import Condition, Operator, Span, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID

#: A record without a state is not void either.
NOT_VOID = replace(condition_on(RECORDS, "recordState", Operator.NE, (VOID,)), or_missing=True)


def dated(first: int, end: int) -> Condition:
    """The recordDate is at or after ``first``, and before ``end``."""
    return condition_on(RECORDS, "recordDate", Operator.EQ, Span(first, end))


def any_of(name: str, values: Iterable[str]) -> Condition:
    """The field has one of these values."""
    return condition_on(RECORDS, name, Operator.ANY_OF, tuple(sorted(values)))
