"""A user's whole data in the native format."""

from collections.abc import Iterator

from finance_api.importers.native import NativeWriter
from finance_api.resources import RESOURCES
from finance_api.storage.interface import Storage, data_state_of

_PAGE = 1_000


def dump_lines(storage: Storage, user_id: int) -> Iterator[bytes]:
    """The lines: type after type, each referring only to types before it, rows by id.

    Raises StorageUnavailable where a copy of the database has not heard of the user: what it has
    would look like all there is.
    """
    data_state_of(storage, user_id)
    for resource in RESOURCES:
        writer = NativeWriter(resource)
        after = ""
        while page := storage.data.scan_rows(user_id, resource, after_id=after, limit=_PAGE):
            for row in page:
                yield writer.line(row)
            after = page[-1]["id"]
