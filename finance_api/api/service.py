"""The Cornice services for data: their declarations, and the views that answer them."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from cornice import Service as CorniceService
from pyramid.httpexceptions import HTTPException
from pyramid.response import Response

from finance_api.api.data_request import respond
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.parameters import (
    Fault,
    ParameterSchema,
    amounts_parameter,
    read_parameters,
    validate_query,
)
from finance_api.auth.policy import Permission, own_data
from finance_api.http.errors import parameter_problem
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE, SUFFIX
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

#: The permission to read each resource.
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

View = Callable[[Request], Response]


class Service(CorniceService):  # type: ignore[misc]
    """A service with one view, for GET, and its description.

    base_path: the path without the optional suffix of a format.
    response: describes the response to a valid request. If None, the service is not described.
    scopes: the scopes that a token needs.
    is_savable: whether a saved question can use the service.
    """

    # Not used: views return responses. Cornice's own renderer would need its subscriber.
    renderer = "json"

    def __init__(
        self,
        path: str,
        view: View,
        description: str,
        *,
        response: ResponseDescription | None,
        schema: ParameterSchema | None = None,
        scopes: Sequence[str] = (),
        is_savable: bool = False,
        **options: Any,
    ) -> None:
        """options: passed to Cornice and Pyramid, such as the permission."""
        self.base_path, self.response, self.scopes = path, response, tuple(scopes)
        self.is_savable = is_savable
        if schema is not None:
            options |= {"schema": schema, "validators": (validate_query,), "error_handler": _refuse}
        has_suffixes = response is not None and response.has_suffixes
        if schema is not None and has_suffixes:
            schema.path = path.replace(f":{FORM}", "")
        if is_savable and not has_suffixes:
            raise TypeError(f"{path}: a saved question needs an answer with rows")
        full_path = path + SUFFIX if has_suffixes else path
        super().__init__(path, full_path, description, **options)
        self.add_view("GET", view)

    def find_faults(self, query_string: str) -> list[Fault]:
        """Return the faults of a query string, by the name of the parameter."""
        return read_parameters(self.schema, query_string)[1]


def _refuse(request: Request) -> HTTPException:
    """Return a 400 with every fault that the validator found."""
    return parameter_problem(request.errors)


def data_service(
    path: str,
    make: Callable[..., Any],
    *arguments: Hashable,
    responder: Callable[..., Response] = respond,
    **declared: Any,
) -> Service:
    """Return a service for the data requests that ``make(*arguments, request)`` makes.

    declared: the result of `of_resource`, or other arguments of `Service`.
    """

    response: ResponseDescription | None = declared["response"]
    amounts: frozenset[str] = frozenset()
    if path.startswith(PUBLIC_SURFACE) and response is not None and response.has_amounts:
        declared["schema"].add(amounts_parameter())
        amounts = response.amounts

    def view(request: Request) -> Response:
        return responder(request, make, *arguments, amounts=amounts)

    # `proutes` shows this name.
    view.__name__ = view.__qualname__ = make.__name__
    return Service(path, view, **declared)


def of_resource(
    resource: Resource,
    schema: ParameterSchema,
    response: ResponseDescription | None,
    description: str | None = None,
) -> dict[str, Any]:
    """Return the declaration of a resource's service. The scope is the resource's path."""
    scope, permission = str(resource.path), PERMISSIONS[resource]
    return {
        "description": description or resource.meaning,
        "schema": schema,
        "response": response,
        "scopes": (scope,),
        "permission": permission,
        "factory": own_data(scope, permission),
    }
