"""GET /__lbheartbeat__, /__heartbeat__, /__version__: without authentication.

The names are those of Mozilla's Dockerflow.
"""

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.openapi.responses import NO_STORE, ResponseDescription
from finance_api.api.openapi.schemas import of_members, value
from finance_api.api.representation import json_response
from finance_api.api.service import Service
from finance_api.http.requests import Request
from finance_api.values.version import __version__

_OK = value("Always ok; if not, the response is an error.", "ok", enum=["ok"])


def get_lbheartbeat(request: Request) -> Response:
    return json_response({"status": "ok"})


def get_heartbeat(request: Request) -> Response:
    """If the storage cannot be read, the exception views respond with 503."""
    request.services.storage.check()
    return json_response({"status": "ok", "checks": {"storage": "ok"}})


def get_version(request: Request) -> Response:
    return json_response({"name": "finance-api", "version": __version__})


lbheartbeat = Service(
    "/__lbheartbeat__",
    get_lbheartbeat,
    "Whether this process responds; does not read the storage.",
    response=ResponseDescription(of_members("Health", {"status": _OK}), headers=(NO_STORE,)),
    permission=NO_PERMISSION_REQUIRED,
)
heartbeat = Service(
    "/__heartbeat__",
    get_heartbeat,
    "Whether the storage can be read.",
    response=ResponseDescription(
        of_members("HealthChecks", {"status": _OK, "checks": of_members(None, {"storage": _OK})}),
        headers=(NO_STORE,),
        problems=(503,),
    ),
    permission=NO_PERMISSION_REQUIRED,
)
version = Service(
    "/__version__",
    get_version,
    "Name and version of the service.",
    response=ResponseDescription(
        of_members(
            "Version",
            {
                "name": value("Always finance-api.", "finance-api"),
                "version": value("Its version.", __version__),
            },
        ),
        headers=(NO_STORE,),
    ),
    permission=NO_PERMISSION_REQUIRED,
)
SERVICES = (lbheartbeat, heartbeat, version)
