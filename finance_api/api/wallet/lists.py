"""GET /wallet/v1/api/<list>, and /wallet/v1/api/records/by-id of versions before 1.3"""

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any
from urllib.parse import quote, urlencode

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, Reading, RequestTarget
from finance_api.api.openapi.responses import LINK, ResponseDescription
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.representation import HeaderItems
from finance_api.api.service import Service, of_resource
from finance_api.api.wallet import hints
from finance_api.api.wallet.context import Context, mirrors_of, names_of_state
from finance_api.api.wallet.declarations import LISTS, WalletList
from finance_api.api.wallet.members import documents, dumps, object_schema
from finance_api.api.wallet.objects import RECORD
from finance_api.api.wallet.parameters import RelatedTo, required_ids, schema_of, with_ids
from finance_api.api.wallet.records import applied_filters, of_source, window_at
from finance_api.api.wallet.responses import OF_LIST, state_headers
from finance_api.api.wallet.schemas import COUNT, DATE_FILTERS, HINTS, PAGE, SOMETIMES, text
from finance_api.auth.refusals import require_scopes
from finance_api.http.identity import TokenIdentity
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.http.surfaces import WALLET_SURFACE
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Query
from finance_api.query.parse import MAX_LIST_OPERANDS
from finance_api.query.records import NOT_VOID
from finance_api.resources import CATEGORIES, LABELS, RECORD_RULES, RECORDS, STANDING_ORDERS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, Page, Storage
from finance_api.values import Row

#: Parameters that are not filters.
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
    ) -> None:
        """hidden: see `_hidden_names`. low: a hint says so."""
        super().__init__(target)
        self._declared, self._has_older, self._hidden, self._low = declared, has_older, hidden, low
        given = self.given
        is_records = declared.resource is RECORDS
        # Without a date or an id the list has a window of days.
        self.depends_on_minute = is_records and not given["recordDate"] and not given["id"]
        self._base = (NOT_VOID,) if is_records and not given["recordState"] else ()
        self._query = Query(
            declared.resource,
            (*given.conditions, *self._base),
            given.get("sortBy", ()),
            given["limit"],
            given["offset"],
            given["withTotal"],
        )
        # The query as it was written is in the answer.
        self.own_text = f"{target.query_string}\0{has_older} {low} {','.join(sorted(hidden))}"
        self.depends_on_today = declared.depends_on_today
        self.convert_to = given.get("convertTo")
        only_rows = declared.read is None and (is_records or declared.enrich is None)
        self.is_cheap = only_rows and self.convert_to is None and self._query.is_cheap
        self._dates: tuple[Condition, ...] = ()

    def state_headers(self, state: DataState) -> HeaderItems:
        return state_headers(state)

    def read(self, reading: Reading) -> Payload:
        storage, user_id = reading.storage, reading.user_id
        declared, given = self._declared, self.given
        state = storage.data.get_state(user_id)
        names = names_of_state(storage, user_id, state)
        if self._hidden:
            names = names.without(self._hidden)
        context = Context(names, given, reading.today, state.changed_at, self._has_older)
        if self.depends_on_minute:
            self._dates = window_at(reading.now - reading.now % 60)
        further = self._further_conditions(storage, user_id, context)
        query = replace(self._query, conditions=(*self._query.conditions, *self._dates, *further))
        if declared.read is None:
            page = storage.data.list_rows(user_id, query)
        else:
            page = declared.read(reading, query)
        if declared.enrich is not None:
            declared.enrich(reading, page.rows, context)
        envelope: dict[str, Any] = {declared.key: documents(declared.members, page.rows, context)}
        url = self._next_url(len(page.rows)) if page.has_more else None
        if given["agentHints"]:
            envelope["agentHints"] = self._hints(storage, user_id, page, url)
        if declared.resource is RECORDS:
            envelope["appliedRecordDateFilters"] = self._applied_dates()
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
        """Return the conditions that depend on stored data."""
        found: list[Condition] = []
        for asked in self.given.values():
            if isinstance(asked, RelatedTo):
                found += _of_related(storage, user_id, self._declared, asked)
        sources = self.given.get("source")
        return found if sources is None else [*found, *of_source(sources, context)]

    def _applied_dates(self) -> list[str]:
        return applied_filters((*self.given["recordDate"], *self._dates))

    def _next_url(self, number: int) -> str:
        """The path and query of the next page; the window stands in it as it is now."""
        pairs = [(k, v or "") for k, v in split_query(self.target.query_string)]
        kept = [(k, v) for k, v in pairs if k not in ("offset", "limit")]
        kept += [("limit", str(self._query.limit))]
        kept += [("offset", str(self._query.offset + number))]
        kept += [("recordDate", text) for text in applied_filters(self._dates)]
        kept.sort(key=itemgetter(0))
        return f"{self.target.path}?{urlencode(kept, quote_via=quote, safe='')}"

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
            found.append(hints.inferred_window(self._applied_dates()))
        return found

    def _missing_ids(self, storage: Storage, user_id: int) -> list[str]:
        """Return the requested ids that were not found, as they were written."""
        asked = [
            text
            for name, operand in split_query(self.target.query_string)
            if name == "id"
            for text in (operand or "").split(",")
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
        for name, operand in split_query(self.target.query_string):
            if name not in _NOT_FILTERS:
                found[name] = f"{found[name]},{operand}" if name in found else operand
        return found


def _of_related(
    storage: Storage, user_id: int, declared: WalletList, asked: RelatedTo
) -> list[Condition]:
    """The rows that another object names; none where there is no such object."""
    row_id = asked.row_id.lower()
    row: Row | None = storage.data.get_rows(user_id, asked.resource, [row_id]).get(row_id)
    ids = () if row is None else row[asked.field]
    if row is not None and not ids and asked.empty_is_all:
        return []
    return [with_ids(declared.resource["id"], ids)]


def _response(declared: WalletList) -> ResponseDescription:
    always = {declared.key: array_of(object_schema(declared.title, declared.members)), **PAGE}
    if declared.resource is RECORDS:
        always["appliedRecordDateFilters"] = DATE_FILTERS
    schema = of_members(f"{declared.title}Page", {**always, **SOMETIMES}, always)
    return ResponseDescription(schema, headers=(*OF_LIST, LINK))


def _service(declared: WalletList) -> Service:
    def list_rows(request: Request) -> Response:
        given = request.validated
        others = [v.resource for v in given.values() if isinstance(v, RelatedTo)]
        require_scopes(request, [str(resource.path) for resource in others])
        has_older = request.registry.settings["finance_api.wallet.older_names"]
        hidden = _hidden_names(request, declared.resource)
        low = hints.low_quota(request) if given["agentHints"] else None
        return respond(request, WalletListRequest, declared, has_older, hidden, low)

    path, schema = f"{WALLET_SURFACE}{declared.path}", schema_of(declared.parameters)
    declaration = of_resource(declared.resource, schema, _response(declared))
    return Service(path, list_rows, **declaration)


def _hidden_names(request: Request, resource: Resource) -> frozenset[str]:
    """Return the scopes the request's token lacks: the list shows only the ids of their objects."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if resource not in _WITH_NAMES or identity.scopes is None:
        return frozenset()
    return frozenset({str(CATEGORIES.path), str(LABELS.path)} - set(identity.scopes))


class WalletRecordsByIdRequest(DataRequest):
    """Records in the order of the ids, void ones too."""

    is_cheap = True

    def __init__(self, has_older: bool, target: RequestTarget) -> None:
        super().__init__(target)
        self._has_older = has_older
        self.own_text = str(has_older)

    def state_headers(self, state: DataState) -> HeaderItems:
        return state_headers(state)

    def read(self, reading: Reading) -> Payload:
        storage, user_id, ids = reading.storage, reading.user_id, self.given["id"]
        state = storage.data.get_state(user_id)
        found = storage.data.get_rows(user_id, RECORDS, [text.lower() for text in ids])
        wanted = dict.fromkeys(text.lower() for text in ids)
        rows = [found[row_id] for row_id in wanted if row_id in found]
        missing = [text for text in ids if text.lower() not in found]
        context = Context(
            names_of_state(storage, user_id, state),
            self.given,
            has_older=self._has_older,
            mirrors=mirrors_of(storage, user_id, rows),
        )
        answer = {"records": documents(RECORD, rows, context), "count": len(rows)}
        if missing:
            answer["missingIds"] = missing
        if missing and self.given["agentHints"]:
            answer["agentHints"] = [hints.partial_match(missing)]
        return Payload(state, dumps(answer))


def get_records_by_id(request: Request) -> Response:
    has_older = request.registry.settings["finance_api.wallet.older_names"]
    return respond(request, WalletRecordsByIdRequest, has_older)


_BY_ID = ResponseDescription(
    of_members(
        "RecordsById",
        {
            "records": array_of(object_schema(RECORDS.model_type, RECORD)),
            "count": value(COUNT, "How many were found.", 1),
            "missingIds": array_of(text("An id that nothing has.", "4711")),
            "agentHints": HINTS,
        },
        ["records", "count"],
    ),
    headers=OF_LIST,
)
SERVICES = (
    *(_service(declared) for declared in LISTS),
    Service(
        f"{WALLET_SURFACE}records/by-id",
        get_records_by_id,
        **of_resource(
            RECORDS, required_ids(MAX_LIST_OPERANDS), _BY_ID, "Particular records by their ids."
        ),
    ),
)
