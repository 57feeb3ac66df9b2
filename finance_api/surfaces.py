"""The path prefixes of the surfaces: public API, internal API, pages."""

PUBLIC_SURFACE = "/v1/api/"
INTERNAL_SURFACE = "/internal/v1/"
SURFACES = (PUBLIC_SURFACE, INTERNAL_SURFACE)

#: Requests to it are not counted.
USAGE_PATH = f"{PUBLIC_SURFACE}api-usage/stats"

#: Where files are sent to; nothing else takes a large body.
UPLOADS = "/import"

#: These paths and all paths below them are pages: for browsers, with a session.
OVERVIEW = "/overview"
SETTINGS_PAGES = "/settings"
PAGES = (
    OVERVIEW,
    "/records",
    "/accounts",
    "/categories",
    "/labels",
    "/budgets",
    "/goals",
    "/standing-orders",
    "/rules",
    "/transfers",
    UPLOADS,
    "/imports",
    SETTINGS_PAGES,
)
_FIRST = frozenset(path[1:] for path in PAGES)


def is_page(path: str) -> bool:
    return path[1:].partition("/")[0] in _FIRST
