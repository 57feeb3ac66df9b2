"""Lists the registered routes."""

import re
from collections import defaultdict

from finance_api.http.surfaces import (
    INTERNAL_DESCRIPTION,
    PUBLIC_DESCRIPTION,
    SUFFIX,
    SUFFIXES,
    WALLET_DESCRIPTION,
    is_page,
    needs_token,
)
from support.native_rows import uid

#: Paths for programs that need no token.
OPERATORS = {
    "/__lbheartbeat__",
    "/__heartbeat__",
    "/__version__",
    "/__metrics__",
    PUBLIC_DESCRIPTION,
    WALLET_DESCRIPTION,
    INTERNAL_DESCRIPTION,
    "/v1",
    "/v1/api",
}
#: Pages that are shown without signing in.
OPEN_PAGES = {
    *("/", "/docs", "/docs/wallet", "/docs/internal", "/docs/guides{name:(?:/.*)?}"),
    "/llms.txt",
    *("/settings", "/settings/", "/settings/login", "/settings/static/*subpath"),
}


def introspected(registry, category):
    return [
        (item["introspectable"], item["related"])
        for item in registry.introspector.get_category(category)
    ]


def patterns(registry):
    return {route["name"]: route["pattern"] for route, _ in introspected(registry, "routes")}


def surface_paths(registry):
    """Return the paths of both surfaces, which are exactly the paths that need a token."""
    return sorted(path for path in patterns(registry).values() if needs_token(path))


def surface_urls(registry):
    """Return the paths of both surfaces with each suffix, and with an id filled in."""
    paths = [
        path.removesuffix(SUFFIX) + suffix
        for path in surface_paths(registry)
        for suffix in (("", *SUFFIXES) if path.endswith(SUFFIX) else ("",))
    ]
    return [re.sub(r"{id:.*}(?=/|$)", uid("Record", 1), path) for path in paths]


def page_paths(registry):
    """Return the paths of the settings pages, with an id filled in."""
    paths = ("/" + path.lstrip("/") for path in patterns(registry).values())
    return sorted(path for path in paths if is_page(path))


def page_methods(registry):
    """Return the methods that the views of each page accept, by the path of its route."""
    found = defaultdict(set)
    for view, _ in introspected(registry, "views"):
        found[view["route_name"]].add(view["request_methods"])
    paths = {name: "/" + path.lstrip("/") for name, path in patterns(registry).items()}
    return {path: found[name] for name, path in paths.items() if is_page(path)}
