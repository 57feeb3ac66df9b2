"""Request limits: size, encoding of the path, host, HTTPS."""

import re
from collections.abc import Mapping
from typing import Any

from pyramid.httpexceptions import HTTPException
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.errors import NOT_FOUND, as_problem, problem
from finance_api.http.proxies import is_https
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import RECORDS_PAGE, UPLOADS

MAX_URL_BYTES = 8_192
MAX_HEADER_BYTES = 16_384
MAX_HEADER_LINES = 100
MAX_BODY_BYTES = 65_536
#: The form that changes ticked records may name a few thousand of them.
MAX_TICKED_BYTES = 4 * MAX_BODY_BYTES

#: Paths for load balancers on the same network, which use no host name.
_HEALTH_PATHS = frozenset({"/__lbheartbeat__", "/__heartbeat__"})

_PORT = re.compile(r":[0-9]*$")


def request_limits_tween(handler: Handler, registry: Registry) -> Handler:
    settings = registry.settings
    allowed_hosts = frozenset(settings["finance_api.allowed_hosts"])
    require_https = settings["finance_api.require_https"]

    def tween(request: Request) -> Response:
        # Returned, not raised, as the exception views are inside of this tween.
        try:
            check(request)
        except HTTPException as refusal:
            return as_problem(refusal, request)
        return handler(request)

    def check(request: Request) -> None:
        _check_size(request)
        try:
            path = request.path_info
        except UnicodeDecodeError:
            fault = {"in": "path", "name": "path", "message": "is not percent-encoded UTF-8"}
            raise problem(400, "The path is not percent-encoded UTF-8.", errors=[fault]) from None
        if path not in _HEALTH_PATHS:
            _check_host(request, allowed_hosts)
            if require_https and not is_https(request):
                raise problem(403, "This service is available over HTTPS only.")
        if path.endswith("\n"):
            # The router's patterns end with "$", which also matches before a newline at the end.
            raise problem(404, NOT_FOUND)

    return tween


def _check_size(request: Request) -> None:
    environ = request.environ
    if _url_length(environ) > MAX_URL_BYTES:
        raise problem(414, f"The URL is longer than {MAX_URL_BYTES} bytes.")
    headers = [len(name) + len(environ[name]) for name in environ if name[:5] == "HTTP_"]
    if sum(headers) > MAX_HEADER_BYTES:
        raise problem(431, f"The headers are longer than {MAX_HEADER_BYTES} bytes.")
    if len(headers) > MAX_HEADER_LINES:
        raise problem(431, f"There are more than {MAX_HEADER_LINES} headers.")
    length = environ.get("CONTENT_LENGTH") or "0"
    # Checked by length too: int() refuses text with thousands of digits.
    path = environ.get("PATH_INFO")
    most = MAX_TICKED_BYTES if path == RECORDS_PAGE else MAX_BODY_BYTES
    if len(length) > 9 or (int(length) > most and path != UPLOADS):
        raise problem(413, f"The body is longer than {most} bytes.")
    if "HTTP_TRANSFER_ENCODING" in environ:
        # Servers leave this header if they have neither read the body nor counted its bytes.
        raise problem(411, "A request with a body needs a Content-Length header.")


def _url_length(environ: Mapping[str, Any]) -> int:
    # REQUEST_URI is what the client sent, if the server passes it; the decoded path may be shorter.
    if "REQUEST_URI" in environ:
        return len(environ["REQUEST_URI"])
    query = environ.get("QUERY_STRING", "")
    return len(environ.get("PATH_INFO", "")) + (len(query) + 1 if query else 0)


def _check_host(request: Request, allowed: frozenset[str]) -> None:
    if "*" in allowed:
        return
    host = _PORT.sub("", request.environ.get("HTTP_HOST", "").lower())
    if host not in allowed:
        raise problem(
            400,
            "The Host header is not a name of this service.",
            errors=[
                {
                    "in": "header",
                    "name": "Host",
                    "message": "is not one of the names in the setting finance_api.allowed_hosts",
                }
            ],
        )
