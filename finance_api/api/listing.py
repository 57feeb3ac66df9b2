"""Rows of the public API: a page of a resource, single objects, tables of sums, exports."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote, urlencode

import orjson
from pyramid.httpexceptions import HTTPException

from finance_api.api.data_request import (
    DataRequest,
    Export,
    ExportRequest,
    Payload,
    Reading,
    TaggedRequest,
)
from finance_api.api.parameters import CONVERT_TO, COUNTED, REVISION, WITH_SUBCATEGORIES
from finance_api.api.representation import (
    CSV,
    HINTS,
    JSON,
    NDJSON,
    OF_LISTS,
    TABLES,
    XLSX,
    HeaderItems,
    body_of,
    chunks_of,
    fields_to_show,
    json_page,
    next_offset,
    page_headers,
    shared,
)
from finance_api.http.downloads import Chunks
from finance_api.http.errors import parameter_problem, problem
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.ledger.dump import count_dumped, dump
from finance_api.planning.categories import with_subcategories
from finance_api.planning.computing import list_computed
from finance_api.planning.conversion import CONVERTED, converted_fields, with_converted
from finance_api.planning.counted import counted_only, with_flow
from finance_api.planning.hints import MAX_HINTS, find_hints, find_left_out, negative_fields
from finance_api.query.model import Condition, Operator, Query, any_of, condition_on
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS
from finance_api.resources.field import Field, Resource
from finance_api.resources.records import FLOW
from finance_api.serialization.rows import RowEncoder, encoder_of, shown
from finance_api.serialization.xlsx import MAX_ROWS, readable_first
from finance_api.storage.interface import STREAMED_ROWS, DataState, JsonPage
from finance_api.values import Row


class _RowsRequest(DataRequest):
    """A request for rows of a resource, each with the requested fields and converted amount.

    columns: the requested fields, and the fields of the converted amount.
    are_stored: whether the stored JSON of rows has all columns.
    """

    def __init__(self, resource: Resource, request: Request) -> None:
        super().__init__(request)
        self.resource = resource
        self.columns = fields_to_show(self.representation, resource, self.given["fields"])
        if self.is_for_link and self.given["fields"] is None:
            self.columns = shared(self.columns)
        self.convert_to = self.given.get(CONVERT_TO)
        self.depends_on_today = bool(resource.computed_fields)
        self.are_stored = self.convert_to is None and not resource.computed_fields
        if self.convert_to is not None:
            self.columns = (*self.columns, *converted_fields(CONVERTED[resource]))
            self.depends_on_today |= resource is ACCOUNTS

    def lines(self, reading: Reading, rows: list[Row]) -> bytes:
        """Return the columns of the rows as JSON, one object per line."""
        if self.convert_to is not None:
            today = reading.today
            rows = with_converted(reading.storage, self.resource, rows, self.convert_to, today)
        return RowEncoder(self.columns).lines(rows)

    def page(self, reading: Reading, query: Query) -> JsonPage:
        if self.are_stored:
            stored = reading.storage.data.list_json(reading.user_id, query)
            # A table takes its columns from whole rows.
            columns = self.resource.fields if self.representation in TABLES else self.columns
            lines = shown(self.resource, columns, stored.lines)
            return stored if lines is stored.lines else replace(stored, lines=lines)
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        page = list_computed(storage, user_id, query, reading.today)
        return JsonPage(state, self.lines(reading, page.rows), page.has_more, page.total)


class ListRequest(_RowsRequest):
    """A request for a page of a resource, in one of the representations of lists."""

    forms = OF_LISTS

    def __init__(self, resource: Resource, request: Request) -> None:
        super().__init__(resource, request)
        given = self.given
        self._query = given.query(resource)
        # These add conditions when the query is resolved.
        adds = given.get(FLOW.name) or given.get(COUNTED)
        adds = adds or negative_fields(self._query.conditions)
        self.is_cheap = self.are_stored and self._query.is_cheap and not adds
        self.depends_on_today |= self._query.is_relative

    def read(self, reading: Reading) -> Payload:
        query = resolved(self._query, self.given, reading)
        page = self.page(reading, query)
        link = next_link(self, next_offset(query, page))
        if self.representation is JSON:
            count = partial(_count, reading, self.resource) if not query.offset else None
            has_rows, asked = bool(page.lines), query.conditions
            hints = hints_of(self._query, reading, has_rows=has_rows, conditions=asked, count=count)
            body = json_page(query, page, hints, has_revision=not reading.is_for_link)
            return Payload(page.state, body, link)
        body = body_of(self.representation, query.resource.name, self.columns, page.lines)
        return Payload(page.state, body, (*page_headers(query, page), *link))


class ObjectRequest(_RowsRequest):
    """A request for one object of a resource, with the same fields as in the list."""

    is_always_there = False

    def __init__(self, resource: Resource, request: Request) -> None:
        super().__init__(resource, request)
        self.is_cheap = self.are_stored

    def read(self, reading: Reading) -> Payload:
        ids = (self.match["id"].lower(),)
        named = condition_on(self.resource, "id", Operator.ANY_OF, ids)
        page = self.page(reading, Query(self.resource, (named,), limit=1))
        if not page.lines:
            raise _missing(reading, self.resource, *ids)
        return Payload(page.state, page.lines)


def no_object(resource: Resource) -> HTTPException:
    """Return a 404, the same for an unknown id and for an id of another user."""
    return problem(404, f"There is no {resource.word} with this id.")


def _missing(reading: Reading, resource: Resource, row_id: str) -> HTTPException:
    """Return a 404; or, if a record was split, a 410 that names its parts."""
    data, user_id = reading.storage.data, reading.user_id
    if resource is not RECORDS or not data.get_rows(user_id, SPLITS, [row_id]):
        return no_object(resource)
    parts = list(data.scan_rows(user_id, RECORDS, conditions=[any_of("splitId", [row_id])]))
    if not parts:
        # All parts were deleted.
        return no_object(resource)
    detail = f"This record was split into parts: the {len(parts)} records whose splitId is its id."
    return problem(410, detail, partIds=[part["id"] for part in parts])


class RecordsByIdRequest(_RowsRequest):
    """A request for records by id: the records, in the order of the ids; and the unknown ids."""

    def __init__(self, request: Request) -> None:
        super().__init__(RECORDS, request)
        self.is_cheap = self.are_stored

    def read(self, reading: Reading) -> Payload:
        ids, data = list(dict.fromkeys(self.given["id"])), reading.storage.data
        if self.are_stored:
            state, rows = data.get_json(reading.user_id, RECORDS, ids)
            missing = [row_id for row_id, row in zip(ids, rows, strict=True) if not row]
            lines = shown(RECORDS, self.columns, b"\n".join(filter(None, rows)))
        else:
            state = data.get_state(reading.user_id)
            by_id = data.get_rows(reading.user_id, RECORDS, ids)
            missing = [row_id for row_id in ids if row_id not in by_id]
            lines = self.lines(reading, [by_id[row_id] for row_id in ids if row_id in by_id])
        count = len(ids) - len(missing)
        end = b'],"count":%d,"missingIds":%b}' % (count, orjson.dumps(missing))
        return Payload(state, b'{"records":[' + lines.replace(b"\n", b",") + end)


def resolved(query: Query, given: Mapping[str, Any], reading: Reading) -> Query:
    """Return the query with relative days, subcategories, ``flow`` and ``counted`` resolved."""
    if query.is_relative:
        query = query.on(reading.today)
    storage, user_id, conditions = reading.storage, reading.user_id, query.conditions
    if given.get(WITH_SUBCATEGORIES):
        conditions = with_subcategories(storage, user_id, query.resource, conditions)
    if given.get(FLOW.name):
        conditions = with_flow(storage, user_id, given[FLOW.name], conditions)
    if given.get(COUNTED):
        conditions = counted_only(storage, user_id, conditions)
    return query if conditions is query.conditions else replace(query, conditions=conditions)


def _count(reading: Reading, resource: Resource, conditions: tuple[Condition, ...]) -> int:
    return reading.storage.data.count_rows(reading.user_id, Query(resource, conditions))


def hints_of(
    query: Query,
    reading: Reading,
    *,
    has_rows: bool,
    conditions: Sequence[Condition] = (),
    count: Callable[[tuple[Condition, ...]], int] | None = None,
    further: Sequence[str] = (),
) -> list[str]:
    """Return hints about an answer. query: the query before it was `resolved`.

    conditions: those of the resolved query. count: see `find_left_out`; None: no such hints.
    further: more hints about rows that were left out.
    """
    hints = find_hints(
        reading.storage,
        reading.user_id,
        query.resource,
        query.conditions,
        has_rows=has_rows,
        may_suggest=not reading.is_for_link,
    )
    # The readers of a link learn nothing about other rows.
    if count is not None and not reading.is_for_link:
        nouns = query.resource.word, str(query.resource.path).replace("-", " ")
        hints += [*find_left_out(nouns, query.conditions, conditions, count), *further]
    return hints[:MAX_HINTS]


def next_link(asked: TaggedRequest, offset: int | None) -> HeaderItems:
    """Return the Link header of the next page (RFC 8288), or nothing if ``offset`` is None.

    The link is the request's path and query with another offset. It does not use the Host header.
    """
    if offset is None:
        return ()
    return (("Link", _link_pattern(asked.path, asked.query_string) % offset),)


@lru_cache(maxsize=256)
def _link_pattern(path: str, query_string: str) -> str:
    """Return the Link header, as a ``%`` format for the offset."""
    pairs = [(k, v or "") for k, v in split_query(query_string) if k != "offset"]
    query = urlencode([*pairs, ("offset", "")], quote_via=quote)
    return f"<{path}?{query}".replace("%", "%%") + '%d>; rel="next"'


# -- tables -------------------------------------------------------------------------------------


class TableRequest(DataRequest):
    """A request for a table. name: the member of the envelope that contains the rows."""

    forms = OF_LISTS
    name: str

    def hint_member(self, query: Query, reading: Reading, **known: Any) -> dict[str, list[str]]:
        """Return the member with hints, if there are any. known: see `hints_of`."""
        if self.representation is not JSON:
            return {}
        hints = hints_of(query, reading, **known)
        return {HINTS: hints} if hints else {}

    def shown_columns(self, columns: Sequence[Field]) -> Sequence[Field]:
        return shared(columns) if self.is_for_link else columns

    def account_hints(self, reading: Reading, rows: Sequence[Row]) -> dict[str, list[str]]:
        """Return the `hint_member` of a table whose only filter is accountId."""
        asked = Query(RECORDS, self.given["accountId"])
        return self.hint_member(asked, reading, has_rows=bool(rows))

    def table(
        self,
        state: DataState,
        columns: Sequence[Field],
        rows: Sequence[Row],
        members: Mapping[str, Any],
        headers: HeaderItems = (),
        *,
        has_more: bool | None = None,
    ) -> Payload:
        """Return the table. members: the members after the rows in the envelope, for orjson.

        headers: sent instead of the members if there is no envelope. has_more: whether another page
        follows; None if the table has no pages.
        """
        link: HeaderItems = ()
        if has_more is not None:
            limit, offset = self.given["limit"], self.given["offset"]
            following = offset + limit if has_more else None
            members = {**members, "limit": limit, "offset": offset, "nextOffset": following}
            members |= {} if self.is_for_link else {REVISION: state.revision}
            headers = (("X-Next-Offset", str(following or "")), *headers)
            link = next_link(self, following)
        columns = self.shown_columns(columns)
        if self.representation is XLSX:
            columns = readable_first(columns)
        encoder = RowEncoder(columns)
        if self.representation is JSON:
            return Payload(
                state, orjson.dumps({self.name: encoder.documents(rows), **members}), link
            )
        body = body_of(self.representation, self.name, columns, encoder.lines(rows))
        return Payload(state, body, (*headers, *link))


def names_by_id(reading: Reading, *resources: Resource) -> dict[str, str | None]:
    """Return the names of all objects of these resources, by id."""
    scan, user_id = reading.storage.data.scan_rows, reading.user_id
    return {row["id"]: row["name"] for each in resources for row in scan(user_id, each)}


# -- exports ------------------------------------------------------------------------------------

#: The representations of exports, the default first.
OF_EXPORTS = (NDJSON, CSV, XLSX)
TRAILER = "trailer"


class ListExport(ExportRequest):
    forms = OF_EXPORTS

    def __init__(self, resource: Resource, request: Request) -> None:
        super().__init__(request)
        self._has_trailer: bool = self.given[TRAILER]
        if self._has_trailer and self.representation is not NDJSON:
            raise parameter_problem([(TRAILER, "is only for NDJSON")])
        self._query = Query(resource, self.given.conditions, self.given["sortBy"])
        self.name = str(resource.path)
        self.depends_on_today = bool(resource.computed_fields) or self._query.is_relative

    def open(self, reading: Reading) -> Export:
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        query = resolved(self._query, self.given, reading)
        count = storage.data.count_rows(user_id, query)
        if self.representation is XLSX and count > MAX_ROWS:
            raise problem(
                400,
                f"There are {count:,} rows, but a workbook can have only {MAX_ROWS:,}: filter for "
                f"fewer rows, or ask for .csv or .ndjson.",
            )
        return Export(state, count, self._chunks(reading, query, count))

    def _chunks(self, reading: Reading, query: Query, count: int) -> Chunks:
        resource, pages = query.resource, _pages(reading, query, count)
        fields = fields_to_show(self.representation, resource, self.given["fields"])
        yield from chunks_of(self.representation, resource.name, fields, pages, count, resource)
        if self._has_trailer:
            yield b'{"end":true,"rows":%d}\n' % count


def _pages(reading: Reading, query: Query, count: int) -> Iterator[bytes]:
    """Yield pages like `DataReader.stream_json`, also for resources with computed fields."""
    storage, user_id = reading.storage, reading.user_id
    if not query.resource.computed_fields:
        yield from storage.data.stream_json(user_id, query)
        return
    # Such resources have few rows, and these may be sorted by a computed field.
    query = replace(query, limit=max(1, count))
    rows = list_computed(storage, user_id, query, reading.today).rows
    for start in range(0, len(rows), STREAMED_ROWS):
        yield encoder_of(query.resource).lines(rows[start : start + STREAMED_ROWS])


class WholeExport(ExportRequest):
    """An export of all the user's data, as `finance-api dump` writes it."""

    forms = (NDJSON,)
    name = "finance-data"

    def open(self, reading: Reading) -> Export:
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        return Export(state, count_dumped(storage, user_id), dump(storage, user_id))
