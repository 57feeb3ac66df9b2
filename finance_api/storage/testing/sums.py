"""Sums of records."""

import pytest

from finance_api.query.model import Condition, Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.storage.interface import RecordSum, TooManySums
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    make_id,
    make_query,
    make_rows,
)
from finance_api.values.number import MAX_UNITS

_Sums = dict[tuple[object, ...], RecordSum]


def _sums(
    unit: Unit,
    names: list[str],
    *conditions: Condition,
    with_void: bool = False,
    most: int | None = None,
) -> _Sums:
    with unit.reading() as storage:
        return storage.data.sum_by(unit.user.id, names, conditions, with_void=with_void, most=most)


class SumsConformance(OneUser):
    """Sums, by any fields and conditions."""

    def test_sums_are_exact_beyond_64_bits_and_leave_void_records_out(self, unit: Unit) -> None:
        amounts = [MAX_UNITS, MAX_UNITS, MAX_UNITS, -1, -MAX_UNITS, -7, 5, 5]
        states = [*[None] * 6, VOID, "cleared"]
        unit.put(RECORDS, *make_rows(RECORDS, amount=amounts, recordState=states))
        total = RecordSum(sum(amounts) - 5, 7, 0, 0)
        assert _sums(unit, ["accountId"]) == {(make_id(0xABC),): total}

    def test_sums_are_of_the_records_that_meet_the_conditions(self, unit: Unit) -> None:
        unit.put(RECORDS, *make_rows(RECORDS, amount=range(6), payee=["0", "1"] * 3))
        conditions = make_query(RECORDS, payee="eq.1").conditions
        assert _sums(unit, ["payee"], *conditions) == {("1",): RecordSum(9, 3, 0, 0)}

    def test_missing_values_and_whole_lists_have_sums_of_their_own(self, unit: Unit) -> None:
        one, two = make_id(1), make_id(2)
        keys = [(None, ()), (None, (one,)), (one, (one, two)), (one, (two, one)), (one, ())]
        categories, labels = zip(*keys, *keys, strict=True)
        rows = make_rows(RECORDS, amount=range(10), categoryId=categories, labelIds=labels)
        unit.put(RECORDS, *rows)
        sums = _sums(unit, ["categoryId", "labelIds"])
        assert sums == {key: RecordSum(2 * n + 5, 2, 0, 0) for n, key in enumerate(keys)}

    def test_sums_are_grouped_by_values_derived_from_the_fields(self, unit: Unit) -> None:
        rows = make_rows(
            RECORDS,
            amount=[1, 2, 4, 8],
            recordDate=[30 * DAY + 5, 31 * DAY - 1, 31 * DAY, -1],
            transferId=[None, None, make_id(9), None],
            recordState=[None, None, None, VOID],
        )
        unit.put(RECORDS, *rows)
        assert _sums(unit, ["recordDate"]) == {
            (30 * DAY,): RecordSum(3, 2, 30 * DAY + 5, 31 * DAY - 1),
            (31 * DAY,): RecordSum(4, 1, 31 * DAY, 31 * DAY),
        }
        months = _sums(unit, ["month"])
        assert {key: found.amount for key, found in months.items()} == {(0,): 3, (31 * DAY,): 4}
        kinds = _sums(unit, ["isVoid", "isTransfer"], with_void=True)
        assert {key: found.amount for key, found in kinds.items()} == {
            (False, False): 3,
            (False, True): 4,
            (True, False): 8,
        }

    @pytest.mark.parametrize("names", [["payee"], ["note"], ["payee", "recordDate"]])
    def test_more_sums_than_are_asked_for_are_refused(self, unit: Unit, names: list[str]) -> None:
        texts = [f"text {n}" for n in range(5)]
        unit.put(RECORDS, *make_rows(RECORDS, payee=texts, note=texts))
        assert len(_sums(unit, names, most=5)) == 5
        with pytest.raises(TooManySums):
            _sums(unit, names, most=4)

    def test_nothing_is_one_of_no_values(self, unit: Unit) -> None:
        unit.put(RECORDS, *make_rows(RECORDS, labelIds=[(make_id(7),)]))
        for name in ("accountId", "currencyCode", "labelIds"):
            assert _sums(unit, [name], condition_on(RECORDS, name, Operator.ANY_OF, ())) == {}
