"""An id for each request, on the answer and in the log."""

import logging
import time
import uuid
from collections.abc import Callable

from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.request import Request
from pyramid.response import Response
from pyramid.tweens import INGRESS

from finance_api.errors import unexpected

logger = logging.getLogger("finance_api.access")

Handler = Callable[[Request], Response]


def request_id_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        started = time.perf_counter()
        request.request_id = uuid.uuid4().hex
        try:
            response = handler(request)
        except Exception as error:
            response = unexpected(error, request)
        response.headers["X-Request-Id"] = request.request_id
        registry.metrics.requests.labels(response.status_int).inc()
        logger.info(
            "%s %s %d %.1fms %s",
            request.method,
            # Percent-encoded, so that it cannot forge a line; without the query, which holds
            # what people look for in their data.
            _encoded_path(request),
            response.status_int,
            (time.perf_counter() - started) * 1000,
            request.request_id,
        )
        return response

    return tween


def _encoded_path(request: Request) -> str:
    try:
        return str(request.path)
    except UnicodeDecodeError:
        return "(undecodable path)"


def includeme(config: Configurator) -> None:
    config.add_tween("finance_api.edge.request_id.request_id_tween", under=INGRESS)
