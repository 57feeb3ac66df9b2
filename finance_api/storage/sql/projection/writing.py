"""The projection, kept in step with the records that a unit of work writes."""

from sqlalchemy import Connection

from finance_api.storage.sql.projection.postgresql import PostgresqlRecordsByDate
from finance_api.storage.sql.projection.records_by_date import RecordsByDate

_RECORDS_BY_DATE: dict[str, type[RecordsByDate]] = {
    "sqlite": RecordsByDate,
    "postgresql": PostgresqlRecordsByDate,
}


class Projection:
    """The projections of the users whose records one unit of work changes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._by_user: dict[int, RecordsByDate] = {}

    def of(self, user_id: int) -> RecordsByDate:
        found = self._by_user.get(user_id)
        if found is None:
            kind = _RECORDS_BY_DATE[self._connection.dialect.name]
            found = self._by_user[user_id] = kind(self._connection, user_id)
        return found

    def finish(self) -> None:
        """To be called when everything is written, and before it is read."""
        for records in self._by_user.values():
            records.finish()
