"""The items of standing orders: the occurrences of their rules in the asked range of dates."""

import uuid
from collections.abc import Sequence

from finance_api.api.parameters import Scalar
from finance_api.api.service import refusal
from finance_api.api.wallet.parameters import Compared, Listed, Parameter, parse_ids, with_ids
from finance_api.planning.recurrence import occurrences
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Operator, Query, Span
from finance_api.query.parse import parse_boolean
from finance_api.resources import STANDING_ORDERS
from finance_api.resources.field import Field, Kind
from finance_api.storage.interface import Page, Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS, date_text, months_before

MAX_DAYS = 3_700
#: Before and after today, where no originalDate is asked for.
_MONTHS = 3


def _field(name: str, kind: Kind) -> Field:
    return Field(name=name, kind=kind, meaning="", example=None)


_ORIGINAL, _PAID = _field("originalDate", Kind.DATETIME), _field("paidDate", Kind.DATETIME)
_ORDER, _RECORD = _field("standingOrderId", Kind.ID), _field("recordId", Kind.ID)
_DISMISSED = _field("dismissed", Kind.BOOLEAN)


def _one_id(field: Field) -> Listed:
    return Listed(lambda text: (with_ids(field, parse_ids(1, text)),))


PARAMETERS = (
    Parameter("standingOrderId", _one_id(_ORDER)),
    Parameter("recordId", _one_id(_RECORD)),
    Parameter("originalDate", Compared(_ORIGINAL)),
    Parameter("paidDate", Compared(_PAID)),
    Parameter(
        "dismissed",
        Scalar(lambda text: (Condition(_DISMISSED, Operator.EQ, parse_boolean(text)),)),
    ),
)


def read_page(storage: Storage, user_id: int, query: Query, today: int) -> Page:
    """Newest first, as Wallet has those that it made last."""
    first, end = _range(query.conditions, today)
    if end - first > MAX_DAYS * DAY_SECONDS:
        raise refusal([("originalDate", f"must be a range of at most {MAX_DAYS} days")])
    rows = [
        item
        for order in storage.data.scan_rows(user_id, STANDING_ORDERS)
        for item in _items(order, first, end)
        if matches(item, query.conditions)
    ]
    rows.sort(key=lambda row: (-row["originalDate"], row["id"]))
    stop = query.offset + query.limit
    return Page(rows[query.offset : stop], len(rows) > stop, len(rows))


def _range(conditions: Sequence[Condition], today: int) -> tuple[int, int]:
    """The bounds of originalDate; where one side is open, the usual one."""
    first, end = months_before(today, _MONTHS), months_before(today, -_MONTHS) + DAY_SECONDS
    found = [c.bounds() for c in conditions if c.field is _ORIGINAL and isinstance(c.operand, Span)]
    lows = [bounds[0] for bounds in found if bounds and bounds[0] >= MIN_SECONDS]
    highs = [bounds[1] for bounds in found if bounds and bounds[1] <= MAX_SECONDS]
    if lows:
        first = max(lows)
        end = max(end, months_before(first - first % DAY_SECONDS, -_MONTHS) + DAY_SECONDS)
    if highs:
        end = min(highs) + 1
        first = first if lows else min(first, months_before(end - end % DAY_SECONDS, _MONTHS))
    return first, end


def _items(order: Row, first: int, end: int) -> list[Row]:
    items: list[Row] = []
    for at in occurrences(order["recurrenceRule"], order["startDate"], first - first % DAY_SECONDS):
        if at >= end:
            break
        items.append(
            {
                "id": str(uuid.uuid5(uuid.UUID(order["id"]), date_text(at))),
                "standingOrderId": order["id"],
                "originalDate": at,
                "paidDate": None,
                "recordId": None,
                "dismissed": False,
            }
        )
    return items
