"""The route of a request: what it is counted and traced under."""

import re
from collections.abc import Callable
from functools import lru_cache

from pyramid.registry import Registry

from finance_api.http.requests import Request

#: A part of a pattern with a regular expression, which may have braces of its own.
_EXPRESSION = re.compile(r"\{(\w+):(?:[^{}]|\{[^{}]*\})*\}")


def route_patterns(registry: Registry) -> set[str]:
    """The patterns of all routes; one without a parameter is a path."""
    return {
        route["introspectable"]["pattern"]
        for route in registry.introspector.get_category("routes", ())
    }


def route_finder(registry: Registry) -> Callable[[Request], str]:
    """Gives a request's path or pattern; "-" where it was answered before one was looked for."""
    routes = route_patterns(registry)

    def route_of(request: Request) -> str:
        path: str = request.environ["PATH_INFO"]
        if path in routes:
            return path
        route = getattr(request, "matched_route", None)
        return "-" if route is None else _without_expressions(route.pattern)

    return route_of


@lru_cache(maxsize=256)
def _without_expressions(pattern: str) -> str:
    return "/" + _EXPRESSION.sub(r"{\1}", pattern).lstrip("/")
