"""GET /__metrics__: for clients that the settings name."""

from dataclasses import asdict

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.openapi.responses import NO_STORE, ResponseDescription
from finance_api.api.representation import Representation
from finance_api.api.service import Service
from finance_api.http.compression import compress
from finance_api.http.requests import Request, client_address, is_known_directly
from finance_api.storage.errors import StorageError


def only_named_clients(request: Request) -> None:
    """Raise a 404 for clients that the settings do not name, with any method."""
    address = client_address(request) if is_known_directly(request) else None
    networks = request.registry.settings["finance_api.metrics.clients"]
    if address is None or not any(address in network for network in networks):
        raise HTTPNotFound()


_PROMETHEUS = Representation("text/plain", "text/plain; version=0.0.4; charset=utf-8", "txt")


def get_metrics(request: Request) -> Response:
    services = request.services
    services.sampling.now()
    response = Response(services.metrics.text(_totals(request)))
    response.headers["Content-Type"] = _PROMETHEUS.content_type
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Accept-Encoding"
    compress(response, request.environ.get("HTTP_ACCEPT_ENCODING"))
    return response


def _totals(request: Request) -> dict[str, int | None]:
    try:
        return {"database_up": 1, **asdict(request.services.storage.totals())}
    except StorageError:
        return {"database_up": 0}


metrics = Service(
    "/__metrics__",
    get_metrics,
    "Metrics of the service in Prometheus' text format.",
    permission=NO_PERMISSION_REQUIRED,
    factory=only_named_clients,
    response=ResponseDescription(
        forms=(_PROMETHEUS,),
        headers=(NO_STORE,),
        problems=(404,),
        text="# TYPE process_open_fds gauge\nprocess_open_fds 42.0\n",
    ),
)
SERVICES = (metrics,)
