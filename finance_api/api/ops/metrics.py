"""GET /__metrics__: what the process counts, for those whom the settings name."""

from cornice import Service
from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.service import refuse
from finance_api.edge.proxies import client_address, is_known_directly
from finance_api.requests import Request


def only_named_clients(request: Request) -> None:
    """For others there is nothing at this path, by whatever method."""
    address = client_address(request) if is_known_directly(request) else None
    networks = request.registry.settings["finance_api.metrics.clients"]
    if address is None or not any(address in network for network in networks):
        raise HTTPNotFound()


service = Service(
    name="metrics",
    path="/__metrics__",
    description="What this process counts, in Prometheus' text format.",
    factory=only_named_clients,
    error_handler=refuse,
)


@service.get(permission=NO_PERMISSION_REQUIRED)
def get_metrics(request: Request) -> Response:
    response = Response(request.services.metrics.text())
    response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
    response.headers["Cache-Control"] = "no-store"
    return response
