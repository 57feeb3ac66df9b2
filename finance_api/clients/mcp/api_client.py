"""Requests that tools make to the API: pages, and advice on what to do about an error."""

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2
from mcp.types import CallToolResult

from finance_api.clients.mcp.results import UNLIKE, Found, Item, answer, result, sums
from finance_api.clients.mcp.tool import Paging, Tool
from finance_api.values.version import __version__

_SECONDS = 60
#: The largest response, unpacked, and the most digits of a number in it.
_MOST_BYTES = 2**24
_MOST_DIGITS = 40
#: Maximum length of an error's sentence.
_SENTENCE = 1_000
#: Members that only some responses have.
_WHERE_GIVEN = ("hints",)
#: Status -> advice on what to do next.
_NEXT = {
    400: "Change the arguments as the error says, and call again.",
    401: "A valid personal token of finance_api is needed: over HTTP in the client's Authorization "
    "header, over stdio in FINANCE_TOKEN. Ask the user for it; calling again does not help.",
    403: (
        "The token may not read this. Ask the user for a token with the scope; other tools "
        "may work."
    ),
    404: "Take the id from a list, and call again. If every call fails like this, ask the user to "
    "check the address of the service.",
    409: "Ask the user to change it on the page Questions. Another tool may have the answer.",
    410: "Discard your copy of these types, and call changes with since=0.",
    503: "Ask for less as the error says, or call again after a while.",
}


@cache
def _tls() -> ssl.SSLContext:
    """Return the TLS context. It is cached: reading certificates takes longer than most calls."""
    return httpx2.create_ssl_context()


class Refused(Exception):
    """The API refused the request or is out of reach. document: the response for the caller."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document["error"])
        self.document = document


class Response(NamedTuple):
    body: dict[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Api:
    """base: the address of the service. authorization: the Authorization header of all requests.

    Each caller has a separate `Api`, so that callers share no cookies and no connections.
    """

    base: str
    authorization: str

    async def get(self, path: str, query: Mapping[str, Any]) -> Response:
        """Send a request. path: the path below /v1/api/; it can have parameters. Raises Refused."""
        headers = {
            "Authorization": self.authorization,
            "Accept": "application/json",
            "User-Agent": f"finance-api-mcp/{__version__}",
        }
        async with httpx2.AsyncClient(timeout=_SECONDS, verify=_tls()) as client:
            url = httpx2.URL(f"{self.base}/v1/api/{path}").copy_merge_params(query)
            try:
                async with (
                    asyncio.timeout(_SECONDS),
                    client.stream("GET", url, headers=headers) as response,
                ):
                    body = await _body(response)
            except (httpx2.HTTPError, TimeoutError) as error:
                sentence = f"{self.base} does not respond ({type(error).__name__})."
                advice = "Ask the user whether the service runs there, and call again."
                raise Refused({"error": sentence, "howToGoOn": advice}) from None
        if response.status_code == 200 and body is not None:
            return Response(body, response.headers)
        raise Refused(_refusal(response, body or {}))


async def _body(response: httpx2.Response) -> dict[str, Any] | None:
    """Read the JSON object; return None if the body is something else or too large."""
    content = bytearray()
    async for part in response.aiter_bytes():
        content += part
        if len(content) > _MOST_BYTES:
            return None
    return _parse(bytes(content))


def _parse(content: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(content, parse_float=_number)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _number(text: str) -> Decimal:
    number = Decimal(text)
    if abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(text)
    return number


def _member(body: dict[str, Any], name: str, kind: type) -> Any:
    """Return a member of a response. Raises Refused if it is missing or of another type."""
    if name not in body or not isinstance(body[name], kind):
        raise Refused(UNLIKE)
    return body[name]


def _refusal(response: httpx2.Response, problem: dict[str, Any]) -> dict[str, Any]:
    status = response.status_code
    detail = problem.get("detail") or f"The address responds with {status}, unlike finance_api."
    advice = _NEXT.get(status, "Ask the user to check the service and its address.")
    document = {"error": str(detail)[:_SENTENCE], "status": status}
    if (wait := _whole(response.headers.get("Retry-After"))) is not None:
        document["retryAfterSeconds"] = wait
        advice = f"Wait {wait} seconds, then call again."
    if status == 429:
        advice += " To save calls, use summarize instead of pages of records."
    return {**document, "howToGoOn": advice, "quota": _quota(response.headers)}


def _whole(text: str | None) -> int | None:
    return int(text) if text and len(text) <= _MOST_DIGITS and text.isdecimal() else None


def _quota(headers: Mapping[str, str]) -> dict[str, int | None] | None:
    if "X-RateLimit-Limit" not in headers:
        return None
    names = {"limit": "Limit", "remaining": "Remaining", "fullInSeconds": "Reset"}
    return {name: _whole(headers.get(f"X-RateLimit-{of}")) for name, of in names.items()}


async def call(tool: Tool, arguments: Mapping[str, Any], api: Api) -> CallToolResult:
    """Return the tool's answer, which may be a refusal. arguments: follow the tool's schema."""
    try:
        if tool.paging is Paging.CURSOR:
            return await _by_cursor(tool, arguments, api)
        offset = arguments.get("offset", 0)
        found = await _found(tool, _query(tool, arguments), offset, api)
        limit = arguments.get("limit", 100)
        return answer(found, lists=tool.rows, offset=offset, limit=limit)
    except Refused as refused:
        return result(refused.document, is_error=True)


def _query(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in arguments.items() if name in tool.takes}
    return {**tool.always, **given}


async def _found(tool: Tool, query: dict[str, Any], offset: int, api: Api) -> Found:
    """Return the rows of all lists that the tool reads; the offset counts across the lists."""
    items: list[Item] = []
    total: dict[str, int | None] = {}
    more, before = False, 0
    for path, lists in tool.reads.items():
        if tool.paging is Paging.OFFSET:
            page = {"limit": tool.most, "offset": max(0, offset - before)}
            response = await api.get(path, {**query, **page})
            items += [] if more else _items(tool, path, response)
            more = more or response.body.get("nextOffset") is not None
            total[lists[0]] = response.body.get("total")
            before += _member({"total": 0, **response.body}, "total", int)
        else:
            response = await api.get(*_placed(path, query))
            if tool.paging is Paging.ANY:
                response = _in_one_shape(response)
            items = _items(tool, path, response)[offset:]
            total |= {name: len(response.body[name]) for name in lists}
    members = _repeated(tool, response)
    if tool.sums:
        is_all = offset == 0 and not more and not response.body.get("overlapping")
        added = sums([row for _, row in items], tool.sums) if is_all else None
        members = {"sums": added, **members}
    return Found(items, more, total, members)


def _placed(path: str, query: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Fill in the arguments that the path names. Return the path and the rest of the query."""
    named = {name: quote(value, safe="") for name, value in query.items() if f"{{{name}}}" in path}
    return path.format(**named), {k: v for k, v in query.items() if k not in named}


def _in_one_shape(response: Response) -> Response:
    """Return a response with ``rows``, ``others`` and ``isPart``; see `Paging.ANY`."""
    body, paging = response.body, {"limit", "offset", "nextOffset", "revision"}
    lists = [n for n, v in body.items() if isinstance(v, list) and n not in _WHERE_GIVEN]
    shape = {
        **body,
        "rows": [row for name in lists for row in body[name]],
        "others": {n: v for n, v in body.items() if n not in {*lists, *paging, *_WHERE_GIVEN}},
        "isPart": body.get("nextOffset") is not None,
    }
    return Response(shape, response.headers)


async def _by_cursor(tool: Tool, arguments: Mapping[str, Any], api: Api) -> CallToolResult:
    """Return a page. Its cursor follows its last row, so ask for fewer rows until all rows fit."""
    ((path, lists),) = tool.reads.items()
    limit = arguments.get("limit", 100)
    while True:
        response = await api.get(path, {**_query(tool, arguments), "limit": limit})
        items = _items(tool, path, response)
        if len(items) > limit:
            raise Refused(UNLIKE)
        found = Found(items, False, dict.fromkeys(lists), _repeated(tool, response))
        made = answer(found, lists=tool.rows, offset=None, limit=limit)
        shown = len(items) if made.structured_content is None else made.structured_content["shown"]
        if shown == len(items):
            return made
        limit = shown


def _items(tool: Tool, path: str, response: Response) -> list[Item]:
    rows = [(name, row) for name in tool.reads[path] for row in _member(response.body, name, list)]
    if not all(isinstance(row, dict) for _, row in rows):
        raise Refused(UNLIKE)
    return [(name, {k: v for k, v in row.items() if k not in tool.hides}) for name, row in rows]


def _repeated(tool: Tool, response: Response) -> dict[str, Any]:
    return {
        **{name: _member(response.body, name, object) for name in tool.repeats},
        **{name: response.body[name] for name in _WHERE_GIVEN if name in response.body},
        "revision": _whole(response.headers.get("X-Last-Data-Change-Rev")),
        "today": response.headers.get("X-User-Today"),
        "baseCurrency": response.headers.get("X-User-Base-Currency"),
        "quota": _quota(response.headers),
    }
