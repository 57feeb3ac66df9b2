"""Reads changes with the JSON of the read model."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import Change, DataState
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.by_date import check_whole, listed_json
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.reading.changes import ChangeReader, rows_of_changes
from finance_api.storage.sql.tables import CodePointText

#: Stands for the JSON of a deleted row.
_DELETED = b"deleted"


def _lines(database: str, names: tuple[str, ...]) -> sa.Select[Any]:
    """Select each of `rows_of_changes` as four lines: databases return one column much faster."""
    records = DATA_TABLES[RECORDS.name]
    # Without the date, which only the row has, the index of revisions is all that is read of it.
    record_json = listed_json(database, records.table, records.columns["id"])
    row = rows_of_changes(database, names, record_json).subquery("found").c
    end = sa.literal_column("'\n'", CodePointText)
    text: sa.ColumnElement[str] = sa.func.coalesce(row.json, _DELETED.decode())
    for column in (row.row_id, row.resource, row.revision):
        text = sa.cast(column, CodePointText) + end + text
    return sa.select(text)


class ListedChangeReader(ChangeReader):
    """Reads the JSON of records from `records_by_date`, with the changes."""

    connection: FastConnection

    def read_changes(
        self, resources: Sequence[Resource], values: dict[str, Any]
    ) -> tuple[DataState, bytes, list[Change]]:
        names = tuple(resource.name for resource in resources)
        state, lines = self.connection.fetch_lines(_lines, names, values=values)
        texts = iter(check_whole(lines).split(b"\n"))
        (*_, tags), *rows = zip(*[texts] * 4, strict=True)
        changes = [
            Change(
                int(revision),
                resources[int(place)],
                row_id.decode(),
                None if json == _DELETED else json,
            )
            for revision, place, row_id, json in rows
        ]
        return state, tags, changes
