"""GET /internal/v1/get-records"""

from functools import partial
from typing import Any

import orjson

from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.listing import next_link
from finance_api.api.parameters import ParameterSchema, Scalar
from finance_api.api.representation import JSON, negotiate, next_offset
from finance_api.api.service import internal_service
from finance_api.auth.permissions import Permission
from finance_api.query.model import Operator, Query, SortKey
from finance_api.query.parse import parse_bound, parse_order
from finance_api.query.render import canonical_text
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
    return schema


def _query(validated: dict[str, Any]) -> Query:
    bounds = [validated[name] for name in _BOUNDS if validated[name] is not None]
    return Query(
        RECORDS,
        tuple(bound.condition for bound in bounds),
        validated["sort_by"],
        validated["limit"],
        validated["offset"],
    )


class Transactions(DataRequest):
    """A page of the records, as the internal surface shows them."""

    def __init__(self, validated: dict[str, Any], target: RequestTarget) -> None:
        negotiate(target.accept, (JSON,))
        self._target = target
        self._query = _query(validated)
        self.text = "get-records\0" + canonical_text(self._query)
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state = storage.data.get_state(user_id)
        page = storage.data.list_rows(user_id, self._query)
        body = orjson.dumps({"transactions": [transaction(row) for row in page.rows]})
        return Payload(state, body, next_link(self._target, next_offset(self._query, page)))


service = internal_service(
    "get-records",
    Permission.INTERNAL_RECORDS_READ,
    _schema(),
    Transactions,
    description="Transactions: records, void ones included.",
)
