"""Rows as the JSON objects of responses: pages, rows by their ids, and whole lists."""

from dataclasses import replace

import pytest

from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.resources import ACCOUNTS, PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Kind, Resource
from finance_api.serialization.rows import encoder_of
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import STREAMED_ROWS, DataState
from finance_api.storage.testing.units import (
    OneUser,
    Unit,
    make_id,
    make_query,
    make_row,
    values_for,
)
from finance_api.values import Row

#: The public resources without computed fields.
WITH_JSON = [resource for resource in PUBLIC_RESOURCES if not resource.computed_fields]
EACH_WITH_JSON = pytest.mark.parametrize("resource", WITH_JSON, ids=lambda r: r.name)
#: More rows than a stream reads at once.
_COUNT = STREAMED_ROWS + 30


def _rows(resource: Resource) -> list[Row]:
    """Return rows that together have all values for every field, then a row with few fields."""
    rows = [make_row(resource, number) for number in range(1, 8)]
    for field in resource.listed_fields:
        if field.name != "id":
            values = values_for(field)
            for number, row in enumerate(rows):
                row[field.name] = values[number % len(values)]
    return [*rows, make_row(resource, 8)]


def _named(resource: Resource, name: str) -> Row:
    """Return ``name`` as the value of the resource's first text field."""
    field = next(f for f in resource.listed_fields if f.kind is Kind.TEXT)
    return {field.name: name}


def assert_alike(unit: Unit, query: Query) -> None:
    encode = encoder_of(query.resource).encode
    with unit.reading() as storage:
        page = storage.data.list_rows(unit.user.id, query)
    with unit.reading() as storage:
        found = storage.data.list_json(unit.user.id, query)
        assert found.rows == [encode(row) for row in page.rows]
        assert (found.has_more, found.total) == (page.has_more, page.total)
        assert found.state == storage.data.get_state(unit.user.id)


def streamed(unit: Unit, query: Query) -> list[bytes]:
    """Return the rows of the whole list, and check that every way of reading them agrees."""
    with unit.reading() as storage:
        rows = storage.data.list_json(unit.user.id, replace(query, limit=2 * _COUNT)).rows
        assert storage.data.count_rows(unit.user.id, query) == len(rows)
    # The query's limit and offset must not matter.
    for same in (query, replace(query, limit=1, offset=3)):
        with unit.reading() as storage:
            pages = list(storage.data.stream_json(unit.user.id, same))
        assert all(pages)
        assert [line for page in pages for line in page.split(b"\n")] == rows
    return rows


class JsonRowsConformance(OneUser):
    """`list_json`, `get_json`, `stream_json`, `count_rows` agree with `list_rows`, `get_rows`."""

    @EACH_WITH_JSON
    def test_listed_bodies_are_the_encoded_rows(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *_rows(resource))
        for sort in (resource.default_sort, "+id", "-id"):
            for limit, offset in ((8, 0), (7, 0), (2, 3), (2, 7), (2, 8), (9, 1_000_000)):
                keys = parse_sort(resource, sort)
                assert_alike(unit, Query(resource, (), keys, limit, offset, offset == 3))
        assert len(unit.list_json(Query(resource)).rows) == 8

    @EACH_WITH_JSON
    def test_json_rows_are_found_by_id(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *_rows(resource))
        encode = encoder_of(resource).encode
        with unit.reading() as storage:
            for numbers in ((), (1,), (6, 2, 4), (9,), (9, 1), (3, 3), range(1, 9)):
                ids = [make_id(number) for number in numbers]
                rows = storage.data.get_rows(unit.user.id, resource, ids)
                state, found = storage.data.get_json(unit.user.id, resource, ids)
                assert state == storage.data.get_state(unit.user.id)
                assert found == [encode(rows[i]) if i in rows else b"" for i in ids]
            odd = ["", "x", "' OR ''='", make_id(1)[:-1], '"', "]", "%"]
            assert storage.data.get_json(unit.user.id, resource, odd)[1] == [b""] * len(odd)

    @EACH_WITH_JSON
    def test_json_rows_change_as_soon_as_their_rows(self, unit: Unit, resource: Resource) -> None:
        rows, user_id = _rows(resource), unit.user.id
        encode = encoder_of(resource).encode
        with unit.writing() as storage:
            storage.data.put_rows(user_id, resource, new=rows, changed=())
            found = storage.data.list_json(user_id, Query(resource, (), limit=10)).rows
            assert sorted(found) == sorted(map(encode, rows))
            assert storage.data.get_json(user_id, resource, [make_id(1)])[1] == [encode(rows[0])]
        renamed = {**rows[-1], **_named(resource, "changed"), "id": make_id(1)}
        with unit.writing() as storage:
            new = [make_row(resource, 9)]
            storage.data.put_rows(user_id, resource, new=new, changed=[renamed, rows[2]])
            storage.data.set_state(user_id, DataState(7, 1_234_567))
        assert_alike(unit, make_query(resource))
        with unit.reading() as storage:
            found = storage.data.get_json(user_id, resource, [make_id(1)])[1]
            assert found == [encode(renamed)]

    @EACH_WITH_JSON
    def test_an_empty_page_comes_with_the_state_of_the_data(
        self, unit: Unit, resource: Resource
    ) -> None:
        state = DataState(7, 1_234_567)
        with unit.writing() as storage:
            storage.data.set_state(unit.user.id, state)
            assert storage.data.get_json(unit.user.id, resource, []) == (state, [])
        for query in (make_query(resource, id=make_id(99)), Query(resource, offset=1_000)):
            assert unit.list_json(query).state == state

    @EACH_WITH_JSON
    @pytest.mark.parametrize("is_deleted", [True, False])
    def test_of_nobody_there_are_no_bodies(
        self, unit: Unit, other: Unit, resource: Resource, is_deleted: bool
    ) -> None:
        unit.put(resource, make_row(resource, 1))
        nobody = other.user.id + 1
        if is_deleted:
            nobody = unit.user.id
            unit.delete()
        for offset in (0, 1_000):
            for query in (Query(resource, offset=offset), make_query(resource, offset=offset)):
                with unit.reading() as storage, pytest.raises(NotFound):
                    storage.data.list_json(nobody, query)
        with unit.reading() as storage, pytest.raises(NotFound):
            storage.data.get_json(nobody, resource, [make_id(1)])

    @EACH_WITH_JSON
    def test_json_rows_are_of_one_user(self, unit: Unit, other: Unit, resource: Resource) -> None:
        assert streamed(unit, make_query(resource)) == []
        other.put(resource, *(make_row(resource, n, **_named(resource, "b")) for n in (1, 2, 3)))
        assert streamed(unit, make_query(resource)) == []
        unit.put(resource, *(make_row(resource, n, **_named(resource, "mine")) for n in (1, 2)))
        found = unit.list_json(Query(resource, (), with_total=True))
        assert (len(found.rows), found.total) == (2, 2)
        assert all(b"mine" in body for body in found.rows)
        with unit.reading() as storage:
            ids = [make_id(n) for n in (1, 2, 3)]
            rows = storage.data.get_json(unit.user.id, resource, ids)[1]
            assert [b"mine" in body for body in rows] == [True, True, False]
            assert rows[2] == b""
            assert storage.data.count_rows(other.user.id, Query(resource)) == 3

    # -- whole lists, some rows at a time

    @EACH_WITH_JSON
    def test_a_stream_is_the_whole_list(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *(make_row(resource, number) for number in range(1, _COUNT + 1)))
        assert len(streamed(unit, make_query(resource))) == _COUNT
        assert len(streamed(unit, make_query(resource, "-id"))) == _COUNT
        assert len(streamed(unit, make_query(resource, id=make_id(7)))) == 1

    @EACH_WITH_JSON
    def test_a_stream_is_of_one_state(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *(make_row(resource, number) for number in range(1, _COUNT + 1)))
        with unit.reading() as storage:
            before = storage.data.get_state(unit.user.id)
            stream = storage.data.stream_json(unit.user.id, make_query(resource, "+id"))
            first = next(stream)
            unit.put(resource, *(make_row(resource, n) for n in range(_COUNT + 1, 2 * _COUNT)))
            rest = list(stream)
            assert storage.data.get_state(unit.user.id) == before
        assert b"\n".join([first, *rest]).count(b"\n") == _COUNT - 1

    def test_a_stream_that_is_left_ends_with_its_unit_of_work(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, number) for number in range(1, 2 * _COUNT)))
        for number, sort in enumerate(("-recordDate", "+amount"), 1):
            for _ in range(3):
                with unit.reading() as storage:
                    assert next(storage.data.stream_json(unit.user.id, make_query(RECORDS, sort)))
            unit.put(ACCOUNTS, make_row(ACCOUNTS, number))
            with unit.reading() as storage:
                found = storage.data.count_rows(unit.user.id, Query(ACCOUNTS))
                assert found == number, "an old snapshot is read"
                # A unit of work can read one stream after another.
                for resource, count in ((RECORDS, 2 * _COUNT - 1), (ACCOUNTS, number)):
                    pages = storage.data.stream_json(unit.user.id, make_query(resource))
                    assert b"\n".join(pages).count(b"\n") == count - 1
