"""Where the surfaces are: what the paths of their resources begin with."""

PUBLIC_SURFACE = "/v1/api/"
INTERNAL_SURFACE = "/internal/v1/"
SURFACES = (PUBLIC_SURFACE, INTERNAL_SURFACE)

#: What tells a token how much it may still ask costs nothing.
USAGE_PATH = f"{PUBLIC_SURFACE}api-usage/stats"

#: The pages on which users make and revoke their tokens; all paths below it, and itself.
SETTINGS_PAGES = "/settings"


def is_settings_page(path: str) -> bool:
    return path == SETTINGS_PAGES or path.startswith(SETTINGS_PAGES + "/")
