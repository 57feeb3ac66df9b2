"""A storage whose streams break off half-way, for a service in a separate process."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from finance_api.query.model import Query
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Storage
from finance_api.storage.sql.backend import SqlBackend

PAGES = 3


class BreakingBackend(SqlBackend):
    def read(self, *, newest: bool = False) -> Storage:
        storage = super().read(newest=newest)
        data: Any = storage.data
        stream = data.stream_json

        def breaking(user_id: int, query: Query) -> Iterator[bytes]:
            yield from islice(stream(user_id, query), PAGES)
            raise StorageUnavailable("gone half-way")

        data.stream_json = breaking
        return storage


def from_settings(settings: Mapping[str, Any]) -> BreakingBackend:
    return BreakingBackend(settings["sqlalchemy.url"])
