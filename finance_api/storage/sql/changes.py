"""Changes of a user's data: rows by their revisions, and what is left of those that are gone."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    bindparam,
    cast,
    literal_column,
    null,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.sql import ColumnElement

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.interface import Change, ChangeKey
from finance_api.storage.sql.clauses import json_elements
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.statements import IDS, LIMIT, USER, StatementConnection
from finance_api.storage.sql.tables import JSON_TABLES, data_states, tombstones

_RESOURCES = {resource.name: resource for resource in PUBLIC_RESOURCES}
#: Revision, name of the resource, id and JSON.
_KEY_COLUMNS = 3


def _name(name: str) -> ColumnElement[str]:
    """Of a resource, as it stands in a statement."""
    return literal_column(f"'{name}'", CodePointText)


def _after(*names: str) -> ColumnElement[Any]:
    """A key, by the names of its values."""
    types = {"revision": BigInteger()}
    return tuple_(
        *(bindparam(n, type_=types.get(n.rpartition("_")[2], CodePointText)) for n in names)
    )


def _changes(database: str, resources: tuple[str, ...]) -> Select[Any]:
    """The first of every kind, and of these the first."""
    gone = tombstones.c
    found = [
        select(gone.revision, gone.resource, gone.row_id, cast(null(), CodePointText).label("json"))
        .where(
            gone.user_id == USER,
            gone.resource.in_([_name(name) for name in resources]),
            tuple_(gone.revision, gone.resource, gone.row_id)
            > _after("deletion_revision", "deletion_resource", "deletion_id"),
        )
        .order_by(gone.revision, gone.resource, gone.row_id)
    ]
    for name in filter(JSON_TABLES.__contains__, resources):
        rows = JSON_TABLES[name].c
        found.append(
            select(rows.revision, _name(name).label("resource"), rows.id, rows.json)
            .where(
                rows.user_id == USER,
                tuple_(rows.revision, rows.id) > _after(f"{name}_revision", f"{name}_id"),
            )
            .order_by(rows.revision, rows.id)
        )
    each = [select(one.limit(LIMIT).subquery(f"of_{n}")) for n, one in enumerate(found)]
    merged = union_all(*each).subquery("changes")
    return select(merged).order_by(*list(merged.c)[:_KEY_COLUMNS]).limit(LIMIT)


def list_changes(
    connection: StatementConnection,
    user_id: int,
    resources: Sequence[Resource],
    rows_after: ChangeKey,
    deletions_after: ChangeKey,
    limit: int,
) -> list[Change]:
    """`DataReader.list_changes`."""
    connection.begin_snapshot()
    names = tuple(sorted(resource.name for resource in resources))
    parts = ("deletion_revision", "deletion_resource", "deletion_id")
    values: dict[str, Any] = {"user": user_id, "limit": limit}
    values |= zip(parts, deletions_after, strict=True)
    revision, last_name, last_id = rows_after
    for name in names:
        # Of this resource alone, without its name.
        values[f"{name}_revision"] = revision + 1 if name < last_name else revision
        values[f"{name}_id"] = last_id if name == last_name else ""
    found = connection.fetch(_changes, names, values=values)
    return [
        Change(revision, _RESOURCES[name], row_id, None if row is None else row.encode())
        for revision, name, row_id, row in found
    ]


def _tags(database: str) -> Select[Any]:
    wanted = select(cast(json_elements(database, IDS).c.value, BigInteger))
    return select(data_states.c.revision, data_states.c.tag).where(
        data_states.c.user_id == USER, data_states.c.revision.in_(wanted)
    )


def get_tags(
    connection: StatementConnection, user_id: int, revisions: Collection[int]
) -> dict[int, int]:
    """`DataReader.get_tags`."""
    connection.begin_snapshot()
    values = {"user": user_id, "ids": json.dumps(list(revisions))}
    return {found[0]: found[1] for found in connection.fetch(_tags, values=values)}
