"""Cross-origin requests of browsers (the Fetch standard): off unless origins are configured."""

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import TOKEN_SURFACES

_METHODS = "GET, HEAD, OPTIONS"
_REQUEST_HEADERS = "Accept, Authorization, If-None-Match"
_RESPONSE_HEADERS = (
    "Content-Disposition, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, "
    "X-Last-Data-Change-At, X-Last-Data-Change-Rev, X-Next-Offset, X-RateLimit-Limit, "
    "X-RateLimit-Limit-Hour, X-RateLimit-Remaining, X-RateLimit-Remaining-Hour, "
    "X-RateLimit-Reset, X-Request-Id, X-Sync-In-Progress, X-Total-Count, X-User-Base-Currency, "
    "X-User-Today"
)
_PREFLIGHT_SECONDS = 600


def cors_tween(handler: Handler, registry: Registry) -> Handler:
    origins = frozenset(registry.settings["finance_api.cors.origins"])
    if not origins:
        return handler

    def tween(request: Request) -> Response:
        if not request.path_info.startswith(TOKEN_SURFACES):
            return handler(request)
        if request.method == "OPTIONS":
            response = Response(status=204, headers={"Allow": _METHODS})
            response.headers["Access-Control-Allow-Methods"] = _METHODS
            response.headers["Access-Control-Allow-Headers"] = _REQUEST_HEADERS
            response.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_SECONDS)
            _allow(request, response)
            return response
        response = handler(request)
        _allow(request, response)
        return response

    def _allow(request: Request, response: Response) -> None:
        origin = request.headers.get("Origin")
        allowed = "*" if "*" in origins else origin if origin in origins else None
        if allowed is not None:
            response.headers["Access-Control-Allow-Origin"] = allowed
            response.headers["Access-Control-Expose-Headers"] = _RESPONSE_HEADERS
        vary = response.headers.get("Vary", "")
        if "*" not in origins and "Origin" not in vary:
            response.headers["Vary"] = f"{vary}, Origin" if vary else "Origin"

    return tween
