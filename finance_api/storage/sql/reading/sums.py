"""Sums of records: from the rows, or from the stored sums of each month.

Each sum is kept as two: one of the high halves of the amounts, and one of the low halves. The
databases add 64-bit numbers, and SQLite fails on overflow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, Span, dated
from finance_api.query.operators import RANGES, Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import DataReader, RecordSum, TooManySums
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES, ConditionTable, loader_of
from finance_api.storage.sql.parameters import LIMIT
from finance_api.storage.sql.reading.conditions import Predicate, shape_and_values, user_rows
from finance_api.storage.sql.reading.finding import with_found_ids
from finance_api.storage.sql.tables import GRAINS, record_sums
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS, Period, end_of, start_of

_HALF_BITS = 32
_SHIFT: sa.ColumnElement[int] = sa.literal_column(str(_HALF_BITS))
_LOW_HALF: sa.ColumnElement[int] = sa.literal_column(str(2**_HALF_BITS - 1))
_DAY: sa.ColumnElement[int] = sa.literal_column(str(DAY_SECONDS))

_RECORDS = DATA_TABLES[RECORDS.name]
_SUMS = record_sums.c
_RECORD_FIELDS = {field.name: field for field in RECORDS.persisted_fields}

#: The columns by which the sums of every grain are grouped.
_OF_EVERY_GRAIN = frozenset({"currencyCode", "recordType", "month", "isVoid", "isTransfer"})

#: The columns for a `RecordSum`, with the amount in two halves.
SumColumns = tuple[sa.ColumnElement[Any], ...]

#: The columns of `record_sums`, by names of fields and DERIVED_GROUPS.
SUM_COLUMNS: Mapping[str, sa.ColumnElement[Any]] = {
    "accountId": _SUMS.account_id,
    "categoryId": _SUMS.category_id,
    "payee": _SUMS.payee,
    "currencyCode": _SUMS.currency_code,
    "recordType": _SUMS.record_type,
    "month": _SUMS.month,
    "isVoid": _SUMS.is_void,
    "isTransfer": _SUMS.is_transfer,
}


# Conditions on recordDate compare the month here, so they must be on whole months.
_SUMS_TABLE = ConditionTable(
    _SUMS.user_id, {**SUM_COLUMNS, "payeeKey": _SUMS.payee_key, "recordDate": _SUMS.month}, {}, ()
)
_IS_VOID = _RECORDS.columns["recordState"].is_not_distinct_from(VOID)
_RECORDS_TABLE = ConditionTable(
    _RECORDS.user_id,
    {**_RECORDS.columns, "isVoid": _IS_VOID},
    _RECORDS.folded,
    _RECORDS.lists,
    _RECORDS.plain,
)
#: The fields whose conditions stored sums can answer.
_SUM_CONDITIONS = _SUMS_TABLE.columns.keys() & _RECORD_FIELDS.keys()


def _day(date: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
    # Both databases round towards zero.
    return date - ((date % _DAY) + _DAY) % _DAY


def month_of(database: str, date: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
    """Return the first second of the date's month."""
    if database == "sqlite":
        return sa.cast(sa.func.strftime("%s", date, "unixepoch", "start of month"), sa.BigInteger)
    moment = sa.func.timezone("UTC", sa.func.to_timestamp(date))
    return sa.cast(sa.func.extract("epoch", sa.func.date_trunc("month", moment)), sa.BigInteger)


def group_column(database: str, name: str) -> sa.ColumnElement[Any]:
    """Return the column of a field of records, or the expression of one of DERIVED_GROUPS."""
    columns = _RECORDS.columns
    match name:
        case "recordDate":
            return _day(columns["recordDate"])
        case "month":
            return month_of(database, columns["recordDate"])
        case "isVoid":
            return _IS_VOID
        case "isTransfer":
            return columns["transferId"].is_not(None)
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


def sums_of_sums() -> SumColumns:
    """Return the columns that add up rows of `record_sums`."""
    return (
        sa.func.sum(_SUMS.amount_high),
        sa.func.sum(_SUMS.amount_low),
        sa.func.sum(_SUMS.number_of_records),
        sa.func.min(_SUMS.first),
        sa.func.max(_SUMS.last),
    )


def _grouped(key: Sequence[sa.ColumnElement[Any]], sums: SumColumns) -> sa.Select[Any]:
    # Group by position: an expression that binds values is not recognised when it is repeated.
    return sa.select(*key, *sums).group_by(
        *(sa.literal_column(str(n + 1)) for n in range(len(key)))
    )


def _of_rows(
    database: str, names: tuple[str, ...], predicates: tuple[Predicate, ...]
) -> sa.Select[Any]:
    key = [group_column(database, name) for name in names]
    found = _grouped(key, sums_of_rows())
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


def _amounts_by(
    database: str, names: tuple[str, ...], predicates: tuple[Predicate, ...]
) -> sa.Select[Any]:
    amount = _RECORDS.columns["amount"]
    if database == "sqlite":
        joined = sa.func.group_concat(amount)
    else:
        joined = sa.func.array_to_string(sa.func.array_agg(amount), sa.literal_column("','"))
    key = [group_column(database, name) for name in names]
    found = _grouped(key, (joined,))
    return found.where(*user_rows(database, _RECORDS_TABLE, predicates))


def of_grain(grain: int) -> list[sa.ColumnElement[bool]]:
    """Return clauses that select the sums of a grain, in the order of the primary key."""
    clauses = [_SUMS.grain == sa.literal_column(str(grain))]
    if "payee" not in GRAINS[grain]:
        clauses.append(_SUMS.payee_key == sa.literal_column("''"))
    return clauses


def _of_stored_sums(
    database: str, grain: int, names: tuple[str, ...], predicates: tuple[Predicate, ...]
) -> sa.Select[Any]:
    key = [SUM_COLUMNS[name] for name in names]
    is_one = {p.field for p in predicates if p.field in ("isTransfer", "isVoid")}
    if {*names, *is_one} >= _OF_EVERY_GRAIN | GRAINS[grain]:
        # Each stored sum is a group of its own, so there is nothing to add up.
        columns = _SUMS.amount_high, _SUMS.amount_low, _SUMS.number_of_records
        found = sa.select(*key, *columns, _SUMS.first, _SUMS.last)
    else:
        found = _grouped(key, sums_of_sums())
    return found.where(*user_rows(database, _SUMS_TABLE, predicates), *of_grain(grain))


class SumReader(Part, DataReader):
    """Reads sums of records."""

    #: Whether the stored sums are up to date with the records.
    has_stored_sums = True

    def has_sums(self, names: Sequence[str], conditions: Sequence[Condition]) -> bool:
        is_stored = _grain(names, conditions) is not None and bool(_whole_months(conditions))
        return self.has_stored_sums and is_stored

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        self.connection.begin_snapshot()
        conditions = with_found_ids(self.connection, user_id, tuple(conditions))
        group_by = tuple(names)
        grain = _grain(group_by, conditions) if self.has_stored_sums else None
        months = None if grain is None else _whole_months(conditions)

        def of_rows(conditions: Sequence[Condition]) -> dict[tuple[Any, ...], RecordSum]:
            predicates, values = _restriction(user_id, conditions, with_void)
            return self._load(group_by, most, _of_rows, group_by, predicates, values=values)

        if grain is None or months is None:
            return of_rows(conditions)
        others = [c for c in conditions if c.field.name != "recordDate"]
        low, first, end, high = months
        predicates, values = _restriction(user_id, [*others, dated(first, end)], with_void)
        shape = grain, group_by, tuple(map(_sums_predicate, predicates))
        sums = self._load(group_by, most, _of_stored_sums, *shape, values=values)
        for edge in ((low, first), (end, high + 1)):
            if edge[0] < edge[1]:
                for key, found in of_rows([*others, dated(*edge)]).items():
                    sums[key] = sums[key].joined(found) if key in sums else found
        if most is not None and len(sums) > most:
            raise TooManySums
        return sums

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        self.connection.begin_snapshot()
        predicates, values = _restriction(user_id, conditions, with_void)
        found = self.connection.fetch(_amounts, tuple(names), predicates, values=values)
        load = _key_loader(names)
        return found if load is None else [load(row) for row in in_time(found)]

    def amounts_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> dict[tuple[Any, ...], list[int]]:
        self.connection.begin_snapshot()
        predicates, values = _restriction(user_id, conditions, with_void)
        found = self.connection.fetch(_amounts_by, tuple(names), predicates, values=values)
        load = _key_loader(names) or tuple
        # One text for each group is read faster than a row for each amount.
        return {
            load(row[:-1]): [int(each) for each in row[-1].split(",")] for row in in_time(found)
        }

    def _load(
        self,
        names: tuple[str, ...],
        most: int | None,
        build: Callable[..., sa.Select[Any]],
        *shape: Any,
        values: dict[str, Any],
    ) -> dict[tuple[Any, ...], RecordSum]:
        """Run the query and return its sums. Raises TooManySums if there are more than ``most``."""
        if most is None:
            found = self.connection.fetch(build, *shape, values=values)
        else:
            values["limit"] = most + 1
            found = self.connection.fetch(_first_sums, build, *shape, values=values)
            if len(found) > most:
                raise TooManySums
        width, load = len(names), _key_loader(names) or tuple
        return {
            load(row[:width]): RecordSum(
                (int(row[-5]) << _HALF_BITS) + int(row[-4]), int(row[-3]), row[-2], row[-1]
            )
            for row in in_time(found)
        }


def _restriction(
    user_id: int, conditions: Sequence[Condition], with_void: bool
) -> tuple[tuple[Predicate, ...], dict[str, Any]]:
    """Return predicates for the records to sum, and the values to bind."""
    predicates, values = shape_and_values(conditions)
    not_void = () if with_void else (Predicate("isVoid", "is_false"),)
    return (*predicates, *not_void), {**values, "user": user_id}


def _key_loader(names: Sequence[str]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]] | None:
    """Return a function that converts a key's columns to fields' values; None if not necessary."""
    loaders = [
        (at, load)
        for at, name in enumerate(names)
        if name in _RECORD_FIELDS and (load := loader_of(_RECORD_FIELDS[name].kind)) is not None
    ]

    def load_key(values: tuple[Any, ...]) -> tuple[Any, ...]:
        key = list(values)
        for at, load in loaders:
            key[at] = load(key[at])
        return tuple(key)

    return load_key if loaders else None


_NULL_TESTS = (Operator.IS_NULL, Operator.NOT_NULL)
_LISTED = (Operator.ANY_OF, Operator.NE, *_NULL_TESTS)
#: The operators that stored sums can answer, by field; for fields not named here, _LISTED.
_OPERATORS = {
    "payee": (Operator.EQ, Operator.ANY_OF, *_NULL_TESTS),
    "recordDate": RANGES,
    "transferId": _NULL_TESTS,
}

#: Null tests that stored sums answer from a boolean column.
_BOOLEAN_TESTS = {
    ("transferId", "is_null"): Predicate("isTransfer", "is_false"),
    ("transferId", "not_null"): Predicate("isTransfer", "is_true"),
}


def _sums_predicate(predicate: Predicate) -> Predicate:
    if predicate.parts:
        return replace(predicate, parts=tuple(map(_sums_predicate, predicate.parts)))
    if predicate.field == "payee" and predicate.operator not in ("is_null", "not_null"):
        return replace(predicate, field="payeeKey")
    return _BOOLEAN_TESTS.get((predicate.field, predicate.operator), predicate)


def _grain(names: Sequence[str], conditions: Sequence[Condition]) -> int | None:
    """Return the index of the coarsest grain that can answer this; None if no grain can."""
    compared = [part for condition in conditions for part in condition.parts]
    for condition in compared:
        name = condition.field.name
        # A date selects months, so it cannot be one of several alternatives.
        if name == "recordDate" and condition not in conditions:
            return None
        if condition.operator not in _OPERATORS.get(name, _LISTED):
            return None
        if name not in _SUM_CONDITIONS and name != "transferId":
            return None
    if not SUM_COLUMNS.keys() >= set(names):
        return None
    needed = {*names, *(condition.field.name for condition in compared)}
    wanted = needed & GRAINS[0]
    return max(place for place, grain in enumerate(GRAINS) if grain >= wanted)


def _whole_months(conditions: Sequence[Condition]) -> tuple[int, int, int, int] | None:
    """Return four moments: first date in range, first whole month, end of the months, last date.

    The end is the first second after the last whole month. Returns None if no month is whole.
    """
    low, high = MIN_SECONDS, MAX_SECONDS
    for condition in conditions:
        if isinstance(condition.operand, Span) and condition.field.name == "recordDate":
            bounds = condition.bounds()
            if bounds is None:
                return None
            low, high = max(low, bounds[0]), min(high, bounds[1])
    if low > high:
        return None
    first = low if start_of(Period.MONTH, low) == low else end_of(Period.MONTH, low)
    end = high + 1 if end_of(Period.MONTH, high) == high + 1 else start_of(Period.MONTH, high)
    return (low, first, end, high) if first < end else None
