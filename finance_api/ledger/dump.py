"""A user's whole data in the native format."""

from collections.abc import Generator

from finance_api.importers.native import NativeWriter
from finance_api.query.model import Query
from finance_api.resources import RESOURCES
from finance_api.storage.interface import STREAMED_ROWS, Storage, data_state_of


def dump(storage: Storage, user_id: int) -> Generator[bytes, None, None]:
    """The lines, some at a time: type after type, each referring only to types before; rows by id.

    Raises StorageUnavailable where a replica has not heard of the user: what it has
    would look like all there is.
    """
    data_state_of(storage, user_id)
    for resource in RESOURCES:
        writer = NativeWriter(resource)
        for page in storage.data.scan_pages(user_id, resource, STREAMED_ROWS):
            yield b"".join([writer.line(row) for row in page])


def count_dumped(storage: Storage, user_id: int) -> int:
    """The number of lines of `dump`."""
    return sum(storage.data.count_rows(user_id, Query(resource)) for resource in RESOURCES)
