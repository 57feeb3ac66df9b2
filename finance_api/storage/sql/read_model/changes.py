"""Reads changes with the JSON of the read model."""

from collections.abc import Sequence

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.by_date import check_whole, listed_json
from finance_api.storage.sql.read_model.connection import check_text
from finance_api.storage.sql.read_model.shortening import whole
from finance_api.storage.sql.reading.changes import ChangeReader, RecordJson


def _record_json(database: str) -> sa.ColumnElement[str]:
    table = DATA_TABLES[RECORDS.name]
    return listed_json(database, table.table, table.columns["id"], table.columns["recordDate"])


class ListedChangeReader(ChangeReader):
    """Reads the JSON of records from `records_by_date`, with the changes."""

    record_json: RecordJson = staticmethod(_record_json)

    def completed(
        self, user_id: int, ids: Sequence[str], texts: Sequence[str | None]
    ) -> Sequence[bytes | None]:
        # Joined, because checking and lengthening each text takes several times as long.
        lines = "\n".join([text or "" for text in texts]).encode()
        check_text(lines)
        rows = check_whole(whole(lines)).split(b"\n")
        if len(rows) != len(texts):
            raise StorageDamaged("the JSON of a change contains a line end")
        found = [None if text is None else row for text, row in zip(texts, rows, strict=True)]
        if b"" in found:
            raise StorageDamaged("the JSON of a change is empty")
        return found
