"""GET /v1/api/standing-orders/upcoming"""

from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.listing import next_link
from finance_api.api.openapi.responses import ResponseDescription, table_response
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.parameters import ParameterSchema
from finance_api.api.representation import Representation, negotiate
from finance_api.api.service import in_every_form, public, refusal
from finance_api.api.tables import TableResponse, next_offset_header, page_members, write_table
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.planning.upcoming import (
    MAX_DUE_DAYS,
    TooManyDueDays,
    Total,
    upcoming_days,
    upcoming_page,
)
from finance_api.resources import STANDING_ORDERS
from finance_api.resources.common import date_field
from finance_api.storage.interface import Storage
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS, date_text

MAX_DAYS = 366
DEFAULT_DAYS = 30
MAX_OCCURRENCES = 1_000
DEFAULT_OCCURRENCES = 100

#: Of an occurrence: its day, then what the standing order says of each of its records.
_SHOWN = ("id", "name", "type", "accountId", "categoryId", "amount", "currencyCode", "payee")
_COLUMNS = (
    date_field("date", "When it is due.", nullable=False),
    *(field for field in STANDING_ORDERS.fields if field.name in _SHOWN),
)


def _schema() -> ParameterSchema:
    schema = ParameterSchema()
    meaning = (
        "How many days from today on, today included. Where the rules of the standing orders have "
        f"more than {MAX_DUE_DAYS:,} days in that time, they are refused."
    )
    schema.add_integer("days", 1, MAX_DAYS, DEFAULT_DAYS, meaning)
    schema.add_page(MAX_OCCURRENCES, DEFAULT_OCCURRENCES)
    return schema


def _response() -> ResponseDescription:
    amount, date = {"type": "number"}, {"type": "string", "format": "date"}
    total = {
        "currencyCode": value({"type": "string"}, "The currency.", "EUR"),
        "count": value({"type": "integer"}, "How many occurrences.", 1),
        "income": value(amount, "Sum of what comes in.", 0),
        "expense": value(amount, "Sum of what goes out, negative.", -850),
        "net": value(amount, "income and expense together.", -850),
    }
    members = {
        "totals": array_of(of_members("UpcomingTotal", total)),
        "from": value(date, "Today.", "2026-01-31"),
        "to": value(date, "The last day.", "2026-03-01"),
    }
    return table_response("Occurrence", "upcoming", _COLUMNS, members, is_paged=True)


class UpcomingRequest(DataRequest):
    """A page of the occurrences to come, and the sums of all of them."""

    depends_on_today = True

    def __init__(self, representation: Representation | None, target: RequestTarget) -> None:
        """representation: None: the one that the client prefers."""
        self._representation = representation or negotiate(target.accept)
        self._target = target
        given = target.parameters
        self._days, self._limit, self._offset = given["days"], given["limit"], given["offset"]
        self.text = f"upcoming\0{self._days}\0{self._limit}\0{self._offset}"
        self.content_type = self._representation.content_type
        self.key = (target.path, target.query_string, self.content_type)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state = storage.data.get_state(user_id)
        try:
            due = upcoming_days(storage, user_id, today, self._days)
        except TooManyDueDays as error:
            raise refusal([("days", f"{error}: ask for fewer days")]) from None
        has_more = due.number > self._offset + self._limit
        page = page_members(self._limit, self._offset, has_more=has_more)
        members = {
            "totals": [_total(*each) for each in due.totals().items()],
            "from": date_text(today),
            "to": date_text(today + (self._days - 1) * DAY_SECONDS),
            **page,
        }
        rows = upcoming_page(due, self._limit, self._offset)
        table = TableResponse("upcoming", _COLUMNS, rows, members, next_offset_header(page))
        body, headers = write_table(table, self._representation)
        return Payload(state, body, (*headers, *next_link(self._target, page["nextOffset"])))


def _total(currency: str, total: Total) -> dict[str, Any]:
    return {
        "currencyCode": currency,
        "count": total.count,
        "income": orjson.Fragment(decimal_text(total.income)),
        "expense": orjson.Fragment(decimal_text(total.expense)),
        "net": orjson.Fragment(decimal_text(total.income + total.expense)),
    }


def get_upcoming(request: Request, form: Representation | None) -> Response:
    return respond(request, UpcomingRequest, form)


SERVICES = tuple(
    in_every_form(
        "/v1/api/standing-orders/upcoming",
        get_upcoming,
        **public(
            STANDING_ORDERS,
            Permission.STANDING_ORDERS_READ,
            _schema(),
            "Occurrences of standing orders to come.",
            _response(),
        ),
    )
)
