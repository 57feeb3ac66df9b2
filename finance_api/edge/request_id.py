"""An id for each request, on the answer and in the log."""

import logging
import random
import time
from functools import lru_cache
from urllib.parse import quote

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.errors import unexpected
from finance_api.requests import Handler, Request

logger = logging.getLogger("finance_api.access")

_LINE = "%s %s %d %.1fms %s"

# An id has to be told from others, not to be guessed at; asking the system for it would give way to
# another thread.
_random = random.Random()  # noqa: S311


def request_id_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        started = time.perf_counter()
        request.request_id = f"{_random.getrandbits(128):032x}"
        try:
            response = handler(request)
        except Exception as error:
            response = unexpected(error, request)
        response.headerlist.append(("X-Request-Id", request.request_id))
        request.services.metrics.count_answer(response.status_int)
        if logger.isEnabledFor(logging.INFO):
            environ = request.environ
            values = (
                environ["REQUEST_METHOD"],
                # Percent-encoded, so that it cannot forge a line; without the query, which holds
                # what people look for in their data.
                _encoded_path(environ.get("SCRIPT_NAME", ""), environ["PATH_INFO"]),
                response.status_int,
                (time.perf_counter() - started) * 1000,
                request.request_id,
            )
            # Not by ``info``, which goes through the stack to find out that it is called here.
            logger.handle(
                logger.makeRecord(logger.name, logging.INFO, __file__, 0, _LINE, values, None)
            )
        return response

    return tween


@lru_cache(maxsize=256)
def _encoded_path(script_name: str, path_info: str) -> str:
    return quote((script_name + path_info).encode("latin-1"))
