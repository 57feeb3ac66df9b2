"""Exports: all rows of a list in one file, and all data of the user in the native format."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from finance_api.api.data_request import Export, ExportRequest, RequestTarget
from finance_api.api.parameters import COUNTED, WITH_SUBCATEGORIES, conditions_of
from finance_api.api.representation import (
    CSV,
    NDJSON,
    XLSX,
    Representation,
    chunks_of,
    negotiate,
)
from finance_api.api.service import refusal
from finance_api.api.xlsx import MAX_ROWS
from finance_api.http.downloads import Chunks
from finance_api.http.errors import problem
from finance_api.ledger.dump import count_dumped, dump
from finance_api.planning.computing import depends_on_today, list_computed
from finance_api.planning.counted import counted_only
from finance_api.planning.subcategories import with_subcategories
from finance_api.query.model import Query
from finance_api.query.render import canonical_text, fields_text
from finance_api.resources.field import Field, Resource
from finance_api.resources.wire import encoder_of
from finance_api.storage.interface import STREAMED_ROWS, Storage

#: The representations of exports, the default first.
OF_EXPORTS = (NDJSON, CSV, XLSX)
TRAILER = "trailer"

ROWS_OF_A_REQUEST = 1_000
MAX_COST = 250


def cost_of(count: int) -> int:
    """What an export of so many rows takes of the quota: requests."""
    return min(MAX_COST, 1 + -(-count // ROWS_OF_A_REQUEST))


class ListExport(ExportRequest):
    """All rows of a list."""

    def __init__(
        self,
        resource: Resource,
        representation: Representation | None,
        target: RequestTarget,
        today: int | None = None,
    ) -> None:
        """representation: None: the one that the client prefers. today: to mean relative days."""
        self._representation = representation or negotiate(target.accept, OF_EXPORTS)
        self._target = target
        given = target.parameters
        self._fields: Sequence[Field] = given["fields"]
        self._with_subcategories: bool = given.get(WITH_SUBCATEGORIES, False)
        self._is_counted: bool = given.get(COUNTED, False)
        self._has_trailer: bool = given.get(TRAILER, False)
        if self._has_trailer and self._representation is not NDJSON:
            raise refusal([(TRAILER, "is for NDJSON only")])
        query = Query(resource, conditions_of(resource, given), given["sortBy"])
        self._query = query if today is None else query.on(today)
        own = f"{WITH_SUBCATEGORIES}={self._with_subcategories}&{COUNTED}={self._is_counted}"
        own += f"&{TRAILER}={self._has_trailer}"
        shown = fields_text(resource, self._fields)
        self.text = "\0".join(["export", own, canonical_text(self._query) + shown])
        self.content_type = self._representation.content_type
        self.name, self.suffix = str(resource.path), self._representation.suffix
        self.depends_on_today = depends_on_today(resource) or query.is_relative

    def on(self, today: int) -> "ListExport":
        return ListExport(self._query.resource, self._representation, self._target, today)

    def open(self, storage: Storage, user_id: int, today: int) -> Export:
        query = self._query
        state = storage.data.get_state(user_id)
        if self._with_subcategories:
            conditions = with_subcategories(storage, user_id, query.resource, query.conditions)
            query = replace(query, conditions=conditions)
        if self._is_counted:
            query = replace(query, conditions=counted_only(storage, user_id, query.conditions))
        count = storage.data.count_rows(user_id, query)
        if self._representation is XLSX and count > MAX_ROWS:
            raise problem(
                400,
                f"These are {count:,} rows and a workbook holds {MAX_ROWS:,}: ask for less by "
                "filters, or for .csv or .ndjson.",
            )
        return Export(state, count, self._chunks(storage, user_id, query, count, today))

    def _chunks(
        self, storage: Storage, user_id: int, query: Query, count: int, today: int
    ) -> Chunks:
        pages = _pages(storage, user_id, query, count, today)
        resource = query.resource
        yield from chunks_of(self._representation, self._fields, pages, count, resource)
        if self._has_trailer:
            yield b'{"end":true,"rows":%d}\n' % count


def _pages(storage: Storage, user_id: int, query: Query, count: int, today: int) -> Iterator[bytes]:
    """`DataReader.stream_json`, of a resource with computed fields too."""
    if not query.resource.computed_fields:
        yield from storage.data.stream_json(user_id, query)
        return
    # Those are few; some are sorted by what is computed.
    rows = list_computed(storage, user_id, replace(query, limit=max(1, count)), today).rows
    for start in range(0, len(rows), STREAMED_ROWS):
        yield encoder_of(query.resource).lines(rows[start : start + STREAMED_ROWS])


class WholeExport(ExportRequest):
    """All that the user has, as `finance-api dump` writes it."""

    content_type = NDJSON.content_type
    name, suffix = "finance-data", NDJSON.suffix
    text = "export all"

    def __init__(self, target: RequestTarget) -> None:
        """The path says what it is, whatever Accept says."""

    def open(self, storage: Storage, user_id: int, today: int) -> Export:
        state = storage.data.get_state(user_id)
        return Export(state, count_dumped(storage, user_id), dump(storage, user_id))
