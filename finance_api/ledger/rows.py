"""Whole rows from the fields that an import gives."""

import hashlib
from typing import Any

from finance_api.importers.interface import ImportRefused
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
