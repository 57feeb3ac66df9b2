"""The path prefixes of the surfaces: public API, internal API, settings pages."""

PUBLIC_SURFACE = "/v1/api/"
INTERNAL_SURFACE = "/internal/v1/"
SURFACES = (PUBLIC_SURFACE, INTERNAL_SURFACE)

#: Requests to it are not counted.
USAGE_PATH = f"{PUBLIC_SURFACE}api-usage/stats"

#: This path and all paths below it.
SETTINGS_PAGES = "/settings"


def is_settings_page(path: str) -> bool:
    return path == SETTINGS_PAGES or path.startswith(SETTINGS_PAGES + "/")
