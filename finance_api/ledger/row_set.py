"""Rows of one resource of a user, held while a change works on them."""

from collections import defaultdict
from collections.abc import Iterable

from finance_api.importers.interface import ChangeRefused
from finance_api.resources.field import Resource
from finance_api.values import Row

#: The most accounts, categories or labels a user can have: they are all held in memory.
MOST_ROWS = 20_000


class RowSet:
    """Stored rows and those that the change puts in their place, by id and by source."""

    def __init__(self, resource: Resource, stored: Iterable[Row]) -> None:
        self.resource = resource
        self._stored: dict[str, Row] = {row["id"]: row for row in stored}
        self.rows: dict[str, Row] = dict(self._stored)
        self._ids_by_source: dict[tuple[str, str], str] = {
            (row["source"], row["sourceId"]): row["id"]
            for row in self.rows.values()
            if row["sourceId"] is not None
        }
        self._ids_by_name: defaultdict[str | None, set[str]] = defaultdict(set)
        for row in self.rows.values():
            self._ids_by_name[row.get("name")].add(row["id"])

    def find(self, row_id: str | None, source: str | None, source_id: str | None) -> Row | None:
        """The row with this id, else the one of this source."""
        if row_id is not None:
            return self.rows.get(row_id)
        return self.rows.get(self._ids_by_source.get((source or "", source_id or ""), ""))

    def named(self, name: str) -> list[Row]:
        """The rows of that name, by id."""
        return [self.rows[row_id] for row_id in sorted(self._ids_by_name[name])]

    def put(self, row: Row, line: int | None = None) -> None:
        """Adds or replaces a row.

        Raises ChangeRefused if another one has its source id, or there are too many.
        """
        old = self.rows.get(row["id"])
        if old is None and len(self.rows) >= MOST_ROWS:
            raise ChangeRefused(f"there can be {MOST_ROWS:,} {self.resource.name} at most", line)
        if old is not None and old["sourceId"] is not None:
            self._ids_by_source.pop((old["source"], old["sourceId"]), None)
        if row["sourceId"] is not None:
            key = (row["source"], row["sourceId"])
            if self._ids_by_source.setdefault(key, row["id"]) != row["id"]:
                raise ChangeRefused(
                    f"sourceId {key[1]!r} of source {key[0]!r} belongs to the "
                    f"{self.resource.model_type} {self._ids_by_source[key]}",
                    line,
                )
        if old is not None:
            self._ids_by_name[old.get("name")].discard(row["id"])
        self._ids_by_name[row.get("name")].add(row["id"])
        self.rows[row["id"]] = row

    def remove(self, row_id: str) -> None:
        """Takes a row out."""
        row = self.rows.pop(row_id)
        if row["sourceId"] is not None:
            self._ids_by_source.pop((row["source"], row["sourceId"]), None)
        self._ids_by_name[row.get("name")].discard(row_id)

    def stored(self, row_id: str) -> Row | None:
        """The row as it was before the import."""
        return self._stored.get(row_id)

    def changed_ids(self, *names: str) -> set[str]:
        """Ids of rows that were there before and differ now in one of the fields."""
        return {
            row_id
            for row_id, old in self._stored.items()
            if row_id in self.rows and any(old[n] != self.rows[row_id][n] for n in names)
        }

    def removed(self) -> list[Row]:
        """The rows that were there before and are no more."""
        return [old for row_id, old in self._stored.items() if row_id not in self.rows]

    def written(self) -> tuple[list[Row], list[Row]]:
        """The rows that are new, and those that are different."""
        new = [row for row_id, row in self.rows.items() if row_id not in self._stored]
        changed = [
            self.rows[row_id]
            for row_id, old in self._stored.items()
            if row_id in self.rows and self.rows[row_id] != old
        ]
        return new, changed

    def is_seen(self, new: list[Row], changed: list[Row]) -> bool:
        """Whether anything of what is `written` can be seen from outside."""
        shown = [f.name for f in self.resource.persisted_fields if not f.private]
        return bool(new) or any(
            row[name] != self._stored[row["id"]][name] for row in changed for name in shown
        )
