"""Whole rows from the fields that an import gives, and the rows that a change works on."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.resources import RESOURCES
from finance_api.resources.field import MAX_SOURCE_ID_CHARACTERS, Resource
from finance_api.values import Row
from finance_api.values.ids import derived_id, new_id

#: Fields that a replacement keeps if the import does not give them.
_KEPT = ("id", "createdAt", "updatedAt")
_BLANK: dict[str, Row] = {
    r.name: {f.name: f.default for f in r.persisted_fields} for r in RESOURCES
}
#: Values that a replacement gets if the import does not give them.
_NOT_GIVEN: dict[str, Row] = {
    r.name: {
        f.name: f.default
        for f in r.persisted_fields
        if f.name == "extra" or (f in r.native_fields and f.name not in _KEPT and not f.private)
    }
    for r in RESOURCES
}


def blank_row(resource: Resource) -> Row:
    """A row in which every field has its default."""
    return dict(_BLANK[resource.name])


def row_id(user_uuid: str, source: str | None, source_id: str | None) -> str:
    """The id of a new row: always the same for the same source of the same user."""
    if source is None or source_id is None:
        return new_id()
    return derived_id(user_uuid, source, source_id)


def check_still_its_own(stored: Row | None, line: int) -> None:
    """Refuses a row found by the id that its source gives it, if it is of another source by now.

    One without a source is taken for the row that it once was.
    """
    if stored is not None and stored["sourceId"] is not None:
        raise ImportRefused(
            f"its id {stored['id']} belongs to a row that says to be of source "
            f"{stored['source']!r}, with the id {stored['sourceId']!r}",
            line,
        )


def bounded_source_id(text: str) -> str:
    """The source id, or the hash of one that is too long for an index."""
    if len(text) <= MAX_SOURCE_ID_CHARACTERS:
        return text
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def replaced(resource: Resource, given: dict[str, Any], stored: Row | None) -> Row:
    """A whole row: what is given, for the rest the defaults.

    given: native fields, and ``extra`` where the resource is open-ended.
    Derived fields and what is kept apart from the public ones stay as stored, and so do id and
    times, where they are not given.
    """
    if stored is None:
        return {**_BLANK[resource.name], **given}
    return {**stored, **_NOT_GIVEN[resource.name], **given}


def stamped(row: Row, given: dict[str, Any], stored: Row | None, now: int) -> Row | None:
    """The row with its times, or None if it says nothing that is not stored already.

    Times that are not given are ``now`` for what is new, and for ``updatedAt`` of what changed.
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
