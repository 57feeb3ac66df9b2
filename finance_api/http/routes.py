"""The route of a request, under which metrics and traces count it."""

import re
from collections.abc import Callable
from functools import lru_cache

from pyramid.registry import Registry

from finance_api.http.requests import Request
from finance_api.http.surfaces import SUFFIXES

#: The end of the pattern of a route with an optional suffix.
SUFFIX = f"{{suffix:(?:{'|'.join(map(re.escape, SUFFIXES))})?}}"
#: A part of a pattern with a regular expression, which may have braces of its own.
_EXPRESSION = re.compile(r"\{(\w+):(?:[^{}]|\{[^{}]*\})*\}")


def route_patterns(registry: Registry) -> set[str]:
    """The patterns of all routes, with each suffix; one without a parameter is a path."""
    patterns = {
        route["introspectable"]["pattern"]
        for route in registry.introspector.get_category("routes", ())
    }
    with_suffix = {p.removesuffix(SUFFIX) for p in patterns if p.endswith(SUFFIX)}
    return patterns | {stem + suffix for stem in with_suffix for suffix in ("", *SUFFIXES)}


def route_finder(registry: Registry) -> Callable[[Request], str]:
    """Return a function from a request to its path or pattern; "-" if answered before routing."""
    routes = route_patterns(registry)

    def route_of(request: Request) -> str:
        path: str = request.environ["PATH_INFO"]
        if path in routes:
            return path
        route = getattr(request, "matched_route", None)
        if route is None:
            return "-"
        suffix = request.matchdict.get("suffix", "")
        return _without_expressions(route.pattern).replace("{suffix}", suffix)

    return route_of


@lru_cache(maxsize=256)
def _without_expressions(pattern: str) -> str:
    return "/" + _EXPRESSION.sub(r"{\1}", pattern).lstrip("/")
