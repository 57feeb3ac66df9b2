"""Where the surfaces are: what the paths of their resources begin with."""

PUBLIC_SURFACE = "/v1/api/"
INTERNAL_SURFACE = "/internal/v1/"
SURFACES = (PUBLIC_SURFACE, INTERNAL_SURFACE)

#: What tells a token how much it may still ask costs nothing.
USAGE_PATH = f"{PUBLIC_SURFACE}api-usage/stats"
