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

#: Browsers use HTTPS only for this host, for a year (HSTS, RFC 6797).
_HSTS = ("Strict-Transport-Security", "max-age=31536000")
#: Browsers take a response for what its Content-Type says.
_NO_SNIFFING = ("X-Content-Type-Options", "nosniff")

#: The credential comes last: an identity provider's id may have spaces.
_LINE = "%(client)s %(method)s %(path)s %(status)d %(milliseconds).1fms %(credential)s"


# Ids have to differ, not to be secret: asking the system for each would let another thread run.
_random = random.Random()  # noqa: S311
# Forked processes would draw the same.
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
            # Not by ``info``, which goes through the stack to find who calls it.
            name, level = logger.name, logging.INFO
            logger.handle(logger.makeRecord(name, level, __file__, 0, _LINE, (members,), None))
        return response

    return tween


def _members(request: Request, status: int, seconds: float) -> dict[str, Any]:
    environ = request.environ
    return {
        "client": str(client_address(request) or "-"),
        "method": environ["REQUEST_METHOD"],
        # Percent-encoded; without the query, which holds what people look for in their data.
        "path": _encoded_path(environ.get("SCRIPT_NAME", ""), environ["PATH_INFO"]),
        "status": status,
        "milliseconds": round(seconds * 1000, 1),
        "credential": credential_id(request.known_identity) or "-",
    }


@lru_cache(maxsize=256)
def _encoded_path(script_name: str, path_info: str) -> str:
    return quote((script_name + path_info).encode("latin-1"))
