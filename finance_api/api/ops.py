"""Endpoints for operators, monitoring and new clients: health, index, metrics, descriptions."""

from dataclasses import asdict
from functools import lru_cache, partial
from typing import Any

import orjson
from cornice import Service
from pyramid.httpexceptions import HTTPNotFound
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.endpoint import Endpoint
from finance_api.api.openapi.document import INTERNAL, PUBLIC, Surface, described, document
from finance_api.api.openapi.responses import NO_STORE, Header, ResponseDescription
from finance_api.api.openapi.schemas import Schema, of_members, value
from finance_api.api.rendering import json_response
from finance_api.http import surfaces
from finance_api.http.compression import compress
from finance_api.http.requests import Request, client_address, is_known_directly
from finance_api.serialization.formats import Representation
from finance_api.storage.errors import StorageError
from finance_api.values.version import __version__


def _unstored(title: str, members: dict[str, Schema], *problems: int) -> ResponseDescription:
    return ResponseDescription(of_members(title, members), headers=(NO_STORE,), problems=problems)


_NAME, _VERSION = value("Always finance-api.", "finance-api"), value("Its version.", __version__)

# -- health and version, by the names of Mozilla's Dockerflow --------------------------------------

_OK = value("Always ok; if not, the response is an error.", "ok", enum=["ok"])

lbheartbeat = Service(
    "ops.lbheartbeat",
    "/__lbheartbeat__",
    "Whether this process responds; does not read the storage.",
)


def is_running(registry: Registry, base: str) -> dict[str, Any]:
    return {"status": "ok"}


heartbeat = Service("ops.heartbeat", "/__heartbeat__", "Whether the storage can be read.")


def is_healthy(registry: Registry, base: str) -> dict[str, Any]:
    """Return ok; if the storage cannot be read, the exception views respond with 503."""
    registry.services.storage.check()
    return {"status": "ok", "checks": {"storage": "ok"}}


version = Service("ops.version", "/__version__", "Name and version of the service.")


def name_and_version(registry: Registry, base: str) -> dict[str, Any]:
    return {"name": "finance-api", "version": __version__}


@lbheartbeat.get(
    permission=NO_PERMISSION_REQUIRED,
    answer=is_running,
    response=_unstored("Health", {"status": _OK}),
)
@heartbeat.get(
    permission=NO_PERMISSION_REQUIRED,
    answer=is_healthy,
    response=_unstored(
        "HealthChecks", {"status": _OK, "checks": of_members(None, {"storage": _OK})}, 503
    ),
)
@version.get(
    permission=NO_PERMISSION_REQUIRED,
    answer=name_and_version,
    response=_unstored("Version", {"name": _NAME, "version": _VERSION}),
)
def respond_openly(request: Request) -> Response:
    """Respond with the endpoint's answer: JSON that must not be cached, for everybody.

    Such an ``answer`` is a function of the registry and of the path that a proxy adds.
    """
    endpoint = request.registry.endpoints[request.matched_route.pattern]
    return json_response(endpoint.answer(request.registry, request.script_name))


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


index = Service("ops.index", "/v1", "Index of the API.")
index_of_api = Service("ops.index.api", "/v1/api", "Index of the API.")


def links(registry: Registry, base: str) -> dict[str, Any]:
    patterns = surfaces.route_patterns(registry)
    there = {name: base + path for name, (_, path) in _LINKS.items() if path in patterns}
    return {**name_and_version(registry, base), "links": there}


_INDEX = {
    "permission": NO_PERMISSION_REQUIRED,
    "answer": links,
    "response": _unstored("Index", {"name": _NAME, "version": _VERSION, "links": _LINKS_SCHEMA}),
}


@index.get(**_INDEX)
@index_of_api.get(**_INDEX)
def get_index(request: Request) -> Response:
    return json_response(links(request.registry, request.script_name))


# -- metrics, for clients that the settings name --------------------------------------------------


def only_named_clients(request: Request) -> None:
    """Raise a 404 for clients that the settings do not name, whatever the method."""
    address = client_address(request) if is_known_directly(request) else None
    networks = request.registry.settings["finance_api.metrics.clients"]
    if address is None or not any(address in network for network in networks):
        raise HTTPNotFound()


_PROMETHEUS = Representation("text/plain", "text/plain; version=0.0.4; charset=utf-8", "txt")

metrics = Service(
    "ops.metrics",
    "/__metrics__",
    "Metrics of the service in Prometheus' text format.",
    factory=only_named_clients,
)


def current_metrics(registry: Registry, base: str) -> str:
    services = registry.services
    services.sampling.now()
    try:
        totals = {"database_up": 1, **asdict(services.storage.totals())}
    except StorageError:
        totals = {"database_up": 0}
    text: str = services.metrics.text(totals)
    return text


@metrics.get(
    permission=NO_PERMISSION_REQUIRED,
    answer=current_metrics,
    response=ResponseDescription(
        forms=(_PROMETHEUS,),
        headers=(NO_STORE,),
        problems=(404,),
        text="# TYPE process_open_fds gauge\nprocess_open_fds 42.0\n",
    ),
)
def get_metrics(request: Request) -> Response:
    text = current_metrics(request.registry, request.script_name)
    response = Response(text, cache_control="no-store", vary="Accept-Encoding")
    response.headers["Content-Type"] = _PROMETHEUS.content_type
    compress(response, request.environ.get("HTTP_ACCEPT_ENCODING"))
    return response


# -- the descriptions, without authentication -----------------------------------------------------


DESCRIPTION = ResponseDescription(
    of_members("Description", {"openapi": value("The version of OpenAPI.", "3.1.1")}),
    headers=(
        Header("ETag", "For If-None-Match.", '"0f8b5c2ad1c94a3f8e71f6a4b0c92d5e"'),
        Header("Cache-Control", "Clients must revalidate the document.", "no-cache"),
        Header("Vary", "Request headers that the response depends on.", "Accept-Encoding"),
    ),
)
public_description = Service(
    "ops.openapi", "/v1/openapi.json", f"This description: {PUBLIC.title}."
)
internal_description = Service(
    "ops.openapi.internal", "/internal/v1/openapi.json", f"This description: {INTERNAL.title}."
)


@lru_cache(maxsize=8)
def _body(services: tuple[Service, ...], surface: Surface, base: str) -> bytes:
    return orjson.dumps(document(map(Endpoint, services), surface, base))


def description(surface: Surface, registry: Registry, base: str) -> bytes:
    """Return the OpenAPI document of the surface."""
    services = (endpoint.service for endpoint in described(registry, surface))
    return _body(tuple(services), surface, base or "/")


@public_description.get(
    permission=NO_PERMISSION_REQUIRED, answer=partial(description, PUBLIC), response=DESCRIPTION
)
@internal_description.get(
    permission=NO_PERMISSION_REQUIRED, answer=partial(description, INTERNAL), response=DESCRIPTION
)
def respond_with_description(request: Request) -> Response:
    endpoint = request.registry.endpoints[request.matched_route.pattern]
    body = endpoint.answer(request.registry, request.script_name)
    response = Response(body, content_type="application/json", charset=None)
    response.cache_control, response.vary = "no-cache", "Accept-Encoding"
    compress(response, request.environ.get("HTTP_ACCEPT_ENCODING"))
    response.md5_etag()
    # Answers 304 if If-None-Match matches.
    response.conditional_response = True
    return response
