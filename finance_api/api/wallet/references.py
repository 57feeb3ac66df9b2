"""GET /wallet/v1/api/<type>/references"""

from collections.abc import Mapping
from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, Reading, RequestTarget
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.openapi.schemas import example_of, of_members, value
from finance_api.api.representation import HeaderItems
from finance_api.api.service import Service, of_resource
from finance_api.api.wallet.parameters import MAX_REFERENCES, required_ids, with_ids
from finance_api.api.wallet.responses import OF_OTHERS
from finance_api.api.wallet.schemas import COUNT, IDS, flag, text
from finance_api.auth.refusals import require_scopes
from finance_api.http.requests import Request
from finance_api.http.surfaces import WALLET_SURFACE
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
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, Storage

#: The most ids listed of each kind.
_LIMIT = 50

#: By what is referred to: who refers to it, and by which field.
_REFERENCES: Mapping[Resource, Mapping[Resource, str]] = {
    CATEGORIES: {
        RECORDS: "categoryId",
        STANDING_ORDERS: "categoryId",
        BUDGETS: "categoryIds",
        RECORD_RULES: "categoryId",
    },
    ACCOUNTS: {
        RECORDS: "accountId",
        STANDING_ORDERS: "accountId",
        BUDGETS: "accountIds",
        RECORD_RULES: "accountId",
    },
    LABELS: dict.fromkeys((RECORDS, STANDING_ORDERS, BUDGETS, RECORD_RULES), "labelIds"),
    # Nothing here tells which records a standing order has made.
    RECORDS: {},
}
#: Wallet's names of types.
_TYPES = {r: r.model_type[0].lower() + r.model_type[1:] for r in PUBLIC_RESOURCES}
#: Wallet's names of fields that have another one here.
_FIELDS = {(RECORD_RULES, "accountId"): "fromAccountId"}


class ReferencesRequest(DataRequest):
    """By each id: what refers to it."""

    def __init__(self, resource: Resource, target: RequestTarget) -> None:
        super().__init__(target)
        self._resource = resource

    def state_headers(self, state: DataState) -> HeaderItems:
        return ()

    def read(self, reading: Reading) -> Payload:
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        ids = [text.lower() for text in self.given["id"]]
        types = {
            row_id: resource
            for resource in _TYPES
            for row_id in storage.data.get_rows(user_id, resource, ids)
        }
        # The type that is asked for, where another one has the same id, too.
        types |= dict.fromkeys(storage.data.get_rows(user_id, self._resource, ids), self._resource)
        found = {text: self._of(storage, user_id, text, types) for text in self.given["id"]}
        return Payload(state, orjson.dumps(found))

    def _of(
        self, storage: Storage, user_id: int, text: str, types: Mapping[str, Resource]
    ) -> dict[str, Any]:
        row_id = text.lower()
        own = types.get(row_id)
        if own is None:
            return {"error": "not found"}
        if own is not self._resource:
            message = f"The id is of a {_TYPES[own]}, not of a {_TYPES[self._resource]}."
            return {"error": "type_mismatch", "actualType": _TYPES[own], "message": message}
        return {
            other.name: _referring(storage, user_id, other, field, row_id)
            for other, field in _REFERENCES[own].items()
        }


def _referring(
    storage: Storage, user_id: int, resource: Resource, name: str, row_id: str
) -> dict[str, Any]:
    sort = parse_sort(resource, resource.default_sort)
    named = (with_ids(resource[name], [row_id]),)
    page = storage.data.list_rows(user_id, Query(resource, named, sort, _LIMIT, with_total=True))
    return {
        "field": _FIELDS.get((resource, name), name),
        "total": page.total,
        "limit": _LIMIT,
        "hasMore": page.has_more,
        "ids": [row["id"] for row in page.rows],
    }


def _response(resource: Resource) -> ResponseDescription:
    """Return for each id the objects that refer to it, or why they are not shown."""
    referring = of_members(
        "Referring",
        {
            "field": text("The field that names it.", "categoryId"),
            "total": value(COUNT, "How many there are.", 4711),
            "limit": value(COUNT, "The largest number of ids in the response.", _LIMIT),
            "hasMore": flag("Whether there are more than that."),
            "ids": IDS,
        },
    )
    types = {other.name: referring for other in _REFERENCES[resource]}
    found = of_members(f"{resource.model_type}References", types)
    missing = of_members(
        "NoReferences",
        {
            "error": text("not found, or type_mismatch.", "not found"),
            "actualType": text("What the id is of.", "record"),
            "message": text("The same in a sentence.", "The id is of a record, not of a label."),
        },
        ["error"],
    )
    by_id = {"type": "object", "additionalProperties": {"anyOf": [found, missing]}}
    example = {EXAMPLE_ID: example_of(found)}
    return ResponseDescription({**by_id, "examples": [example]}, headers=OF_OTHERS)


def _service(resource: Resource, name: str) -> Service:
    scopes = [str(other.path) for other in (resource, *_REFERENCES[resource])]

    def get_references(request: Request) -> Response:
        require_scopes(request, scopes)
        return respond(request, ReferencesRequest, resource)

    meaning = f"What refers to {resource.name}."
    schema, response = required_ids(MAX_REFERENCES), _response(resource)
    declared = of_resource(resource, schema, response, meaning)
    path = f"{WALLET_SURFACE}{name}/references"
    return Service(path, get_references, **{**declared, "scopes": scopes})


SERVICES = tuple(
    _service(resource, name)
    for resource in _REFERENCES
    for name in (str(resource.path), _TYPES[resource])
)
