"""Lists of records in every order that an index has, and after many changes."""

from collections.abc import Callable
from typing import Any

import pytest

from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.testing.changes import Book
from finance_api.storage.testing.json_rows import assert_alike, streamed
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    make_id,
    make_query,
    make_row,
    make_rows,
    numbers_in,
)


@pytest.mark.parametrize("read_model", [True, False], ids=["fast", "plain"])
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
class TestRecordLists(OneUser):
    @pytest.fixture
    def backend(
        self, emptied: Callable[..., SqlBackend], database: str, read_model: bool
    ) -> SqlBackend:
        return emptied(database, read_model=read_model)

    @pytest.mark.parametrize("sort", ["payee", "-payee", "payee,amount", "-payee,-amount"])
    def test_long_and_missing_payees_have_their_place_in_the_order(
        self, unit: Unit, sort: str
    ) -> None:
        long = "m" * 499
        payees = [None, "b", long + "mm", "a", long + "m", None, long, "z" * 3_000, "ß" * 501, "z"]
        rows = [make_row(RECORDS, n, payee=payee) for n, payee in enumerate(payees, 1)]
        unit.put(RECORDS, *rows)
        keys = parse_sort(RECORDS, sort)
        there = sorted((p for p in payees if p is not None), reverse=sort[0] == "-")
        with unit.reading() as storage:
            found = storage.data.list_rows(unit.user.id, Query(RECORDS, (), keys, 20)).rows
        assert [row["payee"] for row in found] == [*there, None, None]
        for limit, offset in ((3, 0), (3, 2), (4, 6), (2, 9), (2, 11)):
            query = Query(RECORDS, (), keys, limit, offset, with_total=True)
            assert_alike(unit, query)
            with unit.reading() as storage:
                page = storage.data.list_rows(unit.user.id, query)
            assert (page.rows, page.total) == (found[offset : offset + limit], len(payees))

    @pytest.mark.parametrize("sort", [None, "amount", "-payee", "-recordDate,payee"])
    def test_a_search_has_the_same_total_on_every_page(self, unit: Unit, sort: str | None) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, note=f"x{n % 3}", amount=n % 4) for n in range(9)))
        some: tuple[tuple[int, dict[str, str]], ...] = (
            (3, {"note": "contains-i.X1"}),
            (2, {"note": "contains.x1", "amount": "lt.0.0003"}),
        )
        for limit, offset in ((2, 0), (2, 2), (5, 0), (2, 3), (1, 8)):
            for total, filters in some:
                query = make_query(
                    RECORDS, sort, limit=limit, offset=offset, with_total=True, **filters
                )
                assert_alike(unit, query)
                with unit.reading() as storage:
                    assert storage.data.list_json(unit.user.id, query).total == total

    @pytest.mark.parametrize(
        ("sort", "filters"),
        [
            ("-recordDate", {"recordDate": "gte.1970-01-05"}),
            ("-recordDate", {"recordDate": "lt.1970-01-05"}),
            ("-recordDate", {"recordDate": "lt.0001-01-01"}),
            ("-recordDate", {"note": "contains-i.ODD"}),
            ("-recordDate", {"note": "contains.odd", "payee": "startsWith-i.s"}),
            ("-recordDate", {"note": "eq.odd"}),
            ("-recordDate", {"amount": "gt.0.01"}),
            ("+amount", {}),
            ("+payee,-amount", {"note": "ne.odd"}),
        ],
    )
    def test_a_stream_of_records_is_the_whole_list_in_every_way(
        self, unit: Unit, sort: str, filters: dict[str, Any]
    ) -> None:
        numbers = range(1, 100)
        rows = make_rows(
            RECORDS,
            1,
            recordDate=[n % 9 * DAY for n in numbers],
            amount=[n * 7 % 311 for n in numbers],
            note=["odd" if n % 2 else None for n in numbers],
            payee=[f"shop {n % 5}" for n in numbers],
        )
        unit.put(RECORDS, *rows)
        streamed(unit, make_query(RECORDS, sort, **filters))

    def test_lists_are_right_after_many_rows_went(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=n * DAY) for n in range(1, 1_001)))
        with unit.writing() as storage:
            gone = [make_id(n) for n in range(1, 1_001) if n % 3]
            storage.data.delete_rows(unit.user.id, RECORDS, gone)
        kept = [n for n in range(1_000, 0, -1) if n % 3 == 0]
        assert unit.ids(RECORDS, sort="-recordDate") == kept[:100]
        assert numbers_in(unit.list_json(make_query(RECORDS, offset=300))) == kept[300:]

    def test_many_rows_that_are_changed_twice_at_once_keep_their_revisions(
        self, unit: Unit
    ) -> None:
        book = Book(unit)
        rows = [make_row(RECORDS, n, recordDate=n) for n in range(1_200)]
        book.change(RECORDS, new=rows)
        with unit.writing() as storage:
            for values in ({"stated": "a"}, {"stated": "b"}):
                changed = [{**row, **values} for row in rows]
                storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=changed)
            renamed = [{**rows[7], "payee": "x"}]
            storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=renamed)
            storage.data.set_state(unit.user.id, DataState(2, 20))
        assert book.listed(RECORDS, after=(2, "", "")) == [(2, 7, True)]
