"""Further data that records show, and conditions on their dates and sources."""

from collections.abc import Iterable, Iterator, Sequence

from finance_api.api.data_request import Reading
from finance_api.api.wallet.context import Context, conversion_of, mirrors_of
from finance_api.api.wallet.members import moment
from finance_api.query.model import Condition, Operator, Span, condition_on
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, months_before

_IMPORT = RECORDS["importId"]
#: The window of the list, where no date is asked for.
_MONTHS = 3


def enrich(reading: Reading, rows: Sequence[Row], context: Context) -> None:
    storage, user_id = reading.storage, reading.user_id
    context.mirrors = mirrors_of(storage, user_id, rows)
    target = context.given["convertTo"]
    context.converts = target is not None
    if target == "base":
        target = context.names.base
    if target is not None and target != "account":
        context.conversion = conversion_of(storage, target, rows)


def of_source(sources: Sequence[str], context: Context) -> list[Condition]:
    """Statement files are the back end's; nothing here is of the others."""
    statements = tuple(sorted(context.names.statements))
    wants_statements, wants_rest = "backend" in sources, "missing" in sources
    if wants_statements and wants_rest:
        return []
    if wants_rest:
        return [Condition(_IMPORT, Operator.NE, statements, or_missing=True)] if statements else []
    return [Condition(_IMPORT, Operator.ANY_OF, statements if wants_statements else ())]


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
