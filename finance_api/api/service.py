"""How Cornice services are declared here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cornice import Service
from pyramid.httpexceptions import HTTPException
from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, RequestTarget
from finance_api.api.listing import ListDataRequest
from finance_api.api.parameters import ParameterSchema, list_schema, validate_query
from finance_api.auth.contexts import Factory, own_data, own_internal_data, own_usage
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


@dataclass(frozen=True, kw_only=True)
class DataEndpoint:
    """A GET of the user's own data.

    context: makes the context that decides who may.
    parse: of the parameters that `schema` validates, and what the client wrote.
    """

    name: str
    path: str
    description: str
    permission: Permission
    context: Factory
    schema: ParameterSchema
    parse: Callable[[dict[str, Any], RequestTarget], DataRequest]


class DataService(Service):  # type: ignore[misc]
    """The Cornice service of a `DataEndpoint`."""

    def __init__(self, endpoint: DataEndpoint) -> None:
        super().__init__(
            name=endpoint.name,
            path=endpoint.path,
            description=endpoint.description,
            factory=endpoint.context,
            error_handler=refuse,
            # The service is found by a scan in the module that calls one of the functions below.
            depth=3,
        )
        self.endpoint = endpoint

        @self.get(
            schema=endpoint.schema, validators=(validate_query,), permission=endpoint.permission
        )
        def get_data(request: Request) -> Response:
            return respond(request, endpoint.parse(request.validated, request_target(request)))


def request_target(request: Request) -> RequestTarget:
    """What the client wrote."""
    environ = request.environ
    return RequestTarget(request.path, environ.get("QUERY_STRING", ""), environ.get("HTTP_ACCEPT"))


def list_service(resource: Resource, permission: Permission) -> Service:
    """A resource of the public surface as lists of the user's own rows."""

    def parse(validated: dict[str, Any], target: RequestTarget) -> DataRequest:
        return ListDataRequest(resource, validated, target)

    return DataService(
        DataEndpoint(
            name=f"public {resource.path}",
            path=f"{PUBLIC_SURFACE}{resource.path}",
            description=resource.meaning,
            permission=permission,
            context=own_data(str(resource.path), permission),
            schema=list_schema(resource),
            parse=parse,
        )
    )


def public_service(
    resource: Resource,
    permission: Permission,
    schema: ParameterSchema,
    parse: Callable[[dict[str, Any], RequestTarget], DataRequest],
    *,
    below: str,
    description: str,
) -> Service:
    """Something else of a resource of the public surface.

    The resource's path is also the scope that a token must cover. below: what follows in the path.
    """
    return DataService(
        DataEndpoint(
            name=f"public {resource.path}{below}",
            path=f"{PUBLIC_SURFACE}{resource.path}{below}",
            description=description,
            permission=permission,
            context=own_data(str(resource.path), permission),
            schema=schema,
            parse=parse,
        )
    )


def internal_service(
    path: str,
    permission: Permission,
    schema: ParameterSchema,
    parse: Callable[[dict[str, Any], RequestTarget], DataRequest],
    *,
    description: str,
) -> Service:
    """A service of the internal surface over the user's own data."""
    return DataService(
        DataEndpoint(
            name=f"internal {path}",
            path=f"{INTERNAL_SURFACE}{path}",
            description=description,
            permission=permission,
            context=own_internal_data(permission),
            schema=schema,
            parse=parse,
        )
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
