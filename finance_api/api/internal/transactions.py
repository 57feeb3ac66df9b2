"""GET /internal/v1/get-records"""

from functools import partial
from typing import Any

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.conditional import Freshness
from finance_api.api.listing import link_next
from finance_api.api.parameters import ParameterSchema, Scalar, validate_query
from finance_api.api.representation import JSON, json_response, negotiate, next_offset
from finance_api.api.service import internal_service
from finance_api.auth.permissions import Permission
from finance_api.query.model import Operator, Query, SortKey
from finance_api.query.parse import parse_bound, parse_order
from finance_api.query.render import canonical_text
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.resources.transactions import TRANSACTION_FIELDS, transaction

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


service = internal_service(
    "get-records", Permission.INTERNAL_RECORDS_READ, "Transactions: records, void ones included."
)


@service.get(
    schema=_schema(), validators=(validate_query,), permission=Permission.INTERNAL_RECORDS_READ
)
def list_transactions(request: Request) -> Response:
    negotiate(request, (JSON,))
    query = _query(request.validated)
    user_id = request.context.user_id
    freshness = Freshness(
        request,
        request.storage.get_data_state(user_id),
        JSON.media_type,
        "get-records\0" + canonical_text(query),
    )
    if freshness.is_known_to_client:
        return freshness.not_modified()
    page = request.storage.list_rows(user_id, query)
    response = json_response({"transactions": [transaction(row) for row in page.rows]})
    return link_next(request, freshness.mark(response), next_offset(query, page))
