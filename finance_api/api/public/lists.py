"""GET /v1/api/<resource>, GET /v1/api/<resource>.csv and its like, GET /v1/api/<resource>/<id>"""

from collections.abc import Callable, Iterator

from cornice import Service
from pyramid.config import Configurator
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.listing import ListRequest, ObjectRequest
from finance_api.api.parameters import object_schema
from finance_api.api.representation import OF_LISTS, Representation
from finance_api.api.service import public
from finance_api.auth.permissions import Permission
from finance_api.requests import Request
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
from finance_api.values.ids import FORM

_PERMISSIONS = {
    RECORDS: Permission.RECORDS_READ,
    ACCOUNTS: Permission.ACCOUNTS_READ,
    CATEGORIES: Permission.CATEGORIES_READ,
    BUDGETS: Permission.BUDGETS_READ,
    GOALS: Permission.GOALS_READ,
    STANDING_ORDERS: Permission.STANDING_ORDERS_READ,
    LABELS: Permission.LABELS_READ,
    RECORD_RULES: Permission.RECORD_RULES_READ,
}


View = Callable[[Request], Response]


def _list_of(resource: Resource, representation: Representation | None) -> View:
    def list_rows(request: Request) -> Response:
        return respond(request, ListRequest, resource, representation)

    return list_rows


def _one_of(resource: Resource) -> View:
    def get_object(request: Request) -> Response:
        return respond(request, ObjectRequest, resource, request.matchdict["id"])

    return get_object


def _services() -> Iterator[Service]:
    for resource, permission in _PERMISSIONS.items():
        path = f"/v1/api/{resource.path}"
        service = Service(f"public {resource.path}", path, **public(resource, permission))
        service.add_view("GET", _list_of(resource, None))
        yield service
        for form in OF_LISTS[1:]:
            name = f"public {resource.path}.{form.suffix}"
            service = Service(name, f"{path}.{form.suffix}", **public(resource, permission))
            service.add_view("GET", _list_of(resource, form))
            yield service
        one = public(resource, permission, object_schema(resource), f"One: {resource.meaning}")
        service = Service(f"public {resource.path} one", f"{path}/{{id:{FORM}}}", **one)
        service.add_view("GET", _one_of(resource))
        yield service


_SERVICES = tuple(_services())


def includeme(config: Configurator) -> None:
    for service in _SERVICES:
        config.add_cornice_service(service)
