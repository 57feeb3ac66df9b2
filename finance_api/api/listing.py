"""Lists of the public API: one page of a resource, and the link to the next page."""

from collections.abc import Sequence
from functools import cached_property
from urllib.parse import quote, urlencode

from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.parameters import query_of
from finance_api.api.representation import (
    CSV,
    WRITERS,
    HeaderItems,
    csv_page,
    negotiate,
    next_offset,
)
from finance_api.planning.computing import depends_on_today, list_computed
from finance_api.query.render import canonical_text, fields_text
from finance_api.querystring import split_query
from finance_api.resources.field import Field, Resource
from finance_api.resources.wire import encoder_of, shown
from finance_api.storage.interface import JsonPage, Page, Storage


class ListRequest(DataRequest):
    """A page of a resource, in one of the representations of lists."""

    def __init__(self, resource: Resource, target: RequestTarget) -> None:
        self._representation = negotiate(target.accept)
        self._target = target
        self._query = query_of(resource, target.parameters)
        self._fields: Sequence[Field] = target.parameters["fields"]
        self.text = canonical_text(self._query) + fields_text(resource, self._fields)
        self.content_type = self._representation.content_type
        self.key = (target.path, target.query_string, self.content_type)
        self.depends_on_today = depends_on_today(resource)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        page: Page | JsonPage
        if self._representation is CSV:
            state = storage.data.get_state(user_id)
            page = list_computed(storage, user_id, self._query, today)
            body, headers = csv_page(self._query, self._fields, page)
        else:
            page = self._json_page(storage, user_id, today)
            state = page.state
            body, headers = WRITERS[self._representation](self._query, page)
        offset = next_offset(self._query, page)
        if offset is not None:
            headers = (*headers, ("Link", self._link % offset))
        return Payload(state, body, headers)

    @cached_property
    def _link(self) -> str:
        return link_pattern(self._target)

    def _json_page(self, storage: Storage, user_id: int, today: int) -> JsonPage:
        query = self._query
        if not query.resource.computed_fields:
            whole = storage.data.list_json(user_id, query)
            lines = shown(query.resource, self._fields, whole.lines)
            return JsonPage(whole.state, lines, whole.has_more, whole.total)
        state = storage.data.get_state(user_id)
        page = list_computed(storage, user_id, query, today)
        lines = shown(query.resource, self._fields, encoder_of(query.resource).lines(page.rows))
        return JsonPage(state, lines, page.has_more, page.total)


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
