"""How Cornice services are declared here."""

from collections.abc import Callable
from typing import Any

from cornice import Service
from pyramid.httpexceptions import HTTPException
from pyramid.request import Request

from finance_api.auth.contexts import own_data
from finance_api.auth.permissions import Permission
from finance_api.errors import problem


def refuse(request: Request) -> HTTPException:
    """400 with every fault that the validators found."""
    errors = [
        {"in": "query", "name": fault["name"], "message": fault["description"]}
        for fault in request.errors
    ]
    first = f"{errors[0]['name']}: {errors[0]['message']}"
    if len(errors) > 1:
        first += f" (and {len(errors) - 1} more)"
    return problem(400, first, errors=errors)


def public_service(name: str, description: str, *, scope: str, permission: Permission) -> Service:
    """A service of the public surface over one resource of the user's own data.

    name: the last part of the path. scope: the path of the resource that a token must cover.
    """
    factory: Callable[[Request], Any] = own_data(scope, permission)
    return Service(
        name=f"public {name}",
        path=f"/v1/api/{name}",
        description=description,
        factory=factory,
        error_handler=refuse,
        # The service is found by a scan in the module that calls this function.
        depth=2,
    )
