"""The projection of records: `records_by_date` with its anchors, and the sums in `record_sums`.

After a change, every month that it touched is added up again. Nothing is added to a stored sum or
subtracted from one, so no mistake can persist.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.sql.bulk import insert_rows, rows_differ, rows_with
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import USER, number_parameter, text_parameter
from finance_api.storage.sql.read_model.shortening import shortened
from finance_api.storage.sql.read_model.sums import SUM_COLUMNS, of_grain, sums_of_sums
from finance_api.storage.sql.read_model.tables import (
    ANCHOR_INTERVAL,
    GRAINS,
    PAYEE_KEY_CHARACTERS,
    record_anchors,
    record_sums,
    records_by_date,
)
from finance_api.storage.sql.reading.sums import SumColumns, group_column, sums_of_rows
from finance_api.storage.sql.tables import user_data
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS, Period, end_of, start_of

_SUMS = record_sums.c
_ROWS = DATA_TABLES[RECORDS.name]
#: For each grain except the first, the finer grain whose sums it adds up. The first grain is the
#: finest, and adds up the records.
_MADE_OF = {
    at: max(other for other in range(at) if GRAINS[other] > GRAINS[at])
    for at in range(1, len(GRAINS))
}
#: The names by which the finest sums are grouped, in the order of the table's columns.
SUM_KEY = (
    *("month", "accountId", "categoryId", "payee"),
    *("currencyCode", "recordType", "isVoid", "isTransfer"),
)
#: The months to add up: their first second, and the first second after.
_FROM, _UNTIL = number_parameter("from"), number_parameter("until")


class RecordSums:
    """The sums of one user, as changed by one unit of work."""

    def __init__(self, connection: sa.Connection, user_id: int) -> None:
        self._connection = connection
        self._user_id = user_id
        #: Days with changes, as numbers of days since 1970-01-01.
        self._touched: set[int] = set()

    def touch(self, dates: Iterable[int]) -> None:
        """Note the dates of added or removed records. Call it before or after the change."""
        self._touched.update([date // DAY_SECONDS for date in dates])

    def finish(self) -> None:
        """Add up the months that were touched. Call it after all writes."""
        months = {start_of(Period.MONTH, day * DAY_SECONDS) for day in self._touched}
        for first, end in _ranges(sorted(months)):
            self._add_up(first, end)
        self._touched.clear()

    def _add_up(self, first: int, end: int) -> None:
        """Add up consecutive months. first: their first second. end: the first second after."""
        for grain in range(len(GRAINS)):
            for statement in _adding_up(self._connection.dialect.name, grain):
                self._connection.execute(statement, self._parameters(first, end))

    def _parameters(self, first: int, end: int) -> dict[str, int]:
        return {"user": self._user_id, "from": first, "until": end}

    def differ(self) -> bool:
        """Whether the stored sums differ from the sums of the records."""
        # Leave out the number, which is arbitrary.
        columns = [column for column in record_sums.columns if column is not _SUMS.number]
        every = self._parameters(MIN_SECONDS, MAX_SECONDS + 1)
        for grain in range(len(GRAINS)):
            expected = _added_up(self._connection.dialect.name, grain).subquery().columns
            made = sa.select(*(expected[column.name] for column in columns))
            stored = sa.select(*columns).where(*_stored(grain))
            if rows_differ(self._connection, made.params(every), stored.params(every)):
                return True
        return False


@cache
def _adding_up(database: str, grain: int) -> tuple[sa.Delete, sa.Insert]:
    """Return the queries that replace the sums of a grain in the months."""
    names = [column.name for column in record_sums.columns]
    found = _added_up(database, grain).order_by("payee_key", "month", "number")
    old = sa.delete(record_sums).where(*_stored(grain))
    return old, sa.insert(record_sums).from_select(names, found)


def _stored(grain: int) -> list[sa.ColumnElement[bool]]:
    """Return clauses that select the stored sums of a grain in the months."""
    return [_SUMS.user_id == USER, _SUMS.month >= _FROM, _SUMS.month < _UNTIL, *of_grain(grain)]


def _added_up(database: str, grain: int) -> sa.Select[Any]:
    """Select the sums of a grain, added up from a finer grain or from the records."""
    if grain in _MADE_OF:
        left_out = GRAINS[0] - GRAINS[grain]
        key = [sa.null() if name in left_out else SUM_COLUMNS[name] for name in SUM_KEY]
        return _rows(grain, key, sums_of_sums()).where(*_stored(_MADE_OF[grain]))
    date = _ROWS.columns["recordDate"]
    key = [group_column(database, name) for name in SUM_KEY]
    own = _ROWS.user_id == USER, date >= _FROM, date < _UNTIL
    return _rows(grain, key, sums_of_rows()).where(*own)


def _rows(grain: int, key: Sequence[sa.ColumnElement[Any]], sums: SumColumns) -> sa.Select[Any]:
    """Select new rows for `record_sums`. key: the columns for SUM_KEY."""
    month, *others = key
    number = sa.func.row_number().over()
    payee_key: sa.ColumnElement[Any] = sa.literal_column("''")
    if "payee" in GRAINS[grain]:
        payee = key[SUM_KEY.index("payee")]
        length: sa.ColumnElement[int] = sa.literal_column(str(PAYEE_KEY_CHARACTERS))
        payee_key = sa.func.coalesce(
            sa.func.substr(payee, sa.literal_column("1"), length), payee_key
        )
    grain_column: sa.ColumnElement[int] = sa.literal_column(str(grain))
    columns = (USER, grain_column, payee_key, month, number, *others)
    # Group by position: by all columns but the user, the grain and the number.
    grouped: Iterator[sa.ColumnElement[Any]] = (
        sa.literal_column(str(n)) for n in range(3, len(columns) + 1) if n != 5
    )
    named = zip(record_sums.columns, (*columns, *sums), strict=True)
    return sa.select(*(value.label(column.name) for column, value in named)).group_by(*grouped)


def _ranges(months: Sequence[int]) -> list[tuple[int, int]]:
    """Join consecutive months into ranges: (first second, first second after the range)."""
    found: list[tuple[int, int]] = []
    for month in months:
        end = end_of(Period.MONTH, month)
        if found and found[-1][1] == month:
            found[-1] = (found[-1][0], end)
        else:
            found.append((month, end))
    return found


_RECORDS = records_by_date.c
_ANCHORS = record_anchors.c

#: The position of a record in the list: (newest_first, id).
DateKey = tuple[int, str]


class ListedRecord(NamedTuple):
    """A row of `records_by_date`, without the column of the user."""

    newest_first: int
    id: str
    json: str


def listed(date: int, row_id: str, json: str) -> ListedRecord:
    """Return how a record is listed. json: from `DataTable.encode`."""
    return ListedRecord(-date, row_id, shortened(json))


#: Parameters: a position in the list, the number of records below it, and ANCHOR_INTERVAL.
_AT, _AT_ID = number_parameter("at"), text_parameter("at_id")
_BELOW, _INTERVAL = number_parameter("below"), number_parameter("interval")


def _counted(which: Sequence[sa.ColumnElement[bool]]) -> sa.Select[Any]:
    """Select the anchors among these records, as rows of `record_anchors`."""
    number = sa.func.row_number().over(order_by=(_RECORDS.newest_first.desc(), _RECORDS.id.desc()))
    position = (number + _BELOW - sa.literal_column("1")).label("position")
    columns = _RECORDS.user_id, position, _RECORDS.newest_first, _RECORDS.id
    counted = sa.select(*columns).where(*which).subquery("counted")
    return sa.select(counted).where(counted.c.position % _INTERVAL == 0)


_ANCHORS_OF_USER = _ANCHORS.user_id == USER
#: Deletes the anchors from a position up to the top of the list.
_DELETE_ANCHORS = sa.delete(record_anchors).where(
    _ANCHORS_OF_USER,
    # A comparison of tuples would need the types of both sides.
    sa.or_(
        _ANCHORS.newest_first < _AT, sa.and_(_ANCHORS.newest_first == _AT, _ANCHORS.id <= _AT_ID)
    ),
)
_HIGHEST_ANCHOR = (
    sa.select(_ANCHORS.position, _ANCHORS.newest_first, _ANCHORS.id)
    .where(_ANCHORS_OF_USER)
    .order_by(_ANCHORS.position.desc())
    .limit(1)
)
_SET_COUNT = (
    sa.update(user_data)
    .where(user_data.c.user_id == USER)
    .values(record_count=number_parameter("number"))
)


_ABOVE = (
    _RECORDS.user_id == USER,
    sa.tuple_(_RECORDS.newest_first, _RECORDS.id) < sa.tuple_(_AT, _AT_ID),
)
#: Place anchors and count records above a position.
_PLACE_ANCHORS = sa.insert(record_anchors).from_select(
    ["user_id", "position", "newest_first", "id"], _counted(_ABOVE)
)
_COUNT_ABOVE = sa.select(sa.func.count()).select_from(records_by_date).where(*_ABOVE)


_date_key: Callable[[ListedRecord], DateKey] = itemgetter(0, 1)


class ProjectedRecords:
    """The projection of one user's records, as changed by one unit of work.

    Records are inserted in the order of the list. PostgreSQL leaves rows where they were inserted,
    so a page is then in a few blocks.
    """

    def __init__(self, connection: sa.Connection, user_id: int) -> None:
        self.connection = connection
        self.user_id = user_id
        self.sums = RecordSums(connection, user_id)
        #: The position farthest down the list at which a record was added or removed.
        self._last_change: DateKey | None = None

    def remove(self, ids: Sequence[str]) -> set[DateKey]:
        """Remove records from the list, and return the positions they had."""
        if not ids:
            return set()
        which = rows_with(self.connection, records_by_date, self.user_id, ids)
        deletion = sa.delete(records_by_date).where(which)
        found = self.connection.execute(deletion.returning(_RECORDS.newest_first, _RECORDS.id))
        removed = {(int(at), str(of_id)) for at, of_id in found}
        self.sums.touch(-newest_first for newest_first, _ in removed)
        return removed

    def delete(self, ids: Sequence[str]) -> None:
        """Remove records that are deleted for good."""
        self._note_moved(self.remove(ids))

    def add(self, records: Iterable[ListedRecord], removed: set[DateKey]) -> None:
        """Add records to the list. removed: positions that some of the records had before."""
        ordered = sorted(records, key=_date_key)
        rows = [(self.user_id, *record) for record in ordered]
        insert_rows(self.connection, records_by_date, rows)
        self._note_moved(removed.symmetric_difference(map(_date_key, ordered)))
        self.sums.touch(-record.newest_first for record in ordered)

    def _note_moved(self, keys: set[DateKey]) -> None:
        """Note the positions at which records were added or removed."""
        if keys:
            last = max(keys)
            self._last_change = last if self._last_change is None else max(last, self._last_change)

    def finish(self) -> None:
        """Bring anchors and sums up to date. Call it after all writes."""
        if self._last_change is not None:
            self._rebuild_anchors(*self._last_change)
            self._last_change = None
        self.sums.finish()

    def anchors_differ(self) -> bool:
        """Whether the stored anchors or the stored count disagree with the list."""
        by_user = _RECORDS.user_id == self.user_id
        stored = sa.select(record_anchors).where(_ANCHORS.user_id == self.user_id)
        expected = _counted([by_user]).params(below=0, interval=ANCHOR_INTERVAL)
        if rows_differ(self.connection, expected, stored):
            return True
        number = sa.select(sa.func.count()).select_from(records_by_date).where(by_user)
        kept = sa.select(user_data.c.record_count).where(user_data.c.user_id == self.user_id)
        return self.connection.scalar(number) != self.connection.scalar(kept)

    def _rebuild_anchors(self, at: int, row_id: str) -> None:
        """Place new anchors from this position up to the top of the list, and count the list."""
        execute, user = self.connection.execute, {"user": self.user_id}
        execute(_DELETE_ANCHORS, user | {"at": at, "at_id": row_id})
        highest = execute(_HIGHEST_ANCHOR, user).first()
        # Without an anchor, begin at the end of the list.
        position, *key = (-1, MAX_UNITS, "") if highest is None else highest
        above = {**user, **dict(zip(("at", "at_id"), key, strict=True))}
        below = position + 1
        execute(_PLACE_ANCHORS, above | {"below": below, "interval": ANCHOR_INTERVAL})
        number = below + execute(_COUNT_ABOVE, above).scalar_one()
        execute(_SET_COUNT, user | {"number": number})
