"""Where the surfaces are: what the paths of their resources begin with."""

PUBLIC_SURFACE = "/v1/api/"
