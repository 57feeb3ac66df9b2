"""Changes of a user's data: rows by their revisions, and what is left of those that are gone."""

import json
from collections.abc import Collection, Sequence
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    Table,
    bindparam,
    cast,
    func,
    literal_column,
    null,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.sql import ColumnElement

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Change, ChangeKey, Changes, DataState
from finance_api.storage.sql.clauses import json_elements
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.statements import IDS, LIMIT, STATE, USER, StatementConnection
from finance_api.storage.sql.tables import JSON_TABLES, data_states, tombstones, users

_RESOURCES = {resource.name: resource for resource in PUBLIC_RESOURCES}
#: What is listed of a resource.
_ROWS, _DELETIONS = "rows", "deletions"


def _text(value: str) -> ColumnElement[str]:
    return literal_column(f"'{value}'", CodePointText)


def _joined(*values: ColumnElement[int]) -> ColumnElement[str]:
    """Numbers with a space between each two."""
    first, *others = (cast(value, CodePointText) for value in values)
    return reduce(add, [_text(" ") + other for other in others], first)


def _head(database: str) -> Select[Any]:
    """As the first row: the state, then some revisions, each with its tag, as numbers."""
    wanted = select(cast(json_elements(database, IDS).c.value, BigInteger))
    join = {"sqlite": func.group_concat, "postgresql": func.string_agg}[database]
    tag = _text(" ") + _joined(data_states.c.revision, data_states.c.tag)
    tags = (
        select(join(tag, _text("")))
        .where(data_states.c.user_id == USER, data_states.c.revision.in_(wanted))
        .scalar_subquery()
    )
    numbers = _joined(*STATE) + func.coalesce(tags, _text(""))
    columns: tuple[ColumnElement[Any], ...] = (
        literal_column("-1", BigInteger).label("revision"),
        _text("").label("resource"),
        _text("").label("row_id"),
        numbers.label("row"),
    )
    return select(*columns).where(users.c.id == USER)


def _first(
    table: Table, row_id: ColumnElement[str], row: ColumnElement[Any], what: str, name: str
) -> Select[Any]:
    """The first of a resource after a revision and an id, in the order of both."""
    revision = table.c.revision
    after = tuple_(
        bindparam(f"{what}_revision_{name}", type_=BigInteger()),
        bindparam(f"{what}_id_{name}", type_=CodePointText),
    )
    return (
        select(revision, _text(name).label("resource"), row_id.label("row_id"), row.label("row"))
        .where(table.c.user_id == USER, tuple_(revision, row_id) > after)
        .order_by(revision, row_id)
        .limit(LIMIT)
    )


def _changes(database: str, names: tuple[str, ...]) -> Select[Any]:
    """The head, and of the first of each kind the first of all."""
    parts = [_head(database)]
    for name in names:
        gone = tombstones.c
        nothing = cast(null(), CodePointText)
        deleted = _first(tombstones, gone.row_id, nothing, _DELETIONS, name)
        parts.append(deleted.where(gone.resource == _text(name)))
        table = JSON_TABLES.get(name)
        if table is not None:
            parts.append(_first(table, table.c.id, table.c.json, _ROWS, name))
    each = [select(part.subquery(f"part_{number}")) for number, part in enumerate(parts)]
    merged = union_all(*each).subquery("merged")
    order = merged.c.revision, merged.c.resource, merged.c.row_id
    return select(merged).order_by(*order).limit(LIMIT + literal_column("1"))


def list_changes(
    connection: StatementConnection,
    user_id: int,
    resources: Sequence[Resource],
    rows_after: ChangeKey,
    deletions_after: ChangeKey,
    limit: int,
    revisions: Collection[int],
) -> Changes:
    """`DataReader.list_changes`: in one statement, which reads one state."""
    names = tuple(sorted(resource.name for resource in resources))
    values: dict[str, Any] = {"user": user_id, "limit": limit, "ids": json.dumps([*revisions])}
    for what, (revision, last_name, last_id) in (
        (_ROWS, rows_after),
        (_DELETIONS, deletions_after),
    ):
        for name in names:
            # Of this resource alone, without its name.
            values[f"{what}_revision_{name}"] = revision + 1 if name < last_name else revision
            values[f"{what}_id_{name}"] = last_id if name == last_name else ""
    found = connection.fetch(_changes, names, values=values)
    if not found or found[0][1]:
        raise NotFound("there is no such user")
    numbers = [int(number) for number in found[0][3].split()]
    changes = [
        Change(revision, _RESOURCES[name], row_id, None if row is None else row.encode())
        for revision, name, row_id, row in found[1:]
    ]
    tags = dict(zip(numbers[3::2], numbers[4::2], strict=True))
    return Changes(DataState(*numbers[:3]), tags, changes)
