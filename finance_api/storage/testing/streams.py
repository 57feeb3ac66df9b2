"""Whole lists, some rows at a time."""

from dataclasses import replace

import pytest

from finance_api.query.model import Condition, Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import STREAMED_ROWS
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_id, make_row

_WITH_JSON = [resource for resource in PUBLIC_RESOURCES if not resource.computed_fields]
_EACH = pytest.mark.parametrize("resource", _WITH_JSON, ids=lambda resource: resource.name)
#: More than come at once.
_COUNT = STREAMED_ROWS + 30


def _query(resource: Resource, sort: str | None = None, **filters: str) -> Query:
    conditions: list[Condition] = []
    for name, text in filters.items():
        field = resource[name]
        conditions += parse_conditions(field, text)
    return Query(resource, tuple(conditions), parse_sort(resource, sort or resource.default_sort))


def _streamed(unit: Unit, query: Query) -> list[bytes]:
    with unit.reading() as storage:
        pages = list(storage.data.stream_json(unit.user.id, query))
    assert all(pages)
    return [line for page in pages for line in page.split(b"\n")]


class StreamsConformance(OneUser):
    """`stream_json` and `count_rows` are all pages of `list_json`, in whichever way they go."""

    @_EACH
    def test_a_stream_is_the_whole_list(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *(make_row(resource, number) for number in range(1, _COUNT + 1)))
        for query in (_query(resource), _query(resource, "-id"), _query(resource, id=make_id(7))):
            whole = replace(query, limit=2 * _COUNT)
            with unit.reading() as storage:
                rows = storage.data.list_json(unit.user.id, whole).rows
                assert storage.data.count_rows(unit.user.id, query) == len(rows)
            # Its own page does not matter.
            for asked in (query, replace(query, limit=1, offset=3)):
                assert _streamed(unit, asked) == rows

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
        self, unit: Unit, sort: str, filters: dict[str, str]
    ) -> None:
        unit.put(
            RECORDS,
            *(
                make_row(
                    RECORDS,
                    number,
                    recordDate=number % 9 * 86_400,
                    amount=number * 7 % 311,
                    note="odd" if number % 2 else None,
                    payee=f"shop {number % 5}",
                )
                for number in range(1, 2 * _COUNT)
            ),
        )
        query = _query(RECORDS, sort, **filters)
        with unit.reading() as storage:
            whole = replace(query, limit=2 * _COUNT)
            rows = storage.data.list_json(unit.user.id, whole).rows
            assert storage.data.count_rows(unit.user.id, query) == len(rows)
        assert _streamed(unit, query) == rows

    @_EACH
    def test_a_stream_is_of_one_state(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *(make_row(resource, number) for number in range(1, _COUNT + 1)))
        with unit.reading() as storage:
            before = storage.data.get_state(unit.user.id)
            stream = storage.data.stream_json(unit.user.id, _query(resource, "+id"))
            first = next(stream)
            more = [make_row(resource, number) for number in range(_COUNT + 1, 2 * _COUNT)]
            unit.put(resource, *more)
            rest = list(stream)
            assert storage.data.get_state(unit.user.id) == before
        assert b"\n".join([first, *rest]).count(b"\n") == _COUNT - 1

    def test_a_stream_that_is_left_ends_with_its_unit_of_work(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, number) for number in range(1, 2 * _COUNT)))
        for sort in ("-recordDate", "+amount"):
            for _ in range(3):
                with unit.reading() as storage:
                    left = storage.data.stream_json(unit.user.id, _query(RECORDS, sort))
                    assert next(left)
            unit.put(ACCOUNTS, make_row(ACCOUNTS, 1 if sort == "+amount" else 2))
            with unit.reading() as storage:
                found = storage.data.count_rows(unit.user.id, _query(ACCOUNTS))
                assert found == (2 if sort == "+amount" else 1), "an old snapshot is read"

    def test_one_stream_can_follow_another(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, number) for number in range(1, 4)))
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        with unit.reading() as storage:
            for resource, count in ((RECORDS, 3), (ACCOUNTS, 1), (RECORDS, 3)):
                pages = list(storage.data.stream_json(unit.user.id, _query(resource)))
                assert b"\n".join(pages).count(b"\n") == count - 1

    @_EACH
    def test_a_stream_is_of_one_user(self, unit: Unit, resource: Resource) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            theirs = [make_row(resource, number) for number in (1, 2, 3)]
            storage.data.put_rows(other.id, resource, new=theirs, changed=())
        assert _streamed(unit, _query(resource)) == []
        with unit.reading() as storage:
            assert storage.data.count_rows(unit.user.id, _query(resource)) == 0
            assert storage.data.count_rows(other.id, _query(resource)) == 3
