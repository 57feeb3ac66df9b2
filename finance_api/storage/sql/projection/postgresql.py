"""`records_by_date` on PostgreSQL, with the index for searching: GIN with pg_trgm."""

from sqlalchemy import MetaData, bindparam, delete, insert, select, text

from finance_api.storage.sql.bulk import insert_rows
from finance_api.storage.sql.projection.records_by_date import (
    DateKey,
    ProjectedRecord,
    RecordsByDate,
)
from finance_api.storage.sql.tables import records_by_date

#: So many at once are a part of a large import.
_MANY = 500

#: Lives as long as the transaction.
_new = records_by_date.to_metadata(MetaData(), name="new_records_by_date")
_MAKE_NEW = text(
    "CREATE TEMPORARY TABLE IF NOT EXISTS new_records_by_date (LIKE records_by_date) ON COMMIT DROP"
)
_HAS_INDEX = text("SELECT to_regclass('ix_records_by_date_search') IS NOT NULL")
_CLEAN_INDEX = text("SELECT gin_clean_pending_list('ix_records_by_date_search')")


class PostgresqlRecordsByDate(RecordsByDate):
    """Many records are put into a temporary table first, and from there in the order of the list.

    PostgreSQL leaves rows where they are put: a page of neighbours is then read in few blocks.
    """

    _has_new = False
    _has_inserted = False

    def _insert(self, records: list[ProjectedRecord]) -> None:
        self._has_inserted = True
        table = records_by_date
        if self._has_new or len(records) >= _MANY:
            table = _new
            self.connection.execute(_MAKE_NEW)
            self._has_new = True
        rows = [
            (self.user_id, record.newest_first, record.id, None, *record[2:]) for record in records
        ]
        insert_rows(self.connection, table, rows)

    def _delete(self, date_keys: list[DateKey]) -> None:
        values = [{"at": at, "of_id": row_id} for at, row_id in date_keys]
        for table in (records_by_date, _new) if self._has_new else (records_by_date,):
            self.connection.execute(
                delete(table).where(
                    table.c.user_id == self.user_id,
                    table.c.newest_first == bindparam("at"),
                    table.c.id == bindparam("of_id"),
                ),
                values,
            )

    def _flush(self) -> None:
        if self._has_new:
            by_user = _new.c.user_id == self.user_id
            ordered = select(_new).where(by_user).order_by(_new.c.newest_first, _new.c.id)
            self.connection.execute(
                insert(records_by_date).from_select([c.name for c in _new.c], ordered)
            )
            self.connection.execute(delete(_new).where(by_user))
            self._has_new = False
        if self._has_inserted and self.connection.execute(_HAS_INDEX).scalar_one():
            # Otherwise the next searches would read through the index's pending list.
            self.connection.execute(_CLEAN_INDEX)
        self._has_inserted = False
