"""`record_sums` of one user, updated together with the records.

A change adds up again all months that it touched. It never adds to a stored sum or subtracts from
one, so no mistake can persist.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    delete,
    func,
    insert,
    literal,
    literal_column,
    null,
    select,
)

from finance_api.resources import RECORDS
from finance_api.storage.sql.bulk import rows_differ
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.reading.sums import (
    SUM_COLUMNS,
    SumColumns,
    group_column,
    of_grain,
    sums_of_rows,
    sums_of_sums,
)
from finance_api.storage.sql.tables import GRAINS, PAYEE_KEY_CHARACTERS, record_sums
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS, Period, end_of, start_of

_SUMS = record_sums.c
_RECORDS = DATA_TABLES[RECORDS.name]
#: For each grain but the first, the finer grain whose sums it is added up from. The first is the
#: finest, and uses the records.
_MADE_OF = {
    at: max(other for other in range(at) if GRAINS[other] > GRAINS[at])
    for at in range(1, len(GRAINS))
}
#: What the finest sums are grouped by, in the order of the table's columns.
_KEY = (
    "month",
    "accountId",
    "categoryId",
    "payee",
    "currencyCode",
    "recordType",
    "isVoid",
    "isTransfer",
)


class RecordSums:
    """The sums of one user, as changed by one unit of work."""

    def __init__(self, connection: Connection, user_id: int) -> None:
        self._connection = connection
        self._user_id = user_id
        #: Days with changes, as numbers of days since 1970-01-01.
        self._touched: set[int] = set()

    def touch(self, dates: Iterable[int]) -> None:
        """Note dates of records that are added or removed. Call it before or after doing that."""
        self._touched.update([date // DAY_SECONDS for date in dates])

    def finish(self) -> None:
        """Add up the months that were touched. Call it after all writes."""
        months = {start_of(Period.MONTH, day * DAY_SECONDS) for day in self._touched}
        for first, end in _ranges(sorted(months)):
            self._add_up(first, end)
        self._touched.clear()

    def _add_up(self, first: int, end: int) -> None:
        """Add up consecutive months. first: their first second. end: the first second after."""
        names = [column.name for column in record_sums.columns]
        for grain in range(len(GRAINS)):
            old = self._stored(grain, first, end)
            self._connection.execute(delete(record_sums).where(*old))
            found = self._added_up(grain, first, end).order_by("payee_key", "month", "number")
            self._connection.execute(insert(record_sums).from_select(names, found))

    def differ(self) -> bool:
        """Whether the stored sums differ from the sums of the records."""
        # Leave out the number, which is arbitrary.
        columns = [column for column in record_sums.columns if column is not _SUMS.number]
        months = MIN_SECONDS, MAX_SECONDS + 1
        for grain in range(len(GRAINS)):
            expected = self._added_up(grain, *months).subquery().columns
            made = select(*(expected[column.name] for column in columns))
            stored = select(*columns).where(*self._stored(grain, *months))
            if rows_differ(self._connection, made, stored):
                return True
        return False

    def _stored(self, grain: int, first: int, end: int) -> list[ColumnElement[bool]]:
        """Return clauses that select the stored sums of a grain in these months."""
        months = _SUMS.month >= first, _SUMS.month < end
        return [_SUMS.user_id == self._user_id, *months, *of_grain(grain)]

    def _added_up(self, grain: int, first: int, end: int) -> Select[Any]:
        """Select the sums of a grain, added up from a finer grain or from the records."""
        if grain in _MADE_OF:
            left_out = GRAINS[0] - GRAINS[grain]
            key = [null() if name in left_out else SUM_COLUMNS[name] for name in _KEY]
            finer = self._stored(_MADE_OF[grain], first, end)
            return self._rows(grain, key, sums_of_sums()).where(*finer)
        database, date = self._connection.dialect.name, _RECORDS.columns["recordDate"]
        key = [group_column(database, name) for name in _KEY]
        own = _RECORDS.user_id == self._user_id, date >= first, date < end
        return self._rows(grain, key, sums_of_rows()).where(*own)

    def _rows(self, grain: int, key: Sequence[ColumnElement[Any]], sums: SumColumns) -> Select[Any]:
        """Select new rows for `record_sums`. key: the values of _KEY."""
        month, *others = key
        number = func.row_number().over()
        payee_key: ColumnElement[Any] = literal_column("''")
        if "payee" in GRAINS[grain]:
            payee = key[_KEY.index("payee")]
            length: ColumnElement[int] = literal_column(str(PAYEE_KEY_CHARACTERS))
            payee_key = func.coalesce(func.substr(payee, literal_column("1"), length), payee_key)
        columns = (literal(self._user_id), literal(grain), payee_key, month, number, *others)
        # Group by position: by all columns but the user, the grain and the number.
        grouped: Iterator[ColumnElement[Any]] = (
            literal_column(str(n)) for n in range(3, len(columns) + 1) if n != 5
        )
        named = zip(record_sums.columns, (*columns, *sums), strict=True)
        return select(*(value.label(column.name) for column, value in named)).group_by(*grouped)


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
