"""GET /wallet/v1/api/<list>"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any
from urllib.parse import quote, urlencode

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.openapi.responses import LINK, ResponseDescription
from finance_api.api.openapi.schemas import array_of, of_members
from finance_api.api.representation import JSON, HeaderItems, negotiate
from finance_api.api.service import Service, named, options
from finance_api.api.wallet import hints, window
from finance_api.api.wallet.context import Context, names_of_state
from finance_api.api.wallet.declarations import LISTS, WalletList
from finance_api.api.wallet.headers import OF_LIST, state_headers
from finance_api.api.wallet.members import documents, dumps, object_schema
from finance_api.api.wallet.parameters import RelatedTo, conditions_in, schema_of, with_ids
from finance_api.api.wallet.records import of_source
from finance_api.api.wallet.schemas import DATE_FILTERS, PAGE, SOMETIMES
from finance_api.auth.contexts import own_data
from finance_api.auth.refusals import require_scopes
from finance_api.http.identity import TokenIdentity
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.http.surfaces import WALLET_SURFACE
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Query
from finance_api.query.records import NOT_VOID
from finance_api.resources import CATEGORIES, LABELS, RECORD_RULES, RECORDS, STANDING_ORDERS
from finance_api.resources.field import Resource
from finance_api.resources.naming import snake_case
from finance_api.storage.interface import DataState, Page, Storage
from finance_api.values import Row

#: What is no filter of an answer.
_NOT_FILTERS = frozenset({"limit", "offset", "agentHints", "withTotal", "sortBy"})

#: They show categories and labels, which have scopes of their own.
_WITH_NAMES = (RECORD_RULES, STANDING_ORDERS)


class WalletListRequest(DataRequest):
    """A page of a list in Wallet's envelope."""

    def __init__(
        self,
        declared: WalletList,
        has_older: bool,
        hidden: frozenset[str],
        low: hints.LowQuota | None,
        target: RequestTarget,
        now: int | None = None,
    ) -> None:
        """hidden: see `_hidden_names`. low: told by a hint.

        now: of the window of records, where no date is asked for.
        """
        negotiate(target.accept, (JSON,))
        self._declared, self._has_older, self._hidden, self._low = declared, has_older, hidden, low
        self._target, self._given = target, target.parameters
        given = target.parameters
        is_records = declared.resource is RECORDS
        self._dates: tuple[Condition, ...] = ()
        self.depends_on_now = is_records and not given["recordDate"] and not given["id"]
        if self.depends_on_now and now is not None:
            self._dates = window.window_at(now)
        self._base = (NOT_VOID,) if is_records and not given["recordState"] else ()
        conditions = (*conditions_in(declared.parameters, given), *self._base, *self._dates)
        self._query = Query(
            declared.resource,
            conditions,
            given.get("sortBy", ()),
            given["limit"],
            given["offset"],
            given["withTotal"],
            with_time=is_records,
        )
        # The path and the query are in the answer.
        shown = f"{has_older} {low} {','.join(sorted(hidden))}"
        asked = f"wallet\0{target.path}\0{target.query_string}\0{shown}"
        self.text = "\0".join([asked, *window.applied_filters(self._dates)])
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string, shown)
        self.depends_on_today = declared.depends_on_today
        self.convert_to = given.get("convertTo")
        only_rows = declared.read is None and (is_records or declared.enrich is None)
        self.is_cheap = only_rows and self.convert_to is None and self._query.is_cheap
        #: What it was in the last minute that it was asked for in.
        self._latest: tuple[int, WalletListRequest | None] = 0, None

    def at(self, now: int) -> "WalletListRequest":
        latest, found = self._latest
        if found is None or latest != now:
            shown = self._declared, self._has_older, self._hidden, self._low
            found = WalletListRequest(*shown, self._target, now)
            self._latest = now, found
        return found

    def state_headers(self, state: DataState) -> HeaderItems:
        return state_headers(state)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        declared, given = self._declared, self._given
        state = storage.data.get_state(user_id)
        names = names_of_state(storage, user_id, state)
        if self._hidden:
            names = names.without(self._hidden)
        context = Context(names, today, state.changed_at, self._has_older)
        query = self._query
        further = self._further_conditions(storage, user_id, context)
        if further:
            query = replace(query, conditions=(*query.conditions, *further))
        page = (declared.read or _read_rows)(storage, user_id, query, today)
        if declared.enrich is not None:
            declared.enrich(storage, user_id, page.rows, given, context)
        envelope: dict[str, Any] = {declared.key: documents(declared.members, page.rows, context)}
        url = self._next_url(len(page.rows)) if page.has_more else None
        if given["agentHints"]:
            envelope["agentHints"] = self._hints(storage, user_id, page, url)
        if declared.resource is RECORDS:
            envelope["appliedRecordDateFilters"] = self._applied_dates
        envelope |= {"limit": query.limit, "offset": query.offset}
        if page.has_more:
            envelope["nextOffset"] = query.offset + len(page.rows)
        if query.with_total:
            envelope["total"] = page.total
        link = () if url is None else (("Link", f'<{url}>; rel="next"'),)
        return Payload(state, dumps(envelope), link)

    def _further_conditions(
        self, storage: Storage, user_id: int, context: Context
    ) -> list[Condition]:
        """Those that follow from what is stored."""
        found: list[Condition] = []
        for value in self._given.values():
            if isinstance(value, RelatedTo):
                found += _of_related(storage, user_id, self._declared, value)
        sources = self._given.get("source")
        return found if sources is None else [*found, *of_source(sources, context)]

    @cached_property
    def _applied_dates(self) -> list[str]:
        return window.applied_filters((*self._given["recordDate"], *self._dates))

    def _next_url(self, number: int) -> str:
        """The path and query of the next page; the window stands in it as it is now."""
        before, after = self._around_offset
        return f"{self._target.path}?{before}{self._query.offset + number}{after}"

    @cached_property
    def _around_offset(self) -> tuple[str, str]:
        """The query of the next page before its offset, and after it."""
        pairs = [(k, v or "") for k, v in split_query(self._target.query_string)]
        kept = [(k, v) for k, v in pairs if k not in ("offset", "limit")]
        kept += [("limit", str(self._query.limit))]
        kept += [("recordDate", text) for text in window.applied_filters(self._dates)]
        kept.sort(key=lambda pair: pair[0])
        before = [pair for pair in kept if pair[0] < "offset"]
        after = [pair for pair in kept if pair[0] > "offset"]
        encode = partial(urlencode, quote_via=quote, safe="")
        return encode([*before, ("offset", "")]), f"&{encode(after)}" if after else ""

    def _hints(
        self, storage: Storage, user_id: int, page: Page, url: str | None
    ) -> list[hints.Hint]:
        found = [] if url is None else [hints.has_more(url)]
        missing = self._missing_ids(storage, user_id)
        if missing:
            found.append(hints.partial_match(missing))
        if not page.rows:
            found.append(hints.empty(self._filters()))
        if self._low is not None:
            found.append(hints.quota_warning(self._low))
        if self._dates:
            found.append(hints.inferred_window(self._applied_dates))
        return found

    def _missing_ids(self, storage: Storage, user_id: int) -> list[str]:
        """Of the ids that were asked for, as they were written."""
        asked = [
            text
            for name, value in split_query(self._target.query_string)
            if name == "id"
            for text in (value or "").split(",")
        ]
        resource = self._declared.resource
        if not asked:
            return []
        ids = [text.lower() for text in asked]
        rows = storage.data.get_rows(user_id, resource, ids)
        there = {row_id for row_id, row in rows.items() if matches(row, self._base)}
        return [text for text in dict.fromkeys(asked) if text.lower() not in there]

    def _filters(self) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for name, value in split_query(self._target.query_string):
            if name not in _NOT_FILTERS:
                found[name] = f"{found[name]},{value}" if name in found else value
        return found


def _read_rows(storage: Storage, user_id: int, query: Query, today: int) -> Page:
    return storage.data.list_rows(user_id, query)


def _of_related(
    storage: Storage, user_id: int, declared: WalletList, asked: RelatedTo
) -> list[Condition]:
    """The rows that another object names; none where there is no such object."""
    related = asked.related
    rows: dict[str, Row] = storage.data.get_rows(user_id, related.resource, [asked.row_id.lower()])
    row = rows.get(asked.row_id.lower())
    ids = () if row is None else row[related.field]
    if row is not None and not ids and related.empty_is_all:
        return []
    return [with_ids(declared.resource["id"], ids)]


def _response(declared: WalletList) -> ResponseDescription:
    always = {declared.key: array_of(object_schema(declared.title, declared.members)), **PAGE}
    if declared.resource is RECORDS:
        always["appliedRecordDateFilters"] = DATE_FILTERS
    schema = of_members(f"{declared.title}Page", {**always, **SOMETIMES}, always)
    return ResponseDescription(schema, headers=(*OF_LIST, LINK))


def _service(declared: WalletList) -> Service:
    @named(f"list_{snake_case(declared.key)}")
    def list_rows(request: Request) -> Response:
        given = request.validated
        others = [v.related.resource for v in given.values() if isinstance(v, RelatedTo)]
        require_scopes(request, [str(resource.path) for resource in others])
        has_older = request.registry.settings["finance_api.wallet.older_names"]
        hidden = _hidden_names(request, declared.resource)
        low = hints.low_quota(request) if given["agentHints"] else None
        return respond(request, WalletListRequest, declared, has_older, hidden, low)

    scope = str(declared.resource.path)
    path = f"{WALLET_SURFACE}{declared.path}"
    service = Service(
        f"wallet {declared.path}",
        path,
        **options(
            declared.resource.meaning,
            schema_of(declared.parameters),
            declared.permission,
            own_data(scope, declared.permission),
            _response(declared),
            (scope,),
        ),
    )
    service.add_view("GET", list_rows)
    return service


def _hidden_names(request: Request, resource: Resource) -> frozenset[str]:
    """Return the scopes the request's token lacks: the list shows only the ids of their objects."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if resource not in _WITH_NAMES or identity.scopes is None:
        return frozenset()
    return frozenset({str(CATEGORIES.path), str(LABELS.path)} - set(identity.scopes))


SERVICES = tuple(_service(declared) for declared in LISTS)
