"""GET /internal/v1/get-docs"""

import orjson

from finance_api.api.data_request import DataRequest, Payload, Reading
from finance_api.api.internal.transactions import CONVERT_TO, conversions
from finance_api.api.listing import next_link
from finance_api.api.openapi.responses import LINK, OF_DATA, ResponseDescription
from finance_api.api.openapi.schemas import array_of, of_fields, of_members, of_names, value
from finance_api.api.parameters import ParameterSchema, Scalar, conversion, page, required
from finance_api.api.representation import next_offset
from finance_api.api.service import data_service
from finance_api.auth.policy import Permission, own_internal_data
from finance_api.http.requests import Request
from finance_api.planning.conversion import CONVERTED, converted_fields
from finance_api.query.errors import QueryError, quoted
from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.resources import ACCOUNTS, DOCUMENTS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.documents import document
from finance_api.resources.field import Resource
from finance_api.resources.naming import snake_case
from finance_api.storage.interface import Page, Storage

MAX_DOCUMENTS = 200
ALL = "all"

_BY_TYPE = {resource.model_type: resource for resource in DOCUMENTS}
_WANTED = f"{ALL}, or one or more of {', '.join(_BY_TYPE)}"


def _types(text: str) -> tuple[Resource, ...]:
    """Document types of a comma-separated list, in its order, without duplicates."""
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


_SCHEMA = ParameterSchema(
    required(
        "document_type",
        Scalar(
            _types,
            of_names(
                (ALL, *_BY_TYPE),
                ["Account", "Label"],
                **{"if": {"contains": {"const": ALL}}, "then": {"maxItems": 1}},
            ),
        ),
        _WANTED,
        f"{_WANTED}.",
    ),
    *page(MAX_DOCUMENTS),
    conversion(CONVERT_TO),
)


def _response() -> ResponseDescription:
    converted = of_fields(
        None,
        converted_fields(CONVERTED[ACCOUNTS]),
        keys={f.name: snake_case(f.name) for f in converted_fields(CONVERTED[ACCOUNTS])},
        required=(),
    )["properties"]
    data = {}
    for resource in DOCUMENTS:
        fields = [f for f in resource.listed_fields if f.name != "id"]
        keys = {f.name: snake_case(f.name) for f in fields}
        data[resource] = of_fields(f"{resource.model_type}Data", fields, keys=keys)
    data[ACCOUNTS]["properties"] |= converted
    document = of_members(
        "Document",
        {
            "id": value("Identifier.", EXAMPLE_ID, format="uuid"),
            "reserved_model_type": value("The type.", "Account", enum=[*_BY_TYPE]),
            "data": {"anyOf": list(data.values())},
        },
    )
    members = {
        "documents": array_of(document),
        "total": value("Number of documents of all these types.", 7),
        "limit": value("Maximum number of documents of each type on a page.", 30),
        "offset": value("Number of documents of each type before the page.", 0),
    }
    return ResponseDescription(of_members("DocumentPage", members), headers=(*OF_DATA, LINK))


def _query(resource: Resource, limit: int, offset: int) -> Query:
    return Query(resource, (), parse_sort(resource, "+name"), limit, offset, with_total=True)


def _page(storage: Storage, user_id: int, query: Query) -> Page:
    """The page, with the fields of open-ended types that are not declared."""
    page = storage.data.list_rows(user_id, query)
    if not query.resource.open_ended:
        return page
    whole = storage.data.get_rows(user_id, query.resource, [row["id"] for row in page.rows])
    return Page([whole[row["id"]] for row in page.rows], page.has_more, page.total)


class DocumentsRequest(DataRequest):
    """A page of each requested type, in the order of the request."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.convert_to = self.given[CONVERT_TO]
        self.depends_on_today = self.convert_to is not None
        self.is_cheap = self.convert_to is None

    def read(self, reading: Reading) -> Payload:
        storage, user_id = reading.storage, reading.user_id
        types, limit, offset = (self.given[n] for n in ("document_type", "limit", "offset"))
        state = storage.data.get_state(user_id)
        documents, total, following = [], 0, None
        for resource in types:
            query = _query(resource, limit, offset)
            page = _page(storage, user_id, query)
            converted = conversions(reading, resource, page.rows, self.convert_to)
            for row, members in zip(page.rows, converted, strict=True):
                made = document(resource, row)
                made["data"] |= members
                documents.append(made)
            total += page.total or 0
            following = following or next_offset(query, page)
        body = {"documents": documents, "total": total, "limit": limit, "offset": offset}
        return Payload(state, orjson.dumps(body), next_link(self, following))


SERVICES = (
    data_service(
        "/internal/v1/get-docs",
        DocumentsRequest,
        description="Documents: data of all types except records.",
        schema=_SCHEMA,
        response=_response(),
        permission=Permission.INTERNAL_DOCUMENTS_READ,
        factory=own_internal_data(Permission.INTERNAL_DOCUMENTS_READ),
    ),
)
