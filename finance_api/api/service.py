"""The services of the Wallet-compatible API, until they have the form of `endpoint`."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from cornice import Service as CorniceService
from pyramid.response import Response

from finance_api.api.data_request import respond
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.parameters import ParameterSchema, validate_query
from finance_api.auth.policy import Permission
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


class Service(CorniceService):  # type: ignore[misc]
    """A service with one view, for GET, and its description."""

    def __init__(
        self,
        path: str,
        view: View,
        description: str,
        *,
        response: ResponseDescription | None,
        schema: ParameterSchema | None = None,
        scopes: Sequence[str] = (),
        answer: Callable[..., Any] | None = None,
        **options: Any,
    ) -> None:
        options.pop("factory", None)
        super().__init__(path, path, description)
        options |= {"scopes": tuple(scopes)} if scopes else {}
        options |= {"answer": answer or view}
        options |= {"response": response or ResponseDescription(is_shown=False)}
        if schema is not None:
            options |= {"schema": schema, "validators": validate_query}
        self.add_view("GET", view, **options)


def data_service(
    path: str, make: Callable[..., Any], *arguments: Hashable, **declared: Any
) -> Service:
    """Return a service for the data requests that ``make(*arguments, request)`` makes."""

    def view(request: Request) -> Response:
        return respond(request, make, *arguments)

    # `proutes` shows this name.
    view.__name__ = view.__qualname__ = make.__name__
    return Service(path, view, **declared)


def of_resource(
    resource: Resource,
    schema: ParameterSchema,
    response: ResponseDescription | None,
    description: str | None = None,
) -> dict[str, Any]:
    """Return the declaration of a resource's service."""
    return {
        "description": description or resource.meaning,
        "schema": schema,
        "response": response,
        "permission": _PERMISSIONS[resource],
    }
