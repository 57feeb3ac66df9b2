"""The internal API: GET /internal/v1/get-records and /internal/v1/get-docs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api import freshness, parameters, responding, validation
from finance_api.api.endpoint import Service
from finance_api.api.openapi import schemas
from finance_api.api.openapi.conditions import DECIMAL_PATTERN, TIME_SPAN_PATTERN
from finance_api.api.openapi.responses import LINK, OF_DATA, ResponseDescription
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import Document, Reading
from finance_api.query.errors import QueryError, quoted
from finance_api.query.model import Query, SortKey
from finance_api.query.operators import Operator
from finance_api.query.parse import parse_bound, parse_order, parse_sort
from finance_api.resources import DOCUMENTS, RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Resource, snake_case
from finance_api.resources.records import VOID
from finance_api.serialization.documents import TRANSACTION_FIELDS, document, transaction
from finance_api.storage.interface import JsonPage, Page, Storage

get_records = Service(
    "internal.get-records", "/internal/v1/get-records", "Transactions: records, void ones included."
)
get_docs = Service(
    "internal.get-docs", "/internal/v1/get-docs", "Documents: data of all types except records."
)

# -- transactions ---------------------------------------------------------------------------------


DEFAULT_SORT = "-record_date"

_BEYOND = {Operator.GTE: "above", Operator.LTE: "below"}
_OPERANDS: dict[str, schemas.Schema] = {
    "amount": {"type": "string", "pattern": DECIMAL_PATTERN, "examples": ["-100.5"]},
    "record_date": {"type": "string", "pattern": TIME_SPAN_PATTERN, "examples": ["2026-01-31"]},
}
# A transaction shows its state only as void or not void, and is sorted by that.
_SORT_KEYS = {
    name: SortKey(field, equals=VOID if name == "record_state" else None)
    for name, field in TRANSACTION_FIELDS.items()
}


def _is_in_order(
    low: str, high: str, than: str, values: Mapping[str, Any]
) -> validation.Fault | None:
    first, last = values[low], values[high]
    is_beyond = first is not None and last is not None and first.at > last.at
    return (low, f"is {than} than {high}") if is_beyond else None


def _bound(name: str, field: str, operator: Operator) -> validation.Parameter:
    parse = partial(parse_bound, TRANSACTION_FIELDS[field], operator)
    meaning = f"Only transactions with this {field} or {_BEYOND[operator]} it."
    return parameters.parameter(name, parameters.Scalar(parse, _OPERANDS[field]), meaning, None)


_sort = partial(parse_order, _SORT_KEYS)


class TransactionsSchema(validation.ParameterSchema):
    rules = (
        partial(_is_in_order, "min_amount", "max_amount", "greater"),
        partial(_is_in_order, "date_from", "date_to", "later"),
    )
    min_amount = _bound("min_amount", "amount", Operator.GTE)
    max_amount = _bound("max_amount", "amount", Operator.LTE)
    date_from = _bound("date_from", "record_date", Operator.GTE)
    date_to = _bound("date_to", "record_date", Operator.LTE)
    limit, offset = parameters.page(max_limit=300)
    sort_by = parameters.parameter(
        "sort_by",
        parameters.Listed(_sort, schemas.of_order(_SORT_KEYS, DEFAULT_SORT)),
        parameters.SORT_MEANING,
        _sort(DEFAULT_SORT),
    )

    def is_cheap(self, values: validation.Parameters) -> bool:
        return _query(values).is_cheap


def next_offset(query: Query, page: Page | JsonPage) -> int | None:
    """Return the offset of the next page; None on the last page."""
    return query.offset + query.limit if page.has_more else None


def _query(values: validation.Parameters) -> Query:
    bounds = (values[name] for name in ("min_amount", "max_amount", "date_from", "date_to"))
    conditions = tuple([bound.condition for bound in bounds if bound is not None])
    return Query(RECORDS, conditions, values["sort_by"], values["limit"], values["offset"])


def _transaction_page() -> schemas.Schema:
    keys = {field.name: key for key, field in TRANSACTION_FIELDS.items()}
    row = schemas.of_fields("Transaction", list(TRANSACTION_FIELDS.values()), keys=keys)
    row["properties"] |= {
        "record_date": schemas.date_time("Date of the transaction.", "2026-01-31T00:00:00Z"),
        "record_state": schemas.value(
            "Void transactions count in no sum or balance.", "active", enum=["active", VOID]
        ),
    }
    return schemas.of_members("TransactionPage", {"transactions": schemas.array_of(row)})


def transactions(reading: Reading, values: validation.Parameters) -> Document:
    """Return a page of transactions."""
    query, state = _query(values), reading.get_state()
    page = reading.storage.data.list_rows(reading.user_id, query)
    rows = [transaction(row) for row in page.rows]
    return Document(state, orjson.dumps({"transactions": rows}), next_offset(query, page))


# -- documents ------------------------------------------------------------------------------------


ALL = "all"

_BY_TYPE = {resource.model_type: resource for resource in DOCUMENTS}
_WANTED = f"{ALL}, or one or more of {', '.join(_BY_TYPE)}"


def _types(text: str) -> tuple[Resource, ...]:
    """Parse a comma-separated list of document types; keep its order, and drop duplicates."""
    if text == ALL:
        return DOCUMENTS
    names = dict.fromkeys(text.split(","))
    if ALL in names:
        raise QueryError(f"{quoted(ALL)} cannot be combined with other types; it takes {_WANTED}")
    unknown = [quoted(name) if name else "an empty name" for name in names if name not in _BY_TYPE]
    if unknown:
        verb = "is not a document type" if len(unknown) == 1 else "are not document types"
        raise QueryError(f"{', '.join(unknown)} {verb}; it takes {_WANTED}")
    return tuple(_BY_TYPE[name] for name in names)


class DocumentsSchema(validation.ParameterSchema):
    document_type = parameters.required(
        "document_type",
        parameters.Listed(
            _types,
            schemas.of_names(
                (ALL, *_BY_TYPE),
                ["Account", "Label"],
                **{"if": {"contains": {"const": ALL}}, "then": {"maxItems": 1}},
            ),
        ),
        _WANTED,
        f"{_WANTED}.",
    )
    limit, offset = parameters.page(max_limit=200)

    def is_cheap(self, values: validation.Parameters) -> bool:
        return True


def _document_page() -> schemas.Schema:
    data = []
    for resource in DOCUMENTS:
        fields = [f for f in resource.listed_fields if f.name != "id"]
        keys = {f.name: snake_case(f.name) for f in fields}
        data.append(schemas.of_fields(f"{resource.model_type}Data", fields, keys=keys))
    document = schemas.of_members(
        "Document",
        {
            "id": schemas.value("Identifier.", EXAMPLE_ID, format="uuid"),
            "reserved_model_type": schemas.value("The type.", "Account", enum=[*_BY_TYPE]),
            "data": {"anyOf": data},
        },
    )
    members = {
        "documents": schemas.array_of(document),
        "total": schemas.value("Number of documents of all these types.", 7),
        "limit": schemas.value("Maximum number of documents of each type on a page.", 30),
        "offset": schemas.value("Number of documents of each type before the page.", 0),
    }
    return schemas.of_members("DocumentPage", members)


def _page(storage: Storage, user_id: int, query: Query) -> Page:
    """Return the page. Rows of open-ended types also have their undeclared fields."""
    page = storage.data.list_rows(user_id, query)
    if not query.resource.open_ended:
        return page
    whole = storage.data.get_rows(user_id, query.resource, [row["id"] for row in page.rows])
    return Page([whole[row["id"]] for row in page.rows], page.has_more, page.total)


def documents(reading: Reading, values: validation.Parameters) -> Document:
    """Return a page of each requested type, in the order of the request."""
    types, limit, offset = (values[n] for n in ("document_type", "limit", "offset"))
    state = reading.get_state()
    made: list[dict[str, Any]] = []
    total, following = 0, None
    for resource in types:
        sort = parse_sort(resource, "+name")
        query = Query(resource, (), sort, limit, offset, with_total=True)
        page = _page(reading.storage, reading.user_id, query)
        made += [document(resource, row) for row in page.rows]
        total += page.total or 0
        following = following or next_offset(query, page)
    body = {"documents": made, "total": total, "limit": limit, "offset": offset}
    return Document(state, orjson.dumps(body), following)


@get_records.get(
    schema=TransactionsSchema(),
    permission=Permission.INTERNAL_RECORDS_READ,
    answer=transactions,
    response=ResponseDescription(_transaction_page(), headers=(*OF_DATA, LINK)),
    varies_with=freshness.NOTHING,
)
@get_docs.get(
    schema=DocumentsSchema(),
    permission=Permission.INTERNAL_DOCUMENTS_READ,
    answer=documents,
    response=ResponseDescription(_document_page(), headers=(*OF_DATA, LINK)),
    varies_with=freshness.NOTHING,
)
def read_data(request: Request) -> Response:
    return responding.respond(request)
