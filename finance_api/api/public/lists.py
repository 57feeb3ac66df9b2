"""GET /v1/api/<resource>, GET /v1/api/<resource>.csv and its like, GET /v1/api/<resource>/<id>"""

from collections.abc import Callable, Iterator

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest, ObjectRequest
from finance_api.api.openapi.responses import object_response
from finance_api.api.parameters import object_schema
from finance_api.api.representation import Representation
from finance_api.api.service import FormView, Service, in_every_form, named, public
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    GOALS,
    LABELS,
    RECORD_RULES,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.resources.field import Resource
from finance_api.resources.naming import snake_case
from finance_api.values.ids import FORM

PERMISSIONS = {
    RECORDS: Permission.RECORDS_READ,
    ACCOUNTS: Permission.ACCOUNTS_READ,
    CATEGORIES: Permission.CATEGORIES_READ,
    BUDGETS: Permission.BUDGETS_READ,
    GOALS: Permission.GOALS_READ,
    STANDING_ORDERS: Permission.STANDING_ORDERS_READ,
    LABELS: Permission.LABELS_READ,
    RECORD_RULES: Permission.RECORD_RULES_READ,
}


def _list_of(resource: Resource) -> FormView:
    @named(f"list_{snake_case(resource.name)}")
    def list_rows(request: Request, form: Representation | None) -> Response:
        return respond(request, ListRequest, resource, form)

    return list_rows


def _one_of(resource: Resource) -> Callable[[Request], Response]:
    @named(f"get_{snake_case(resource.model_type)}")
    def get_object(request: Request) -> Response:
        return respond(request, ObjectRequest, resource, request.matchdict["id"])

    return get_object


def _services() -> Iterator[Service]:
    for resource, permission in PERMISSIONS.items():
        path = f"/v1/api/{resource.path}"
        yield from in_every_form(path, _list_of(resource), **public(resource, permission))
        one = public(
            resource,
            permission,
            object_schema(resource),
            f"One: {resource.meaning}",
            object_response(resource),
        )
        service = Service(f"public {resource.path} one", f"{path}/{{id:{FORM}}}", **one)
        service.add_view("GET", _one_of(resource))
        yield service


SERVICES = tuple(_services())
