"""The projection, kept in step with the records that a unit of work writes."""

from collections.abc import Sequence

from sqlalchemy import Connection

from finance_api.storage.sql.bulk import Shown
from finance_api.storage.sql.projection.record_sums import RecordSums
from finance_api.storage.sql.projection.records_by_date import DateKey, RecordsByDate
from finance_api.storage.sql.tables import RevisionOf
from finance_api.values import Row


class ProjectionOfUser:
    """What is derived from the records of one user."""

    def __init__(self, connection: Connection, user_id: int) -> None:
        self._by_date = RecordsByDate(connection, user_id)
        self._sums = RecordSums(connection, user_id)

    def shown(self, ids: Sequence[str]) -> dict[str, Shown]:
        """What is shown of these records now, by id."""
        return self._by_date.shown(ids)

    def remove(self, ids: Sequence[str]) -> set[DateKey]:
        """Removes stored records. Returns their positions in the list."""
        removed = self._by_date.remove(ids)
        self._sums.touch(-newest_first for newest_first, _ in removed)
        return removed

    def add(self, rows: Sequence[Row], removed: set[DateKey], revision_of: RevisionOf) -> None:
        """Adds records. removed: the positions that some of them had before."""
        self._by_date.add(rows, removed, revision_of)
        self._sums.touch(row["recordDate"] for row in rows)

    def delete(self, ids: Sequence[str]) -> None:
        """Removes stored records for good."""
        self._by_date.note_moved(self.remove(ids))

    def finish(self) -> None:
        """To be called when everything is written."""
        self._by_date.finish()
        self._sums.finish()


class Projection:
    """The projections of the users whose records one unit of work changes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._by_user: dict[int, ProjectionOfUser] = {}

    def of(self, user_id: int) -> ProjectionOfUser:
        found = self._by_user.get(user_id)
        if found is None:
            found = self._by_user[user_id] = ProjectionOfUser(self._connection, user_id)
        return found

    def finish(self) -> None:
        """To be called when everything is written, and before it is read."""
        for records in self._by_user.values():
            records.finish()
