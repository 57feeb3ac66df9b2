"""Sums of records."""

from functools import partial

import pytest

from finance_api.query.model import Operator, condition_on
from finance_api.query.parse import parse_conditions
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.storage.interface import RecordSum, TooManySums
from finance_api.storage.testing.units import OneUser, Unit, make_id, make_row
from finance_api.values.number import MAX_UNITS


class SumsConformance(OneUser):
    """Sums, by any fields and conditions."""

    def test_sums_are_exact_beyond_64_bits_and_leave_void_records_out(self, unit: Unit) -> None:
        amounts = [MAX_UNITS, MAX_UNITS, MAX_UNITS, -1, -MAX_UNITS, -7]
        rows = [make_row(RECORDS, n, amount=a) for n, a in enumerate(amounts)]
        rows += [make_row(RECORDS, 10, amount=5, recordState="void")]
        rows += [make_row(RECORDS, 11, amount=5, recordState="cleared")]
        unit.put(RECORDS, *rows)
        with unit.reading() as storage:
            total = storage.data.sum_by(unit.user.id, ["accountId"], ())
        assert total == {(make_id(0xABC),): RecordSum(sum(amounts) + 5, 7, 0, 0)}

    def test_sums_are_of_the_records_that_meet_the_conditions(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n, payee=f"{n % 2}") for n in range(6)))
        payee = RECORDS["payee"]
        with unit.reading() as storage:
            total = storage.data.sum_by(unit.user.id, ["payee"], parse_conditions(payee, "eq.1"))
        assert total == {("1",): RecordSum(9, 3, 0, 0)}

    def test_sums_are_told_apart_by_missing_values_and_by_whole_lists(self, unit: Unit) -> None:
        one, two = make_id(1), make_id(2)
        keys = [(None, ()), (None, (one,)), (one, (one, two)), (one, (two, one)), (one, ())]
        unit.put(
            RECORDS,
            *(
                make_row(RECORDS, n, amount=n, categoryId=category, labelIds=labels)
                for n, (category, labels) in enumerate([*keys, *keys])
            ),
        )
        with unit.reading() as storage:
            sums = storage.data.sum_by(unit.user.id, ["categoryId", "labelIds"], ())
        assert sums == {key: RecordSum(2 * n + 5, 2, 0, 0) for n, key in enumerate(keys)}

    def test_sums_are_told_apart_by_what_follows_from_the_fields(self, unit: Unit) -> None:
        day = 86_400
        unit.put(
            RECORDS,
            make_row(RECORDS, 1, amount=1, recordDate=30 * day + 5),
            make_row(RECORDS, 2, amount=2, recordDate=31 * day - 1),
            make_row(RECORDS, 3, amount=4, recordDate=31 * day, transferId=make_id(9)),
            make_row(RECORDS, 4, amount=8, recordDate=-1, recordState=VOID),
        )
        with unit.reading() as storage:
            sum_by = partial(storage.data.sum_by, unit.user.id)
            assert sum_by(["recordDate"], ()) == {
                (30 * day,): RecordSum(3, 2, 30 * day + 5, 31 * day - 1),
                (31 * day,): RecordSum(4, 1, 31 * day, 31 * day),
            }
            assert {key: found.amount for key, found in sum_by(["month"], ()).items()} == {
                (0,): 3,
                (31 * day,): 4,
            }
            kinds = sum_by(["isVoid", "isTransfer"], (), with_void=True)
        assert {key: found.amount for key, found in kinds.items()} == {
            (False, False): 3,
            (False, True): 4,
            (True, False): 8,
        }

    def test_more_sums_than_are_asked_for_are_refused(self, unit: Unit) -> None:
        rows = [make_row(RECORDS, n, payee=f"payee {n}", note=f"note {n}") for n in range(5)]
        unit.put(RECORDS, *rows)
        with unit.reading() as storage:
            for names in (["payee"], ["note"], ["payee", "recordDate"]):
                sum_by = partial(storage.data.sum_by, unit.user.id, names, ())
                assert len(sum_by(most=5)) == 5
                with pytest.raises(TooManySums):
                    sum_by(most=4)

    def test_nothing_is_one_of_no_values(self, unit: Unit) -> None:
        unit.put(RECORDS, make_row(RECORDS, 1, labelIds=(make_id(7),)))
        with unit.reading() as storage:
            for name in ("accountId", "currencyCode", "labelIds"):
                condition = condition_on(RECORDS, name, Operator.ANY_OF, ())
                assert storage.data.sum_by(unit.user.id, [name], (condition,)) == {}
