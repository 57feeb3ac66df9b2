"""Reads changes with the JSON of the read model."""

from io import BytesIO
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.serialization.rows import change_text
from finance_api.storage.interface import DataState
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.by_date import check_whole, listed_json
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.reading.changes import ChangeReader, rows_of_changes
from finance_api.storage.sql.tables import CodePointText


def _lines(database: str, names: tuple[str, ...]) -> sa.Select[Any]:
    """Select the text of the tags, then each of `rows_of_changes` as a line."""
    records = DATA_TABLES[RECORDS.name]
    # Without the date, which only the row has, the index of revisions is all that is read of it.
    record_json = listed_json(database, records.table, records.columns["id"])
    found = rows_of_changes(database, names, record_json, _line).subquery("found")
    return sa.select(found.c.json)


def _line(name: str, row_id: Any, revision: Any, row: Any) -> sa.ColumnElement[str]:
    line: sa.ColumnElement[str] = change_text(name, row_id, sa.cast(revision, CodePointText), row)
    return line


class ListedChangeReader(ChangeReader):
    """Reads the JSON of records from `records_by_date`, with the changes."""

    connection: FastConnection

    def read_changes(
        self, names: tuple[str, ...], values: dict[str, Any]
    ) -> tuple[DataState, list[bytes]]:
        state, text = self.connection.fetch_lines(_lines, names, values=values)
        # A file finds its line ends much faster than `split`, which looks at each byte.
        return state, [line.rstrip(b"\n") for line in BytesIO(check_whole(text))] or [b""]
