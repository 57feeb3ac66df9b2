"""The tables of the resources, one each, and the way from rows to columns and back."""

from collections.abc import Callable, Collection, Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Table, UniqueConstraint

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Field, Resource, names_of
from finance_api.resources.naming import snake_case
from finance_api.resources.wire import encoder_of
from finance_api.storage.sql.columns import (
    CodePointText,
    RowLoader,
    column_name,
    columns_of,
    folded_name,
    packed,
    packed_folded,
)
from finance_api.storage.sql.tables import metadata, owner_column, records_by_date, revision_column
from finance_api.values import Row
from finance_api.values.text import fold

#: Returns the revision that last changed a row's JSON, from its id and that JSON.
RevisionOf = Callable[[str, str], int]


class ConditionTable:
    """The columns that conditions refer to, by the names of fields.

    folded: the columns of the folded texts. lists: the names of the fields that are packed lists.
    """

    def __init__(
        self,
        user_id: ColumnElement[int],
        columns: Mapping[str, ColumnElement[Any]],
        folded: Mapping[str, ColumnElement[Any]],
        lists: Collection[str],
    ) -> None:
        self.user_id = user_id
        self.columns = columns
        self.folded = folded
        self.lists = lists


def _has_json(resource: Resource) -> bool:
    return resource.path is not None and not resource.computed_fields


class DataTable(ConditionTable):
    """The table of one resource, and the way from rows to columns and back.

    columns: the columns of the persisted fields.
    listed, persisted: the columns of these fields. load_listed, load_persisted: make rows of them.
    json: the column of the rows as JSON objects, if no field depends on the day; records have
    theirs in `records_by_date`.
    """

    def __init__(self, resource: Resource) -> None:
        listed = resource.listed_fields
        own_json = _has_json(resource) and resource is not RECORDS
        self.table = Table(
            snake_case(resource.name),
            metadata,
            owner_column(),
            *(
                column
                for field in resource.persisted_fields
                for column in columns_of(field, searchable=field in listed)
            ),
            *([Column("json", CodePointText, nullable=False)] if own_json else []),
            *([revision_column()] if own_json else []),
            UniqueConstraint("user_id", "source", "source_id"),
        )
        if own_json:
            Index(None, self.table.c.user_id, self.table.c.revision, self.table.c.id)
        super().__init__(
            self.table.c.user_id,
            {f.name: self.table.c[column_name(f)] for f in resource.persisted_fields},
            {f.name: self.table.c[folded_name(f)] for f in listed if f.kind.is_text},
            {f.name for f in resource.persisted_fields if f.kind.is_list},
        )
        self.listed = [self.columns[name] for name in names_of(listed)]
        self.persisted = list(self.columns.values())
        self.load_listed = RowLoader(listed).load
        self.load_persisted = RowLoader(resource.persisted_fields).load
        self.json = self.table.c.json if own_json else None
        # The field of each column, and how to convert its value.
        plan: list[tuple[Field, Callable[[Any], Any] | None]] = []
        for field in resource.persisted_fields:
            is_list = field.kind.is_list
            plan.append((field, packed(field.kind) if is_list else None))
            if field in listed and field.kind.is_text:
                plan.append((field, packed_folded(field.kind) if is_list else fold))
        self._values = itemgetter(*(field.name for field, _ in plan))
        self._converters = [
            (place, convert) for place, (_, convert) in enumerate(plan, 1) if convert is not None
        ]
        self._encode = encoder_of(resource).encode if own_json else None

    def values(self, user_id: int, row: Row, revision_of: RevisionOf) -> list[Any]:
        """Return the values of the table's columns for a whole row, as drivers take them."""
        values: list[Any] = [user_id, *self._values(row)]
        for place, convert in self._converters:
            value = values[place]
            if value is not None:
                values[place] = convert(value)
        if self._encode is not None:
            json = self._encode(row).decode()
            values += (json, revision_of(row["id"], json))
        return values


DATA_TABLES: dict[str, DataTable] = {r.name: DataTable(r) for r in RESOURCES}

#: The tables that have the rows of each resource as JSON objects, with their revisions.
JSON_TABLES: dict[str, Table] = {
    r.name: records_by_date if r is RECORDS else DATA_TABLES[r.name].table
    for r in filter(_has_json, RESOURCES)
}
