"""Changes to a user's data: rows by their revisions, and the tombstones of deleted rows."""

import json
from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from finance_api.resources.field import Resource
from finance_api.storage.interface import Change, ChangeKey, Changes, DataReader
from finance_api.storage.sql.bulk import json_elements
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import IDS, LIMIT, USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import data_states, tombstones


def wanted_tags(database: str) -> sa.Select[Any]:
    """Select the requested revisions and their tags."""
    wanted = sa.select(sa.cast(json_elements(database, IDS).c.value, sa.BigInteger))
    tags = sa.select(data_states.c.revision, data_states.c.tag)
    return tags.where(data_states.c.user_id == USER, data_states.c.revision.in_(wanted))


def first_after(key: ChangeKey, name: str) -> tuple[int, str]:
    """Return the revision and the id after which changes of a resource come after the key."""
    revision, last_name, last_id = key
    return revision + 1 if name < last_name else revision, last_id if name == last_name else ""


def _rows_after(database: str, name: str) -> sa.Select[Any]:
    """Select rows of a resource after a revision and an id: revision, id, and the listed fields."""
    table = DATA_TABLES[name]
    return _after(table.user_id, table.table.c.revision, table.columns["id"], *table.listed)


def _deleted_after(database: str, name: str) -> sa.Select[Any]:
    """Select deletions of a resource after a revision and an id: revision and id."""
    gone = tombstones.c
    found = _after(gone.user_id, gone.revision, gone.row_id)
    return found.where(gone.resource == sa.literal_column(f"'{name}'"))


def _after(user_id: sa.ColumnElement[int], *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    start = sa.tuple_(number_parameter("revision"), text_parameter("id"))
    found = sa.select(*columns).where(user_id == USER, sa.tuple_(*columns[:2]) > start)
    return found.order_by(*columns[:2]).limit(LIMIT)


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
        state = self.get_state(user_id)
        wanted = {"user": user_id, "ids": json.dumps([*revisions])}
        tags = dict(map(tuple, self.connection.fetch(wanted_tags, values=wanted)))
        found: list[Change] = []
        for resource in resources:
            revision, row_id = first_after(deletions_after, resource.name)
            values = {"user": user_id, "limit": limit, "revision": revision, "id": row_id}
            deleted = self.connection.fetch(_deleted_after, resource.name, values=values)
            found += [Change(revision, resource, row_id, None) for revision, row_id in deleted]
            table = DATA_TABLES[resource.name]
            if table.revision is not None:
                revision, row_id = first_after(rows_after, resource.name)
                values |= {"revision": revision, "id": row_id}
                changed = self.connection.fetch(_rows_after, resource.name, values=values)
                rows = table.load_listed(columns[2:] for columns in changed)
                found += [
                    Change(revision, resource, row["id"], table.encode(row).encode())
                    for (revision, *_), row in zip(changed, rows, strict=True)
                ]
        return Changes(state, tags, sorted(found, key=attrgetter("key"))[:limit])
