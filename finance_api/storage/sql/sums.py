"""Sums of records: of the rows, or of the sums stored for each month.

Sums are made of two: those of the high and of the low halves of the amounts. The databases add 64
bits, and SQLite fails where that overflows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    cast,
    func,
    literal_column,
    select,
)

from finance_api.query.model import RANGES, Condition, Operator, Span
from finance_api.query.records import dated
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import RecordSum, TooManySums
from finance_api.storage.sql.clauses import BindNames, Predicate, clauses, shape_and_values
from finance_api.storage.sql.columns import loader_of
from finance_api.storage.sql.statements import LIMIT, USER, StatementConnection
from finance_api.storage.sql.tables import DATA_TABLES, GRAINS, record_sums
from finance_api.values.periods import Period, end_of, start_of
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

_HALF_BITS = 32
_SHIFT: ColumnElement[int] = literal_column(str(_HALF_BITS))
_LOW_HALF: ColumnElement[int] = literal_column(str(2**_HALF_BITS - 1))
_DAY: ColumnElement[int] = literal_column(str(DAY_SECONDS))

_RECORDS = DATA_TABLES[RECORDS.name]
_SUMS = record_sums.c
_RECORD_FIELDS = {field.name: field for field in RECORDS.persisted_fields}

#: What every grain tells apart.
_OF_EVERY_GRAIN = frozenset({"currencyCode", "recordType", "month", "isVoid", "isTransfer"})

#: The columns of `RecordSum`, with the amount in two halves.
SumColumns = tuple[ColumnElement[Any], ...]


#: Of `record_sums`, by the names of fields and of DERIVED_GROUPS.
SUM_COLUMNS: Mapping[str, ColumnElement[Any]] = {
    "accountId": _SUMS.account_id,
    "categoryId": _SUMS.category_id,
    "payee": _SUMS.payee,
    "currencyCode": _SUMS.currency_code,
    "recordType": _SUMS.record_type,
    "month": _SUMS.month,
    "isVoid": _SUMS.is_void,
    "isTransfer": _SUMS.is_transfer,
}


@dataclass(frozen=True, slots=True)
class _SumsTable:
    """`record_sums` as a `ConditionTable`, in place of the table of records."""

    columns: Mapping[str, ColumnElement[Any]]
    folded: Mapping[str, ColumnElement[Any]]
    lists: frozenset[str]


# Dates are asked for by whole months only.
_SUMS_TABLE = _SumsTable(
    {**SUM_COLUMNS, "payeeKey": _SUMS.payee_key, "recordDate": _SUMS.month}, {}, frozenset()
)
#: The fields of conditions that they can answer.
_SUM_CONDITIONS = _SUMS_TABLE.columns.keys() & _RECORD_FIELDS.keys()


def _day(date: ColumnElement[int]) -> ColumnElement[Any]:
    # Both databases round towards zero.
    return date - ((date % _DAY) + _DAY) % _DAY


def month_of(database: str, date: ColumnElement[int]) -> ColumnElement[Any]:
    """The first second of the month that the seconds fall in."""
    if database == "sqlite":
        return cast(func.strftime("%s", date, "unixepoch", "start of month"), BigInteger)
    moment = func.timezone("UTC", func.to_timestamp(date))
    return cast(func.extract("epoch", func.date_trunc("month", moment)), BigInteger)


def group_column(database: str, name: str) -> ColumnElement[Any]:
    """A field of the table of records, or one of DERIVED_GROUPS."""
    columns = _RECORDS.columns
    match name:
        case "recordDate":
            return _day(columns["recordDate"])
        case "month":
            return month_of(database, columns["recordDate"])
        case "isVoid":
            return columns["recordState"].is_not_distinct_from(VOID)
        case "isTransfer":
            return columns["transferId"].is_not(None)
    return columns[name]


def sums_of_rows() -> SumColumns:
    """Of the table of records."""
    amount, date = _RECORDS.columns["amount"], _RECORDS.columns["recordDate"]
    return (
        func.sum(amount.bitwise_rshift(_SHIFT)),
        func.sum(amount.bitwise_and(_LOW_HALF)),
        func.count(),
        func.min(date),
        func.max(date),
    )


def sums_of_sums() -> SumColumns:
    """Of `record_sums`."""
    return (
        func.sum(_SUMS.amount_high),
        func.sum(_SUMS.amount_low),
        func.sum(_SUMS.number_of_records),
        func.min(_SUMS.first),
        func.max(_SUMS.last),
    )


def _grouped(key: Sequence[ColumnElement[Any]], sums: SumColumns) -> Select[Any]:
    # By position: an expression with values of its own is another one where it is repeated.
    return select(*key, *sums).group_by(*(literal_column(str(n + 1)) for n in range(len(key))))


def _of_rows(
    database: str, names: tuple[str, ...], predicates: tuple[Predicate, ...], with_void: bool
) -> Select[Any]:
    key = [group_column(database, name) for name in names]
    return _counted(_grouped(key, sums_of_rows()), database, predicates, with_void)


def _first_ones(database: str, build: Callable[..., Select[Any]], *shape: Any) -> Select[Any]:
    """As many as are asked for of what ``build`` selects."""
    return build(database, *shape).limit(LIMIT)


def _amounts(
    database: str, names: tuple[str, ...], predicates: tuple[Predicate, ...], with_void: bool
) -> Select[Any]:
    key = [group_column(database, name) for name in names]
    found = select(*key, _RECORDS.columns["amount"])
    return _counted(found, database, predicates, with_void)


def _counted(
    found: Select[Any], database: str, predicates: tuple[Predicate, ...], with_void: bool
) -> Select[Any]:
    """Of the records that meet the conditions."""
    found = found.where(
        _RECORDS.user_id == USER, *clauses(database, _RECORDS, predicates, BindNames())
    )
    return found if with_void else found.where(~group_column(database, "isVoid"))


def of_grain(grain: int) -> list[ColumnElement[bool]]:
    """Of the rows of a user: those of the grain, as the primary key finds them."""
    found = [_SUMS.grain == literal_column(str(grain))]
    if "payee" not in GRAINS[grain]:
        found.append(_SUMS.payee_key == literal_column("''"))
    return found


def _of_stored_sums(
    database: str,
    grain: int,
    names: tuple[str, ...],
    predicates: tuple[Predicate, ...],
    with_void: bool,
) -> Select[Any]:
    key = [SUM_COLUMNS[name] for name in names]
    told_apart = {*names, *(p.field for p in predicates if p.field == "isTransfer")}
    if not with_void:
        told_apart.add("isVoid")
    if told_apart >= _OF_EVERY_GRAIN | GRAINS[grain]:
        # Each of these is in one row.
        columns = _SUMS.amount_high, _SUMS.amount_low, _SUMS.number_of_records
        found = select(*key, *columns, _SUMS.first, _SUMS.last)
    else:
        found = _grouped(key, sums_of_sums())
    found = found.where(
        _SUMS.user_id == USER,
        *of_grain(grain),
        *clauses(database, _SUMS_TABLE, predicates, BindNames()),
    )
    return found if with_void else found.where(_SUMS.is_void.is_(False))


def sum_by(
    connection: StatementConnection,
    user_id: int,
    names: tuple[str, ...],
    conditions: Sequence[Condition],
    *,
    with_void: bool,
    use_stored: bool,
    most: int | None = None,
) -> dict[tuple[Any, ...], RecordSum]:
    """`DataReader.sum_by`. use_stored: whether the stored sums may be used. Raises TooManySums."""
    connection.begin_snapshot()
    query = _SumQuery(connection, user_id, names, with_void, most)
    grain = _grain(names, conditions) if use_stored else None
    months = _whole_months(conditions)
    if grain is None or months is None:
        return query.of_rows(conditions)
    others = [c for c in conditions if c.field.name != "recordDate"]
    low, first, end, high = months
    sums = query.of_stored_sums(grain, [*others, dated(first, end)])
    for edge in ((low, first), (end, high + 1)):
        if edge[0] < edge[1]:
            for key, found in query.of_rows([*others, dated(*edge)]).items():
                sums[key] = sums[key].joined(found) if key in sums else found
    if most is not None and len(sums) > most:
        raise TooManySums
    return sums


def list_amounts(
    connection: StatementConnection,
    user_id: int,
    names: tuple[str, ...],
    conditions: Sequence[Condition],
    *,
    with_void: bool,
) -> list[tuple[Any, ...]]:
    """`DataReader.list_amounts`."""
    connection.begin_snapshot()
    return _SumQuery(connection, user_id, names, with_void).amounts(conditions)


class _SumQuery:
    """Sums by some names, run with any conditions."""

    def __init__(
        self,
        connection: StatementConnection,
        user_id: int,
        names: tuple[str, ...],
        with_void: bool,
        most: int | None = None,
    ) -> None:
        """most: no more sums than these and one are read."""
        self._most = most
        self._connection = connection
        self._user_id = user_id
        self._names = names
        self._with_void = with_void
        loaders = ((at, _loader_of(name)) for at, name in enumerate(names))
        self._loaders = [(at, load) for at, load in loaders if load is not None]

    def of_rows(self, conditions: Sequence[Condition]) -> dict[tuple[Any, ...], RecordSum]:
        predicates, values = shape_and_values(conditions)
        shape = (self._names, predicates, self._with_void)
        return self._load(_of_rows, *shape, values=values)

    def of_stored_sums(
        self, grain: int, conditions: Sequence[Condition]
    ) -> dict[tuple[Any, ...], RecordSum]:
        predicates, values = shape_and_values(conditions)
        of_sums = tuple([_sums_predicate(p) for p in predicates])
        return self._load(
            _of_stored_sums, grain, self._names, of_sums, self._with_void, values=values
        )

    def amounts(self, conditions: Sequence[Condition]) -> list[tuple[Any, ...]]:
        predicates, values = shape_and_values(conditions)
        values["user"] = self._user_id
        shape = (self._names, predicates, self._with_void)
        found = self._connection.fetch(_amounts, *shape, values=values)
        return [self._key(row) for row in in_time(found)] if self._loaders else found

    def _load(
        self, build: Any, *shape: Any, values: dict[str, Any]
    ) -> dict[tuple[Any, ...], RecordSum]:
        values["user"] = self._user_id
        if self._most is not None:
            values["limit"], shape, build = self._most + 1, (build, *shape), _first_ones
        found = self._connection.fetch(build, *shape, values=values)
        if self._most is not None and len(found) > self._most:
            raise TooManySums
        width, key_of = len(self._names), self._key
        return {
            key_of(row[:width]): RecordSum(
                (int(row[-5]) << _HALF_BITS) + int(row[-4]), int(row[-3]), row[-2], row[-1]
            )
            for row in in_time(found)
        }

    def _key(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self._loaders:
            return values
        key = list(values)
        for at, load in self._loaders:
            key[at] = load(key[at])
        return tuple(key)


_NULL_TESTS = (Operator.IS_NULL, Operator.NOT_NULL)
_LISTED = (Operator.ANY_OF, *_NULL_TESTS)
#: What the stored sums can be asked for, by field; of others _LISTED.
_OPERATORS = {
    "payee": (Operator.EQ, *_LISTED),
    "recordDate": RANGES,
    "transferId": _NULL_TESTS,
}

#: Null tests of what the stored sums have as a boolean.
_BOOLEAN_TESTS = {
    ("transferId", "is_null"): Predicate("isTransfer", "is_false"),
    ("transferId", "not_null"): Predicate("isTransfer", "is_true"),
}


def _sums_predicate(predicate: Predicate) -> Predicate:
    if predicate.field == "payee" and predicate.operator not in ("is_null", "not_null"):
        return replace(predicate, field="payeeKey")
    return _BOOLEAN_TESTS.get((predicate.field, predicate.operator), predicate)


def _loader_of(name: str) -> Any:
    return loader_of(_RECORD_FIELDS[name].kind) if name in _RECORD_FIELDS else None


def are_stored(names: Sequence[str], conditions: Sequence[Condition]) -> bool:
    """Whether the stored sums answer this."""
    return _grain(names, conditions) is not None and bool(_whole_months(conditions))


def _grain(names: Sequence[str], conditions: Sequence[Condition]) -> int | None:
    """The place of the smallest of GRAINS that has what is asked for; None: none has."""
    for condition in conditions:
        name = condition.field.name
        if condition.operator not in _OPERATORS.get(name, _LISTED):
            return None
        if name not in _SUM_CONDITIONS and name != "transferId":
            return None
    if not SUM_COLUMNS.keys() >= set(names):
        return None
    needed = {*names, *(condition.field.name for condition in conditions)}
    wanted = needed & GRAINS[-1]
    return next(place for place, grain in enumerate(GRAINS) if grain >= wanted)


def _whole_months(conditions: Sequence[Condition]) -> tuple[int, int, int, int] | None:
    """The first date that the conditions leave, whole months from .. to, and the last date.

    None: there is no whole month.
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
