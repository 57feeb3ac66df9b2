"""Completes rows from the fields in a file, and keeps the rows that a change works on."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.resources import RESOURCES
from finance_api.resources.field import MAX_SOURCE_ID_CHARACTERS, Resource
from finance_api.values import Row
from finance_api.values.ids import derived_id, new_id
from finance_api.values.text import count_text

_T = TypeVar("_T")
#: How many rows are read or written at once.
BATCH = 1_000

#: Fields that a replaced row keeps if the import does not set them.
_KEPT = ("id", "createdAt", "updatedAt")
_BLANK: dict[str, Row] = {
    r.name: {f.name: f.default for f in r.persisted_fields} for r in RESOURCES
}
#: Values that a replaced row gets in fields that the import does not set.
_NOT_GIVEN: dict[str, Row] = {
    r.name: {
        f.name: f.default
        for f in r.persisted_fields
        if f.name == "extra" or (f in r.native_fields and f.name not in _KEPT and not f.private)
    }
    for r in RESOURCES
}


def batched(items: Iterable[_T], size: int | None = None) -> Iterator[list[_T]]:
    """Yield the items in lists of up to ``size``, or BATCH."""
    left = iter(items)
    while batch := list(islice(left, size or BATCH)):
        yield batch


def blank_row(resource: Resource) -> Row:
    """Return a row in which every field has its default."""
    return dict(_BLANK[resource.name])


def row_id(user_uuid: str, source: str | None, source_id: str | None) -> str:
    """Return the id for a new row, derived from the user's source id or, if it is None, random."""
    if source is None or source_id is None:
        return new_id()
    return derived_id(user_uuid, source, source_id)


def id_in(user_uuid: str, values: Mapping[str, Any]) -> str:
    """Return the id of an object in a file: its own, or one derived from its source id."""
    own_id: str | None = values.get("id")
    return own_id or row_id(user_uuid, values.get("source"), values.get("sourceId"))


def check_still_its_own(stored: Row | None, line: int) -> None:
    """Refuse a row whose id was derived from a source id, but which has another source id now.

    A row that has no source id now is accepted, because it once had that source id.
    """
    if stored is not None and stored["sourceId"] is not None:
        raise ImportRefused(
            f"its id {stored['id']} belongs to a row of source {stored['source']!r} with "
            f"the sourceId {stored['sourceId']!r}",
            line,
        )


def bounded_source_id(text: str) -> str:
    """Return the source id, or its hash if it is too long for an index."""
    if len(text) <= MAX_SOURCE_ID_CHARACTERS:
        return text
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def replaced(resource: Resource, given: dict[str, Any], stored: Row | None) -> Row:
    """Return a whole row with the given values, and defaults for the other fields.

    given: native fields, and ``extra`` if the resource is open-ended.
    Derived and private fields keep their stored values, and so do id and times that are not
    given.
    """
    if stored is None:
        return {**_BLANK[resource.name], **given}
    return {**stored, **_NOT_GIVEN[resource.name], **given}


def stamped(row: Row, given: dict[str, Any], stored: Row | None, now: int) -> Row | None:
    """Return the row with its times, or None if it equals the stored row.

    Times that are not given are set to ``now``; for a changed row, only ``updatedAt``.
    """
    if stored is None:
        row["createdAt"] = given.get("createdAt", now)
        row["updatedAt"] = given.get("updatedAt", now)
        return row
    if row == stored:
        return None
    if "updatedAt" not in given:
        row["updatedAt"] = now
    return row


#: Maximum number of accounts, categories or labels per user: all of them are kept in memory.
MOST_ROWS = 20_000


class RowSet:
    """Rows of one resource: as they are stored, and as the change leaves them."""

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
        """Return the row with this id or, if the id is None, the row with this source id."""
        if row_id is not None:
            return self.rows.get(row_id)
        return self.rows.get(self._ids_by_source.get((source or "", source_id or ""), ""))

    def named(self, name: str) -> list[Row]:
        """Return the rows with that name, sorted by id."""
        return [self.rows[row_id] for row_id in sorted(self._ids_by_name[name])]

    def put(self, row: Row, line: int | None = None) -> None:
        """Add or replace a row.

        Raises ChangeRefused if another row has the same source id, or there are too many rows.
        """
        old = self.rows.get(row["id"])
        if old is None and len(self.rows) >= MOST_ROWS:
            raise ChangeRefused(
                f"at most {count_text(MOST_ROWS)} {self.resource.name} are allowed", line
            )
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
        """Remove a row."""
        row = self.rows.pop(row_id)
        if row["sourceId"] is not None:
            self._ids_by_source.pop((row["source"], row["sourceId"]), None)
        self._ids_by_name[row.get("name")].discard(row_id)

    def stored(self, row_id: str) -> Row | None:
        """Return the row as it was before the change; None for a new row."""
        return self._stored.get(row_id)

    def changed_ids(self, *names: str) -> set[str]:
        """Return the ids of stored rows in which one of these fields changed."""
        return {
            row_id
            for row_id, old in self._stored.items()
            if row_id in self.rows and any(old[n] != self.rows[row_id][n] for n in names)
        }

    def changes(self) -> list[tuple[Row | None, Row | None]]:
        """Return the changed rows, each as it was before and as it is now (None: no row)."""
        pairs = ((self._stored.get(i), self.rows.get(i)) for i in self._stored | self.rows)
        return [(before, after) for before, after in pairs if before != after]
