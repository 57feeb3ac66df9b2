"""Changes to a user's data: rows by their revisions, and the tombstones of deleted rows."""

import json
from collections.abc import Callable, Collection, Sequence
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.errors import NotFound, StorageDamaged
from finance_api.storage.interface import Change, ChangeKey, Changes, DataReader, DataState
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

#: A function of the name of the database that makes the column with the JSON of records.
RecordJson = Callable[[str], sa.ColumnElement[str]]


def no_json(database: str) -> sa.ColumnElement[str]:
    """Make the column with the JSON of records without the read model: an empty text."""
    return sa.literal_column("''", CodePointText)


def _tags(database: str) -> sa.ColumnElement[Any]:
    """Return a text with the requested revisions and their tags; NULL if none is stored."""
    wanted = sa.select(sa.cast(json_elements(database, IDS).c.value, sa.BigInteger))
    revision, tag = (
        sa.cast(data_states.c[name], CodePointText).concat(sa.literal_column("' '"))
        for name in ("revision", "tag")
    )
    join = {"sqlite": sa.func.group_concat, "postgresql": sa.func.string_agg}[database]
    text = join(revision + tag, sa.literal_column("''"))
    own = data_states.c.user_id == USER, data_states.c.revision.in_(wanted)
    return sa.select(text).where(*own).scalar_subquery()


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
    columns = {"revision": revision, "resource": resource, "row_id": row_id, "json": row_json}
    found = sa.select(*[column.label(label) for label, column in columns.items()])
    return found.where(table.c.user_id == USER, sa.tuple_(revision, row_id) > sa.tuple_(*start))


def _changes(database: str, names: tuple[str, ...], record_json: RecordJson) -> sa.Select[Any]:
    """Select the state and the tags, with each of the first changes in order.

    A single query sees a single state. If there are no changes, a single row has only the state.
    """
    parts = []
    for place, name in enumerate(names):
        data, gone = DATA_TABLES[name], tombstones.c
        nothing = sa.cast(sa.null(), CodePointText)
        deleted = _after(_DELETIONS, name, place, tombstones, gone.row_id, nothing)
        parts.append(deleted.where(gone.resource == sa.literal_column(f"'{name}'")))
        if data.revision is not None:
            row_json = record_json(database) if data.json is None else data.json
            parts.append(_after(_ROWS, name, place, data.table, data.columns["id"], row_json))
    order = ["revision", "resource", "row_id"]
    if database == "sqlite" and len(names) == 1:
        # SQLite merges the indexes, which have this order, without sorting.
        order.remove("resource")
    else:
        parts = [
            sa.select(part.order_by("revision", "row_id").limit(LIMIT).subquery()) for part in parts
        ]
    found = sa.union_all(*parts).order_by(*order).limit(LIMIT).subquery("found")
    # As in `with_state`: this join keeps the order.
    joined = user_data.outerjoin(found, sa.true())
    columns = (*STATE_COLUMNS, _tags(database), *found.c)
    return sa.select(*columns).select_from(joined).where(user_data.c.user_id == USER)


class ChangeReader(Part, DataReader):
    """Reads the changes to a user's data."""

    record_json: RecordJson = staticmethod(no_json)

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
        ordered = sorted(resources, key=attrgetter("name"))
        names = tuple(resource.name for resource in ordered)
        values: dict[str, Any] = {"user": user_id, "ids": json.dumps([*revisions]), "limit": limit}
        for kind, after in ((_ROWS, rows_after), (_DELETIONS, deletions_after)):
            for name in names:
                revision, row_id = _first_after(after, name)
                values |= {f"{kind}_revision_{name}": revision, f"{kind}_id_{name}": row_id}
        found = self.connection.fetch(_changes, names, self.record_json, values=values)
        if not found:
            raise NotFound("there is no such user")
        *_, tags, revisions, places, ids, texts = zip(*found, strict=True)
        changes: list[Change] = []
        try:
            numbers = [int(number) for number in (tags[0] or "").split()]
            # Without changes, the only row has no revision.
            if revisions[0] is not None:
                rows = self.completed(user_id, ids, texts)
                changed = [ordered[place] for place in places]
                changes += map(Change._make, zip(revisions, changed, ids, rows, strict=True))
        except (ValueError, TypeError, AttributeError) as error:
            raise StorageDamaged("a stored change cannot be read") from error
        by_revision = dict(zip(numbers[::2], numbers[1::2], strict=True))
        return Changes(DataState(*found[0][:3]), by_revision, changes)

    def completed(
        self, user_id: int, ids: Sequence[str], texts: Sequence[str | None]
    ) -> Sequence[bytes | None]:
        """Return the JSON of changes. texts: as selected; None is for a deletion."""
        rows = [None if text is None else text.encode() for text in texts]
        wanted = [row_id for row_id, row in zip(ids, rows, strict=True) if row == b""]
        of_records = iter(self.get_json(user_id, RECORDS, wanted)[1] if wanted else ())
        return [next(of_records) if row == b"" else row for row in rows]
