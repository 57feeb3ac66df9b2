"""The rows that a rehearsal writes, in memory: as tuples, which take half the room of dicts."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from operator import itemgetter
from typing import Any

from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict
from finance_api.values import Row


class WrittenRows:
    """The written rows of one resource.

    replaced: ids of rows of the storage that were changed or deleted.
    """

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._names = tuple(field.name for field in resource.persisted_fields)
        self._values_of: Callable[[Row], tuple[Any, ...]] = itemgetter(*self._names)
        #: None: the row is deleted.
        self._rows: dict[str, tuple[Any, ...] | None] = {}
        self._ids_by_source: dict[tuple[str, str], str] = {}
        #: All ids, while none is added.
        self._sorted_ids: list[str] | None = None
        self.replaced: set[str] = set()

    def __contains__(self, row_id: str) -> bool:
        return row_id in self._rows

    def put(self, new: Collection[Row], changed: Collection[Row]) -> None:
        """Raises Conflict if another written row has the source id of one of these."""
        self._mark_replaced(row["id"] for row in changed)
        # All at once: they may exchange their source ids.
        for row in changed:
            self._forget_source(row["id"])
        for row in (*new, *changed):
            row_id = row["id"]
            if row["sourceId"] is not None:
                source = row["source"], row["sourceId"]
                if self._ids_by_source.setdefault(source, row_id) != row_id:
                    raise Conflict(f"two of the {self._resource.name} have the same source")
            self._rows[row_id] = self._values_of(row)
        self._sorted_ids = None

    def delete(self, ids: Collection[str]) -> None:
        self._mark_replaced(ids)
        for row_id in ids:
            self._forget_source(row_id)
            self._rows[row_id] = None
        self._sorted_ids = None

    def _mark_replaced(self, ids: Iterable[str]) -> None:
        self.replaced.update(row_id for row_id in ids if row_id not in self._rows)

    def _forget_source(self, row_id: str) -> None:
        row = self.get(row_id)
        if row is not None and row["sourceId"] is not None:
            del self._ids_by_source[row["source"], row["sourceId"]]

    def get(self, row_id: str) -> Row | None:
        values = self._rows.get(row_id)
        return None if values is None else dict(zip(self._names, values, strict=True))

    def get_by_source(self, source: str, source_id: str) -> Row | None:
        return self.get(self._ids_by_source.get((source, source_id), ""))

    def scan(self, after_id: str = "") -> Iterator[Row]:
        """Rows in the order of their ids."""
        if self._sorted_ids is None:
            self._sorted_ids = sorted(self._rows)
        for place in range(bisect_right(self._sorted_ids, after_id), len(self._sorted_ids)):
            row = self.get(self._sorted_ids[place])
            if row is not None:
                yield row
