"""The projection of one user's records: `records_by_date` with its anchors, and the sums."""

from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Select,
    Table,
    and_,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.schema import CreateTable

from finance_api.resources import RECORDS, Kind
from finance_api.resources.wire import encoder_of
from finance_api.storage.sql.bulk import insert_rows, revisions_in, rows_differ, rows_with
from finance_api.storage.sql.data_tables import SEPARATORS, RevisionOf
from finance_api.storage.sql.stored_json import shortened
from finance_api.storage.sql.tables import (
    ANCHOR_INTERVAL,
    CodePointText,
    record_anchors,
    records_by_date,
    user_data,
)
from finance_api.storage.sql.writing.record_sums import RecordSums
from finance_api.values import Row
from finance_api.values.text import plain

_RECORDS = records_by_date.c
_ANCHORS = record_anchors.c

#: The position of a record in the list: (newest_first, id).
DateKey = tuple[int, str]


class ProjectedRecord(NamedTuple):
    """A row of `records_by_date`, without the column of the user."""

    newest_first: int
    id: str
    payee_plain: str | None
    note_plain: str | None
    json: str
    names_plain: str
    revision: int


_encode = encoder_of(RECORDS).encode
#: Separates names in names_plain. No text to search for contains it.
_BETWEEN = SEPARATORS[Kind.TEXT_LIST]


def projected(row: Row, revision_of: RevisionOf) -> ProjectedRecord:
    payee, note = row["payee"], row["note"]
    json = shortened(_encode(row).decode())
    return ProjectedRecord(
        -row["recordDate"],
        row["id"],
        None if payee is None else plain(payee),
        None if note is None else plain(note),
        json,
        plain(_BETWEEN.join([row["category"] or "", *row["labels"], row["accountName"]])),
        revision_of(row["id"], json),
    )


def _counted(start: int, which: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """Select the anchors among these records, as rows of `record_anchors`.

    start: the position of the last of these records in the list.
    """
    number = func.row_number().over(order_by=(_RECORDS.newest_first.desc(), _RECORDS.id.desc()))
    counted = (
        select(
            _RECORDS.user_id,
            (number + literal(start - 1)).label("position"),
            _RECORDS.newest_first,
            _RECORDS.id,
        )
        .where(*which)
        .subquery("counted")
    )
    return select(counted).where(counted.c.position % ANCHOR_INTERVAL == 0)


_date_key: Callable[[ProjectedRecord], DateKey] = itemgetter(0, 1)


#: A batch with at least this many records is part of a large import.
_MANY = 500


@cache
def _new_records(database: str) -> Table:
    """Make a temporary table; it lasts until the transaction (PostgreSQL) or connection ends."""
    # Set the option only for PostgreSQL, because it imports SQLAlchemy's dialect for it.
    options: Any = {"postgresql_on_commit": "DROP"} if database == "postgresql" else {}
    columns = [Column(column.name, column.type) for column in records_by_date.columns]
    return Table("new_records_by_date", MetaData(), *columns, prefixes=["TEMPORARY"], **options)


class ProjectedRecords:
    """The projection of one user's records, as changed by one unit of work.

    If many records come in another order than the list's, they first go to a temporary table, and
    from there to the list in its order. PostgreSQL leaves rows where they were inserted, so a page
    is then in a few blocks. SQLite keeps a table sorted, and fills its blocks this way.
    """

    def __init__(self, connection: Connection, user_id: int) -> None:
        self.connection = connection
        self.user_id = user_id
        self.sums = RecordSums(connection, user_id)
        #: The position farthest down the list at which a record was added or removed.
        self._last_change: DateKey | None = None
        #: The newest_first of the last record that was inserted into `records_by_date`.
        self._inserted: int | None = None
        #: The temporary table; None while it has no records.
        self._new: Table | None = None

    def _insert(self, records: list[ProjectedRecord]) -> None:
        """Insert records; they must be in the order of the list."""
        in_order = self._inserted is None or self._inserted <= records[0].newest_first
        table = self._new
        if table is None and (in_order or len(records) < _MANY):
            table = records_by_date
            self._inserted = records[-1].newest_first
        elif table is None:
            table = self._new = _new_records(self.connection.dialect.name)
            self.connection.execute(CreateTable(table, if_not_exists=True))
        insert_rows(self.connection, table, [(self.user_id, *record) for record in records])

    def _flush(self) -> None:
        """Move the temporary table's records to `records_by_date`."""
        if self._new is None:
            return
        new = self._new.c
        by_user = new.user_id == self.user_id
        ordered = select(self._new).where(by_user).order_by(new.newest_first, new.id)
        names = [column.name for column in new]
        self.connection.execute(insert(records_by_date).from_select(names, ordered))
        self.connection.execute(delete(self._new).where(by_user))
        self._new = None

    def revisions(self, ids: Sequence[str]) -> dict[tuple[str, str], int]:
        """Return the revisions of these records, by (id, JSON)."""
        self._flush()
        return revisions_in(self.connection, records_by_date, self.user_id, ids)

    def remove(self, ids: Sequence[str]) -> set[DateKey]:
        """Remove records from the list, and return the positions they had."""
        if not ids:
            return set()
        self._flush()
        which = rows_with(self.connection, records_by_date, self.user_id, ids)
        deletion = delete(records_by_date).where(which)
        found = self.connection.execute(deletion.returning(_RECORDS.newest_first, _RECORDS.id))
        removed = {(int(at), str(of_id)) for at, of_id in found}
        self.sums.touch(-newest_first for newest_first, _ in removed)
        return removed

    def delete(self, ids: Sequence[str]) -> None:
        """Remove records that are deleted for good."""
        self._note_moved(self.remove(ids))

    def add(self, rows: Sequence[Row], removed: set[DateKey], revision_of: RevisionOf) -> None:
        """Add records to the list. removed: positions that some of them had before."""
        records = sorted([projected(row, revision_of) for row in rows], key=_date_key)
        if records:
            self._insert(records)
        self._note_moved(removed.symmetric_difference(map(_date_key, records)))
        self.sums.touch(row["recordDate"] for row in rows)

    def _note_moved(self, keys: set[DateKey]) -> None:
        """Note the positions at which records were added or removed."""
        if keys:
            last = max(keys)
            self._last_change = last if self._last_change is None else max(last, self._last_change)

    def finish(self) -> None:
        """Bring anchors and sums up to date. Call it after all writes."""
        self._flush()
        if self._last_change is not None:
            self._rebuild_anchors(*self._last_change)
            self._last_change = None
        self.sums.finish()

    def anchors_differ(self) -> bool:
        """Whether the stored anchors or the stored count disagree with the list."""
        by_user = _RECORDS.user_id == self.user_id
        stored = select(record_anchors).where(_ANCHORS.user_id == self.user_id)
        if rows_differ(self.connection, _counted(0, [by_user]), stored):
            return True
        number = select(func.count()).select_from(records_by_date).where(by_user)
        kept = select(user_data.c.record_count).where(user_data.c.user_id == self.user_id)
        return self.connection.scalar(number) != self.connection.scalar(kept)

    def _rebuild_anchors(self, at: int, row_id: str) -> None:
        """Place new anchors from this position up to the top of the list, and count the list."""
        by_user = _ANCHORS.user_id == self.user_id
        execute = self.connection.execute
        # Not a comparison of tuples, which needs the types of both sides.
        changed = or_(
            _ANCHORS.newest_first < at, and_(_ANCHORS.newest_first == at, _ANCHORS.id <= row_id)
        )
        execute(delete(record_anchors).where(by_user, changed))
        highest = execute(
            select(_ANCHORS.position, _ANCHORS.newest_first, _ANCHORS.id)
            .where(by_user)
            .order_by(_ANCHORS.position.desc())
            .limit(1)
        ).first()
        start, above = 0, [_RECORDS.user_id == self.user_id]
        if highest is not None:
            start = highest.position + 1
            anchor = tuple_(literal(highest.newest_first), literal(highest.id, CodePointText))
            above.append(tuple_(_RECORDS.newest_first, _RECORDS.id) < anchor)
        names = ["user_id", "position", "newest_first", "id"]
        execute(insert(record_anchors).from_select(names, _counted(start, above)))
        number = select(func.count()).select_from(records_by_date).where(*above)
        count = execute(number).scalar_one()
        counted = update(user_data).where(user_data.c.user_id == self.user_id)
        execute(counted.values(record_count=start + count))
