"""The paths below /wallet that are not lists: references, usage statistics, refused writes."""

from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api.data_request import DataRequest, Payload, Reading
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.openapi.schemas import example_of, of_members, value
from finance_api.api.parameters import ParameterSchema
from finance_api.api.public.usage import PERIOD, USAGE_RESPONSE, get_usage, usage
from finance_api.api.representation import HeaderItems
from finance_api.api.service import Service, data_service, of_resource
from finance_api.auth.authentication import require_scopes
from finance_api.auth.policy import Permission, own_data
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.requests import Request
from finance_api.http.surfaces import USAGE_PATH, WALLET, WALLET_SURFACE
from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    LABELS,
    PUBLIC_RESOURCES,
    RECORD_RULES,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Field, Resource
from finance_api.storage.interface import DataState
from finance_api.wallet.parameters import COMMON, MAX_REFERENCES, required_ids, with_ids
from finance_api.wallet.responses import OF_OTHERS
from finance_api.wallet.schemas import IDS

#: Up to this many ids of each type are listed.
_LIMIT = 50
_REFERRING = (RECORDS, STANDING_ORDERS, BUDGETS, RECORD_RULES)
#: By resource: the resources that refer to it, and the field that contains the reference.
_REFERENCES: dict[Resource, dict[Resource, Field]] = {
    resource: {
        other: field
        for other in _REFERRING
        for field in other.references
        if field.references == resource.model_type
    }
    # Standing orders are left out, because it is not stored which records belong to them.
    for resource in (CATEGORIES, ACCOUNTS, LABELS, RECORDS)
}
#: Wallet's names of types.
_TYPES = {r: r.model_type[0].lower() + r.model_type[1:] for r in PUBLIC_RESOURCES}
#: Wallet's names of fields that are called differently here.
_FIELDS = {(RECORD_RULES, "accountId"): "fromAccountId"}


class ReferencesRequest(DataRequest):
    """A request for the objects that refer to each id."""

    def __init__(self, resource: Resource, request: Request) -> None:
        require_scopes(request, _scopes(resource))
        super().__init__(request)
        self._resource = resource

    def state_headers(self, state: DataState) -> HeaderItems:
        return ()

    def read(self, reading: Reading) -> Payload:
        data, user_id = reading.storage.data, reading.user_id
        state = data.get_state(user_id)
        ids = [text.lower() for text in self.given["id"]]
        types = {
            row_id: resource
            # The requested type comes last, so that it wins if another type has the same id.
            for resource in (*_TYPES, self._resource)
            for row_id in data.get_rows(user_id, resource, ids)
        }
        answer = {text: self._references(reading, text.lower(), types) for text in self.given["id"]}
        return Payload(state, orjson.dumps(answer))

    def _references(
        self, reading: Reading, row_id: str, types: dict[str, Resource]
    ) -> dict[str, Any]:
        own = types.get(row_id)
        if own is None:
            return {"error": "not found"}
        if own is not self._resource:
            message = f"The id belongs to a {_TYPES[own]}, not to a {_TYPES[self._resource]}."
            return {"error": "type_mismatch", "actualType": _TYPES[own], "message": message}
        return {
            other.name: _referring(reading, other, field, row_id)
            for other, field in _REFERENCES[own].items()
        }


def _referring(reading: Reading, resource: Resource, field: Field, row_id: str) -> dict[str, Any]:
    sort = parse_sort(resource, resource.default_sort)
    query = Query(resource, (with_ids(field, [row_id]),), sort, _LIMIT, with_total=True)
    page = reading.storage.data.list_rows(reading.user_id, query)
    return {
        "field": _FIELDS.get((resource, field.name), field.name),
        "total": page.total,
        "limit": _LIMIT,
        "hasMore": page.has_more,
        "ids": [row["id"] for row in page.rows],
    }


def _response(resource: Resource) -> ResponseDescription:
    """Describe the response: for each id, the objects that refer to it, or an error."""
    referring = of_members(
        "Referring",
        {
            "field": value("The field that refers to the id.", "categoryId"),
            "total": value("Number of objects that refer to the id.", 4711),
            "limit": value("Maximum number of ids in the response.", _LIMIT),
            "hasMore": value("Whether more objects refer to the id than ids has.", False),
            "ids": IDS,
        },
    )
    types = {other.name: referring for other in _REFERENCES[resource]}
    found = of_members(f"{resource.model_type}References", types)
    missing = of_members(
        "NoReferences",
        {
            "error": value("not found, or type_mismatch.", "not found"),
            "actualType": value("The type of the object with this id.", "record"),
            "message": value(
                "The error in one sentence.", "The id belongs to a record, not to a label."
            ),
        },
        ["error"],
    )
    by_id = {"type": "object", "additionalProperties": {"anyOf": [found, missing]}}
    example = {EXAMPLE_ID: example_of(found)}
    return ResponseDescription({**by_id, "examples": [example]}, headers=OF_OTHERS)


def _scopes(resource: Resource) -> list[str]:
    return [str(other.path) for other in (resource, *_REFERENCES[resource])]


def _service(resource: Resource, name: str) -> Service:
    meaning = f"Objects that refer to {resource.name}."
    declared = of_resource(resource, required_ids(MAX_REFERENCES), _response(resource), meaning)
    path = f"{WALLET_SURFACE}{name}/references"
    return data_service(
        path, ReferencesRequest, resource, **{**declared, "scopes": _scopes(resource)}
    )


def _usage() -> Service:
    return Service(
        f"{WALLET}{USAGE_PATH}",
        get_usage,
        "The user's requests by day, week or month.",
        schema=ParameterSchema(*COMMON, PERIOD),
        response=USAGE_RESPONSE,
        answer=usage,
        permission=Permission.API_USAGE_READ,
        factory=own_data(Permission.API_USAGE_READ),
    )


def get_nothing(request: Request) -> Response:
    raise problem(404, NOT_FOUND)


#: Wallet accepts writes here. This service answers writes with 405, as on every other path.
WRITES = Service(
    f"{WALLET_SURFACE}categories/custom",
    get_nothing,
    **of_resource(
        CATEGORIES, ParameterSchema(), None, "Accepts writes in Wallet; not available here."
    ),
)
SERVICES = (
    *(
        _service(resource, name)
        for resource in _REFERENCES
        for name in (str(resource.path), _TYPES[resource])
    ),
    _usage(),
    WRITES,
)
