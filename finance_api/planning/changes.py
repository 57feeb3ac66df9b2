"""Pages of changes, which clients apply in order to mirror the data that the lists show.

Computed fields can change whenever data changes, and from day to day. So all rows with such fields
count as changed in the current revision, and are sent again each new day.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from finance_api.planning.computing import compute
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Resource
from finance_api.serialization.rows import change_key, change_line, encoder_of
from finance_api.storage.interface import ChangeKey, Changes, DataState, Storage
from finance_api.values.ids import FORM


class SinceGone(Exception):
    """The client cannot continue from its cursor; the message says why."""


class Position(NamedTuple):
    """How far a client has read, between two pages.

    rows_from, deletions_from: the first revisions whose rows and deletions the client still needs.
    key: the key of the last change that the client has read.
    """

    rows_from: int
    deletions_from: int
    key: ChangeKey


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a client has read.

    revision, tag: the state that the client read last; tag is None if unknown.
    day: a second of the day for which the client reads rows with computed fields.
    types: the resources that the client reads. position: None after the last page.
    """

    revision: int
    tag: int | None = None
    day: int = 0
    types: tuple[Resource, ...] = ()
    position: Position | None = None

    def __str__(self) -> str:
        if self.tag is None:
            return str(self.revision)
        types = "_".join(str(resource.path) for resource in self.types)
        parts = [self.revision, self.tag, self.day, types]
        if self.position is not None:
            rows_from, deletions_from, (revision, name, row_id) = self.position
            parts += [rows_from, deletions_from, revision, _BY_NAME[name].path, row_id]
        return ".".join(map(str, parts))


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """lines: as in `Changes`. following: the cursor of the next page."""

    state: DataState
    lines: list[bytes]
    following: Cursor
    has_more: bool


#: A revision that is never reached.
_NEVER = 2**62
_BY_NAME = {resource.name: resource for resource in PUBLIC_RESOURCES}
_BY_PATH = {str(resource.path): resource for resource in PUBLIC_RESOURCES}
_PATH = "|".join(_BY_PATH)
_NUMBER = "([0-9]{1,18})"
_WITHOUT_TAG = re.compile("[0-9]{1,1000}")
_CURSOR = re.compile(
    rf"{_NUMBER}\.(-?[0-9]{{1,19}})\.{_NUMBER}\.((?:{_PATH})(?:_(?:{_PATH}))*)"
    rf"(?:\.{_NUMBER}\.{_NUMBER}\.{_NUMBER}\.({_PATH})\.({FORM}))?"
)


def parse_cursor(text: str) -> Cursor | None:
    """Parse a cursor; return None if the text is not one."""
    if _WITHOUT_TAG.fullmatch(text):
        return Cursor(int(text))
    found = _CURSOR.fullmatch(text)
    if found is None:
        return None
    revision, tag, day, types, rows_from, deletions_from, at, path, row_id = found.groups()
    position = None
    if path is not None:
        position = Position(
            int(rows_from), int(deletions_from), (int(at), _BY_PATH[path].name, row_id)
        )
    resources = tuple(_BY_PATH[each] for each in types.split("_"))
    return Cursor(int(revision), int(tag), int(day), resources, position)


def list_changes(
    storage: Storage,
    user_id: int,
    types: Sequence[Resource],
    since: Cursor | None,
    limit: int,
    today: int,
) -> ChangesPage:
    """Return a page of the newest change of each row, ordered by (revision, type, id).

    since: None for a client that has read nothing. today: 0 if no type has computed fields.
    Raises SinceGone; NotFound if the user does not exist.
    """
    if since is not None and since.tag is None:
        raise SinceGone("since is a number without a tag")
    if since is not None and not set(types) <= set(since.types):
        raise SinceGone("since covers fewer types")
    position, day = _begin(since, today)
    needed = _needed_states(since)
    depends_on_day = any(resource.computed_fields for resource in types)
    if depends_on_day:
        # From here on the unit of work sees one unchanging state.
        storage.data.get_state(user_id)
    found = storage.data.list_changes(
        user_id,
        types,
        rows_after=max(position.key, (position.rows_from, "", "")),
        deletions_after=max(position.key, (position.deletions_from, "", "")),
        limit=limit + 1,
        revisions=needed,
    )
    due = _due(types, found, position.key, limit)
    if since is None:
        # A new client has no rows to delete.
        position = position._replace(deletions_from=found.state.revision + 1)
    else:
        _check(since, needed, found)
    lines = found.lines
    for resource in due:
        lines += _computed(storage, user_id, resource, today, found.state, position.key, limit + 1)
    if due:
        lines.sort(key=change_key)
    cursor = Cursor(found.state.revision, found.state.tag, day, tuple(types))
    if len(lines) > limit:
        position = position._replace(key=change_key(lines[limit - 1]))
        return ChangesPage(found.state, lines[:limit], replace(cursor, position=position), True)
    return ChangesPage(found.state, lines, cursor, depends_on_day and day != today)


def _begin(since: Cursor | None, today: int) -> tuple[Position, int]:
    """Return the position to continue from, and the day on which the client started reading."""
    if since is None:
        return Position(0, _NEVER, (0, "", "")), today
    if since.position is not None:
        return since.position, since.day
    following = since.revision + 1
    # On another day, rows with computed fields are sent again: they have the current revision.
    at = following if since.day == today else since.revision
    return Position(following, following, (at, "", "")), today


def _needed_states(since: Cursor | None) -> set[int]:
    """Return the revision read last, and the revision before the first deletion not read yet."""
    if since is None:
        return set()
    if since.position is None:
        return {since.revision}
    return {since.revision, max(since.position.deletions_from, since.position.key[0]) - 1}


def _check(since: Cursor, needed: set[int], found: Changes) -> None:
    if since.revision > found.state.revision:
        raise SinceGone("since is later than the current revision")
    if not found.tags.keys() >= needed:
        raise SinceGone("since is older than the change history")
    if found.tags[since.revision] != since.tag:
        raise SinceGone("since belongs to data that has been replaced")


def _due(types: Sequence[Resource], found: Changes, key: ChangeKey, limit: int) -> list[Resource]:
    """Return the types that have computed fields and may have rows on this page, after the key."""
    last = change_key(found.lines[limit]) if len(found.lines) > limit else None
    due = []
    for resource in types:
        beginning = (found.state.revision, resource.name, "")
        if resource.computed_fields and beginning[:2] >= key[:2]:
            due += [resource] if last is None or beginning < last else []
    return due


def _computed(
    storage: Storage,
    user_id: int,
    resource: Resource,
    today: int,
    state: DataState,
    key: ChangeKey,
    limit: int,
) -> list[bytes]:
    """Return up to ``limit`` rows of a resource after the key, as lines of changes."""
    after_id = key[2] if key[:2] == (state.revision, resource.name) else ""
    rows = storage.data.scan_rows(user_id, resource, after_id=after_id, limit=limit)
    encode = encoder_of(resource).encode
    return [
        change_line((state.revision, resource.name, row["id"]), encode(row))
        for row in (compute(storage, user_id, resource, today, rows) if rows else ())
    ]
