"""Conditions and order of queries, and sums of records."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from finance_api.query.model import Condition, Query, SortKey, Span, condition_on, either
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.resources.records import VOID, WORDS
from finance_api.storage.interface import RecordSum, TooManySums
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    make_id,
    make_query,
    make_row,
    make_rows,
    number_of,
    values_for,
)
from finance_api.values.number import MAX_UNITS

_NEW_YEAR = 1_767_225_600  # 2026-01-01T00:00:00Z
_ONE, _TWO, _THREE = make_id(1), make_id(2), make_id(3)

#: A field, its values in records 0, 1 and so on, and for each condition or tuple of conditions the
#: numbers of the records that match.
_SELECTIONS: dict[str, tuple[str, Sequence[Any], dict[str | tuple[str, ...], list[int]]]] = {
    "text compares by code points": (
        "note",
        ("École", "école", "ECOLE", "100% _a\\b", "100x ya/b", "Straße", "STRASSE", "İ"),
        {
            "eq.École": [0],
            "contains.col": [0, 1],
            "contains-i.ÉCOLE": [0, 1],
            "contains.%": [3],
            "contains._a": [3],
            "contains.\\": [3],
            "contains-i.% _A\\": [3],
            "contains-i.STRASSE": [5, 6],
            "contains-i.ß": [5, 6],
            "contains-i.i̇": [7],
            "eq.": [],
        },
    ),
    "texts are unequal, among several or begin alike": (
        "payee",
        ("École", "école 2", "a,b", "a\\b", "Straße", None, "%"),
        {
            "ne.École": [1, 2, 3, 4, 6],
            "ne.nothing": [0, 1, 2, 3, 4, 6],
            "ne.": [0, 1, 2, 3, 4, 6],
            ("ne.%", "ne.École"): [1, 2, 3, 4],
            "in.École,%": [0, 6],
            r"in.a\,b,a\\b": [2, 3],
            "in.a,b": [],
            "startsWith-i.ÉC": [0, 1],
            "startsWith-i.cole": [],
            "startsWith-i.STRASS": [4],
            "startsWith-i.%": [6],
            "is.null": [5],
            "is.not_null": [0, 1, 2, 3, 4, 6],
        },
    ),
    "lists match by any element, and are unequal if they have one but not this": (
        "labels",
        ((), ("a",), ("a", "b,c"), ("ab",), ("b,c", "A"), ("work",), ("wo", "rk")),
        {
            "ne.a": [3, 4, 5, 6],
            "ne.zzz": [1, 2, 3, 4, 5, 6],
            r"in.a,b\,c": [1, 2, 4],
            "in.b,c": [],
            "startsWith-i.A": [1, 2, 3, 4],
            "startsWith-i.B": [2, 4],
            "startsWith-i.,": [],
            "eq.work": [5],
            "contains.or": [5],
            "contains-i.WORK": [5],
            ("contains.work", "contains.a"): [],
            ("contains.b", "eq.a"): [2],
            "is.null": [0],
            "is.not_null": [1, 2, 3, 4, 5, 6],
        },
    ),
    "lists of ids match by any id": (
        "labelIds",
        ((), (_ONE,), (_TWO,), (_ONE, _TWO), (_THREE,)),
        {
            _ONE: [1, 3],
            f"{_TWO},{_THREE}": [2, 3, 4],
            (_ONE, _TWO): [3],
            f"ne.{_ONE}": [2, 4],
            f"ne.{_ONE},{_THREE}": [2],
            f"ne.{make_id(9)}": [1, 2, 3, 4],
        },
    ),
    "choices are among several or unequal": (
        "recordState",
        ("void", "cleared", None, "uncleared"),
        {"ne.void": [1, 3], "ne.void,cleared": [3], "void,cleared": [0, 1], "reconciled": []},
    ),
    "ids are unequal": (
        "id",
        (make_id(0), _ONE, _TWO, _THREE),
        {f"ne.{make_id(0)},{_THREE}": [1, 2], f"{_ONE},{make_id(9)}": [1]},
    ),
    "a missing id is not unequal": (
        "transferId",
        (None, _ONE),
        {f"ne.{make_id(0)}": [1], _TWO: [], "is.null": [0]},
    ),
    "dates are unequal": (
        "recordDate",
        (0, 43_200, 86_400, 129_600),
        {
            "ne.1970-01-01": [2, 3],
            "ne.1970-01-01T12:00Z": [0, 2, 3],
            "ne.1970": [],
            "ne.1970-01-01T12:00:00.5Z": [0, 1, 2, 3],
        },
    ),
    "days are whole": (
        "recordDate",
        [_NEW_YEAR + seconds for seconds in (-1, 0, 43_200, 86_399, 86_400)],
        {
            "eq.2026-01-01": [1, 2, 3],
            "lt.2026-01-01": [0],
            "lte.2026-01-01": [0, 1, 2, 3],
            "gt.2026-01-01": [4],
            "gte.2026-01-01T12:00:00+00:00": [2, 3, 4],
            "eq.2026-01-01T12:00Z": [2],
            "gt.9999-12-31": [],
        },
    ),
    "sizes of numbers compare exactly": (
        "amount",
        (-MAX_UNITS, -20_000, -10_000, 0, 10_000, 15_000, MAX_UNITS),
        {
            "abs.gte.2": [0, 1, 6],
            "abs.gt.1": [0, 1, 5, 6],
            "abs.lt.1": [3],
            "abs.lte.1.5": [2, 3, 4, 5],
            "abs.eq.1": [2, 4],
            "abs.ne.1": [0, 1, 3, 5, 6],
            "abs.eq.-1": [],
            "abs.ne.-1": [0, 1, 2, 3, 4, 5, 6],
            "abs.gte.-1": [0, 1, 2, 3, 4, 5, 6],
            "abs.lt.0": [],
            "abs.gte.922337203685477.5807": [0, 6],
            "abs.gt.922337203685477.5807": [],
            "abs.gte.1,abs.lt.2": [2, 4, 5],
            "abs.gte.1,lt.0": [0, 1, 2],
            "ne.1": [0, 1, 2, 3, 5, 6],
            "ne.0.00001": [0, 1, 2, 3, 4, 5, 6],
        },
    ),
    "numbers compare exactly up to the last bit": (
        "amount",
        (-MAX_UNITS, -101, -100, 0, 9007199254740993001, MAX_UNITS),
        {
            "lt.-0.01000001": [0, 1],
            "lte.-0.01": [0, 1, 2],
            "eq.900719925474099.3001": [4],
            "gt.900719925474099.3001": [5],
            "gte.922337203685477.5807": [5],
            "gt.922337203685477.5807": [],
            "gt.-99999999999999999999999": [0, 1, 2, 3, 4, 5],
            "lt.-922337203685477.5807": [],
            "eq.0.00001": [],
        },
    ),
}


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


class QueriesConformance(OneUser):
    """Tests conditions, order, pages and sums."""

    # -- conditions

    @pytest.mark.parametrize("meaning", _SELECTIONS)
    def test_conditions_on_one_field(self, unit: Unit, meaning: str) -> None:
        name, values, selected = _SELECTIONS[meaning]
        columns: dict[str, Any] = {name: values}
        unit.put(RECORDS, *make_rows(RECORDS, **columns))
        for texts, numbers in selected.items():
            filters: dict[str, Any] = {name: texts}
            conditions = make_query(RECORDS, **filters).conditions
            assert unit.ids(RECORDS, *conditions) == numbers, texts

    def test_a_missing_value_meets_what_says_so(self, unit: Unit) -> None:
        states = (VOID, "cleared", None, "reconciled")
        rows = make_rows(
            RECORDS,
            recordState=states,
            importId=(None, 1, 2, 3),
            labelIds=((make_id(1),), (), (make_id(1), make_id(2)), (make_id(2),)),
            labels=(("tax",), (), ("tax", "work"), ("work",)),
            amount=range(4),
        )
        unit.put(RECORDS, *rows)
        many = tuple(range(2, 302))
        for name, operand, expected in (
            ("recordState", (VOID,), [1, 2, 3]),
            ("recordState", (), [0, 1, 2, 3]),
            ("recordState", ("cleared", VOID), [2, 3]),
            ("importId", many, [0, 1]),
            ("labelIds", (make_id(1),), [1, 3]),
            ("labels", "tax", [1, 3]),
            ("amount", Span(2, 4), [0, 1]),
        ):
            condition = condition_on(RECORDS, name, Operator.NE_OR_NULL, operand)
            assert unit.ids(RECORDS, condition) == expected, (name, operand)

    def test_either_of_several_conditions_is_enough(self, unit: Unit) -> None:
        payees = ("Shop", "shop 2", "x", None, "y")
        dates = [DAY * n for n in range(5)]
        unit.put(RECORDS, *make_rows(RECORDS, payee=payees, amount=range(5), recordDate=dates))
        some = make_query(RECORDS, payee="contains-i.shop", amount="abs.gte.0.0004").conditions
        later = make_query(RECORDS, recordDate="gte.1970-01-02").conditions
        for conditions, expected in (
            ([either(WORDS, some)], [0, 1, 4]),
            ([either(WORDS, reversed(some)), *later], [1, 4]),
            ([either(WORDS, some[:1])], [0, 1]),
            ([either(WORDS, [])], []),
            ([either(WORDS, [replace(some[1], operator=Operator.NE_OR_NULL)])], [0, 1, 2, 3]),
        ):
            for order in ("+id", "-recordDate"):
                query = replace(make_query(RECORDS, order), conditions=tuple(conditions))
                assert sorted(unit.ids(RECORDS, *conditions, sort=order)) == expected
                assert len(unit.list_json(query).rows) == len(expected)
            numbers = [found.number for found in _sums(unit, ["accountId"], *conditions).values()]
            assert sum(numbers) == len(expected)

    def test_conditions_all_have_to_hold_in_any_order(self, unit: Unit) -> None:
        payees = [f"p{n % 3}" for n in range(9)]
        unit.put(RECORDS, *make_rows(RECORDS, amount=range(9), payee=payees))
        query = make_query(RECORDS, amount="gte.0.0002,lt.0.0008", payee="eq.p2")
        conditions = query.conditions
        assert unit.ids(RECORDS, *conditions) == [2, 5]
        assert unit.ids(RECORDS, *reversed(conditions)) == [2, 5]

    # -- order and pages

    def test_text_sorts_by_code_point_and_missing_values_come_last(self, unit: Unit) -> None:
        names = [
            *(" z", "#1", "10", "9", "A", "Z", "Zz", "_", "a", "a b", "a-b", "aB", "ab", "z", "É"),
            *("ß", "é", "Ω", "я", "中", "\ue000", "ﬁ", "\uffff", "\U00010000", "😀", "\U0010ffff"),
        ]
        numbers = [*range(0, 26, 3), *range(1, 26, 3), *range(2, 26, 3)]
        rows = [make_row(RECORDS, n, payee=names[n]) for n in reversed(numbers)]
        unit.put(RECORDS, *rows, make_row(RECORDS, 30), make_row(RECORDS, 31))
        assert unit.ids(RECORDS, sort="+payee") == [*range(26), 30, 31]
        assert unit.ids(RECORDS, sort="-payee") == [*reversed(range(26)), 30, 31]

    def test_rows_are_ordered_by_whether_a_value_is_the_one_that_counts(self, unit: Unit) -> None:
        states = ("void", None, "cleared", "void", "uncleared", None)
        unit.put(RECORDS, *make_rows(RECORDS, recordState=states))
        field = RECORDS["recordState"]
        for descending, expected in ((False, [1, 2, 4, 5, 0, 3]), (True, [0, 3, 1, 2, 4, 5])):
            query = Query(RECORDS, (), (SortKey(field, descending, equals="void"),))
            assert [number_of(row["id"]) for row in unit.list_rows(query)] == expected

    def test_equal_rows_are_in_the_order_of_their_ids(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n // 3) for n in (5, 0, 3, 1, 4, 2)))
        assert unit.ids(RECORDS, sort="-amount") == [3, 4, 5, 0, 1, 2]
        assert unit.ids(RECORDS, sort="-id") == [5, 4, 3, 2, 1, 0]

    def test_page_boundary_keeps_rows_with_equal_dates(self, unit: Unit) -> None:
        unit.put(RECORDS, *make_rows(RECORDS, recordDate=[DAY] * 7))
        seen: list[str] = []
        for offset in (0, 3, 6, 9):
            query = make_query(RECORDS, limit=3, offset=offset, with_total=True)
            with unit.reading() as storage:
                page = storage.data.list_rows(unit.user.id, query)
            assert page.has_more == (offset < 6 and offset + 3 < 7)
            assert page.total == 7
            seen += [row["id"] for row in page.rows]
        assert seen == [make_id(n) for n in range(7)]

    @pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
    def test_every_scalar_field_sorts_both_ways(self, unit: Unit, resource: Resource) -> None:
        fields = [f for f in resource.listed_fields if f.sortable and f.name != "id"]
        for number, field in enumerate(fields, start=1):
            unit.put(resource, make_row(resource, number, **{field.name: values_for(field)[-1]}))
        for field, descending in product(fields, (False, True)):
            rows = unit.list_rows(Query(resource, (), (SortKey(field, descending),), limit=100))
            assert {number_of(row["id"]) for row in rows} == set(range(1, len(fields) + 1))
            values = [row[field.name] for row in rows if row[field.name] is not None]
            assert values == sorted(values, reverse=descending)

    # -- sums

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

    def test_amounts_are_grouped_as_sums_are(self, unit: Unit) -> None:
        amounts = [MAX_UNITS, -MAX_UNITS, 0, 7, 9]
        states, payees = [*[None] * 4, VOID], ["a", "a", None, None, "b"]
        unit.put(RECORDS, *make_rows(RECORDS, amount=amounts, recordState=states, payee=payees))
        names = ["payee", "month"]
        with unit.reading() as storage:
            found = storage.data.list_amounts(unit.user.id, names, ())
        assert len(found) == 4
        assert set(found) == {(payees[n], 0, amounts[n]) for n in range(4)}
        assert {row[:-1] for row in found} == _sums(unit, names).keys()

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
        hours = _sums(unit, ["hour"], with_void=True)
        assert {key: found.amount for key, found in hours.items()} == {
            (0,): 1,
            (23 * 3_600,): 10,
            (None,): 4,
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
