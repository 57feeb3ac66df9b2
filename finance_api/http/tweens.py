"""The tweens, in the order in which each request passes them before Pyramid's router."""

import logging
import os
import random
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException, HTTPMovedPermanently
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.tweens import EXCVIEW, INGRESS, MAIN

from finance_api.http.errors import NOT_FOUND, OUTAGES, as_problem, problem, unavailable, unexpected
from finance_api.http.identity import credential_id
from finance_api.http.requests import Handler, Request, client_address, is_https, is_known_directly
from finance_api.http.surfaces import RECORDS_PAGE, UPLOADS, is_page, public_path, route_finder
from finance_api.runtime.logs import current_request_id
from finance_api.runtime.settings import SettingError
from finance_api.runtime.time_limit import time_limit

#: The request id, HSTS, the access log, and a 500 for exceptions that reach this tween.
REQUEST_ID = "finance_api.http.tweens.request_id_tween"
#: 400, 403, 414, 431.
REQUEST_LIMITS = "finance_api.http.tweens.request_limits_tween"

#: Outermost first. Plug-ins add theirs between them.
TWEENS = (
    REQUEST_ID,
    REQUEST_LIMITS,
    "finance_api.http.cors.cors_tween",
    # Counts responses, so it is outside of the tweens that make them.
    "finance_api.usage.counting.usage_tween",
    "finance_api.http.tweens.periodic_work_tween",
    # Pyramid's own: turns exceptions of the tweens below into responses.
    EXCVIEW,
    # 503 for requests that take too long
    "finance_api.http.tweens.time_limit_tween",
    # 429
    "finance_api.ratelimit.tween.ratelimit_tween",
    # 401
    "finance_api.auth.authentication.authentication_tween",
)


#: Just inside the tween of the request id, if tracing is switched on.
TRACING = "finance_api.http.tracing.tracing_tween"


def includeme(config: Configurator) -> None:
    if config.get_settings()["finance_api.traces"]:
        try:
            config.add_tween(TRACING, under=REQUEST_ID, over=REQUEST_LIMITS)
        except ImportError as error:
            raise SettingError(
                f"finance_api.traces: needs the package {error.name}; "
                "install finance-api with its extra otel"
            ) from None
    for outer, tween, inner in zip((INGRESS, *TWEENS), TWEENS, (*TWEENS[1:], MAIN), strict=False):
        if tween != EXCVIEW:
            config.add_tween(tween, under=outer, over=inner)


def periodic_work_tween(handler: Handler, registry: Registry) -> Handler:
    """Start periodic work with the first request: the process that loads the application may not be
    one that serves requests."""

    is_started = False

    def tween(request: Request) -> Response:
        nonlocal is_started
        if not is_started:
            request.services.housekeeping.start()
            request.services.sampling.start()
            is_started = True
        return handler(request)

    return tween


def time_limit_tween(handler: Handler, registry: Registry) -> Handler:
    """Limit the time of every request. A data request starts a new limit when it gets its turn."""

    def tween(request: Request) -> Response:
        with time_limit(request.services.statement_seconds):
            return handler(request)

    return tween


logger = logging.getLogger("finance_api.access")

#: Tells browsers to use only HTTPS for this host, for a year (HSTS, RFC 6797).
_HSTS = ("Strict-Transport-Security", "max-age=31536000")
#: Tell browsers to believe the Content-Type of a response, and not to show it as a page. Pages get
#: a policy of their own, in place of this one.
_SECURITY = (
    ("X-Content-Type-Options", "nosniff"),
    (
        "Content-Security-Policy",
        "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("Referrer-Policy", "no-referrer"),
)

#: The credential comes last, because an identity provider's ids may contain spaces.
_LINE = "%(client)s %(method)s %(path)s %(status)d %(milliseconds).1fms %(credential)s"


# Ids must be unique, but not secret. Each call of the system's generator would let another thread
# run.
_random = random.Random()  # noqa: S311
# Without a new seed, forked processes would draw the same ids.
os.register_at_fork(after_in_child=_random.seed)


def request_id_tween(handler: Handler, registry: Registry) -> Handler:
    route_of = route_finder(registry)

    def tween(request: Request) -> Response:
        request.request_id = f"{_random.getrandbits(128):032x}"
        outside = current_request_id.set(request.request_id)
        try:
            return logged(request)
        finally:
            current_request_id.reset(outside)

    def logged(request: Request) -> Response:
        started = time.perf_counter()
        try:
            response = handler(request)
        except Exception as error:
            # An exception view, too, can find the storage unavailable.
            respond = unavailable if isinstance(error, OUTAGES) else unexpected
            response = respond(error, request)
        response.headerlist += [("X-Request-Id", request.request_id), *_SECURITY]
        if is_https(request):
            response.headerlist.append(_HSTS)
        status, seconds = response.status_int, time.perf_counter() - started
        request.services.metrics.requests(route_of(request), status).observe(seconds)
        if logger.isEnabledFor(logging.INFO):
            members = _members(request, status, seconds)
            # Not with ``logger.info``, which searches the stack for its caller.
            name, level = logger.name, logging.INFO
            logger.handle(logger.makeRecord(name, level, __file__, 0, _LINE, members, None))
        return response

    return tween


def _members(request: Request, status: int, seconds: float) -> dict[str, Any]:
    environ = request.environ
    return {
        "client": str(client_address(request) or "-"),
        "method": environ["REQUEST_METHOD"],
        # Percent-encoded; without the query, which shows what people search for, and without the
        # secret of a link.
        "path": _encoded_path(environ.get("SCRIPT_NAME", ""), public_path(environ["PATH_INFO"])),
        "status": status,
        "milliseconds": round(seconds * 1000, 1),
        "credential": credential_id(request.known_identity) or "-",
    }


@lru_cache(maxsize=256)
def _encoded_path(script_name: str, path_info: str) -> str:
    return quote((script_name + path_info).encode("latin-1"))


MAX_URL_BYTES = 8_192
MAX_HEADER_BYTES = 16_384
MAX_HEADER_LINES = 100
MAX_BODY_BYTES = 65_536
#: The form that changes ticked records may name a few thousand of them.
MAX_TICKED_BYTES = 4 * MAX_BODY_BYTES

#: Paths for load balancers on the same network. Load balancers use no host name.
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
        except HTTPMovedPermanently as redirect:
            return redirect
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
                if _may_be_redirected(request, path):
                    host = _PORT.sub("", request.host)
                    raise HTTPMovedPermanently(f"https://{host}{request.path_qs}")
                raise problem(403, "This service is available over HTTPS only.")
        if path.endswith("\n"):
            # The router's patterns end with "$", which also matches before a newline at the end.
            raise problem(404, NOT_FOUND)

    return tween


def _may_be_redirected(request: Request, path: str) -> bool:
    """Whether a browser asks for a page, and no proxy that is not trusted stands between.

    Programs get an error: a redirect would hide that their credentials were sent in the clear.
    """
    is_reading = request.method in ("GET", "HEAD")
    return is_reading and (path == "/" or is_page(path)) and is_known_directly(request)


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
