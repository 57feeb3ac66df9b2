"""Selection and order of queries."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from finance_api.query.evaluate import matches
from finance_api.query.model import (
    Condition,
    Operator,
    Query,
    SortKey,
    Span,
    condition_on,
    operators_of,
)
from finance_api.query.parse import parse_sort, parse_words
from finance_api.resources import ACCOUNTS, RECORDS, RESOURCES
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.records import VOID
from finance_api.storage.testing.units import FULL, OneUser, Unit, make_id, make_row
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS

#: Kinds whose operand is a list.
_BY_SEVERAL = (Kind.ID, Kind.SERIAL, Kind.ID_LIST, Kind.CHOICE)
#: Make operands of a text that no other operator would find.
_PARTS: dict[Operator, Callable[[str], str]] = {
    Operator.CONTAINS: lambda text: text[1:3],
    Operator.CONTAINS_I: lambda text: text[1:3].swapcase(),
    Operator.STARTS_WITH_I: lambda text: text[:3].swapcase(),
}


def condition_with(field: Field, operator: Operator, value: Any) -> Condition:
    """Make a condition about a value of the field, as the grammar makes it."""
    if operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return Condition(field, operator)
    if value in (None, ()):
        value = FULL[field.kind](field.choices)
    operand = max(value, key=len) if isinstance(value, tuple) else value
    if operator is Operator.ANY_OF or field.kind in _BY_SEVERAL:
        equals = Operator.ANY_OF if operator is Operator.EQ else operator
        return Condition(field, equals, (operand,))
    if isinstance(operand, int) and not isinstance(operand, bool):
        operand = Span(operand, operand + 1)
    if operator in _PARTS:
        operand = _PARTS[operator](operand)
    return Condition(field, operator, operand)


class QueriesConformance(OneUser):
    """Conditions, order and pages."""

    # -- conditions

    def test_text_compares_by_code_points(self, unit: Unit) -> None:
        names = ("École", "école", "ECOLE", "100% _a\\b", "100x ya/b", "Straße", "STRASSE", "İ")
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n, name=name) for n, name in enumerate(names)))
        for text, expected in (
            ("eq.École", [0]),
            ("contains.col", [0, 1]),
            ("contains-i.ÉCOLE", [0, 1]),
            ("contains.%", [3]),
            ("contains._a", [3]),
            ("contains.\\", [3]),
            ("contains-i.% _A\\", [3]),
            ("contains-i.STRASSE", [5, 6]),
            ("contains-i.ß", [5, 6]),
            ("contains-i.i̇", [7]),
            ("eq.", []),
        ):
            assert unit.found(ACCOUNTS, "name", text) == expected, text

    def test_texts_are_unequal_among_several_or_begin_alike(self, unit: Unit) -> None:
        payees = ("École", "école 2", "a,b", "a\\b", "Straße", None, "%")
        unit.put(RECORDS, *(make_row(RECORDS, n, payee=p) for n, p in enumerate(payees)))
        for text, expected in (
            ("ne.École", [1, 2, 3, 4, 6]),
            ("ne.nothing", [0, 1, 2, 3, 4, 6]),
            ("ne.", [0, 1, 2, 3, 4, 6]),
            ("in.École,%", [0, 6]),
            (r"in.a\,b,a\\b", [2, 3]),
            ("in.a,b", []),
            ("startsWith-i.ÉC", [0, 1]),
            ("startsWith-i.cole", []),
            ("startsWith-i.STRASS", [4]),
            ("startsWith-i.%", [6]),
        ):
            assert unit.found(RECORDS, "payee", text) == expected, text
        assert unit.found(RECORDS, "payee", "ne.%", "ne.École") == [1, 2, 3, 4]

    def test_an_unequal_list_has_elements_and_none_of_those(self, unit: Unit) -> None:
        labels = ((), ("a",), ("a", "b,c"), ("ab",), ("b,c", "A"))
        ids = [(), *((make_id(n),) for n in (1, 2)), (make_id(1), make_id(2)), (make_id(3),)]
        unit.put(
            RECORDS,
            *(
                make_row(RECORDS, n, labels=names, labelIds=of)
                for n, (names, of) in enumerate(zip(labels, ids, strict=True))
            ),
        )
        for text, expected in (
            ("ne.a", [3, 4]),
            ("ne.zzz", [1, 2, 3, 4]),
            (r"in.a,b\,c", [1, 2, 4]),
            ("in.b,c", []),
            ("startsWith-i.A", [1, 2, 3, 4]),
            ("startsWith-i.B", [2, 4]),
            ("startsWith-i.,", []),
        ):
            assert unit.found(RECORDS, "labels", text) == expected, text
        for text, expected in (
            (f"ne.{make_id(1)}", [2, 4]),
            (f"ne.{make_id(1)},{make_id(3)}", [2]),
            (f"ne.{make_id(9)}", [1, 2, 3, 4]),
        ):
            assert unit.found(RECORDS, "labelIds", text) == expected, text

    def test_choices_ids_and_dates_are_unequal(self, unit: Unit) -> None:
        states = ("void", "cleared", None, "uncleared")
        unit.put(
            RECORDS,
            *(
                make_row(RECORDS, n, recordState=s, recordDate=n * 43_200, transferId=None)
                for n, s in enumerate(states)
            ),
        )
        assert unit.found(RECORDS, "recordState", "ne.void") == [1, 3]
        assert unit.found(RECORDS, "recordState", "ne.void,cleared") == [3]
        assert unit.found(RECORDS, "id", f"ne.{make_id(0)},{make_id(3)}") == [1, 2]
        assert unit.found(RECORDS, "transferId", f"ne.{make_id(0)}") == []
        assert unit.found(RECORDS, "recordDate", "ne.1970-01-01") == [2, 3]
        assert unit.found(RECORDS, "recordDate", "ne.1970-01-01T12:00Z") == [0, 2, 3]
        assert unit.found(RECORDS, "recordDate", "ne.1970") == []
        assert unit.found(RECORDS, "recordDate", "ne.1970-01-01T12:00:00.5Z") == [0, 1, 2, 3]

    def test_sizes_of_numbers_compare_exactly(self, unit: Unit) -> None:
        amounts = (-MAX_UNITS, -20_000, -10_000, 0, 10_000, 15_000, MAX_UNITS)
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=a) for n, a in enumerate(amounts)))
        for text, expected in (
            ("abs.gte.2", [0, 1, 6]),
            ("abs.gt.1", [0, 1, 5, 6]),
            ("abs.lt.1", [3]),
            ("abs.lte.1.5", [2, 3, 4, 5]),
            ("abs.eq.1", [2, 4]),
            ("abs.ne.1", [0, 1, 3, 5, 6]),
            ("abs.eq.-1", []),
            ("abs.ne.-1", [0, 1, 2, 3, 4, 5, 6]),
            ("abs.gte.-1", [0, 1, 2, 3, 4, 5, 6]),
            ("abs.lt.0", []),
            ("abs.gte.922337203685477.5807", [0, 6]),
            ("abs.gt.922337203685477.5807", []),
            ("abs.gte.1,abs.lt.2", [2, 4, 5]),
            ("abs.gte.1,lt.0", [0, 1, 2]),
            ("ne.1", [0, 1, 2, 3, 5, 6]),
            ("ne.0.00001", [0, 1, 2, 3, 4, 5, 6]),
        ):
            assert unit.found(RECORDS, "amount", text) == expected, text

    def test_words_are_looked_for_in_all_texts(self, unit: Unit) -> None:
        texts: list[Row] = [
            {"payee": "Corner Shop"},
            {"note": "SHOPPING"},
            {"category": "shops"},
            {"labels": ("x", "Shop")},
            {"accountName": "Shop"},
            {"payee": "sh", "note": "op", "labels": ("sh", "op")},
        ]
        unit.put(RECORDS, *(make_row(RECORDS, n, **values) for n, values in enumerate(texts)))
        for order in ("+id", "-recordDate", "-amount"):
            for words, expected in (
                ("shop", [0, 1, 2, 3, 4]),
                ("shop corner", [0]),
                ("sh op", [0, 1, 2, 3, 4, 5]),
                ("text", [0, 1, 2, 3, 5]),
                ("nothing", []),
            ):
                assert sorted(unit.ids(RECORDS, *parse_words(words), sort=order)) == expected
                query = Query(RECORDS, parse_words(words), parse_sort(RECORDS, order), limit=100)
                with unit.reading() as storage:
                    found = storage.data.list_json(unit.user.id, query)
                    scanned = storage.data.scan_rows(
                        unit.user.id, RECORDS, conditions=query.conditions
                    )
                assert len(found.rows) == len(scanned) == len(expected)

    def test_numbers_compare_exactly_up_to_the_last_bit(self, unit: Unit) -> None:
        amounts = (-MAX_UNITS, -101, -100, 0, 9007199254740993001, MAX_UNITS)
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=a) for n, a in enumerate(amounts)))
        for text, expected in (
            ("lt.-0.01000001", [0, 1]),
            ("lte.-0.01", [0, 1, 2]),
            ("eq.900719925474099.3001", [4]),
            ("gt.900719925474099.3001", [5]),
            ("gte.922337203685477.5807", [5]),
            ("gt.922337203685477.5807", []),
            ("gt.-99999999999999999999999", [0, 1, 2, 3, 4, 5]),
            ("lt.-922337203685477.5807", []),
            ("eq.0.00001", []),
        ):
            assert unit.found(RECORDS, "amount", text) == expected, text

    def test_days_are_whole(self, unit: Unit) -> None:
        day = 1_767_225_600  # 2026-01-01T00:00:00Z
        times = (day - 1, day, day + 43_200, day + 86_399, day + 86_400)
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=t) for n, t in enumerate(times)))
        for text, expected in (
            ("eq.2026-01-01", [1, 2, 3]),
            ("lt.2026-01-01", [0]),
            ("lte.2026-01-01", [0, 1, 2, 3]),
            ("gt.2026-01-01", [4]),
            ("gte.2026-01-01T12:00:00+00:00", [2, 3, 4]),
            ("eq.2026-01-01T12:00Z", [2]),
            ("gt.9999-12-31", []),
        ):
            assert unit.found(RECORDS, "recordDate", text) == expected, text

    def test_lists_match_by_any_element(self, unit: Unit) -> None:
        labels = ((), ("work",), ("Work", "a,b"), ("wo", "rk"))
        ids = ((), (make_id(1),), (make_id(1), make_id(2)), (make_id(3),))
        unit.put(
            RECORDS,
            *(make_row(RECORDS, n, labels=labels[n], labelIds=ids[n]) for n in range(4)),
        )
        for name, texts, expected in (
            ("labels", ["eq.work"], [1]),
            ("labels", ["contains.or"], [1, 2]),
            ("labels", ["contains-i.WORK"], [1, 2]),
            ("labels", ["contains.work", "contains.a"], []),
            ("labels", ["contains.ork", "eq.a,b"], [2]),
            ("labels", ["is.null"], [0]),
            ("labels", ["is.not_null"], [1, 2, 3]),
            ("labelIds", [make_id(1)], [1, 2]),
            ("labelIds", [f"{make_id(2)},{make_id(3)}"], [2, 3]),
            ("labelIds", [make_id(1), make_id(2)], [2]),
        ):
            assert unit.found(RECORDS, name, *texts) == expected, (name, texts)

    def test_a_missing_value_meets_only_is_null(self, unit: Unit) -> None:
        unit.put(RECORDS, make_row(RECORDS, 1), make_row(RECORDS, 2, payee="x", note="y"))
        assert unit.found(RECORDS, "payee", "is.null") == [1]
        assert unit.found(RECORDS, "payee", "is.not_null") == [2]
        assert unit.found(RECORDS, "payee", "contains.x") == [2]
        assert unit.found(RECORDS, "paymentType", "cash,transfer") == []
        assert unit.found(RECORDS, "categoryId", make_id(1)) == []

    def test_a_missing_value_meets_what_says_so(self, unit: Unit) -> None:
        states = (VOID, "cleared", None, "reconciled")
        rows = [
            make_row(RECORDS, n, recordState=state, importId=n or None)
            for n, state in enumerate(states)
        ]
        unit.put(RECORDS, *rows)
        many = tuple(range(2, 302))
        for name, operator, operand, expected in (
            ("recordState", Operator.NE, (VOID,), [1, 2, 3]),
            ("recordState", Operator.ANY_OF, (VOID,), [0, 2]),
            ("recordState", Operator.ANY_OF, (), [2]),
            ("recordState", Operator.NE, ("cleared", VOID), [2, 3]),
            ("importId", Operator.NE, many, [0, 1]),
            ("importId", Operator.ANY_OF, many, [0, 2, 3]),
        ):
            condition = replace(condition_on(RECORDS, name, operator, operand), or_missing=True)
            assert unit.ids(RECORDS, condition) == expected, (name, operand)

    def test_every_operator_means_what_evaluate_says(self, unit: Unit) -> None:
        tested = {Operator.WORD}
        for resource in RESOURCES:
            full = {f.name: FULL[f.kind](f.choices) for f in resource.persisted_fields}
            rows = [make_row(resource, 1), {**make_row(resource, 2), **full, "id": make_id(2)}]
            unit.put(resource, *rows)
            fields = [f for f in resource.listed_fields if f in resource.persisted_fields]
            for field, row in product(fields, rows):
                for operator in operators_of(field):
                    condition = condition_with(field, operator, row[field.name])
                    expected = [n for n, row in enumerate(rows, 1) if matches(row, [condition])]
                    assert unit.ids(resource, condition) == expected, condition
                    tested |= {operator, condition.operator}
        assert tested == set(Operator)

    def test_conditions_all_have_to_hold_in_any_order(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n, payee=f"p{n % 3}") for n in range(9)))
        amount, payee = RECORDS["amount"], RECORDS["payee"]
        conditions = [
            Condition(amount, Operator.GTE, Span(2, 3)),
            Condition(payee, Operator.EQ, "p2"),
            Condition(amount, Operator.LT, Span(8, 9)),
        ]
        assert unit.ids(RECORDS, *conditions) == [2, 5]
        assert unit.ids(RECORDS, *reversed(conditions)) == [2, 5]

    # -- order and pages

    def test_text_sorts_by_code_point_and_missing_values_come_last(self, unit: Unit) -> None:
        names = ("b", "É", None, "a", "Z", "\U0001f600", "\uffee", None)
        unit.put(RECORDS, *(make_row(RECORDS, n, payee=name) for n, name in enumerate(names)))
        assert unit.ids(RECORDS, sort="+payee") == [4, 3, 0, 1, 6, 5, 2, 7]
        assert unit.ids(RECORDS, sort="-payee") == [5, 6, 1, 0, 3, 4, 2, 7]

    def test_rows_are_ordered_by_whether_a_value_is_the_one_that_counts(self, unit: Unit) -> None:
        states = ("void", None, "cleared", "void", "uncleared", None)
        unit.put(RECORDS, *(make_row(RECORDS, n, recordState=s) for n, s in enumerate(states)))
        field = RECORDS["recordState"]
        for descending, expected in ((False, [1, 2, 4, 5, 0, 3]), (True, [0, 3, 1, 2, 4, 5])):
            sort = (SortKey(field, descending, equals="void"),)
            with unit.reading() as storage:
                rows = storage.data.list_rows(unit.user.id, Query(RECORDS, (), sort)).rows
            assert [int(row["id"][:8], 16) for row in rows] == expected

    def test_equal_rows_are_in_the_order_of_their_ids(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n // 3) for n in (5, 0, 3, 1, 4, 2)))
        assert unit.ids(RECORDS, sort="-amount") == [3, 4, 5, 0, 1, 2]
        assert unit.ids(RECORDS, sort="-id") == [5, 4, 3, 2, 1, 0]

    def test_page_boundary_keeps_rows_with_equal_dates(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=86_400) for n in range(7)))
        sort = parse_sort(RECORDS, "-recordDate")
        seen: list[str] = []
        for offset in (0, 3, 6, 9):
            query = Query(RECORDS, (), sort, limit=3, offset=offset, with_total=True)
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
            unit.put(
                resource,
                make_row(resource, number, **{field.name: FULL[field.kind](field.choices)}),
            )
        everything = set(range(1, len(fields) + 1))
        for field in fields:
            key = SortKey(field)
            for sort in ((key,), (SortKey(field, descending=True),)):
                with unit.reading() as storage:
                    page = storage.data.list_rows(
                        unit.user.id, Query(resource, (), sort, limit=100)
                    )
                numbers = [int(row["id"][:8], 16) for row in page.rows]
                assert set(numbers) == everything
                values = [row[field.name] for row in page.rows if row[field.name] is not None]
                assert values == sorted(values, reverse=sort[0].descending)
