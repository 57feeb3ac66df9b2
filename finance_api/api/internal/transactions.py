"""GET /internal/v1/get-records"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import orjson
from cornice import Service
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.internal.conversion import CONVERT_TO, conversions
from finance_api.api.listing import next_link
from finance_api.api.parameters import ParameterSchema, Scalar
from finance_api.api.representation import JSON, negotiate, next_offset
from finance_api.api.service import internal
from finance_api.auth.permissions import Permission
from finance_api.query.model import Operator, Query, SortKey
from finance_api.query.parse import parse_bound, parse_order
from finance_api.query.render import canonical_text
from finance_api.requests import Request
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.resources.transactions import TRANSACTION_FIELDS, transaction
from finance_api.storage.interface import Storage

MAX_TRANSACTIONS = 300
DEFAULT_SORT = "-record_date"

_BOUNDS = {
    "min_amount": ("amount", Operator.GTE),
    "max_amount": ("amount", Operator.LTE),
    "date_from": ("record_date", Operator.GTE),
    "date_to": ("record_date", Operator.LTE),
}
# Transactions are sorted by what they show: a state is void, or it is not.
_SORT_KEYS = {
    name: SortKey(field, equals=VOID if name == "record_state" else None)
    for name, field in TRANSACTION_FIELDS.items()
}


def _schema() -> ParameterSchema:
    schema = ParameterSchema()
    for name, (field, operator) in _BOUNDS.items():
        parse = partial(parse_bound, TRANSACTION_FIELDS[field], operator)
        schema.add_parameter(name, Scalar(parse), None)
    schema.ranges = (("min_amount", "max_amount"), ("date_from", "date_to"))
    schema.add_page(MAX_TRANSACTIONS)
    sort = partial(parse_order, _SORT_KEYS)
    schema.add_parameter("sort_by", Scalar(sort), sort(DEFAULT_SORT))
    schema.add_conversion(CONVERT_TO)
    return schema


def _query(parameters: Mapping[str, Any]) -> Query:
    bounds = [parameters[name] for name in _BOUNDS if parameters[name] is not None]
    return Query(
        RECORDS,
        tuple(bound.condition for bound in bounds),
        parameters["sort_by"],
        parameters["limit"],
        parameters["offset"],
    )


class TransactionsRequest(DataRequest):
    """A page of records as transactions."""

    convert_to_name = CONVERT_TO

    def __init__(self, target: RequestTarget) -> None:
        negotiate(target.accept, (JSON,))
        self._target = target
        self._query = _query(target.parameters)
        self.convert_to = target.parameters[CONVERT_TO]
        self.text = f"get-records\0{canonical_text(self._query)}\0{self.convert_to}"
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state = storage.data.get_state(user_id)
        page = storage.data.list_rows(user_id, self._query)
        converted = conversions(storage, RECORDS, page.rows, self.convert_to, today)
        found = [transaction(row) | more for row, more in zip(page.rows, converted, strict=True)]
        body = orjson.dumps({"transactions": found})
        return Payload(state, body, next_link(self._target, next_offset(self._query, page)))


transactions = Service(
    "internal get-records",
    "/internal/v1/get-records",
    **internal(
        "Transactions: records, void ones included.", _schema(), Permission.INTERNAL_RECORDS_READ
    ),
)


@transactions.get()
def list_transactions(request: Request) -> Response:
    return respond(request, TransactionsRequest)
