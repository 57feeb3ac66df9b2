"""Rows of the public API: a page of a resource with the link to the next one, and one object."""

from dataclasses import replace
from functools import cached_property
from urllib.parse import quote, urlencode

from finance_api.api.columns import Columns
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.parameters import COUNTED, WITH_SUBCATEGORIES, query_of
from finance_api.api.representation import (
    JSON,
    HeaderItems,
    Representation,
    body_of,
    json_page,
    negotiate,
    next_offset,
    page_headers,
)
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.querystring import split_query
from finance_api.planning.computing import list_computed
from finance_api.planning.counted import counted_only
from finance_api.planning.subcategories import with_subcategories
from finance_api.query.model import Operator, Query, condition_on
from finance_api.query.render import canonical_text
from finance_api.resources.field import Resource
from finance_api.resources.wire import RowEncoder, shown
from finance_api.storage.interface import JsonPage, Storage


class ListRequest(DataRequest):
    """A page of a resource, in one of the representations of lists."""

    def __init__(
        self,
        resource: Resource,
        representation: Representation | None,
        target: RequestTarget,
        today: int | None = None,
    ) -> None:
        """representation: None: the one that the client prefers. today: to mean relative days."""
        self._representation = representation or negotiate(target.accept)
        self._target = target
        self._columns = Columns(resource, target.parameters)
        self.convert_to = self._columns.convert_to
        self._with_subcategories: bool = target.parameters.get(WITH_SUBCATEGORIES, False)
        self._is_counted: bool = target.parameters.get(COUNTED, False)
        query = query_of(resource, target.parameters)
        self._query = query if today is None else query.on(today)
        self.text = canonical_text(self._query) + self._columns.text
        if self._with_subcategories:
            self.text += f"\0{WITH_SUBCATEGORIES}"
        if self._is_counted:
            self.text += f"\0{COUNTED}"
        self.content_type = self._representation.content_type
        self.key = (target.path, target.query_string, self.content_type)
        self.is_cheap = self._columns.are_stored and self._query.is_cheap
        self.depends_on_today = self._columns.depends_on_today or query.is_relative

    def on(self, today: int) -> "ListRequest":
        if not self._query.is_relative:
            return self
        return ListRequest(self._query.resource, self._representation, self._target, today)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        query = self._query
        if self._with_subcategories:
            conditions = with_subcategories(storage, user_id, query.resource, query.conditions)
            query = replace(query, conditions=conditions)
        if self._is_counted:
            query = replace(query, conditions=counted_only(storage, user_id, query.conditions))
        page = _json_page(storage, user_id, query, self._columns, today)
        headers: HeaderItems = ()
        if self._representation is JSON:
            body = json_page(query, page, page.lines)
        else:
            body = body_of(self._representation, self._columns.shown, page.lines)
            headers = page_headers(query, page)
        offset = next_offset(query, page)
        if offset is not None:
            headers = (*headers, ("Link", self._link % offset))
        return Payload(page.state, body, headers)

    @cached_property
    def _link(self) -> str:
        return link_pattern(self._target)


class ObjectRequest(DataRequest):
    """One object of a resource, as it is in the list."""

    is_always_there = False

    def __init__(self, resource: Resource, object_id: str, target: RequestTarget) -> None:
        negotiate(target.accept, (JSON,))
        self._columns = Columns(resource, target.parameters)
        self.convert_to = self._columns.convert_to
        wanted = condition_on(resource, "id", Operator.ANY_OF, (object_id.lower(),))
        self._query = Query(resource, (wanted,), limit=1)
        self.text = f"one\0{canonical_text(self._query)}{self._columns.text}"
        self.content_type = JSON.content_type
        self.key = (target.path, target.query_string)
        self.is_cheap = self._columns.are_stored
        self.depends_on_today = self._columns.depends_on_today

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        page = _json_page(storage, user_id, self._query, self._columns, today)
        if not page.lines:
            raise problem(404, NOT_FOUND)
        return Payload(page.state, page.lines)


def _json_page(
    storage: Storage, user_id: int, query: Query, columns: Columns, today: int
) -> JsonPage:
    """The page with these columns of each row."""
    if not columns.are_stored:
        state = storage.data.get_state(user_id)
        page = list_computed(storage, user_id, query, today)
        rows = columns.converted(storage, page.rows, today)
        lines = RowEncoder(columns.shown).lines(rows)
        return JsonPage(state, lines, page.has_more, page.total)
    stored = storage.data.list_json(user_id, query)
    return replace(stored, lines=shown(query.resource, columns.shown, stored.lines))


def next_link(target: RequestTarget, offset: int | None) -> HeaderItems:
    """The Link header of the next page (RFC 8288); none if ``offset`` is None.

    It is the request's path and query with another offset; the Host header has no part in it.
    """
    return () if offset is None else (("Link", link_pattern(target) % offset),)


def link_pattern(target: RequestTarget) -> str:
    """The Link header, as a ``%`` format that takes the offset."""
    pairs = [(k, v or "") for k, v in split_query(target.query_string) if k != "offset"]
    query = urlencode([*pairs, ("offset", "")], quote_via=quote)
    return f"<{target.path}?{query}".replace("%", "%%") + '%d>; rel="next"'
