"""GET /__lbheartbeat__, /__heartbeat__, /__version__: without authentication.

The names are those of Mozilla's Dockerflow.
"""

from cornice import Service
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api import __version__
from finance_api.api.representation import json_response
from finance_api.requests import Request

lbheartbeat = Service(
    "lbheartbeat", "/__lbheartbeat__", "Whether this process answers; touches nothing."
)
heartbeat = Service("heartbeat", "/__heartbeat__", "Whether the storage can be read.")
version = Service("version", "/__version__", "What is running.")


@lbheartbeat.get(permission=NO_PERMISSION_REQUIRED)
def get_lbheartbeat(request: Request) -> Response:
    return json_response({"status": "ok"})


@heartbeat.get(permission=NO_PERMISSION_REQUIRED)
def get_heartbeat(request: Request) -> Response:
    """503 by the exception views, if the storage cannot be read."""
    request.services.storage.check()
    return json_response({"status": "ok", "checks": {"storage": "ok"}})


@version.get(permission=NO_PERMISSION_REQUIRED)
def get_version(request: Request) -> Response:
    return json_response({"name": "finance-api", "version": __version__})
