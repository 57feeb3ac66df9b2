"""A trace span for each request, by OpenTelemetry's API, which does nothing without an SDK."""

from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.propagators.textmap import Getter
from opentelemetry.trace import SpanKind, StatusCode
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import route_finder
from finance_api.values.version import __version__

#: All other methods share one name, so that clients cannot create names.
_METHODS = frozenset("GET HEAD POST PUT DELETE OPTIONS PATCH".split())


class _Headers(Getter[dict[str, Any]]):
    """The headers of a request, in its environ."""

    def get(self, carrier: dict[str, Any], key: str) -> list[str] | None:
        value = carrier.get(f"HTTP_{key.upper().replace('-', '_')}")
        return None if value is None else [value]

    def keys(self, carrier: dict[str, Any]) -> list[str]:
        return [name[5:].lower().replace("_", "-") for name in carrier if name.startswith("HTTP_")]


_HEADERS = _Headers()


def tracing_tween(handler: Handler, registry: Registry) -> Handler:
    """Record a span by the conventions for HTTP, without attributes that may contain users' data.

    https://opentelemetry.io/docs/specs/semconv/http/http-spans/
    """
    tracer = trace.get_tracer("finance_api", __version__)
    route_of = route_finder(registry)

    def tween(request: Request) -> Response:
        environ = request.environ
        method = environ["REQUEST_METHOD"]
        method = method if method in _METHODS else "_OTHER"
        with tracer.start_as_current_span(
            method,
            propagate.extract(environ, getter=_HEADERS),
            SpanKind.SERVER,
            {"http.request.method": method, "finance_api.request_id": request.request_id},
            # The message of an exception may contain data of the user.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            response = handler(request)
            route, status = route_of(request), response.status_int
            span.update_name(f"{method} {route}")
            span.set_attributes({"http.route": route, "http.response.status_code": status})
            if status >= 500:
                span.set_status(StatusCode.ERROR)
            return response

    return tween
