"""Endpoints for operators, monitoring and new clients: health, index, metrics, descriptions."""

from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

import orjson
from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.openapi.document import INTERNAL, PUBLIC, Surface, described, document
from finance_api.api.openapi.responses import NO_STORE, Header, ResponseDescription
from finance_api.api.openapi.schemas import Schema, of_members, value
from finance_api.api.representation import Representation, json_response
from finance_api.api.service import Service, View
from finance_api.http import surfaces
from finance_api.http.compression import compress, gzipped, takes_gzip
from finance_api.http.requests import Request, client_address, is_known_directly
from finance_api.storage.errors import StorageError
from finance_api.values.version import __version__


def _open(path: str, view: View, meaning: str, **declared: Any) -> Service:
    """Make a service that needs no authentication."""
    return Service(path, view, meaning, permission=NO_PERMISSION_REQUIRED, **declared)


def _unstored(title: str, members: dict[str, Schema]) -> ResponseDescription:
    return ResponseDescription(of_members(title, members), headers=(NO_STORE,))


_NAME, _VERSION = value("Always finance-api.", "finance-api"), value("Its version.", __version__)

# -- health and version, by the names of Mozilla's Dockerflow --------------------------------------

_OK = value("Always ok; if not, the response is an error.", "ok", enum=["ok"])


def get_lbheartbeat(request: Request) -> Response:
    return json_response({"status": "ok"})


def get_heartbeat(request: Request) -> Response:
    """Return ok; if the storage cannot be read, the exception views respond with 503."""
    request.services.storage.check()
    return json_response({"status": "ok", "checks": {"storage": "ok"}})


def get_version(request: Request) -> Response:
    return json_response({"name": "finance-api", "version": __version__})


# -- the index: where programs begin ---------------------------------------------------------------

#: The links that plug-ins add.
_WALLET, _DOCS = "walletDescription", "docs"
#: The meaning and the path of each link, by its name.
_LINKS = {
    "description": ("OpenAPI document of the public API.", surfaces.PUBLIC_DESCRIPTION),
    _WALLET: ("OpenAPI document of the Wallet-compatible API.", surfaces.WALLET_DESCRIPTION),
    "internalDescription": ("OpenAPI document of the internal API.", surfaces.INTERNAL_DESCRIPTION),
    _DOCS: ("The OpenAPI documents as a page.", surfaces.DOCS),
    "health": ("Whether the storage can be read.", "/__heartbeat__"),
    "version": ("Name and version of the service.", "/__version__"),
}
_LINKS_SCHEMA = of_members(
    None,
    {name: value(*about) for name, about in _LINKS.items()},
    [name for name in _LINKS if name not in (_WALLET, _DOCS)],
)


def get_index(request: Request) -> Response:
    patterns, before = surfaces.route_patterns(request.registry), request.script_name
    links = {name: before + path for name, (_, path) in _LINKS.items() if path in patterns}
    return json_response({"name": "finance-api", "version": __version__, "links": links})


# -- metrics, for clients that the settings name --------------------------------------------------


def only_named_clients(request: Request) -> None:
    """Raise a 404 for clients that the settings do not name, whatever the method."""
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


# -- the descriptions, without authentication -----------------------------------------------------


_DESCRIPTION = ResponseDescription(
    of_members("Description", {"openapi": value("The version of OpenAPI.", "3.1.1")}),
    headers=(
        Header("ETag", "For If-None-Match.", '"0f8b5c2ad1c94a3f8e71f6a4b0c92d5e"'),
        Header("Cache-Control", "Clients must revalidate the document.", "no-cache"),
        Header("Vary", "Request headers that the response depends on.", "Accept-Encoding"),
    ),
)


@lru_cache(maxsize=8)
def _body(services: tuple[Service, ...], surface: Surface, base: str) -> bytes:
    return orjson.dumps(document(services, surface, base))


def _description_of(surface: Surface) -> View:
    def get_description(request: Request) -> Response:
        services = tuple(described(request.registry, surface))
        body = _body(services, surface, request.script_name or "/")
        response = Response(body, content_type="application/json", charset=None)
        compressed = takes_gzip(request.environ.get("HTTP_ACCEPT_ENCODING")) and gzipped(body)
        if compressed:
            response.body, response.content_encoding = compressed, "gzip"
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Vary"] = "Accept-Encoding"
        response.md5_etag()
        # Answers 304 if If-None-Match matches.
        response.conditional_response = True
        return response

    return get_description


def description_service(path: str, surface: Surface) -> Service:
    meaning = f"This description: {surface.title}."
    return _open(path, _description_of(surface), meaning, response=_DESCRIPTION)


# --------------------------------------------------------------------------------------------------

_INDEX = _unstored("Index", {"name": _NAME, "version": _VERSION, "links": _LINKS_SCHEMA})
SERVICES = (
    _open(
        "/__lbheartbeat__",
        get_lbheartbeat,
        "Whether this process responds; does not read the storage.",
        response=_unstored("Health", {"status": _OK}),
    ),
    _open(
        "/__heartbeat__",
        get_heartbeat,
        "Whether the storage can be read.",
        response=replace(
            _unstored(
                "HealthChecks", {"status": _OK, "checks": of_members(None, {"storage": _OK})}
            ),
            problems=(503,),
        ),
    ),
    _open(
        "/__version__",
        get_version,
        "Name and version of the service.",
        response=_unstored("Version", {"name": _NAME, "version": _VERSION}),
    ),
    _open(surfaces.INDEX, get_index, "Index of the API.", response=_INDEX),
    _open(f"{surfaces.INDEX}/api", get_index, "Index of the API.", response=_INDEX),
    _open(
        "/__metrics__",
        get_metrics,
        "Metrics of the service in Prometheus' text format.",
        factory=only_named_clients,
        response=ResponseDescription(
            forms=(_PROMETHEUS,),
            headers=(NO_STORE,),
            problems=(404,),
            text="# TYPE process_open_fds gauge\nprocess_open_fds 42.0\n",
        ),
    ),
    description_service(surfaces.PUBLIC_DESCRIPTION, PUBLIC),
    description_service(surfaces.INTERNAL_DESCRIPTION, INTERNAL),
)
