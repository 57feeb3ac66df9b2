"""Changes to a user's data: rows by their revisions, and the tombstones of deleted rows."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.serialization.rows import are_changes, change_line
from finance_api.storage.errors import NotFound, StorageDamaged
from finance_api.storage.interface import ChangeKey, Changes, DataReader, DataState
from finance_api.storage.sql.bulk import json_elements
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import IDS, LIMIT, USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import (
    STATE_COLUMNS,
    CodePointText,
    data_states,
    tombstones,
    user_data,
)

#: The two kinds of changes: rows that exist, and deletions.
_ROWS, _DELETIONS = "rows", "deletions"

_NOTHING = sa.literal_column("''", CodePointText)


def _tags(database: str) -> sa.Select[Any]:
    """Select the requested revisions and their tags as a text, in a row before all changes."""
    wanted = sa.select(sa.cast(json_elements(database, IDS).c.value, sa.BigInteger))
    revision, tag = (
        sa.cast(data_states.c[name], CodePointText).concat(sa.literal_column("' '"))
        for name in ("revision", "tag")
    )
    join = {"sqlite": sa.func.group_concat, "postgresql": sa.func.string_agg}[database]
    tags = sa.func.coalesce(join(revision + tag, _NOTHING), _NOTHING)
    before: sa.ColumnElement[int] = sa.literal_column("-1")
    own = data_states.c.user_id == USER, data_states.c.revision.in_(wanted)
    return _row(before, before, _NOTHING, tags).where(*own)


def _row(*values: sa.ColumnElement[Any]) -> sa.Select[Any]:
    names = ("revision", "resource", "row_id", "json")
    return sa.select(*[value.label(name) for name, value in zip(names, values, strict=True)])


def _first_after(key: ChangeKey, name: str) -> tuple[int, str]:
    """Return the revision and the id after which changes of a resource come after the key."""
    revision, last_name, last_id = key
    return revision + 1 if name < last_name else revision, last_id if name == last_name else ""


def _after(
    kind: str,
    name: str,
    place: int,
    table: sa.Table,
    row_id: sa.ColumnElement[str],
    row_json: sa.ColumnElement[Any],
) -> sa.Select[Any]:
    """Select the changes of a resource that come after a revision and an id."""
    revision = table.c.revision
    start = number_parameter(f"{kind}_revision_{name}"), text_parameter(f"{kind}_id_{name}")
    resource: sa.ColumnElement[int] = sa.literal_column(str(place))
    found = _row(revision, resource, row_id, row_json)
    return found.where(table.c.user_id == USER, sa.tuple_(revision, row_id) > sa.tuple_(*start))


#: Makes the column that shows a change, of the name of the resource, and of the columns with the id
#: of the row, its revision, and its JSON (None for a deletion).
Show = Callable[[str, Any, Any, Any], sa.ColumnElement[str]]


def rows_of_changes(
    database: str, names: tuple[str, ...], record_json: sa.ColumnElement[str], show: Show
) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """Select the `_tags`, then the first changes in order.

    A single query sees a single state. record_json: the column with the JSON of records.
    """
    parts = []
    for place, name in enumerate(names):
        data, gone = DATA_TABLES[name], tombstones.c
        shown = show(name, gone.row_id, gone.revision, None)
        deleted = _after(_DELETIONS, name, place, tombstones, gone.row_id, shown)
        parts.append(deleted.where(gone.resource == sa.literal_column(f"'{name}'")))
        if data.revision is not None:
            row_id, row_json = data.columns["id"], record_json if data.json is None else data.json
            shown = show(name, row_id, data.revision, row_json)
            parts.append(_after(_ROWS, name, place, data.table, row_id, shown))
    if database == "sqlite" and len(names) == 1:
        # SQLite merges the indexes, which have this order, without sorting.
        found = sa.union_all(_tags(database), *parts)
        return found.order_by("revision", "row_id").limit(LIMIT)
    firsts = [part.order_by("revision", "row_id").limit(LIMIT).subquery() for part in parts]
    # Without this subquery SQLite would merge the parts in pairs, and copy each row several times.
    every = sa.union_all(_tags(database), *map(sa.select, firsts)).subquery()
    return sa.select(every).order_by("revision", "resource", "row_id").limit(LIMIT)


def _json_alone(name: str, row_id: Any, revision: Any, row: Any) -> sa.ColumnElement[str]:
    return sa.cast(sa.null(), CodePointText) if row is None else row


def _changes(database: str, names: tuple[str, ...]) -> sa.Select[Any]:
    # The texts of records are empty; `read_changes` makes their JSON.
    found = rows_of_changes(database, names, _NOTHING, _json_alone).subquery("found")
    # As in `with_state`: this join keeps the order.
    joined = user_data.join(found, sa.true())
    columns = (*STATE_COLUMNS, *found.c)
    return sa.select(*columns).select_from(joined).where(user_data.c.user_id == USER)


class ChangeReader(Part, DataReader):
    """Reads the changes to a user's data."""

    def list_changes(
        self,
        user_id: int,
        resources: Sequence[Resource],
        *,
        rows_after: ChangeKey,
        deletions_after: ChangeKey,
        limit: int,
        revisions: Collection[int] = (),
    ) -> Changes:
        names = tuple(sorted(resource.name for resource in resources))
        values: dict[str, Any] = {"user": user_id, "ids": json.dumps([*revisions])}
        # One more, because the tags are a row, too.
        values["limit"] = limit + 1
        for kind, after in ((_ROWS, rows_after), (_DELETIONS, deletions_after)):
            for name in names:
                revision, row_id = _first_after(after, name)
                values |= {f"{kind}_revision_{name}": revision, f"{kind}_id_{name}": row_id}
        try:
            state, (tags, *lines) = self.read_changes(names, values)
            numbers = [int(number) for number in tags.split()]
        except (ValueError, TypeError, AttributeError) as error:
            raise StorageDamaged("a stored change cannot be read") from error
        if not are_changes(lines):
            raise StorageDamaged("a row of a change cannot be read")
        return Changes(state, dict(zip(numbers[::2], numbers[1::2], strict=True)), lines)

    def read_changes(
        self, names: tuple[str, ...], values: dict[str, Any]
    ) -> tuple[DataState, list[bytes]]:
        """Return the state of the data; the text of `_tags`, and the changes. Raises NotFound."""
        found = self.connection.fetch(_changes, names, values=values)
        if not found:
            raise NotFound("there is no such user")
        (*state, _, _, _, tags), *rows = found
        wanted = [row_id for *_, row_id, text in rows if text == ""]
        of_records = iter(self.get_json(values["user"], RECORDS, wanted)[1] if wanted else ())
        lines = [
            change_line(
                (revision, names[place], row_id),
                None if text is None else text.encode() or next(of_records),
            )
            for *_, revision, place, row_id, text in rows
        ]
        # A line end in a row makes another line, which is noticed.
        return DataState(*state), b"\n".join([tags.encode(), *lines]).split(b"\n")
