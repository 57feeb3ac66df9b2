"""What is no list: GET /wallet/v1/api/<type>/references, /api-usage/stats, /categories/custom"""

from functools import partial
from typing import Any

import orjson
from pyramid.httpexceptions import HTTPException
from pyramid.response import Response

from finance_api import resources
from finance_api.api.endpoint import Service
from finance_api.api.openapi import responses, schemas
from finance_api.api.public.usage import PERIOD, USAGE_RESPONSE, usage
from finance_api.api.responding import respond, respond_unstored
from finance_api.api.validation import Parameters, ParameterSchema
from finance_api.auth.authentication import require_scopes
from finance_api.auth.policy import Permission
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.requests import Request
from finance_api.planning.answers import Document, Reading
from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.ratelimit.tween import quota_of
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.field import Field, Resource
from finance_api.wallet.parameters import COMMON, TYPES, IdsSchema, with_ids
from finance_api.wallet.responses import OF_OTHERS

_OTHERS = resources.RECORDS, resources.STANDING_ORDERS, resources.BUDGETS, resources.RECORD_RULES
#: Up to so many ids are taken, and listed for each type.
_MAX_IDS, _LIMIT = 20, 50
#: Wallet's names of fields that are called differently here.
_FIELDS = {(resources.RECORD_RULES, "accountId"): "fromAccountId"}


def _referring(resource: Resource) -> dict[Resource, Field]:
    """Return the resources that refer to the resource, and the field that contains the reference.

    Standing orders refer to no records, because it is not stored which records belong to them.
    """
    return {
        other: field
        for other in _OTHERS
        for field in other.references
        if field.references == resource.model_type
    }


def references(resource: Resource, reading: Reading, values: Parameters) -> Document:
    """Return the objects that refer to each id."""
    data, user_id = reading.storage.data, reading.user_id
    state, ids = reading.get_state(), [text.lower() for text in values["id"]]
    types = {
        row_id: each
        # The requested type comes last, so that it wins if another type has the same id.
        for each in (*TYPES, resource)
        for row_id in data.get_rows(user_id, each, ids)
    }
    answer: dict[str, Any] = {}
    for text in values["id"]:
        own = types.get(text.lower())
        if own is None:
            answer[text] = {"error": "not found"}
        elif own is resource:
            answer[text] = {
                other.name: _found(reading, other, field, text.lower())
                for other, field in _referring(resource).items()
            }
        else:
            message = f"The id belongs to a {TYPES[own]}, not to a {TYPES[resource]}."
            answer[text] = {"error": "type_mismatch", "actualType": TYPES[own], "message": message}
    return Document(state, orjson.dumps(answer))


def _found(reading: Reading, resource: Resource, field: Field, row_id: str) -> dict[str, Any]:
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


def _response(resource: Resource) -> responses.ResponseDescription:
    """Describe the response: for each id, the objects that refer to it, or an error."""
    referring = schemas.of_members(
        "Referring",
        {
            "field": schemas.value("The field that refers to the id.", "categoryId"),
            "total": schemas.value("Number of objects that refer to the id.", 4711),
            "limit": schemas.value("Maximum number of ids in the response.", _LIMIT),
            "hasMore": schemas.value("Whether more objects refer to the id than ids has.", False),
            "ids": schemas.array_of(schemas.value("Identifier.", EXAMPLE_ID, format="uuid")),
        },
    )
    types = {other.name: referring for other in _referring(resource)}
    found = schemas.of_members(f"{resource.model_type}References", types)
    missing = schemas.of_members(
        "NoReferences",
        {
            "error": schemas.value("not found, or type_mismatch.", "not found"),
            "actualType": schemas.value("The type of the object with this id.", "record"),
            "message": schemas.value(
                "The error in one sentence.", "The id belongs to a record, not to a label."
            ),
        },
        ["error"],
    )
    by_id = {"type": "object", "additionalProperties": {"anyOf": [found, missing]}}
    schema = {**by_id, "examples": [{EXAMPLE_ID: schemas.example_of(found)}]}
    return responses.ResponseDescription(schema, headers=OF_OTHERS, state_headers=lambda state: ())


def _get(resource: Resource, permission: Permission) -> dict[str, Any]:
    """Return the arguments of ``@service.get``, which are the same for singular and plural."""
    return {
        "schema": IdsSchema(_MAX_IDS),
        "permission": permission,
        "answer": partial(references, resource),
        "response": _response(resource),
        "scopes": tuple(str(each.path) for each in (resource, *_referring(resource))),
    }


_ABOUT = "Objects that refer to {}.".format
categories = Service("to.categories", "/wallet/v1/api/categories/references", _ABOUT("categories"))
category = Service("to.category", "/wallet/v1/api/category/references", _ABOUT("categories"))
accounts = Service("to.accounts", "/wallet/v1/api/accounts/references", _ABOUT("accounts"))
account = Service("to.account", "/wallet/v1/api/account/references", _ABOUT("accounts"))
labels = Service("to.labels", "/wallet/v1/api/labels/references", _ABOUT("labels"))
label = Service("to.label", "/wallet/v1/api/label/references", _ABOUT("labels"))
records = Service("to.records", "/wallet/v1/api/records/references", _ABOUT("records"))
record = Service("to.record", "/wallet/v1/api/record/references", _ABOUT("records"))


@categories.get(**_get(resources.CATEGORIES, Permission.CATEGORIES_READ))
@category.get(**_get(resources.CATEGORIES, Permission.CATEGORIES_READ))
@accounts.get(**_get(resources.ACCOUNTS, Permission.ACCOUNTS_READ))
@account.get(**_get(resources.ACCOUNTS, Permission.ACCOUNTS_READ))
@labels.get(**_get(resources.LABELS, Permission.LABELS_READ))
@label.get(**_get(resources.LABELS, Permission.LABELS_READ))
@records.get(**_get(resources.RECORDS, Permission.RECORDS_READ))
@record.get(**_get(resources.RECORDS, Permission.RECORDS_READ))
def get_references(request: Request) -> Response:
    require_scopes(request, request.registry.endpoints[request.matched_route.pattern].scopes)
    return respond(request)


# -- usage, and writes -----------------------------------------------------------------------------

api_usage = Service(
    "wallet.usage", "/wallet/v1/api/api-usage/stats", "The user's requests by day, week or month."
)


@api_usage.get(
    schema=ParameterSchema(*COMMON, PERIOD),
    permission=Permission.API_USAGE_READ,
    answer=usage,
    response=USAGE_RESPONSE,
)
def get_usage(request: Request) -> Response:
    return respond_unstored(request, quota=quota_of(request))


#: Wallet accepts writes here. This service answers writes with 405, as on every other path.
custom = Service(
    "wallet.categories.custom",
    "/wallet/v1/api/categories/custom",
    "Accepts writes in Wallet; not available here.",
)


def _nothing() -> HTTPException:
    return problem(404, NOT_FOUND)


@custom.get(
    schema=ParameterSchema(),
    permission=Permission.CATEGORIES_READ,
    answer=_nothing,
    response=responses.ResponseDescription(is_shown=False),
)
def get_nothing(request: Request) -> Response:
    raise _nothing()
