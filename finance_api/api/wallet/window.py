"""The window of the list of records, and how it and other dates are told."""

from collections.abc import Iterable, Iterator

from finance_api.api.wallet.members import moment
from finance_api.query.model import Condition, Operator, Span, condition_on
from finance_api.resources import RECORDS
from finance_api.values.time import DAY_SECONDS, months_before

_MONTHS = 3


def window_at(now: int) -> tuple[Condition, Condition]:
    """From 3 months before now to 24 hours after it."""
    day = now - now % DAY_SECONDS
    first, end = months_before(day, _MONTHS) + now - day, now + DAY_SECONDS
    return (
        condition_on(RECORDS, "recordDate", Operator.GTE, Span(first, first + 1)),
        condition_on(RECORDS, "recordDate", Operator.LT, Span(end, end + 1)),
    )


def applied_filters(conditions: Iterable[Condition]) -> list[str]:
    """Conditions on dates, with their operands as instants."""
    return [text for condition in conditions for text in _texts(condition)]


def _texts(condition: Condition) -> Iterator[str]:
    span, operator = condition.operand, condition.operator
    assert isinstance(span, Span)
    if span.end - span.first == 1:
        yield f"{operator.value}.{moment(span.first)}"
    elif operator is Operator.EQ:
        yield from (f"gte.{moment(span.first)}", f"lt.{moment(span.end)}")
    elif operator in (Operator.GTE, Operator.LT):
        yield f"{operator.value}.{moment(span.first)}"
    else:
        after = {Operator.GT: Operator.GTE, Operator.LTE: Operator.LT}[operator]
        yield f"{after.value}.{moment(span.end)}"
