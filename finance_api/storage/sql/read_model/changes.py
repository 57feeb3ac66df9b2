"""Reads changes with the JSON of the read model."""

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.interface import Change
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.by_date import check_whole, listed_json
from finance_api.storage.sql.read_model.connection import check_text
from finance_api.storage.sql.read_model.shortening import whole
from finance_api.storage.sql.reading.changes import ChangeReader, RecordJson


def _record_json(database: str) -> sa.ColumnElement[str]:
    table = DATA_TABLES[RECORDS.name]
    return listed_json(database, table.table, table.columns["id"], table.columns["recordDate"])


class ListedChangeReader(ChangeReader):
    record_json: RecordJson = staticmethod(_record_json)

    def completed(self, user_id: int, changes: list[Change]) -> list[Change]:
        if not changes:
            return []
        # All together, because this takes several times as long for each.
        lines = b"\n".join([change.json or b"" for change in changes])
        check_text(lines)
        rows = check_whole(whole(lines)).split(b"\n")
        return [c._replace(json=row or None) for c, row in zip(changes, rows, strict=True)]
