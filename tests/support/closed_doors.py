"""A plug-in whose only view raises the error that its path names."""

from typing import Any

from pyramid.config import Configurator
from pyramid.httpexceptions import status_map
from pyramid.security import NO_PERMISSION_REQUIRED


def refuse(request: Any) -> Any:
    raise status_map[int(request.matchdict["status"])](headers=[("Allow", "POST")])


def includeme(config: Configurator) -> None:
    config.add_route("closed-door", "/closed/{status}")
    config.add_view(refuse, route_name="closed-door", permission=NO_PERMISSION_REQUIRED)
