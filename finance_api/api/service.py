"""How Cornice services are declared here."""

from collections.abc import Callable
from typing import Any

from cornice import Service
from pyramid.httpexceptions import HTTPException
from pyramid.request import Request

from finance_api.auth.contexts import own_data, own_internal_data, own_usage
from finance_api.auth.permissions import Permission
from finance_api.errors import problem
from finance_api.resources.field import Resource
from finance_api.surfaces import INTERNAL_SURFACE, PUBLIC_SURFACE, USAGE_PATH


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


def public_service(
    resource: Resource, permission: Permission, *, below: str = "", description: str = ""
) -> Service:
    """A service of the public surface over one resource of the user's own data.

    Its path is that of the resource, which is also the scope that a token must cover.
    below: what follows in the path. description: the resource's own meaning, if not given.
    """
    factory: Callable[[Request], Any] = own_data(str(resource.path), permission)
    return Service(
        name=f"public {resource.path}{below}",
        path=f"{PUBLIC_SURFACE}{resource.path}{below}",
        description=description or resource.meaning,
        factory=factory,
        error_handler=refuse,
        # The service is found by a scan in the module that calls this function.
        depth=2,
    )


def public_usage_service(description: str) -> Service:
    """The service that tells a token of its user's use; no scope is needed for it."""
    return Service(
        name="public usage",
        path=USAGE_PATH,
        description=description,
        factory=own_usage(Permission.API_USAGE_READ),
        error_handler=refuse,
        depth=2,
    )


def internal_service(path: str, permission: Permission, description: str) -> Service:
    """A service of the internal surface over the user's own data."""
    factory: Callable[[Request], Any] = own_internal_data(permission)
    return Service(
        name=f"internal {path}",
        path=f"{INTERNAL_SURFACE}{path}",
        description=description,
        factory=factory,
        error_handler=refuse,
        depth=2,
    )
