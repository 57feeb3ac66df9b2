"""Reads sums of records from the sums that are stored for each month."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, Span, dated
from finance_api.query.operators import RANGES, Operator
from finance_api.storage.interface import RecordSum, TooManySums
from finance_api.storage.sql.data_tables import ConditionTable
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.read_model.finding import with_found_ids
from finance_api.storage.sql.read_model.tables import GRAINS, record_sums
from finance_api.storage.sql.reading.conditions import Predicate, user_rows
from finance_api.storage.sql.reading.sums import (
    RECORD_FIELDS,
    SumColumns,
    SumReader,
    grouped,
    restriction,
)
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS, Period, end_of, start_of

_SUMS = record_sums.c

#: The columns by which the sums of every grain are grouped.
_OF_EVERY_GRAIN = frozenset({"currencyCode", "recordType", "month", "isVoid", "isTransfer"})

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
#: The fields whose conditions stored sums can answer.
_SUM_CONDITIONS = _SUMS_TABLE.columns.keys() & RECORD_FIELDS.keys()


def sums_of_sums() -> SumColumns:
    """Return the columns that add up rows of `record_sums`."""
    return (
        sa.func.sum(_SUMS.amount_high),
        sa.func.sum(_SUMS.amount_low),
        sa.func.sum(_SUMS.number_of_records),
        sa.func.min(_SUMS.first),
        sa.func.max(_SUMS.last),
    )


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
        found = grouped(key, sums_of_sums())
    return found.where(*user_rows(database, _SUMS_TABLE, predicates), *of_grain(grain))


class StoredSumReader(SumReader):
    """Reads sums from `record_sums` if they have every field it needs."""

    connection: FastConnection
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
        conditions = with_found_ids(self.connection, user_id, tuple(conditions))
        group_by = tuple(names)
        grain = _grain(group_by, conditions) if self.has_stored_sums else None
        months = None if grain is None else _whole_months(conditions)

        of_rows = partial(super().sum_by, user_id, names, with_void=with_void, most=most)
        if grain is None or months is None:
            key = user_id, group_by, conditions, with_void, most
            known = {} if self.connection.writes else self.connection.sums
            if key not in known:
                known[key] = of_rows(conditions)
            return dict(known[key])
        self.connection.check_numbers(user_id)
        others = [c for c in conditions if c.field.name != "recordDate"]
        low, first, end, high = months
        predicates, values = restriction(user_id, [*others, dated(first, end)], with_void)
        shape = grain, group_by, tuple(map(_sums_predicate, predicates))
        sums = self.load_sums(group_by, most, _of_stored_sums, *shape, values=values)
        for edge in ((low, first), (end, high + 1)):
            if edge[0] < edge[1]:
                for key, found in of_rows([*others, dated(*edge)]).items():
                    sums[key] = sums[key].joined(found) if key in sums else found
        if most is not None and len(sums) > most:
            raise TooManySums
        return sums


_NULL_TESTS = (Operator.IS_NULL, Operator.NOT_NULL)
_LISTED = (Operator.ANY_OF, Operator.NE, Operator.NE_OR_NULL, *_NULL_TESTS)
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
