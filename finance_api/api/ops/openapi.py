"""GET /v1/openapi.json, /internal/v1/openapi.json: the descriptions, without authentication."""

from collections.abc import Callable
from functools import lru_cache

import orjson
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api.openapi.document import INTERNAL, PUBLIC, Surface, described, document
from finance_api.api.openapi.responses import Header, ResponseDescription
from finance_api.api.openapi.schemas import of_members, value
from finance_api.api.service import Service
from finance_api.http.compression import gzipped, takes_gzip
from finance_api.http.requests import Request
from finance_api.http.surfaces import INTERNAL_DESCRIPTION, PUBLIC_DESCRIPTION

_RESPONSE = ResponseDescription(
    of_members(
        "Description",
        {"openapi": value("The version of OpenAPI.", "3.1.1")},
    ),
    headers=(
        Header("ETag", "For If-None-Match.", '"0f8b5c2ad1c94a3f8e71f6a4b0c92d5e"'),
        Header("Cache-Control", "Clients must revalidate the document.", "no-cache"),
        Header("Vary", "Request headers that the response depends on.", "Accept-Encoding"),
    ),
)


@lru_cache(maxsize=8)
def _body(services: tuple[Service, ...], surface: Surface, base: str) -> bytes:
    return orjson.dumps(document(services, surface, base))


def _description_of(surface: Surface) -> Callable[[Request], Response]:
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
        # 304 where If-None-Match says so.
        response.conditional_response = True
        return response

    return get_description


def description_service(path: str, surface: Surface) -> Service:
    return Service(
        path,
        _description_of(surface),
        f"This description: {surface.title}.",
        response=_RESPONSE,
        permission=NO_PERMISSION_REQUIRED,
    )


SERVICES = (
    description_service(PUBLIC_DESCRIPTION, PUBLIC),
    description_service(INTERNAL_DESCRIPTION, INTERNAL),
)
