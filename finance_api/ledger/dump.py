"""Writes all of a user's data in the native format."""

from collections.abc import Generator, Iterator

from finance_api.importers.native import DELETED, NativeWriter
from finance_api.ledger.book_states import deleted_of_books
from finance_api.ledger.rows import blank_row
from finance_api.query.model import Query
from finance_api.resources import BY_NAME, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.interface import STREAMED_ROWS, Storage, data_state_of
from finance_api.values import Row
from finance_api.values.ids import are_ids


def dump(storage: Storage, user_id: int) -> Generator[bytes, None, None]:
    """Yield the lines in pieces. Each type follows the types it refers to; rows are sorted by id.

    Objects of books that were deleted here come last, so that the books do not bring them back.
    Raises StorageUnavailable if a replica does not know the user yet: an incomplete dump would
    look complete.
    """
    data_state_of(storage, user_id)
    for resource in RESOURCES:
        writer = NativeWriter(resource)
        for page in storage.data.scan_pages(user_id, resource, STREAMED_ROWS):
            yield b"".join([writer.line(row) for row in page])
    for resource, row in _deleted(storage, user_id):
        yield NativeWriter(resource).line(row)


def _deleted(storage: Storage, user_id: int) -> Iterator[tuple[Resource, Row]]:
    """Yield what is left of objects of books that were deleted here: which ones they were."""
    for source, keys in sorted(deleted_of_books(storage.ledger.list_entries(user_id)).items()):
        for kind, source_id in sorted(keys):
            resource, data = BY_NAME[kind], storage.data
            found = data.get_rows_by_source(user_id, resource, source, [source_id])
            if are_ids(source_id):
                found |= data.get_rows(user_id, resource, [source_id])
            if not found:
                own = {"source": source, "sourceId": source_id, "bookState": DELETED}
                yield resource, {**blank_row(resource), **own}


def count_dumped(storage: Storage, user_id: int) -> int:
    """Return the number of lines that `dump` yields."""
    rows = sum(storage.data.count_rows(user_id, Query(resource)) for resource in RESOURCES)
    return rows + sum(1 for _ in _deleted(storage, user_id))
