"""GET /v1, /v1/api, and / for programs: where to begin."""

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.openapi.responses import NO_STORE, ResponseDescription
from finance_api.api.openapi.schemas import of_members, value
from finance_api.api.ops.health import heartbeat, version
from finance_api.api.representation import json_response
from finance_api.api.service import Service
from finance_api.http.requests import Request
from finance_api.http.surfaces import (
    DOCS,
    INDEX,
    INTERNAL_DESCRIPTION,
    PUBLIC_DESCRIPTION,
    WALLET_DESCRIPTION,
    route_patterns,
)
from finance_api.values.version import __version__

#: The links that plug-ins add.
_WALLET, _DOCS = "walletDescription", "docs"
#: The meaning and the path of each link, by its name.
_LINKS = {
    "description": ("OpenAPI document of the public API.", PUBLIC_DESCRIPTION),
    _WALLET: ("OpenAPI document of the Wallet-compatible API.", WALLET_DESCRIPTION),
    "internalDescription": ("OpenAPI document of the internal API.", INTERNAL_DESCRIPTION),
    _DOCS: ("The OpenAPI documents as a page.", DOCS),
    "health": ("Whether the storage can be read.", heartbeat.base_path),
    "version": ("Name and version of the service.", version.base_path),
}
_RESPONSE = ResponseDescription(
    of_members(
        "Index",
        {
            "name": value("Always finance-api.", "finance-api"),
            "version": value("Its version.", __version__),
            "links": of_members(
                None,
                {name: value(*about) for name, about in _LINKS.items()},
                [name for name in _LINKS if name not in (_WALLET, _DOCS)],
            ),
        },
    ),
    headers=(NO_STORE,),
)


def get_index(request: Request) -> Response:
    links = {name: path for name, (_, path) in _LINKS.items()}
    patterns = route_patterns(request.registry)
    links = {name: request.script_name + path for name, path in links.items() if path in patterns}
    return json_response({"name": "finance-api", "version": __version__, "links": links})


SERVICES = tuple(
    Service(
        path,
        get_index,
        "Index of the API.",
        response=_RESPONSE,
        permission=NO_PERMISSION_REQUIRED,
    )
    for path in (INDEX, f"{INDEX}/api")
)
