"""Goals, standing orders and their items: GET /wallet/v1/api/goals, /standing-orders, …/items"""

import uuid
from collections.abc import Sequence
from functools import partial
from typing import Any

from pyramid.response import Response

from finance_api.api.endpoint import Service
from finance_api.api.freshness import DAY
from finance_api.api.openapi.schemas import date_time, of_given, value
from finance_api.api.validation import ParameterSchema
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import ParametersRefused, Reading
from finance_api.planning.recurrence import next_due
from finance_api.planning.upcoming import DueDays, TooManyDueDays
from finance_api.query.evaluate import matches
from finance_api.query.model import Query
from finance_api.resources import GOALS, STANDING_ORDERS
from finance_api.resources.common import EXAMPLE_ID, flag_field
from finance_api.resources.field import Field, Kind
from finance_api.resources.records import record_type
from finance_api.storage.interface import Page
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS, date_text, months_before
from finance_api.wallet import lists, parameters, shapes
from finance_api.wallet.categories import labels_of
from finance_api.wallet.records import parties

GOAL = shapes.Shape(
    GOALS,
    "id name note color state targetAmount initialAmount=savedAmount desiredDate "
    f"stateUpdatedAt=updatedAt {shapes.TIMES}",
    *(shapes.money(GOALS["targetAmount"]), shapes.money(GOALS["savedAmount"])),
)

# -- standing orders -------------------------------------------------------------------------------


def _type(row: Row) -> Any:
    if row["type"] is not None or row["amount"] is None:
        return row["type"]
    return record_type(row["amount"])


@shapes.member("amount", value("Positive amount.", 850, type="number"))
def _size(row: Row) -> Any:
    return None if row["amount"] is None else shapes.decimal(abs(row["amount"]))


@shapes.member_of_page(
    "dueDate", date_time("First occurrence on or after today.", "2026-02-01T00:00:00.000Z")
)
def _due(context: shapes.Context) -> shapes.Write:
    today = context.reading.today
    return lambda row: shapes.moment(next_due(row["recurrenceRule"], row["startDate"], today))


STANDING_ORDER = shapes.Shape(
    STANDING_ORDERS,
    "id name note accountId categoryId currencyCode recurrenceRule type amount counterParty=payee "
    "labels dueDate generateFromDate=startDate manualPayment reminder dueDateNotificationEnabled "
    f"threeDaysBeforeNotificationEnabled {shapes.TIMES}",
    *(shapes.member("type", of_given(STANDING_ORDERS["type"]))(_type), _size, labels_of, _due),
    *parties(_type),
    older="payee=expensePayee payer=incomePayee paymentType",
    always={
        "reminder": "none",
        "dueDateNotificationEnabled": False,
        "threeDaysBeforeNotificationEnabled": False,
    },
)

# -- their items, the occurrences of their rules in the requested range ----------------------------


MAX_DAYS = 3_700
#: If the request has no originalDate, the list reaches this far before and after today.
_MONTHS = 3


def _field(name: str, kind: Kind, meaning: str, example: str) -> Field:
    return Field(name=name, kind=kind, nullable=False, meaning=meaning, example=example)


_DAY = "2026-01-31T00:00:00Z"
ORIGINAL = _field(
    "originalDate", Kind.DATETIME, "Day of the occurrence by the rule of the standing order.", _DAY
)
_PAID = _field("paidDate", Kind.DATETIME, "Day of the payment; always null here.", _DAY)
ORDER = _field("standingOrderId", Kind.ID, "The standing order.", EXAMPLE_ID)
_RECORD = _field("recordId", Kind.ID, "The record of the payment; always null here.", EXAMPLE_ID)
DISMISSED = flag_field("dismissed", "Whether it was dismissed; always false here.")
#: Values that we never know; they are the same for all items.
_MISSING: Row = {_PAID.name: None, _RECORD.name: None, DISMISSED.name: False}

ITEM = shapes.Shape(
    STANDING_ORDERS,
    "id standingOrderId originalDate alignedDate=originalDate dismissed recordIds",
    *(shapes.of_field(field.name, field) for field in (ORDER, ORIGINAL, DISMISSED)),
    always={"recordIds": []},
    title="StandingOrderItem",
    key="standingOrderItems",
)


def read_page(reading: Reading, query: Query) -> Page:
    """Read a page of items, newest first, as Wallet lists them."""
    days = [c.bounds() for c in query.conditions if c.field is ORIGINAL]
    others = [c for c in query.conditions if c.field not in (ORDER, ORIGINAL)]
    first, end = _range(list(filter(None, days)), reading.today)
    if end - first > MAX_DAYS * DAY_SECONDS:
        raise ParametersRefused([(ORIGINAL.name, f"must be a range of at most {MAX_DAYS} days")])
    if None in days or not matches(_MISSING, others):
        return Page(total=0)
    of_orders = [c for c in query.conditions if c.field is ORDER]
    orders = [
        order
        for order in reading.storage.data.scan_rows(reading.user_id, STANDING_ORDERS)
        if matches({ORDER.name: order["id"]}, of_orders)
    ]
    try:
        due = DueDays(orders, first + -first % DAY_SECONDS, end)
    except TooManyDueDays as error:
        raise ParametersRefused([(ORIGINAL.name, f"{error}: ask for a shorter period")]) from None
    page = due.page(query.limit, query.offset, _item_id, newest_first=True)
    rows = [
        {"id": _item_id(day, order), ORDER.name: order["id"], ORIGINAL.name: day, **_MISSING}
        for day, order in page
    ]
    return Page(rows, due.number > query.offset + query.limit, due.number)


def _range(days: Sequence[tuple[int, int]], today: int) -> tuple[int, int]:
    """Return the requested range of originalDate, with a default for each open end."""
    first, end = months_before(today, _MONTHS), months_before(today, -_MONTHS) + DAY_SECONDS
    lows = [low for low, _ in days if low >= MIN_SECONDS]
    highs = [high for _, high in days if high <= MAX_SECONDS]
    if lows:
        first = max(lows)
        end = max(end, months_before(first - first % DAY_SECONDS, -_MONTHS) + DAY_SECONDS)
    if highs:
        end = min(highs) + 1
        first = first if lows else min(first, months_before(end - end % DAY_SECONDS, _MONTHS))
    return first, end


def _item_id(day: int, order: Row) -> str:
    return str(uuid.uuid5(uuid.UUID(order["id"]), date_text(day)))


# -- the lists -------------------------------------------------------------------------------------

goals = Service("wallet.goals", "/wallet/v1/api/goals", GOALS.meaning)
orders = Service("wallet.orders", "/wallet/v1/api/standing-orders", STANDING_ORDERS.meaning)
items = Service("wallet.items", "/wallet/v1/api/standing-orders/items", STANDING_ORDERS.meaning)


@goals.get(
    schema=parameters.ListSchema(GOALS, "name note"),
    permission=Permission.GOALS_READ,
    answer=partial(lists.list_page, GOAL),
    response=lists.page_response(GOAL),
)
@orders.get(
    schema=parameters.ListSchema(STANDING_ORDERS, "name currencyCode labelId=labelIds"),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(lists.list_page, STANDING_ORDER),
    response=lists.page_response(STANDING_ORDER),
)
@items.get(
    schema=ParameterSchema(
        *parameters.COMMON,
        *(parameters.ids_filter(field, field.name, most=1) for field in (ORDER, _RECORD)),
        *(parameters.filter_by(field, field.name) for field in (ORIGINAL, _PAID, DISMISSED)),
    ),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(lists.list_page, ITEM, read=read_page),
    response=lists.page_response(ITEM),
    varies_with=(DAY,),
)
def list_objects(request: Request) -> Response:
    return lists.respond_with_objects(request)
