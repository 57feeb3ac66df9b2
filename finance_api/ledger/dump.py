"""Writes all of a user's data in the native format."""

from collections.abc import Generator

from finance_api.importers.native import NativeWriter
from finance_api.query.model import Query
from finance_api.resources import RESOURCES
from finance_api.storage.interface import STREAMED_ROWS, Storage, data_state_of


def dump(storage: Storage, user_id: int) -> Generator[bytes, None, None]:
    """Yield the lines in pieces. Each type follows the types it refers to; rows are sorted by id.

    Raises StorageUnavailable if a replica does not know the user yet: an incomplete dump would
    look complete.
    """
    data_state_of(storage, user_id)
    for resource in RESOURCES:
        writer = NativeWriter(resource)
        for page in storage.data.scan_pages(user_id, resource, STREAMED_ROWS):
            yield b"".join([writer.line(row) for row in page])


def count_dumped(storage: Storage, user_id: int) -> int:
    """Return the number of lines that `dump` yields."""
    return sum(storage.data.count_rows(user_id, Query(resource)) for resource in RESOURCES)
