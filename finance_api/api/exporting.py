"""Exports: all rows of a list in one file, and all data of the user in the native format."""

from collections.abc import Iterator
from dataclasses import replace

from finance_api.api.data_request import Export, ExportRequest, Reading, RequestTarget
from finance_api.api.listing import resolved
from finance_api.api.representation import CSV, NDJSON, XLSX, chunks_of
from finance_api.api.xlsx import MAX_ROWS
from finance_api.http.downloads import Chunks
from finance_api.http.errors import parameter_problem, problem
from finance_api.ledger.dump import count_dumped, dump
from finance_api.planning.computing import depends_on_today, list_computed
from finance_api.query.model import Query
from finance_api.resources.field import Resource
from finance_api.resources.wire import encoder_of
from finance_api.storage.interface import STREAMED_ROWS

#: The representations of exports, the default first.
OF_EXPORTS = (NDJSON, CSV, XLSX)
TRAILER = "trailer"

ROWS_OF_A_REQUEST = 1_000
MAX_COST = 250


def cost_of(count: int) -> int:
    """Return how many requests of the quota an export of ``count`` rows costs."""
    return min(MAX_COST, 1 + -(-count // ROWS_OF_A_REQUEST))


class ListExport(ExportRequest):
    """All rows of a list."""

    forms = OF_EXPORTS

    def __init__(self, resource: Resource, target: RequestTarget) -> None:
        super().__init__(target)
        self._has_trailer: bool = self.given[TRAILER]
        if self._has_trailer and self.representation is not NDJSON:
            raise parameter_problem([(TRAILER, "is for NDJSON only")])
        self._query = Query(resource, self.given.conditions, self.given["sortBy"])
        self.name = str(resource.path)
        self.depends_on_today = depends_on_today(resource) or self._query.is_relative

    def open(self, reading: Reading) -> Export:
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        query = resolved(self._query, self.given, reading)
        count = storage.data.count_rows(user_id, query)
        if self.representation is XLSX and count > MAX_ROWS:
            raise problem(
                400,
                f"These are {count:,} rows and a workbook holds {MAX_ROWS:,}: ask for less by "
                "filters, or for .csv or .ndjson.",
            )
        return Export(state, count, self._chunks(reading, query, count))

    def _chunks(self, reading: Reading, query: Query, count: int) -> Chunks:
        pages, fields = _pages(reading, query, count), self.given["fields"]
        yield from chunks_of(self.representation, fields, pages, count, query.resource)
        if self._has_trailer:
            yield b'{"end":true,"rows":%d}\n' % count


def _pages(reading: Reading, query: Query, count: int) -> Iterator[bytes]:
    """`DataReader.stream_json`, of a resource with computed fields too."""
    storage, user_id = reading.storage, reading.user_id
    if not query.resource.computed_fields:
        yield from storage.data.stream_json(user_id, query)
        return
    # These rows are few; some are sorted by a computed field.
    query = replace(query, limit=max(1, count))
    rows = list_computed(storage, user_id, query, reading.today).rows
    for start in range(0, len(rows), STREAMED_ROWS):
        yield encoder_of(query.resource).lines(rows[start : start + STREAMED_ROWS])


class WholeExport(ExportRequest):
    """All that the user has, as `finance-api dump` writes it."""

    forms = (NDJSON,)
    name = "finance-data"

    def __init__(self, target: RequestTarget) -> None:
        # The path says what it is, whatever Accept says.
        super().__init__(replace(target, accept=None))

    def open(self, reading: Reading) -> Export:
        storage, user_id = reading.storage, reading.user_id
        state = storage.data.get_state(user_id)
        return Export(state, count_dumped(storage, user_id), dump(storage, user_id))
