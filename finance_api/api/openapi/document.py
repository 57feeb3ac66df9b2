"""The description of a surface: an OpenAPI 3.1 document of the registered endpoints."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import colander
from pyramid.registry import Registry

from finance_api.api.endpoint import Endpoint
from finance_api.api.openapi.problems import PROBLEM, PROBLEMS, name_of
from finance_api.api.openapi.responses import Header, ResponseDescription
from finance_api.api.openapi.samples import samples
from finance_api.api.openapi.schemas import Schema, example_of, of_field
from finance_api.http.errors import CONTENT_TYPE
from finance_api.http.surfaces import INDEX, INTERNAL_SURFACE, SURFACES, needs_token
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.common import ID
from finance_api.serialization.formats import BY_SUFFIX, JSON, XLSX, Representation
from finance_api.values.version import __version__

#: The only part of a path that differs between requests, and its description.
ID_PLACE = "{id}"
_ID = {
    "name": ID.name,
    "in": "path",
    "required": True,
    "description": ID.meaning,
    "schema": of_field(ID),
    "example": ID.example,
}
_REQUEST_ID = Header("X-Request-Id", "The request's id in the service's log.", "4f1c2a9e")
_RATE = (
    Header("X-RateLimit-Limit", "Maximum number of requests.", "500"),
    Header("X-RateLimit-Remaining", "Number of requests left.", "499"),
    Header("X-RateLimit-Reset", "Seconds until the whole quota is available again.", "8"),
    Header("RateLimit-Policy", "All limits, as in the IETF's draft.", '"hour";q=500;w=3600'),
    Header(
        "RateLimit",
        "Requests left for each limit; t: seconds until one more is available.",
        '"hour";r=499;t=0',
    ),
)
#: Added to the description of a path that is listed once for all formats.
_SUFFIXES = f"Other formats: {', '.join(BY_SUFFIX)} at the end of the path, or Accept."
_OF_ALL = (414, 500)
_WITH_TOKEN = (400, 401, 403, 406, 429, 503)


def an_example(body: Any) -> dict[str, Any]:
    """Return an example of a body. It has a name, which viewers need if members are null."""
    return {"examples": {"example": {"value": body}}}


def _problem_content(status: int, problem: dict[str, Any]) -> dict[str, Any]:
    return {CONTENT_TYPE: {"schema": PROBLEM, **an_example(problem)}}


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface:
    """An API with a description of its own. prefixes: the beginnings of its paths.

    scheme: the name of its security scheme, and the scheme. headers: additional headers of
    responses to requests with a token. problem_content: makes the content of an error response, by
    media type, from its status and an example problem document.
    """

    title: str
    about: str
    version: str = __version__
    prefixes: tuple[str, ...]
    scheme: tuple[str, dict[str, str]]
    headers: tuple[Header, ...] = ()
    problem_content: Callable[[int, dict[str, Any]], dict[str, Any]] = _problem_content


_ABOUT = (
    "Read-only: GET, and HEAD for headers without a body. Amounts are exact decimals. Unknown "
    "parameters are refused. Lists can be comma-separated or repeated. Every response with data "
    "has an ETag; a 304 does not count against the quota."
)
_FORMATS = (
    "Lists and tables are also available as CSV, NDJSON and Excel workbooks: write .csv, .ndjson "
    "or .xlsx at the end of the path, or send Accept."
)
PERSONAL_TOKEN = (
    "personalToken",
    {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "fin_ and 49 letters and digits",
        "description": (
            "A personal token, created on the settings pages. Its scopes are names of "
            "lists; without scopes it can read all lists. Its user needs premium."
        ),
    },
)
PUBLIC = Surface(
    title="finance_api: public API",
    about=f"A person's own finance data. {_ABOUT} {_FORMATS}",
    prefixes=(INDEX, "/__"),
    scheme=PERSONAL_TOKEN,
)
INTERNAL = Surface(
    title="finance_api: internal API",
    about=f"A user's finance data, for the operator's own programs. {_ABOUT}",
    prefixes=(INTERNAL_SURFACE,),
    scheme=(
        "jsonWebToken",
        {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "A JSON Web Token for the user.",
        },
    ),
)


def described(registry: Registry, surface: Surface) -> list[Endpoint]:
    """Return the endpoints of the surface, in their order."""
    return [
        endpoint
        for endpoint in registry.endpoints.values()
        if endpoint.path.startswith(surface.prefixes) and endpoint.response.is_shown
    ]


def document(endpoints: Iterable[Endpoint], surface: Surface, base: str) -> dict[str, Any]:
    """Return the description of these endpoints.

    base: the path of the service, to which all paths are relative.
    """
    shared = _Shared(dict)
    problems = {
        name_of(status): _problem_response(status, surface, shared) for status in sorted(PROBLEMS)
    }
    paths = {
        endpoint.path: {"get": _operation(endpoint, surface, shared)} for endpoint in endpoints
    }
    schemas: dict[str, Schema] = {}
    tags = dict.fromkeys(path["get"]["tags"][0] for path in paths.values())
    meanings = {resource.path: resource.meaning for resource in PUBLIC_RESOURCES}
    return {
        "openapi": "3.1.1",
        "info": {
            "title": surface.title,
            "version": surface.version,
            "description": surface.about,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": base}],
        "tags": [
            {"name": tag, **({"description": meanings[tag]} if tag in meanings else {})}
            for tag in tags
        ],
        "paths": _titled_once(paths, schemas),
        "components": {
            **shared,
            "responses": _titled_once(problems, schemas),
            "schemas": schemas,
            "securitySchemes": dict([surface.scheme]),
        },
    }


class _Shared(defaultdict[str, dict[str, Any]]):
    """Components that several operations share, by kind and name."""

    def reference(
        self, kind: str, name: str, content: dict[str, Any], *more: str
    ) -> dict[str, str]:
        """Return a reference to a component, which is added if it is new.

        more: suffixes to try, one after the other, if a different component has the name.
        """
        known = self[kind]
        keys = iter((name, *(f"{name}.{each}" for each in more)))
        key = next(key for key in keys if known.setdefault(key, content) == content)
        return {"$ref": f"#/components/{kind}/{key}"}

    def headers(self, some: Iterable[Header], *more: str) -> dict[str, Any]:
        """Return references to the headers, by their names. more: as in `reference`."""
        return {h.name: self.reference("headers", h.name, _header(h), *more) for h in some}


def _operation(endpoint: Endpoint, surface: Surface, shared: _Shared) -> dict[str, Any]:
    path, response, description = endpoint.path, endpoint.response, endpoint.service.description
    has_token = needs_token(path)
    names = _tag(path), _operation_id(path)
    statuses = {*response.problems, *_OF_ALL, *(_WITH_TOKEN if has_token else ())}
    if ID_PLACE in path:
        statuses.add(404)
    if response.forms[0] is not JSON and len(response.forms) == 1:
        # The path decides the format, so Accept does not matter.
        statuses.discard(406)
    headers = (*response.headers, _REQUEST_ID, *((*_RATE, *surface.headers) if has_token else ()))

    # A client generated from several formats gets a type that is both a text and an object.
    forms = (JSON,) if JSON in response.forms else response.forms
    responses: dict[str, Any] = {
        "200": {
            "description": "The requested data.",
            "headers": shared.headers(headers, *names),
            "content": {form.media_type: _content(response, form) for form in forms},
        }
    }
    if 416 in response.problems:
        whole = responses["200"]
        responses["206"] = {**whole, "description": "The part of the data that Range asks for."}
    if any(header.name == "ETag" for header in response.headers):
        responses["304"] = {
            "description": "The data still has the ETag in If-None-Match.",
            "headers": shared.headers([h for h in headers if not h.of_body], *names),
        }
    for status in sorted(statuses):
        responses[str(status)] = {"$ref": f"#/components/responses/{name_of(status)}"}
    notes = [description, *([_SUFFIXES] if endpoint.has_suffixes else [])]
    notes += [f"Scope: {', '.join(endpoint.scopes)}."] if endpoint.scopes else []
    parameters = [*([_ID] if ID_PLACE in path else []), *_query_parameters(endpoint)]
    return {
        "operationId": names[1],
        "summary": description.rstrip("."),
        "description": " ".join(notes),
        "tags": [names[0]],
        "security": [{surface.scheme[0]: list(endpoint.scopes)}] if has_token else [],
        "parameters": [shared.reference("parameters", p["name"], p, *names) for p in parameters],
        "responses": responses,
        "x-codeSamples": samples(
            _example_target(path, parameters), response.forms[0], has_token=has_token
        ),
    }


def _example_target(path: str, parameters: Iterable[dict[str, Any]]) -> str:
    """Return path and query of a request, with the examples of the required parameters."""
    target = path.replace(ID_PLACE, ID.example)
    query = {}
    for each in parameters:
        if each["in"] == "query" and each.get("required"):
            example = each["example"]
            query[each["name"]] = ",".join(example) if isinstance(example, list) else example
    return f"{target}?{urlencode(query, safe=',')}" if query else target


def _operation_id(path: str) -> str:
    """Return the words of a path below its surface, such as ``getRecordsOne``."""
    rest = _below_surface(path).removeprefix("/v1/").removeprefix("get-")
    words = re.findall("[A-Za-z0-9]+", rest.replace(ID_PLACE, "one"))
    return "get" + "".join(word.capitalize() for word in words)


def _tag(path: str) -> str:
    if not needs_token(path):
        return "service"
    return re.split("[/.]", _below_surface(path))[0]


def _below_surface(path: str) -> str:
    for prefix in SURFACES:
        path = path.removeprefix(prefix)
    return path


def _query_parameters(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    for node in endpoint.schema.children:
        of_node = {key: each for key, each in node.typ.schema.items() if key != "examples"}
        parameter = {
            "name": node.name,
            "in": "query",
            "description": node.description,
            "schema": of_node,
            "example": example_of(node.typ.schema),
        }
        if node.missing is colander.required:
            parameter["required"] = True
        if of_node["type"] == "array":
            # The server accepts both forms: some clients repeat every parameter with a list.
            parameter |= {"style": "form", "explode": node.typ.is_repeated}
        yield parameter


def _content(response: ResponseDescription, form: Representation) -> dict[str, Any]:
    if form is XLSX:
        return {"schema": {"type": "string", "format": "binary"}}
    schema = response.schema if form is JSON else {"type": "string"}
    return {"schema": schema, **an_example(response.example(form))}


def _header(header: Header) -> dict[str, Any]:
    return {
        "description": header.meaning,
        "required": header.always,
        "schema": {"type": "string"},
        "example": header.example,
    }


def _problem_response(status: int, surface: Surface, shared: _Shared) -> dict[str, Any]:
    problem = PROBLEMS[status]
    return {
        "description": problem.meaning,
        "headers": shared.headers((_REQUEST_ID, *problem.headers)),
        "content": surface.problem_content(status, problem.body(status)),
    }


def _titled_once(shown: Any, schemas: dict[str, Schema]) -> Any:
    """Return ``shown`` with references in place of titled schemas, which go into ``schemas``.

    Raises ValueError if two different schemas have the same title.
    """
    if isinstance(shown, list):
        return [_titled_once(each, schemas) for each in shown]
    if not isinstance(shown, dict):
        return shown
    found = {key: _titled_once(each, schemas) for key, each in shown.items()}
    title = found.get("title")
    if title is None or not found.keys() & {"properties", "enum"}:
        return found
    if schemas.setdefault(title, found) != found:
        raise ValueError(f"there are two schemas with the title {title}")
    return {"$ref": f"#/components/schemas/{title}"}
