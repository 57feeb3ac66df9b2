"""Pages of Wallet's lists: the envelope, the next page, and hints for agents."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson
from pyramid.response import Response

from finance_api.api.openapi.responses import LINK, OF_PAGE, ResponseDescription
from finance_api.api.openapi.schemas import Schema, array_of, of_members, value
from finance_api.api.responding import respond
from finance_api.api.validation import Parameters
from finance_api.auth.authentication import require_scopes
from finance_api.http.identity import TokenIdentity
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.planning.answers import Document, Reading
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Query
from finance_api.ratelimit.tween import quota_of
from finance_api.resources import CATEGORIES, LABELS
from finance_api.resources.field import Resource
from finance_api.storage.interface import Page
from finance_api.wallet.parameters import RelatedTo, with_ids
from finance_api.wallet.responses import OF_LIST, state_headers
from finance_api.wallet.shapes import Context, Shape, one_of

#: Parameters that are not filters.
_NOT_FILTERS = frozenset({"limit", "offset", "agentHints", "withTotal", "sortBy"})
#: The quota is nearly used up if less than 1/_LOW of it is left.
_LOW = 10

# -- what the request says -------------------------------------------------------------------------


class Asked(NamedTuple):
    """What the answer depends on besides the parameters.

    path: with the prefix of a proxy. pairs: the query string, which the answer repeats.
    has_older: whether objects have the members of earlier versions. hidden: the scopes of objects
    that show only their ids. low_quota: see `_low_quota`. minute: of the window of records, if any.
    """

    path: str
    pairs: tuple[tuple[str, str], ...]
    has_older: bool
    hidden: tuple[str, ...] = ()
    low_quota: tuple[int, str] | None = None
    minute: int | None = None


def respond_with_objects(request: Request) -> Response:
    """Respond with objects. Raises a 403 if the token lacks the scope of a related object."""
    values, identity = request.validated, request.known_identity
    assert isinstance(identity, TokenIdentity)
    related = [each.resource for each in values.values() if isinstance(each, RelatedTo)]
    require_scopes(request, [str(resource.path) for resource in related])
    pairs = split_query(request.environ.get("QUERY_STRING", ""))
    # If neither date nor id is given, the list of records has a window around now.
    has_window = "recordDate" in values and not values["recordDate"] and not values["id"]
    now, names = request.services.clock.now(), (str(CATEGORIES.path), str(LABELS.path))
    asked = Asked(
        request.path,
        tuple([(name, text or "") for name, text in pairs]),
        bool(request.registry.settings["finance_api.wallet.older_names"]),
        tuple([scope for scope in names if scope not in (identity.scopes or names)]),
        _low_quota(request) if values["agentHints"] else None,
        now - now % 60 if has_window else None,
    )
    return respond(request, asked=asked)


def _low_quota(request: Request) -> tuple[int, str] | None:
    """Return the requests left, and when all are available again; None if enough are left."""
    quota = quota_of(request)
    is_low = quota["remaining"] * _LOW < quota["limit"]
    return (quota["remaining"], quota["resetAt"]) if is_low else None


# -- a page ----------------------------------------------------------------------------------------


def read_rows(reading: Reading, query: Query) -> Page:
    return reading.storage.data.list_rows(reading.user_id, query)


def list_page(
    shape: Shape,
    reading: Reading,
    values: Parameters,
    asked: Asked,
    *,
    read: Callable[[Reading, Query], Page] = read_rows,
    base: Sequence[Condition] = (),
    further: Sequence[Condition] = (),
    dates: Sequence[str] | None = None,
    inferred: Sequence[str] = (),
) -> Document:
    """Return a page in Wallet's envelope.

    base: conditions on all rows of the list. further: more conditions. dates, inferred: the
    conditions on recordDate, and those that the request lacks.
    """
    state, resource = reading.get_state(), shape.resource
    conditions = (*values.conditions, *base, *further, *_related(reading, resource, values))
    asked_page = (values["limit"], values["offset"], values["withTotal"])
    query = Query(resource, conditions, values.get("sortBy", ()), *asked_page)
    page = read(reading, query)
    context = Context(reading, state, values, page.rows, asked.has_older, asked.hidden)
    envelope: dict[str, Any] = {shape.key: shape.documents(page.rows, context)}
    next_offset = query.offset + len(page.rows)
    url = _url(asked, query.limit, next_offset, inferred) if page.has_more else None
    if values["agentHints"]:
        missing = _missing_ids(reading, resource, base, asked)
        envelope["agentHints"] = _hints(asked, page, missing, url, inferred)
    if dates is not None:
        envelope["appliedRecordDateFilters"] = [*dates, *inferred]
    envelope |= {"limit": query.limit, "offset": query.offset}
    if page.has_more:
        envelope["nextOffset"] = next_offset
    if query.with_total:
        envelope["total"] = page.total
    link = () if url is None else (("Link", f'<{url}>; rel="next"'),)
    return Document(state, orjson.dumps(envelope), headers=link)


def _related(reading: Reading, resource: Resource, values: Parameters) -> list[Condition]:
    """Return conditions for the rows whose ids another object has; no rows if it is missing.

    If its field is empty, all rows match if `empty_is_all` is set, otherwise no rows.
    """
    conditions = []
    for asked in values.values():
        if isinstance(asked, RelatedTo):
            row_id = asked.row_id.lower()
            rows = reading.storage.data.get_rows(reading.user_id, asked.resource, [row_id])
            ids = rows[row_id][asked.field] if row_id in rows else ()
            if ids or not rows or not asked.empty_is_all:
                conditions.append(with_ids(resource["id"], ids))
    return conditions


def _url(asked: Asked, limit: int, offset: int, inferred: Sequence[str]) -> str:
    """Return the path and query of the next page, with the dates of the window (inferred)."""
    pairs = [pair for pair in asked.pairs if pair[0] not in ("offset", "limit")]
    pairs += [("limit", str(limit)), ("offset", str(offset))]
    pairs += [("recordDate", text) for text in inferred]
    return f"{asked.path}?{urlencode(sorted(pairs, key=itemgetter(0)), quote_via=quote, safe='')}"


# -- hints -----------------------------------------------------------------------------------------


def _hint(kind: str, severity: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a fact about an answer that an agent should know."""
    return {"type": kind, "severity": severity, "text": text, **more}


def partial_match(missing_ids: Sequence[str]) -> dict[str, Any]:
    text = f"{len(missing_ids)} of the ids were not found."
    return _hint("result.partial_match", "info", text, data={"missingIds": list(missing_ids)})


def _hints(
    asked: Asked, page: Page, missing: Sequence[str], url: str | None, inferred: Sequence[str]
) -> list[dict[str, Any]]:
    hints = []
    if url is not None:
        text = "There are more rows: the next page is at action.url."
        hints.append(_hint("pagination.has_more", "instruction", text, action={"url": url}))
    if missing:
        hints.append(partial_match(missing))
    if not page.rows:
        filters: dict[str, str] = {}
        for name, text in asked.pairs:
            if name not in _NOT_FILTERS:
                filters[name] = f"{filters[name]},{text}" if name in filters else text
        data = {"data": {"appliedFilters": filters}} if filters else {}
        hints.append(_hint("result.empty", "info", "No rows match.", **data))
    if asked.low_quota is not None:
        left = dict(zip(("remaining", "reset_at"), asked.low_quota, strict=True))
        text = f"{left['remaining']} requests are left."
        hints.append(_hint("rate_limit.warning", "warning", text, data=left))
    if inferred:
        window = {"parameter": "recordDate", "provided": "", "inferred": ", ".join(inferred)}
        window["reason"] = "defaultRollingRange"
        text = "Without recordDate, the response has only the last 3 months."
        hints.append(_hint("param.inferred", "info", text, data=window))
    return hints


def _missing_ids(
    reading: Reading, resource: Resource, base: Sequence[Condition], asked: Asked
) -> list[str]:
    """Return the requested ids that were not found, as they were written."""
    ids = [row_id for name, text in asked.pairs if name == "id" for row_id in text.split(",")]
    if not ids:
        return []
    rows = reading.storage.data.get_rows(reading.user_id, resource, [i.lower() for i in ids])
    there = {row_id for row_id, row in rows.items() if matches(row, base)}
    return [row_id for row_id in dict.fromkeys(ids) if row_id.lower() not in there]


# -- the description -------------------------------------------------------------------------------

_HINT = of_members(
    "AgentHint",
    {
        "type": value("Kind of the hint.", "pagination.has_more"),
        "severity": one_of("Importance of the hint.", "info", "warning", "instruction"),
        "text": value("Text of the hint.", "There are more rows: the next page is at action.url."),
        "action": of_members(
            "HintAction",
            {"url": value("The next request to send.", "/wallet/v1/api/labels?limit=30&offset=30")},
        ),
        "data": {
            "type": "object",
            "description": "More data, depending on the type.",
            "examples": [{}],
        },
    },
    ["type", "severity", "text"],
)
HINTS = array_of(_HINT)
_SOMETIMES = {
    "nextOffset": value("The offset of the next page; left out on the last page.", 30),
    "total": value("Number of rows that match; with withTotal=true.", 4711),
    "agentHints": HINTS,
}


def page_response(shape: Shape, **more: Schema) -> ResponseDescription:
    """Describe a page. more: further members that every page has."""
    always = {
        shape.key: array_of(shape.schema),
        **{name: OF_PAGE[name] for name in ("limit", "offset")},
        **more,
    }
    page = of_members(f"{shape.title}Page", {**always, **_SOMETIMES}, always)
    return ResponseDescription(page, headers=(*OF_LIST, LINK), state_headers=state_headers)
