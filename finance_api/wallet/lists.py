"""GET /wallet/v1/api/<list>, and /wallet/v1/api/records/by-id of versions before 1.3"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from finance_api.api.data_request import DataRequest, Payload, Reading
from finance_api.api.openapi.responses import LINK, ResponseDescription
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.parameters import ParameterSchema
from finance_api.api.representation import HeaderItems
from finance_api.api.service import Service, data_service, of_resource
from finance_api.auth.authentication import require_scopes
from finance_api.http.identity import TokenIdentity
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.http.surfaces import WALLET_SURFACE
from finance_api.query.evaluate import matches
from finance_api.query.kinds import MAX_LIST_OPERANDS
from finance_api.query.model import NOT_VOID, Condition, Operator, Query, Span, condition_on
from finance_api.ratelimit.tween import taken_from_quota
from finance_api.resources import CATEGORIES, LABELS, RECORD_RULES, RECORDS, STANDING_ORDERS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, Page
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, instant_text, months_before
from finance_api.wallet.declarations import LISTS, WalletList
from finance_api.wallet.members import Context, moment
from finance_api.wallet.parameters import RelatedTo, required_ids, with_ids
from finance_api.wallet.records import RECORD, statements
from finance_api.wallet.responses import OF_LIST, state_headers
from finance_api.wallet.schemas import DATE_FILTERS, HINTS, PAGE, SOMETIMES

#: Parameters that are not filters.
_NOT_FILTERS = frozenset({"limit", "offset", "agentHints", "withTotal", "sortBy"})
#: The lists that show categories and labels, which have scopes of their own.
_WITH_NAMES = (RECORD_RULES, STANDING_ORDERS)
_IMPORT = RECORDS["importId"]
#: The list of records goes back this far if the request has no date.
_WINDOW_MONTHS = 3
#: The quota is nearly used up if less than 1/_LOW of it is left.
_LOW = 10

#: A fact about an answer that an agent should know.
_Hint = dict[str, Any]


def _hint(kind: str, severity: str, text: str, **more: Any) -> _Hint:
    return {"type": kind, "severity": severity, "text": text, **more}


def _partial_match(missing_ids: Sequence[str]) -> _Hint:
    text = f"{len(missing_ids)} of the ids were not found."
    return _hint("result.partial_match", "info", text, data={"missingIds": list(missing_ids)})


def _low_quota(request: Request) -> tuple[int, str] | None:
    """Return the requests left, and when all are available again; None if enough are left."""
    taken = taken_from_quota(request)
    if taken is None or taken.tightest.remaining * _LOW >= taken.tightest.limit.count:
        return None
    level, now_ms = taken.tightest, request.services.clock.now_ms()
    return level.remaining, instant_text(-(-(now_ms + level.full_ms) // 1000))


class _WalletRequest(DataRequest):
    """A request for objects, which may have earlier versions' member names."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._has_older = bool(request.registry.settings["finance_api.wallet.older_names"])
        self.own_text = str(self._has_older)

    def state_headers(self, state: DataState) -> HeaderItems:
        return state_headers(state)


class WalletListRequest(_WalletRequest):
    """A request for a page of a list, in Wallet's envelope."""

    def __init__(self, declared: WalletList, request: Request) -> None:
        related = [v.resource for v in request.validated.values() if isinstance(v, RelatedTo)]
        require_scopes(request, [str(resource.path) for resource in related])
        super().__init__(request)
        self._declared = declared
        given = self.given
        self._is_records = declared.resource is RECORDS
        # If neither date nor id is given, the list has only the records of a window around now.
        self.depends_on_minute = self._is_records and not given["recordDate"] and not given["id"]
        self._base = (NOT_VOID,) if self._is_records and not given["recordState"] else ()
        self._query = Query(
            declared.resource,
            (*given.conditions, *self._base),
            given.get("sortBy", ()),
            given["limit"],
            given["offset"],
            given["withTotal"],
        )
        # The answer repeats the query string as it was written, so `own_text` contains it.
        self._hidden = _hidden_names(request, declared.resource)
        self._low = _low_quota(request) if given["agentHints"] else None
        hidden = ",".join(sorted(self._hidden))
        self.own_text = f"{self.query_string}\0{self._has_older} {self._low} {hidden}"
        self._pairs = [(name, value or "") for name, value in split_query(self.query_string)]
        self.depends_on_today = declared.depends_on_today
        self.convert_to = given.get("convertTo")
        is_plain = self.convert_to is None and self._query.is_cheap
        self.is_cheap = declared.is_cheap and is_plain and not given.get("source")

    def read(self, reading: Reading) -> Payload:
        storage, user_id = reading.storage, reading.user_id
        declared, given = self._declared, self.given
        state = storage.data.get_state(user_id)
        window = _window(reading.now - reading.now % 60) if self.depends_on_minute else ()
        further = self._further_conditions(reading)
        query = replace(self._query, conditions=(*self._query.conditions, *window, *further))
        if declared.read is None:
            page = storage.data.list_rows(user_id, query)
        else:
            page = declared.read(reading, query)
        context = Context(reading, state, given, page.rows, self._has_older, self._hidden)
        envelope: dict[str, Any] = {declared.key: declared.shape.documents(page.rows, context)}
        inferred = _applied(window)
        url = self._next_url(len(page.rows), inferred) if page.has_more else None
        if given["agentHints"]:
            envelope["agentHints"] = self._hints(reading, page, url, inferred)
        if self._is_records:
            envelope["appliedRecordDateFilters"] = [*_applied(given["recordDate"]), *inferred]
        envelope |= {"limit": query.limit, "offset": query.offset}
        if page.has_more:
            envelope["nextOffset"] = query.offset + len(page.rows)
        if query.with_total:
            envelope["total"] = page.total
        link = () if url is None else (("Link", f'<{url}>; rel="next"'),)
        return Payload(state, orjson.dumps(envelope), link)

    def _further_conditions(self, reading: Reading) -> list[Condition]:
        """Return the conditions that depend on stored data."""
        conditions: list[Condition] = []
        for name, asked in self.given.items():
            if isinstance(asked, RelatedTo):
                conditions += _related_to(reading, self._declared.resource, asked)
            elif name == "source" and asked is not None:
                conditions += _from_sources(asked, statements(reading))
        return conditions

    def _next_url(self, number: int, inferred: Sequence[str]) -> str:
        """Return the path and query of the next page, with the dates of the window (inferred)."""
        kept = [(name, value) for name, value in self._pairs if name not in ("offset", "limit")]
        kept += [("limit", str(self._query.limit))]
        kept += [("offset", str(self._query.offset + number))]
        kept += [("recordDate", each) for each in inferred]
        kept.sort(key=itemgetter(0))
        return f"{self.path}?{urlencode(kept, quote_via=quote, safe='')}"

    def _hints(
        self, reading: Reading, page: Page, url: str | None, inferred: Sequence[str]
    ) -> list[_Hint]:
        made = []
        if url is not None:
            text = "There are more rows: the next page is at action.url."
            made.append(_hint("pagination.has_more", "instruction", text, action={"url": url}))
        if missing := self._missing_ids(reading):
            made.append(_partial_match(missing))
        if not page.rows:
            filters: dict[str, str] = {}
            for name, value in self._pairs:
                if name not in _NOT_FILTERS:
                    filters[name] = f"{filters[name]},{value}" if name in filters else value
            data: dict[str, Any] = {"data": {"appliedFilters": filters}} if filters else {}
            made.append(_hint("result.empty", "info", "No rows match.", **data))
        if self._low is not None:
            remaining, reset_at = self._low
            data, text = {"remaining": remaining, "reset_at": reset_at}, "requests are left."
            made.append(_hint("rate_limit.warning", "warning", f"{remaining} {text}", data=data))
        if inferred:
            data = {"parameter": "recordDate", "provided": "", "inferred": ", ".join(inferred)}
            data["reason"] = "defaultRollingRange"
            text = "Without recordDate, the response has only the last 3 months."
            made.append(_hint("param.inferred", "info", text, data=data))
        return made

    def _missing_ids(self, reading: Reading) -> list[str]:
        """Return the requested ids that were not found, as they were written."""
        asked = [each for name, ids in self._pairs if name == "id" for each in ids.split(",")]
        if not asked:
            return []
        ids, resource = [each.lower() for each in asked], self._declared.resource
        rows = reading.storage.data.get_rows(reading.user_id, resource, ids)
        there = {row_id for row_id, row in rows.items() if matches(row, self._base)}
        return [each for each in dict.fromkeys(asked) if each.lower() not in there]


def _window(now: int) -> tuple[Condition, Condition]:
    """Return conditions for the records from 3 months before now to 24 hours after it."""
    day = now - now % DAY_SECONDS
    first, end = months_before(day, _WINDOW_MONTHS) + now - day, now + DAY_SECONDS
    return (
        condition_on(RECORDS, "recordDate", Operator.GTE, Span(first, first + 1)),
        condition_on(RECORDS, "recordDate", Operator.LT, Span(end, end + 1)),
    )


def _applied(conditions: Iterable[Condition]) -> list[str]:
    """Return conditions on dates as texts, with instants as operands."""
    return [each for condition in conditions for each in _texts(condition)]


def _texts(condition: Condition) -> Iterator[str]:
    span, operator = condition.operand, condition.operator
    assert isinstance(span, Span)
    if span.end - span.first == 1:
        yield f"{operator.prefix}.{moment(span.first)}"
    elif operator is Operator.EQ:
        yield from (f"gte.{moment(span.first)}", f"lt.{moment(span.end)}")
    elif operator in (Operator.GTE, Operator.LT):
        yield f"{operator.prefix}.{moment(span.first)}"
    else:
        after = {Operator.GT: Operator.GTE, Operator.LTE: Operator.LT}[operator]
        yield f"{after.prefix}.{moment(span.end)}"


def _from_sources(sources: Sequence[str], statements: Collection[int]) -> list[Condition]:
    """Return conditions for sources: "backend" is statement files, "missing" all other records."""
    numbers = tuple(sorted(statements))
    if "backend" not in sources and "missing" in sources:
        return [Condition(_IMPORT, Operator.NE, numbers, or_missing=True)] if numbers else []
    if "missing" in sources:
        return []
    return [Condition(_IMPORT, Operator.ANY_OF, numbers if "backend" in sources else ())]


def _related_to(reading: Reading, resource: Resource, asked: RelatedTo) -> list[Condition]:
    """Return conditions for the rows whose ids another object has; no rows if it is missing.

    If its field is empty, all rows match if `empty_is_all` is set, otherwise no rows.
    """
    ids = [asked.row_id.lower()]
    rows = reading.storage.data.get_rows(reading.user_id, asked.resource, ids)
    row: Row | None = rows.get(ids[0])
    if row is not None and not row[asked.field] and asked.empty_is_all:
        return []
    return [with_ids(resource["id"], () if row is None else row[asked.field])]


def _service(declared: WalletList) -> Service:
    resource = declared.resource
    always = {declared.key: array_of(declared.shape.schema), **PAGE}
    if resource is RECORDS:
        always["appliedRecordDateFilters"] = DATE_FILTERS
    page = of_members(f"{declared.shape.title}Page", {**always, **SOMETIMES}, always)
    response = ResponseDescription(page, headers=(*OF_LIST, LINK))
    declaration = of_resource(resource, ParameterSchema(*declared.parameters), response)
    return data_service(
        f"{WALLET_SURFACE}{declared.path}", WalletListRequest, declared, **declaration
    )


def _hidden_names(request: Request, resource: Resource) -> frozenset[str]:
    """Return which scopes of categories and labels the token lacks.

    The list then shows only the ids of these objects.
    """
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if resource not in _WITH_NAMES or identity.scopes is None:
        return frozenset()
    return frozenset({str(CATEGORIES.path), str(LABELS.path)} - set(identity.scopes))


class WalletRecordsByIdRequest(_WalletRequest):
    """A request for records by id, in the order of the ids, including void records."""

    is_cheap = True

    def read(self, reading: Reading) -> Payload:
        storage, user_id, asked = reading.storage, reading.user_id, self.given["id"]
        state = storage.data.get_state(user_id)
        ids = list(dict.fromkeys(each.lower() for each in asked))
        by_id = storage.data.get_rows(user_id, RECORDS, ids)
        rows = [by_id[row_id] for row_id in ids if row_id in by_id]
        missing = [each for each in asked if each.lower() not in by_id]
        context = Context(reading, state, self.given, rows, self._has_older)
        answer: dict[str, Any] = {"records": RECORD.documents(rows, context), "count": len(rows)}
        if missing:
            answer["missingIds"] = missing
        if missing and self.given["agentHints"]:
            answer["agentHints"] = [_partial_match(missing)]
        return Payload(state, orjson.dumps(answer))


_BY_ID = ResponseDescription(
    of_members(
        "RecordsById",
        {
            "records": array_of(RECORD.schema),
            "count": value("Number of records found.", 1),
            "missingIds": array_of(value("An id without a record.", "4711")),
            "agentHints": HINTS,
        },
        ["records", "count"],
    ),
    headers=OF_LIST,
)
SERVICES = (
    *(_service(declared) for declared in LISTS),
    data_service(
        f"{WALLET_SURFACE}records/by-id",
        WalletRecordsByIdRequest,
        **of_resource(RECORDS, required_ids(MAX_LIST_OPERANDS), _BY_ID, "Records by their ids."),
    ),
)
