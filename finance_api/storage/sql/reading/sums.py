"""Sums of records.

Each sum is kept as two: one of the high halves of the amounts, and one of the low halves. The
databases add 64-bit numbers, and SQLite fails on overflow.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition
from finance_api.resources import RECORDS
from finance_api.resources.common import INCOME
from finance_api.resources.records import VOID
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import DataReader, RecordSum, TooManySums
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES, ConditionTable, loader_of
from finance_api.storage.sql.parameters import LIMIT
from finance_api.storage.sql.reading.conditions import Predicate, shape_and_values, user_rows
from finance_api.values.time import DAY_SECONDS, HOUR_SECONDS

_HALF_BITS = 32
_SHIFT: sa.ColumnElement[int] = sa.literal_column(str(_HALF_BITS))
_LOW_HALF: sa.ColumnElement[int] = sa.literal_column(str(2**_HALF_BITS - 1))
_DAY: sa.ColumnElement[int] = sa.literal_column(str(DAY_SECONDS))
_HOUR: sa.ColumnElement[int] = sa.literal_column(str(HOUR_SECONDS))
_ZERO: sa.ColumnElement[int] = sa.literal_column("0")

_RECORDS = DATA_TABLES[RECORDS.name]
RECORD_FIELDS = {field.name: field for field in RECORDS.persisted_fields}

#: The columns for a `RecordSum`, with the amount in two halves.
SumColumns = tuple[sa.ColumnElement[Any], ...]

#: The groups that have two values.
_FLAGS = {
    "recordType": _RECORDS.columns["recordType"] == INCOME,
    "isVoid": _RECORDS.columns["recordState"].is_not_distinct_from(VOID),
    "isTransfer": _RECORDS.columns["transferId"].is_not(None),
}
_RECORDS_TABLE = ConditionTable(
    _RECORDS.user_id,
    {**_FLAGS, **_RECORDS.columns},
    _RECORDS.folded,
    _RECORDS.lists,
    _RECORDS.plain,
)


def _time(date: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
    """Return the seconds since the start of the day."""
    # Both databases round towards zero.
    return ((date % _DAY) + _DAY) % _DAY


def month_of(database: str, date: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
    """Return the first second of the date's month."""
    if database == "sqlite":
        return sa.cast(sa.func.strftime("%s", date, "unixepoch", "start of month"), sa.BigInteger)
    moment = sa.func.timezone("UTC", sa.func.to_timestamp(date))
    return sa.cast(sa.func.extract("epoch", sa.func.date_trunc("month", moment)), sa.BigInteger)


def group_column(database: str, name: str) -> sa.ColumnElement[Any]:
    """Return the column of a field of records, or the expression of one of DERIVED_GROUPS."""
    columns = _RECORDS_TABLE.columns
    match name:
        case "recordDate":
            return columns["recordDate"] - _time(columns["recordDate"])
        case "hour":
            time = sa.func.nullif(_time(columns["recordDate"]), _ZERO, type_=sa.BigInteger)
            return time - time % _HOUR
        case "month":
            return month_of(database, columns["recordDate"])
    return columns[name]


def sums_of_rows() -> SumColumns:
    """Return the columns that add up rows of the table of records."""
    amount, date = _RECORDS.columns["amount"], _RECORDS.columns["recordDate"]
    return (
        sa.func.sum(amount.bitwise_rshift(_SHIFT)),
        sa.func.sum(amount.bitwise_and(_LOW_HALF)),
        sa.func.count(),
        sa.func.min(date),
        sa.func.max(date),
    )


def grouped(key: Sequence[sa.ColumnElement[Any]], sums: SumColumns) -> sa.Select[Any]:
    # Group by position: an expression that binds values is not recognised when it is repeated.
    return sa.select(*key, *sums).group_by(
        *(sa.literal_column(str(n + 1)) for n in range(len(key)))
    )


def _of_rows(
    database: str, names: tuple[str, ...], predicates: tuple[Predicate, ...]
) -> sa.Select[Any]:
    key = [group_column(database, name) for name in names]
    found = grouped(key, sums_of_rows())
    flags = [_FLAGS[name] for name in names if name in _FLAGS]
    if flags and database == "sqlite":
        # SQLite sorts rows to group them: by one number in half the time that three columns take.
        number = sum((sa.cast(flag, sa.Integer) * 2**n for n, flag in enumerate(flags)), _ZERO)
        others = [group_column(database, name) for name in names if name not in _FLAGS]
        found = found.group_by(None).group_by(number, *others)
    return found.where(*user_rows(database, _RECORDS_TABLE, predicates))


def _first_sums(database: str, build: Callable[..., sa.Select[Any]], *shape: Any) -> sa.Select[Any]:
    """Select what ``build`` selects, up to LIMIT rows."""
    return build(database, *shape).limit(LIMIT)


def _amounts(
    database: str, names: tuple[str, ...], predicates: tuple[Predicate, ...]
) -> sa.Select[Any]:
    key = [group_column(database, name) for name in names]
    found = sa.select(*key, _RECORDS.columns["amount"])
    return found.where(*user_rows(database, _RECORDS_TABLE, predicates))


class SumReader(Part, DataReader):
    """Reads sums of records."""

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        predicates, values = restriction(user_id, conditions, with_void)
        group_by = tuple(names)
        return self.load_sums(group_by, most, _of_rows, group_by, predicates, values=values)

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        predicates, values = restriction(user_id, conditions, with_void)
        found = self.connection.read(_amounts, tuple(names), predicates, values=values)
        load = _key_loader(names)
        return found if load is None else [load(row) for row in in_time(found)]

    def load_sums(
        self,
        names: tuple[str, ...],
        most: int | None,
        build: Callable[..., sa.Select[Any]],
        *shape: Any,
        values: dict[str, Any],
    ) -> dict[tuple[Any, ...], RecordSum]:
        """Run the query and return its sums. Raises TooManySums if there are more than ``most``."""
        limited = () if most is None else (_first_sums,)
        values["limit"] = (most or 0) + 1
        found = self.connection.read(*limited, build, *shape, values=values)
        if most is not None and len(found) > most:
            raise TooManySums
        width, load = len(names), _key_loader(names) or tuple
        return {
            load(row[:width]): RecordSum(
                (int(row[-5]) << _HALF_BITS) + int(row[-4]), int(row[-3]), row[-2], row[-1]
            )
            for row in in_time(found)
        }


def restriction(
    user_id: int, conditions: Sequence[Condition], with_void: bool
) -> tuple[tuple[Predicate, ...], dict[str, Any]]:
    """Return predicates for the records to sum, and the values to bind."""
    predicates, values = shape_and_values(conditions, user=user_id)
    return predicates if with_void else (*predicates, Predicate("isVoid", "is_false")), values


def _key_loader(names: Sequence[str]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]] | None:
    """Return a function that converts a key's columns to fields' values; None if not necessary."""
    loaders = [
        (at, load)
        for at, name in enumerate(names)
        if name in RECORD_FIELDS and (load := loader_of(RECORD_FIELDS[name].kind)) is not None
    ]

    def load_key(values: tuple[Any, ...]) -> tuple[Any, ...]:
        key = list(values)
        for at, load in loaders:
            key[at] = load(key[at])
        return tuple(key)

    return load_key if loaders else None
