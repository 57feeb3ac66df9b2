"""Rows of the public API: a page of a resource, with a link to the next one; single objects."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from finance_api.api.data_request import DataRequest, Payload, Reading, RequestTarget
from finance_api.api.parameters import (
    CONVERT_TO,
    COUNTED,
    WITH_SUBCATEGORIES,
    query_of,
)
from finance_api.api.representation import (
    JSON,
    OF_LISTS,
    HeaderItems,
    body_of,
    json_page,
    next_offset,
    page_headers,
)
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.querystring import split_query
from finance_api.planning.computing import depends_on_today, list_computed
from finance_api.planning.conversion import CONVERTED, converted_fields, with_converted
from finance_api.planning.counted import counted_only
from finance_api.planning.subcategories import with_subcategories
from finance_api.query.model import Operator, Query, condition_on
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.field import Field, Resource
from finance_api.resources.wire import RowEncoder, shown
from finance_api.storage.interface import JsonPage
from finance_api.values import Row


class _RowsRequest(DataRequest):
    """Rows of a resource, each with the fields and the converted amount that are asked for.

    columns: the fields, with those of the converted amount.
    are_stored: whether the stored JSON of rows has all of them.
    """

    def __init__(self, resource: Resource, target: RequestTarget) -> None:
        super().__init__(target)
        self.resource = resource
        self.columns: Sequence[Field] = self.given["fields"]
        self.convert_to = self.given.get(CONVERT_TO)
        self.depends_on_today = depends_on_today(resource)
        self.are_stored = self.convert_to is None and not resource.computed_fields
        if self.convert_to is not None:
            self.columns = (*self.columns, *converted_fields(CONVERTED[resource]))
            self.depends_on_today |= resource is ACCOUNTS

    def lines(self, reading: Reading, rows: list[Row]) -> bytes:
        """The columns of the rows as JSON, an object on each line."""
        if self.convert_to is not None:
            today = reading.today
            rows = with_converted(reading.storage, self.resource, rows, self.convert_to, today)
        return RowEncoder(self.columns).lines(rows)

    def page(self, reading: Reading, query: Query) -> JsonPage:
        storage, user_id = reading.storage, reading.user_id
        if self.are_stored:
            stored = storage.data.list_json(user_id, query)
            return replace(stored, lines=shown(self.resource, self.columns, stored.lines))
        state = storage.data.get_state(user_id)
        page = list_computed(storage, user_id, query, reading.today)
        return JsonPage(state, self.lines(reading, page.rows), page.has_more, page.total)


class ListRequest(_RowsRequest):
    """A page of a resource, in one of the representations of lists."""

    forms = OF_LISTS

    def __init__(self, resource: Resource, target: RequestTarget) -> None:
        super().__init__(resource, target)
        self._query = query_of(resource, self.given)
        self.is_cheap = self.are_stored and self._query.is_cheap
        self.depends_on_today |= self._query.is_relative

    def read(self, reading: Reading) -> Payload:
        query = resolved(self._query, self.given, reading)
        page = self.page(reading, query)
        link = next_link(self.target, next_offset(query, page))
        if self.representation is JSON:
            return Payload(page.state, json_page(query, page, page.lines), link)
        body = body_of(self.representation, self.columns, page.lines)
        return Payload(page.state, body, (*page_headers(query, page), *link))


class ObjectRequest(_RowsRequest):
    """One object of a resource, as it is in the list."""

    is_always_there = False

    def __init__(self, resource: Resource, target: RequestTarget) -> None:
        super().__init__(resource, target)
        self.is_cheap = self.are_stored

    def read(self, reading: Reading) -> Payload:
        ids = (self.target.match["id"].lower(),)
        named = condition_on(self.resource, "id", Operator.ANY_OF, ids)
        page = self.page(reading, Query(self.resource, (named,), limit=1))
        if not page.lines:
            raise problem(404, NOT_FOUND)
        return Payload(page.state, page.lines)


class RecordsByIdRequest(_RowsRequest):
    """Records in the order of the requested ids, without duplicates; and the unknown ids."""

    def __init__(self, target: RequestTarget) -> None:
        super().__init__(RECORDS, target)
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
    """The query with relative days, categories with subcategories, and ``counted`` resolved."""
    if query.is_relative:
        query = query.on(reading.today)
    storage, user_id, conditions = reading.storage, reading.user_id, query.conditions
    if given.get(WITH_SUBCATEGORIES):
        conditions = with_subcategories(storage, user_id, query.resource, conditions)
    if given.get(COUNTED):
        conditions = counted_only(storage, user_id, conditions)
    return query if conditions is query.conditions else replace(query, conditions=conditions)


def next_link(target: RequestTarget, offset: int | None) -> HeaderItems:
    """The Link header of the next page (RFC 8288); none if ``offset`` is None.

    It is the request's path and query with another offset; the Host header has no part in it.
    """
    if offset is None:
        return ()
    return (("Link", _link_pattern(target.path, target.query_string) % offset),)


@lru_cache(maxsize=256)
def _link_pattern(path: str, query_string: str) -> str:
    """The Link header, as a ``%`` format that takes the offset."""
    pairs = [(k, v or "") for k, v in split_query(query_string) if k != "offset"]
    query = urlencode([*pairs, ("offset", "")], quote_via=quote)
    return f"<{path}?{query}".replace("%", "%%") + '%d>; rel="next"'
