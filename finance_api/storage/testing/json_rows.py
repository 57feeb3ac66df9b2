"""Rows as the JSON objects that answers hold."""

import pytest

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Kind, Resource
from finance_api.resources.wire import encoder_of
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import DataState
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_id, make_row
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS

#: The resources without a field that depends on the day.
WITH_BODIES = [resource for resource in PUBLIC_RESOURCES if not resource.computed_fields]
_EACH = pytest.mark.parametrize("resource", WITH_BODIES, ids=lambda resource: resource.name)

#: Some values of each kind: the extremes, and what JSON has to escape.
_VALUES = {
    Kind.TEXT: ("x", "ß ǰ İ \u0301 😀 ﬁ", 'a "quoted"\\ % _ \t\n /', "\ufeff\u2028"),
    Kind.NUMBER: (0, -1, 12_345_000, MAX_UNITS, -MAX_UNITS),
    Kind.DATE: (0, -86_400, MIN_SECONDS, MAX_SECONDS, 1_750_000_000),
    Kind.DATETIME: (0, -1, MIN_SECONDS, MAX_SECONDS, 1_750_000_000),
    Kind.ID: (make_id(1), make_id(2), make_id(0xFFFFFFFF)),
    Kind.SERIAL: (1, 2**48 - 1),
    Kind.BOOLEAN: (True, False),
    Kind.TEXT_LIST: ((), ("a",), ("a,b", 'c"d', "😀")),
    Kind.ID_LIST: ((), (make_id(1),), (make_id(2), make_id(1))),
}


def _rows(resource: Resource) -> list[Row]:
    """Rows that hold all of those values, and nothing where nothing may be."""
    rows = [make_row(resource, number) for number in range(1, 6)]
    for field in resource.listed_fields:
        if field.name != "id":
            values = field.choices if field.kind is Kind.CHOICE else _VALUES[field.kind]
            for number, row in enumerate(rows):
                row[field.name] = values[number % len(values)]
    return [*rows, make_row(resource, 6)]


class JsonRowsConformance(OneUser):
    """`list_json` and `get_json` are `list_rows` and `get_rows`, encoded, and their state."""

    @_EACH
    def test_listed_bodies_are_the_encoded_rows(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *_rows(resource))
        with unit.reading() as storage:
            for sort in (resource.default_sort, "+id", "-id"):
                for limit, offset in ((6, 0), (5, 0), (2, 3), (2, 5), (2, 6), (9, 1_000_000)):
                    keys = parse_sort(resource, sort)
                    query = Query(resource, (), keys, limit, offset, with_total=offset == 3)
                    _assert_alike(unit, query)
            assert storage.data.list_json(unit.user.id, Query(resource, ())).rows

    @_EACH
    def test_json_rows_are_found_by_id(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *_rows(resource))
        encode = encoder_of(resource).encode
        with unit.reading() as storage:
            for numbers in ((), (1,), (6, 2, 4), (9,), (9, 1), (3, 3), range(1, 7)):
                ids = [make_id(number) for number in numbers]
                rows = storage.data.get_rows(unit.user.id, resource, ids)
                state, found = storage.data.get_json(unit.user.id, resource, ids)
                assert state == storage.data.get_state(unit.user.id)
                assert found == [encode(rows[i]) if i in rows else b"" for i in ids]
            odd = ["", "x", "' OR ''='", make_id(1)[:-1], '"', "]", "%"]
            assert storage.data.get_json(unit.user.id, resource, odd)[1] == [b""] * len(odd)

    @_EACH
    def test_json_rows_change_with_their_rows(self, unit: Unit, resource: Resource) -> None:
        first, *others = _rows(resource)
        unit.put(resource, first, *others)
        renamed = {**others[-1], **_named(resource, "changed"), "id": first["id"]}
        with unit.writing() as storage:
            storage.data.put_rows(
                unit.user.id, resource, new=[make_row(resource, 7)], changed=[renamed, others[1]]
            )
        _assert_alike(unit, Query(resource, (), parse_sort(resource, resource.default_sort), 10))
        with unit.reading() as storage:
            rows = storage.data.get_json(unit.user.id, resource, [first["id"]])[1]
            assert rows == [encoder_of(resource).encode(renamed)]

    @_EACH
    def test_json_rows_are_written_as_soon_as_their_rows(
        self, unit: Unit, resource: Resource
    ) -> None:
        with unit.writing() as storage:
            rows = _rows(resource)
            storage.data.put_rows(unit.user.id, resource, new=rows, changed=())
            found = storage.data.list_json(unit.user.id, Query(resource, (), limit=10))
            assert sorted(found.rows) == sorted(map(encoder_of(resource).encode, rows))
            body = encoder_of(resource).encode(rows[0])
            assert storage.data.get_json(unit.user.id, resource, [make_id(1)])[1] == [body]

    def test_json_rows_of_a_conflict_are_not_kept(self, unit: Unit) -> None:
        unit.put(RECORDS, make_row(RECORDS, 1, note="first"))
        before = unit.user
        with pytest.raises(RuntimeError), unit.writing() as storage:
            storage.data.put_rows(before.id, RECORDS, new=[make_row(RECORDS, 2)], changed=())
            raise RuntimeError
        with unit.reading() as storage:
            assert len(storage.data.list_json(before.id, Query(RECORDS, ())).rows) == 1

    @_EACH
    def test_json_rows_come_with_the_state_of_the_data(
        self, unit: Unit, resource: Resource
    ) -> None:
        state = DataState(7, 1_234_567)
        with unit.writing() as storage:
            storage.data.set_state(unit.user.id, state)
        nothing = parse_conditions(resource.listed_fields[0], make_id(99))
        for conditions in ((), nothing):
            for offset in (0, 1_000):
                query = Query(resource, tuple(conditions), offset=offset)
                with unit.reading() as storage:
                    assert storage.data.list_json(unit.user.id, query).state == state
        with unit.reading() as storage:
            assert storage.data.get_json(unit.user.id, resource, []) == (state, [])

    @_EACH
    def test_of_nobody_there_are_no_bodies(self, unit: Unit, resource: Resource) -> None:
        nobody = unit.user.id + 1
        for offset in (0, 1_000):
            with unit.reading() as storage, pytest.raises(NotFound):
                storage.data.list_json(nobody, Query(resource, (), offset=offset))
            with unit.reading() as storage, pytest.raises(NotFound):
                keys = parse_sort(resource, resource.default_sort)
                storage.data.list_json(nobody, Query(resource, (), keys, offset=offset))
        with unit.reading() as storage, pytest.raises(NotFound):
            storage.data.get_json(nobody, resource, [make_id(1)])

    @_EACH
    def test_json_rows_are_of_one_user(self, unit: Unit, resource: Resource) -> None:
        unit.put(resource, *(make_row(resource, n, **_named(resource, "mine")) for n in (1, 2)))
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            theirs = [make_row(resource, n, **_named(resource, "theirs")) for n in (1, 2, 3)]
            storage.data.put_rows(other.id, resource, new=theirs, changed=())
        with unit.reading() as storage:
            found = storage.data.list_json(unit.user.id, Query(resource, (), with_total=True))
            assert (len(found.rows), found.total) == (2, 2)
            assert not any(b"theirs" in body for body in found.rows)
            ids = [make_id(n) for n in (1, 2, 3)]
            rows = storage.data.get_json(unit.user.id, resource, ids)[1]
            assert all(b"mine" in body for body in rows[:2])
            assert rows[2:] == [b""]

    def test_json_rows_of_a_deleted_user_are_gone(self, unit: Unit) -> None:
        for resource in (RECORDS, ACCOUNTS):
            unit.put(resource, make_row(resource, 1))
        with unit.writing() as storage:
            storage.users.delete(unit.user.id)
        for resource in (RECORDS, ACCOUNTS):
            with unit.reading() as storage, pytest.raises(NotFound):
                storage.data.list_json(unit.user.id, Query(resource, ()))
            with unit.reading() as storage, pytest.raises(NotFound):
                storage.data.get_json(unit.user.id, resource, [make_id(1)])


def _named(resource: Resource, name: str) -> Row:
    """A text in a field that every row of the resource can have."""
    field = next(f for f in resource.listed_fields if f.kind is Kind.TEXT)
    return {field.name: name}


def _assert_alike(unit: Unit, query: Query) -> None:
    encode = encoder_of(query.resource).encode
    with unit.reading() as storage:
        page = storage.data.list_rows(unit.user.id, query)
    with unit.reading() as storage:
        found = storage.data.list_json(unit.user.id, query)
        assert found.rows == [encode(row) for row in page.rows]
        assert (found.has_more, found.total) == (page.has_more, page.total)
        assert found.state == storage.data.get_state(unit.user.id)
