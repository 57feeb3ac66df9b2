"""GET /__lbheartbeat__, /__heartbeat__, /__version__: without authentication.

The names are those of Mozilla's Dockerflow.
"""

from typing import Any

from cornice import Service
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api import __version__
from finance_api.api.representation import json_response
from finance_api.api.service import refuse
from finance_api.requests import Request


def _service(name: str, description: str) -> Service:
    return Service(name=name, path=f"/__{name}__", description=description, error_handler=refuse)


lbheartbeat = _service("lbheartbeat", "Whether this process answers; touches nothing.")
heartbeat = _service("heartbeat", "Whether the storage can be read.")
version = _service("version", "What is running.")


def _answer(document: dict[str, Any]) -> Response:
    response = json_response(document)
    response.headers["Cache-Control"] = "no-store"
    return response


@lbheartbeat.get(permission=NO_PERMISSION_REQUIRED)
def get_lbheartbeat(request: Request) -> Response:
    return _answer({"status": "ok"})


@heartbeat.get(permission=NO_PERMISSION_REQUIRED)
def get_heartbeat(request: Request) -> Response:
    """503 by the exception views, if the storage cannot be read."""
    request.services.storage.check()
    return _answer({"status": "ok", "checks": {"storage": "ok"}})


@version.get(permission=NO_PERMISSION_REQUIRED)
def get_version(request: Request) -> Response:
    return _answer({"name": "finance-api", "version": __version__})
