"""The paths of the surfaces: APIs, links of saved questions, pages.

Metrics and traces count a request under its route.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from finance_api.values.ids import FORM
from finance_api.values.text import near_names

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from pyramid.registry import Registry

    from finance_api.http.requests import Request

PUBLIC_SURFACE = "/v1/api/"
#: The public API as clients of the hosted Wallet API know it.
WALLET = "/wallet"
WALLET_SURFACE = f"{WALLET}{PUBLIC_SURFACE}"
INTERNAL_SURFACE = "/internal/v1/"
#: The beginning of the links of saved questions. A secret and the suffix of a format follow.
LINKS = "/q/"
#: The surfaces that accept personal tokens, and whose requests count as usage.
TOKEN_SURFACES = (PUBLIC_SURFACE, WALLET_SURFACE)
SURFACES = (*TOKEN_SURFACES, INTERNAL_SURFACE)
#: The paths of exports: those of lists, with this beginning.
EXPORTS = f"{PUBLIC_SURFACE}export/"
#: Suffixes of paths that ask for a format, whatever the Accept header says.
SUFFIXES = (".csv", ".ndjson", ".xlsx")

#: The surfaces whose requests need a credential.
GUARDED = (*SURFACES, LINKS)

#: The entry point for programs.
INDEX = "/v1"
#: The descriptions of the APIs, which are public.
PUBLIC_DESCRIPTION = "/v1/openapi.json"
WALLET_DESCRIPTION = f"{WALLET}/openapi"
INTERNAL_DESCRIPTION = f"{INTERNAL_SURFACE}openapi.json"

USAGE_PATH = f"{PUBLIC_SURFACE}api-usage/stats"
#: Requests to these paths are not counted as usage.
USAGE_PATHS = (USAGE_PATH, f"{WALLET}{USAGE_PATH}")

#: The path for uploads of files. No other path accepts such a large body.
UPLOADS = "/import"

#: These paths and all paths below them are pages: for browsers, with a session.
OVERVIEW = "/overview"
RECORDS_PAGE = "/records"
QUESTIONS_PAGE = "/questions"
SETTINGS_PAGES = "/settings"
#: The references of the APIs.
DOCS = "/docs"
#: The guides, and their list for programs that read text.
GUIDES = f"{DOCS}/guides"
LLMS = "/llms.txt"
PAGES = (
    OVERVIEW,
    RECORDS_PAGE,
    QUESTIONS_PAGE,
    "/accounts",
    "/categories",
    "/labels",
    "/budgets",
    "/goals",
    "/standing-orders",
    "/rules",
    "/payee",
    "/payees",
    "/transfers",
    "/duplicates",
    UPLOADS,
    "/imports",
    SETTINGS_PAGES,
    DOCS,
)
#: Compare up to this many characters of an unknown path.
_COMPARED_CHARACTERS = 200
_ID = re.compile(FORM)
_FIRST = frozenset(path[1:] for path in PAGES)


def needs_token(path: str) -> bool:
    """Return whether every request to the path needs a token."""
    return path.startswith(SURFACES) and path != INTERNAL_DESCRIPTION


def needs_credential(path: str) -> bool:
    """Return whether every request to the path needs a token, or the secret of a link."""
    return path.startswith(GUARDED) and path != INTERNAL_DESCRIPTION


def public_path(path: str) -> str:
    """Return the path without the secret of a link, for logs."""
    start, link, _ = path.partition(LINKS)
    return f"{start}{link}-" if link else path


def is_below(path: str, parent: str) -> bool:
    """Whether the path is ``parent``, or below it."""
    return path == parent or path.startswith(f"{parent}/")


def is_page(path: str) -> bool:
    return path[1:].partition("/")[0] in _FIRST


#: The end of the pattern of a route with an optional suffix.
SUFFIX = f"{{suffix:(?:{'|'.join(map(re.escape, SUFFIXES))})?}}"
#: A part of a pattern with a regular expression, which may have braces of its own.
_EXPRESSION = re.compile(r"\{(\w+):(?:[^{}]|\{[^{}]*\})*\}")


def route_patterns(registry: Registry) -> set[str]:
    """Return the patterns of all routes, with each suffix. Some patterns are plain paths."""
    patterns = {
        route["introspectable"]["pattern"]
        for route in registry.introspector.get_category("routes", ())
    }
    with_suffix = {p.removesuffix(SUFFIX) for p in patterns if p.endswith(SUFFIX)}
    return patterns | {stem + suffix for stem in with_suffix for suffix in ("", *SUFFIXES)}


def near_path(registry: Registry, path: str) -> str | None:
    """Return the known path that differs from ``path`` in case, slashes, or letters of one part."""
    row_id = _ID.search(path)
    start = _ID.sub("{id}", path[:_COMPARED_CHARACTERS].lower())
    given = [part for part in start.split("/") if part]
    #: The wrong part, and what a known path has in its place -> the known path.
    near: dict[tuple[str, str], str] = {}
    # The paths for operators are for nobody else.
    known_paths = [each for each in route_patterns(registry) if not each.startswith("/__")]
    for pattern in map(without_expressions, sorted(known_paths)):
        known = pattern.replace("{suffix}", "")
        parts = known[1:].split("/")
        differing = [pair for pair in zip(given, parts, strict=False) if pair[0] != pair[1]]
        if len(given) == len(parts) and len(differing) < 2:
            near[differing[0] if differing else ("", "")] = known
    # A path that differs only in case or slashes comes first.
    for wrong in sorted({wrong for wrong, _ in near}):
        for name in near_names(wrong, [part for other, part in near if other == wrong]):
            return near[wrong, name].replace("{id}", row_id[0] if row_id else "{id}")
    return None


def route_finder(registry: Registry) -> Callable[[Request], str]:
    """Return a function that returns a request's path or pattern; "-" if it was never routed."""
    routes = route_patterns(registry)

    def route_of(request: Request) -> str:
        path: str = request.environ["PATH_INFO"]
        if path in routes:
            return path
        route = getattr(request, "matched_route", None)
        if route is None:
            return "-"
        suffix = request.matchdict.get("suffix", "")
        return without_expressions(route.pattern).replace("{suffix}", suffix)

    return route_of


@lru_cache(maxsize=256)
def without_expressions(pattern: str) -> str:
    """Return the pattern of a route with ``{id}`` in place of ``{id:expression}``."""
    return "/" + _EXPRESSION.sub(r"{\1}", pattern).lstrip("/")
