"""Reads changes with the JSON of the read model, in a single query."""

import json
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ColumnElement

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.interface import Change, ChangeKey, Changes
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import LIMIT, USER, number_parameter, text_parameter
from finance_api.storage.sql.read_model.by_date import check_whole, listed_json
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.reading.changes import ChangeReader, first_after, wanted_tags
from finance_api.storage.sql.tables import CodePointText, data_states, tombstones

_BY_NAME = {resource.name.encode(): resource for resource in PUBLIC_RESOURCES}
#: Separates the parts of a line; JSON, names and ids have no such character.
_BETWEEN = "\t"
#: The two kinds of changes: rows that exist, and deletions.
_ROWS, _DELETIONS = "rows", "deletions"


def _text(value: str) -> ColumnElement[str]:
    return sa.literal_column(f"'{value}'", CodePointText)


def _joined(*values: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the values as one text."""
    texts: list[ColumnElement[str]] = [sa.cast(value, CodePointText) for value in values]
    return reduce(lambda joined, text: joined + _text(_BETWEEN) + text, texts)


def _head(database: str) -> sa.Select[Any]:
    """Select the first line, which has the requested revisions and their tags."""
    join = {"sqlite": sa.func.group_concat, "postgresql": sa.func.string_agg}[database]
    tags = join(_joined(data_states.c.revision, data_states.c.tag), _text(_BETWEEN))
    columns: tuple[ColumnElement[Any], ...] = (
        sa.literal_column("-1", sa.BigInteger).label("revision"),
        _text("").label("resource"),
        _text("").label("row_id"),
        sa.func.coalesce(tags, _text("")).label("line"),
    )
    return wanted_tags(database).with_only_columns(*columns)


def _after(
    table: sa.Table, row_id: ColumnElement[str], json: ColumnElement[str], what: str, name: str
) -> sa.Select[Any]:
    """Select the changes of a resource that come after a revision and an id."""
    revision = table.c.revision
    line = _joined(revision, _text(name), row_id, json)
    after = sa.tuple_(
        number_parameter(f"{what}_revision_{name}"), text_parameter(f"{what}_id_{name}")
    )
    columns = revision, _text(name).label("resource"), row_id.label("row_id"), line.label("line")
    return sa.select(*columns).where(table.c.user_id == USER, sa.tuple_(revision, row_id) > after)


def _of_resource(database: str, name: str) -> list[sa.Select[Any]]:
    """Return queries for the resource's deletions, and for its rows if they have revisions."""
    gone = tombstones.c
    deleted = _after(tombstones, gone.row_id, _text(""), _DELETIONS, name)
    parts = [deleted.where(gone.resource == _text(name))]
    data = DATA_TABLES[name]
    if data.revision is not None:
        row_id: ColumnElement[str] = data.columns["id"]
        json: ColumnElement[str] | None = data.json
        if json is None:
            json = listed_json(database, data.table, row_id, data.columns["recordDate"])
        parts.append(_after(data.table, row_id, json, _ROWS, name))
    return parts


def parsed(lines: Iterable[bytes]) -> list[Change]:
    """Return the changes of these lines. Raises StorageDamaged."""
    try:
        return [
            Change(int(revision), _BY_NAME[name], row_id.decode(), json or None)
            for line in lines
            for revision, name, row_id, json in (line.split(_BETWEEN.encode()),)
        ]
    except (ValueError, KeyError) as error:
        raise StorageDamaged("a stored change cannot be read") from error


def _changes(database: str, names: tuple[str, ...]) -> sa.Select[Any]:
    """Select the lines: the head, then the first changes of all resources in order."""
    head = _head(database)
    parts = [part for name in names for part in _of_resource(database, name)]
    order = "revision", "row_id"
    if database == "sqlite" and len(names) == 1:
        # SQLite merges the indexes, which have this order, without sorting.
        found = sa.union_all(head, *parts).order_by(*order).limit(LIMIT).subquery("found")
        return sa.select(found.c.line)
    firsts = [sa.select(part.order_by(*order).limit(LIMIT).subquery()) for part in parts]
    merged = sa.union_all(head, *firsts).subquery("merged")
    columns = merged.c
    return (
        sa.select(columns.line)
        .order_by(columns.revision, columns.resource, columns.row_id)
        .limit(LIMIT)
    )


class ChangeLineReader(ChangeReader):
    """Reads the changes to a user's data as lines."""

    connection: FastConnection

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
        # Use a single query, so that everything comes from one state.
        names = tuple(sorted(resource.name for resource in resources))
        values: dict[str, Any] = {"user": user_id, "ids": json.dumps([*revisions])}
        # One more, because the head is a line, too.
        values["limit"] = limit + 1
        for what, after in ((_ROWS, rows_after), (_DELETIONS, deletions_after)):
            for name in names:
                # Where to begin in this resource.
                revision, row_id = first_after(after, name)
                values[f"{what}_revision_{name}"] = revision
                values[f"{what}_id_{name}"] = row_id
        state, lines = self.connection.fetch_lines(_changes, names, values=values)
        head, *changes = check_whole(lines).split(b"\n")
        numbers = [int(number) for number in head.split()]
        tags = dict(zip(numbers[::2], numbers[1::2], strict=True))
        return Changes(state, tags, parsed(changes))
