"""The path prefixes of the surfaces: public API in two representations, internal API, pages."""

PUBLIC_SURFACE = "/v1/api/"
#: The public API as clients of the hosted Wallet API know it.
WALLET = "/wallet"
WALLET_SURFACE = f"{WALLET}{PUBLIC_SURFACE}"
INTERNAL_SURFACE = "/internal/v1/"
#: The surfaces that accept personal tokens, and whose requests count as usage.
TOKEN_SURFACES = (PUBLIC_SURFACE, WALLET_SURFACE)
SURFACES = (*TOKEN_SURFACES, INTERNAL_SURFACE)
#: Suffixes of paths that ask for a format, whatever the Accept header says.
SUFFIXES = (".csv", ".ndjson", ".xlsx")

#: The entry point for programs.
INDEX = "/v1"
#: The descriptions of the APIs, which are public.
PUBLIC_DESCRIPTION = "/v1/openapi.json"
WALLET_DESCRIPTION = f"{WALLET}/openapi"
INTERNAL_DESCRIPTION = f"{INTERNAL_SURFACE}openapi.json"

USAGE_PATH = f"{PUBLIC_SURFACE}api-usage/stats"
#: Requests to these paths are not counted as usage.
USAGE_PATHS = (USAGE_PATH, f"{WALLET}{USAGE_PATH}")

#: The path that files are sent to; no other takes as large a body.
UPLOADS = "/import"

#: These paths and all paths below them are pages: for browsers, with a session.
OVERVIEW = "/overview"
RECORDS_PAGE = "/records"
SETTINGS_PAGES = "/settings"
#: The references of the APIs.
DOCS = "/docs"
PAGES = (
    OVERVIEW,
    RECORDS_PAGE,
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
    DOCS,
)
_FIRST = frozenset(path[1:] for path in PAGES)


def needs_token(path: str) -> bool:
    """Return whether everything at the path needs a token, as on the surfaces."""
    return path.startswith(SURFACES) and path != INTERNAL_DESCRIPTION


def is_page(path: str) -> bool:
    return path[1:].partition("/")[0] in _FIRST
