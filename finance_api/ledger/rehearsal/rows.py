"""The rows that a rehearsal writes: in a private database, so that they take little memory."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any

from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict
from finance_api.values import Row

_CACHE_KIB = 8 * 1024
# row: the values as JSON; NULL: the row is deleted. replaces: whether the storage has a row with
# this id.
_TABLE = """
CREATE TABLE written (
    resource TEXT, id TEXT, source TEXT, source_id TEXT, replaces INT, row TEXT,
    PRIMARY KEY (resource, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX by_source ON written (resource, source, source_id)
    WHERE source_id IS NOT NULL;
"""
_PUT = """
INSERT INTO written VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (resource, id) DO UPDATE SET
    source = excluded.source, source_id = excluded.source_id, row = excluded.row
"""
_OF_IDS = "resource = ? AND id IN (SELECT value FROM json_each(?))"


@cache
def _names(resource: Resource) -> tuple[str, ...]:
    return tuple(field.name for field in resource.persisted_fields)


class WrittenRows:
    """Rows by resource and id."""

    def __init__(self) -> None:
        self._resources: set[str] = set()

    @cached_property
    def _database(self) -> sqlite3.Connection:
        database = sqlite3.connect("", isolation_level=None)
        database.executescript(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
            f"PRAGMA cache_size = -{_CACHE_KIB}; {_TABLE} BEGIN"
        )
        return database

    def close(self) -> None:
        if self._resources:
            self._database.close()

    def has(self, resource: Resource) -> bool:
        """Whether any row of the resource was written or deleted."""
        return resource.name in self._resources

    def put(self, resource: Resource, rows: Sequence[Row], *, replaces: bool) -> None:
        """replaces: see above, of rows that were not written before. Raises Conflict."""
        self._resources.add(resource.name)
        # They may exchange their source ids.
        self._database.execute(
            f"UPDATE written SET source_id = NULL WHERE {_OF_IDS}",  # noqa: S608 (a constant)
            (resource.name, _ids(rows)),
        )
        names = _names(resource)
        try:
            self._database.executemany(
                _PUT,
                [
                    (
                        *(resource.name, row["id"], row["source"], row["sourceId"], replaces),
                        json.dumps([row[name] for name in names]),
                    )
                    for row in rows
                ],
            )
        except sqlite3.IntegrityError as error:
            raise Conflict(f"two of the {resource.name} have the same source") from error

    def delete(self, resource: Resource, ids: Iterable[str]) -> None:
        self._resources.add(resource.name)
        new = [(resource.name, row_id, None, None, True, None) for row_id in ids]
        self._database.executemany(_PUT, new)

    def states(self, resource: Resource, ids: Collection[str]) -> dict[str, Row | None]:
        """Those of the ids that were written, None where the row was deleted."""
        if not self.has(resource):
            return {}
        sql = f"SELECT id, row FROM written WHERE {_OF_IDS}"  # noqa: S608 (a constant)
        found = self._database.execute(sql, (resource.name, json.dumps(list(ids))))
        return {row_id: None if row is None else _read(resource, row) for row_id, row in found}

    def by_source(
        self, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        """By source id."""
        if not self.has(resource):
            return {}
        found = self._database.execute(
            "SELECT source_id, row FROM written WHERE resource = ? AND source = ? "
            "AND source_id IN (SELECT value FROM json_each(?))",
            (resource.name, source, json.dumps(list(source_ids))),
        )
        return {source_id: _read(resource, row) for source_id, row in found}

    def scan(self, resource: Resource, after_id: str = "") -> Iterator[Row]:
        """Rows in the order of their ids."""
        if not self.has(resource):
            return
        for (row,) in self._database.execute(
            "SELECT row FROM written WHERE resource = ? AND id > ? AND row IS NOT NULL ORDER BY id",
            (resource.name, after_id),
        ):
            yield _read(resource, row)

    def replaced(self, resource: Resource) -> list[str]:
        """The ids of the storage's rows that were changed or deleted."""
        if not self.has(resource):
            return []
        sql = "SELECT id FROM written WHERE resource = ? AND replaces"
        return [row_id for (row_id,) in self._database.execute(sql, (resource.name,))]


def _ids(rows: Iterable[Row]) -> str:
    return json.dumps([row["id"] for row in rows])


def _read(resource: Resource, text: str) -> Row:
    values: list[Any] = json.loads(text)
    lists = (tuple(value) if isinstance(value, list) else value for value in values)
    return dict(zip(_names(resource), lists, strict=True))
