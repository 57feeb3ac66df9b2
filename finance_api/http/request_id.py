"""The id of a request, its line in the access log, and the headers of every response."""

import logging
import os
import random
import time
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.errors import unexpected
from finance_api.http.identity import credential_id
from finance_api.http.proxies import client_address, is_https
from finance_api.http.requests import Handler, Request
from finance_api.http.routes import route_finder
from finance_api.runtime.logs import current_request_id

logger = logging.getLogger("finance_api.access")

#: Tells browsers to use only HTTPS for this host, for a year (HSTS, RFC 6797).
_HSTS = ("Strict-Transport-Security", "max-age=31536000")
#: Tells browsers to believe the Content-Type of a response.
_NO_SNIFFING = ("X-Content-Type-Options", "nosniff")

#: The credential comes last, because an identity provider's ids may contain spaces.
_LINE = "%(client)s %(method)s %(path)s %(status)d %(milliseconds).1fms %(credential)s"


# Ids must be unique but not secret. The system's generator would let another thread run each time.
_random = random.Random()  # noqa: S311
# Otherwise forked processes would draw the same ids.
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
            response = unexpected(error, request)
        response.headerlist += [("X-Request-Id", request.request_id), _NO_SNIFFING]
        if is_https(request):
            response.headerlist.append(_HSTS)
        status, seconds = response.status_int, time.perf_counter() - started
        request.services.metrics.requests(route_of(request), status).observe(seconds)
        if logger.isEnabledFor(logging.INFO):
            members = _members(request, status, seconds)
            # Not with ``logger.info``, which searches the stack for its caller.
            name, level = logger.name, logging.INFO
            logger.handle(logger.makeRecord(name, level, __file__, 0, _LINE, (members,), None))
        return response

    return tween


def _members(request: Request, status: int, seconds: float) -> dict[str, Any]:
    environ = request.environ
    return {
        "client": str(client_address(request) or "-"),
        "method": environ["REQUEST_METHOD"],
        # Percent-encoded. Without the query, which has what people search for in their data.
        "path": _encoded_path(environ.get("SCRIPT_NAME", ""), environ["PATH_INFO"]),
        "status": status,
        "milliseconds": round(seconds * 1000, 1),
        "credential": credential_id(request.known_identity) or "-",
    }


@lru_cache(maxsize=256)
def _encoded_path(script_name: str, path_info: str) -> str:
    return quote((script_name + path_info).encode("latin-1"))
