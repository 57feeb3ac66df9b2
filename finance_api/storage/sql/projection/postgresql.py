"""`records_by_date` on PostgreSQL, which leaves rows where they are put."""

from collections.abc import Sequence

from sqlalchemy import MetaData, delete, insert, select, text

from finance_api.storage.sql.bulk import Shown, shown_in
from finance_api.storage.sql.projection.records_by_date import ProjectedRecord, RecordsByDate
from finance_api.storage.sql.tables import records_by_date

#: So many at once are a part of a large import.
_MANY = 500

#: Lives as long as the transaction. The key finds what is changed again.
_new = records_by_date.to_metadata(MetaData(), name="new_records_by_date")
_MAKE_NEW = text(
    "CREATE TEMPORARY TABLE IF NOT EXISTS new_records_by_date"
    " (LIKE records_by_date, PRIMARY KEY (user_id, id)) ON COMMIT DROP"
)


class PostgresqlRecordsByDate(RecordsByDate):
    """Many records are put into a temporary table first, and from there in the order of the list.

    A page of neighbours is then read in few blocks.
    """

    _has_new = False

    def _insert(self, records: list[ProjectedRecord]) -> None:
        if not self._has_new and len(records) < _MANY:
            super()._insert(records)
            return
        self.connection.execute(_MAKE_NEW)
        self._has_new = True
        self._insert_into(_new, records)

    def _delete(self, ids: Sequence[str]) -> None:
        super()._delete(ids)
        if self._has_new:
            self._delete_from(_new, ids)

    def shown(self, ids: Sequence[str]) -> dict[str, Shown]:
        found = super().shown(ids)
        if self._has_new:
            found |= shown_in(self.connection, _new, self.user_id, ids)
        return found

    def _flush(self) -> None:
        if not self._has_new:
            return
        by_user = _new.c.user_id == self.user_id
        ordered = select(_new).where(by_user).order_by(_new.c.newest_first, _new.c.id)
        self.connection.execute(
            insert(records_by_date).from_select([c.name for c in _new.c], ordered)
        )
        self.connection.execute(delete(_new).where(by_user))
        self._has_new = False
