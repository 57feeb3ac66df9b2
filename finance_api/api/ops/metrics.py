"""GET /__metrics__: what the process counts, for those whom the settings name."""

from cornice import Service
from pyramid.httpexceptions import HTTPNotFound
from pyramid.request import Request
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.service import refuse
from finance_api.edge.proxies import client_address

service = Service(
    name="metrics",
    path="/__metrics__",
    description="What this process counts, in Prometheus' text format.",
    error_handler=refuse,
)


@service.get(permission=NO_PERMISSION_REQUIRED)
def get_metrics(request: Request) -> Response:
    registry = request.registry
    address = client_address(request)
    networks = registry.settings["finance_api.metrics.clients"]
    if address is None or not any(address in network for network in networks):
        raise HTTPNotFound()
    response = Response(registry.metrics.text())
    response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
    response.headers["Cache-Control"] = "no-store"
    return response
