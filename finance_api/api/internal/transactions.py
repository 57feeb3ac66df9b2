"""GET /internal/v1/get-records"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import orjson

from finance_api.api.data_request import DataRequest, Payload, Reading
from finance_api.api.listing import next_link
from finance_api.api.openapi.conditions import DECIMAL_PATTERN, TIME_SPAN_PATTERN
from finance_api.api.openapi.responses import LINK, OF_DATA, ResponseDescription
from finance_api.api.openapi.schemas import (
    Schema,
    array_of,
    date_time,
    of_fields,
    of_members,
    of_order,
    value,
)
from finance_api.api.parameters import (
    SORT_MEANING,
    Fault,
    Parameter,
    ParameterSchema,
    Scalar,
    conversion,
    page,
    parameter,
)
from finance_api.api.representation import next_offset
from finance_api.api.service import data_service
from finance_api.auth.policy import Permission, own_internal_data
from finance_api.http.requests import Request
from finance_api.planning.conversion import CONVERTED, converted_fields, with_converted
from finance_api.query.model import Operator, Query, SortKey
from finance_api.query.parse import parse_bound, parse_order
from finance_api.resources import RECORDS
from finance_api.resources.documents import TRANSACTION_FIELDS, transaction
from finance_api.resources.field import Resource, names_of
from finance_api.resources.naming import snake_case
from finance_api.resources.records import VOID
from finance_api.resources.wire import RowEncoder
from finance_api.values import Row

MAX_TRANSACTIONS = 300
DEFAULT_SORT = "-record_date"
CONVERT_TO = "convert_to"

_BOUNDS = {
    "min_amount": ("amount", Operator.GTE),
    "max_amount": ("amount", Operator.LTE),
    "date_from": ("record_date", Operator.GTE),
    "date_to": ("record_date", Operator.LTE),
}
_BEYOND = {Operator.GTE: "above", Operator.LTE: "below"}
_OPERANDS: dict[str, Schema] = {
    "amount": {"type": "string", "pattern": DECIMAL_PATTERN, "examples": ["-100.5"]},
    "record_date": {"type": "string", "pattern": TIME_SPAN_PATTERN, "examples": ["2026-01-31"]},
}
# A transaction shows its state only as void or not void, and is sorted by that.
_SORT_KEYS = {
    name: SortKey(field, equals=VOID if name == "record_state" else None)
    for name, field in TRANSACTION_FIELDS.items()
}


def _is_in_order(low: str, high: str, than: str, parameters: Mapping[str, Any]) -> Fault | None:
    first, last = parameters[low], parameters[high]
    is_beyond = first is not None and last is not None and first.at > last.at
    return (low, f"is {than} than {high}") if is_beyond else None


def _bound(name: str, field: str, operator: Operator) -> Parameter:
    parse = partial(parse_bound, TRANSACTION_FIELDS[field], operator)
    meaning = f"Only transactions with this {field} or {_BEYOND[operator]} it."
    return parameter(name, Scalar(parse, _OPERANDS[field]), meaning, None)


_sort = partial(parse_order, _SORT_KEYS)
_SCHEMA = ParameterSchema(
    *(_bound(name, *bound) for name, bound in _BOUNDS.items()),
    *page(MAX_TRANSACTIONS),
    parameter(
        "sort_by",
        Scalar(_sort, of_order(_SORT_KEYS, DEFAULT_SORT)),
        SORT_MEANING,
        _sort(DEFAULT_SORT),
    ),
    conversion(CONVERT_TO),
    rules=(
        partial(_is_in_order, "min_amount", "max_amount", "greater"),
        partial(_is_in_order, "date_from", "date_to", "later"),
    ),
)


def _response() -> ResponseDescription:
    converted = converted_fields(CONVERTED[RECORDS])
    keys = {field.name: snake_case(field.name) for field in converted}
    keys |= {field.name: key for key, field in TRANSACTION_FIELDS.items()}
    row = of_fields("Transaction", list(TRANSACTION_FIELDS.values()), converted, keys)
    row["properties"] |= {
        "record_date": date_time("Date of the transaction.", "2026-01-31T00:00:00Z"),
        "record_state": value(
            "Void transactions count in no sum or balance.", "active", enum=["active", VOID]
        ),
    }
    members = {"transactions": array_of(row)}
    return ResponseDescription(of_members("TransactionPage", members), headers=(*OF_DATA, LINK))


def _query(parameters: Mapping[str, Any]) -> Query:
    bounds = [parameters[name] for name in _BOUNDS if parameters[name] is not None]
    return Query(
        RECORDS,
        tuple(bound.condition for bound in bounds),
        parameters["sort_by"],
        parameters["limit"],
        parameters["offset"],
    )


@cache
def _encoder_of(resource: Resource) -> RowEncoder:
    fields = converted_fields(CONVERTED[resource])
    return RowEncoder(fields, keys=[snake_case(name) for name in names_of(fields)])


def conversions(
    reading: Reading, resource: Resource, rows: Sequence[Row], target: str | None
) -> list[dict[str, Any]]:
    """Return each row's members about its converted amount, for orjson; none without a target."""
    if target is None or resource not in CONVERTED:
        return [{} for _ in rows]
    converted = with_converted(reading.storage, resource, rows, target, reading.today)
    return [_encoder_of(resource).document(row) for row in converted]


class TransactionsRequest(DataRequest):
    """A page of records as transactions."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._query = _query(self.given)
        self.convert_to = self.given[CONVERT_TO]
        self.is_cheap = self.convert_to is None and self._query.is_cheap

    def read(self, reading: Reading) -> Payload:
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        page = storage.data.list_rows(user_id, self._query)
        converted = conversions(reading, RECORDS, page.rows, self.convert_to)
        rows = [transaction(row) | more for row, more in zip(page.rows, converted, strict=True)]
        body = orjson.dumps({"transactions": rows})
        return Payload(state, body, next_link(self, next_offset(self._query, page)))


SERVICES = (
    data_service(
        "/internal/v1/get-records",
        TransactionsRequest,
        description="Transactions: records, void ones included.",
        schema=_SCHEMA,
        response=_response(),
        permission=Permission.INTERNAL_RECORDS_READ,
        factory=own_internal_data(Permission.INTERNAL_RECORDS_READ),
    ),
)
