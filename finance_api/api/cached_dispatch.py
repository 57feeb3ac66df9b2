"""Cached dispatch: plain GETs of data, without Pyramid's router.

The router finds a route, a context and a view, and Cornice validates the query string: at each
request, though the outcome is the same for the same path and query string. Here it is remembered.
docs/architecture.md says what is left out, and why that is safe.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from cornice.service import get_services
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.api.data_request import MAX_REMEMBERED_CHARACTERS, REMEMBERED
from finance_api.api.parameters import ParameterSchema, read_parameters, validate_query
from finance_api.auth.contexts import Factory
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Handler, Request

#: The options of a definition that are dealt with here, or say nothing about a request without
#: faults. A definition with any other option is left to the router.
_OPTIONS = frozenset({"schema", "validators", "permission", "error_handler", "renderer"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A GET as its Cornice service defines it. factory: of the context."""

    factory: Factory
    permission: Permission
    schema: ParameterSchema
    view: Callable[[Request], Response]


def endpoints_of(registry: Registry) -> dict[str, Endpoint]:
    """By path: the GETs of the application whose only validator is `validate_query`."""
    return {
        service.path: Endpoint(service.factory, options["permission"], options["schema"], view)
        for service in get_services()
        if registry.introspector.get("routes", service.name)
        for method, view, options in service.definitions
        if method == "GET" and options["validators"] == [validate_query]
        # An option that is not set is an empty list.
        if {name for name, value in options.items() if value != []} <= _OPTIONS
        # A pattern is no path.
        if "{" not in service.path
    }


def cached_dispatch_tween(handler: Handler, registry: Registry) -> Handler:
    endpoints = endpoints_of(registry)

    @lru_cache(maxsize=REMEMBERED)
    def parameters_of(path: str, query_string: str) -> Mapping[str, Any] | None:
        """None if there is a fault."""
        validated, faults = read_parameters(endpoints[path].schema, query_string)
        return None if faults else MappingProxyType(validated)

    def tween(request: Request) -> Response:
        environ = request.environ
        path, query_string = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
        endpoint = endpoints.get(path)
        if endpoint is None or environ["REQUEST_METHOD"] != "GET" or environ.get("SCRIPT_NAME"):
            return handler(request)
        if len(query_string) > MAX_REMEMBERED_CHARACTERS:
            return handler(request)
        parameters = parameters_of(path, query_string)
        if parameters is None:
            return handler(request)
        request.context = endpoint.factory(request)
        if not request.has_permission(endpoint.permission):
            return handler(request)
        request.validated = parameters
        return endpoint.view(request)

    return tween
