"""A user of a backend, rows to write for that user, and queries for them."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import pytest

from finance_api.query.model import Condition, Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources.field import Field, Kind, Resource
from finance_api.storage.interface import (
    JsonPage,
    Storage,
    StorageBackend,
    Token,
    User,
    WritableStorage,
    reading,
    unit_of_work,
)
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

DAY = DAY_SECONDS


def make_id(number: int) -> str:
    """Return an id; ids sort in the order of their numbers."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def number_of(row_id: str | bytes) -> int:
    """Return the number that `make_id` made this id from."""
    return int(row_id[:8], 16)


_TIMES = (0, -DAY, -1, MAX_SECONDS, 1_750_000_000, 253402214400, MIN_SECONDS)
#: Values by kind: the first is for required fields, and the last is the likeliest to be stored
#: wrongly. They include extreme values and characters that JSON must escape.
_VALUES: dict[Kind, tuple[Any, ...]] = {
    Kind.TEXT: (
        *("text", "ß ǰ İ \u0301 😀 ﬁ", 'a "quoted"\\ % _ \t\n /', "\ufeff\u2028"),
        "Ünïcode 😀\ttab\nnewline 'quote' \"double\" %_\\",
    ),
    Kind.NUMBER: (0, -1, 12_345_000, MAX_UNITS, -MAX_UNITS, 9007199254740993001),
    Kind.DATE: _TIMES,
    Kind.DATETIME: _TIMES,
    Kind.ID: (make_id(0xABC), make_id(2), make_id(0xFFFFFFFF)),
    Kind.SERIAL: (1, 2**48 - 1, 2**40),
    Kind.BOOLEAN: (False, True),
    Kind.TEXT_LIST: ((), ("a",), ("a,b", 'c"d', "😀"), ("b", "a, b", "ß")),
    Kind.ID_LIST: ((), (make_id(1),), (make_id(2), make_id(1))),
    Kind.LIMIT_LIST: ((), ("2026-01-01=0",), ("2026-01-01=0.0001", "2026-12-01=922337203685477")),
}


def values_for(field: Field) -> tuple[Any, ...]:
    """Return some values of a field; the last is the likeliest to be stored wrongly."""
    return field.choices if field.kind is Kind.CHOICE else _VALUES[field.kind]


def make_row(resource: Resource, number: int, **values: Any) -> Row:
    """Return a whole row with a value in every field that cannot be empty."""
    row: Row = {}
    for field in resource.persisted_fields:
        is_open = field.default is None and not field.nullable
        row[field.name] = values_for(field)[0] if is_open else field.default
    return {**row, "id": make_id(number), **values}


def make_full_row(resource: Resource, number: int) -> Row:
    """Return a row with a value in every field."""
    row = {field.name: values_for(field)[-1] for field in resource.persisted_fields}
    return {**row, "id": make_id(number)}


def make_rows(resource: Resource, first: int = 0, **columns: Iterable[Any]) -> list[Row]:
    """Return rows with consecutive numbers. columns: a field's values in these rows, in order."""
    rows = enumerate(zip(*columns.values(), strict=True), first)
    return [make_row(resource, n, **dict(zip(columns, row, strict=True))) for n, row in rows]


def make_query(
    resource: Resource,
    sort: str | None = None,
    *,
    limit: int = 100,
    offset: int = 0,
    with_total: bool = False,
    **filters: str | Sequence[str],
) -> Query:
    """Return the query that the grammar would make; ``sort`` is None for the default order."""
    conditions: list[Condition] = []
    for name, texts in filters.items():
        for text in [texts] if isinstance(texts, str) else texts:
            conditions += parse_conditions(resource[name], text)
    keys = parse_sort(resource, sort or resource.default_sort)
    return Query(resource, tuple(conditions), keys, limit, offset, with_total)


class Unit:
    """A backend with one user, and short methods to write and read that user's rows."""

    def __init__(self, backend: StorageBackend, name: str = "one") -> None:
        self.backend = backend
        with self.writing() as storage:
            self.user = add_user(storage, f"{name}@example.org")

    def writing(self) -> AbstractContextManager[WritableStorage]:
        return unit_of_work(self.backend)

    def reading(self) -> AbstractContextManager[Storage]:
        return reading(self.backend)

    def put(self, resource: Resource, *rows: Row) -> None:
        """Add rows."""
        with self.writing() as storage:
            storage.data.put_rows(self.user.id, resource, new=rows, changed=())

    def change(self, resource: Resource, *rows: Row) -> None:
        """Replace rows."""
        with self.writing() as storage:
            storage.data.put_rows(self.user.id, resource, new=(), changed=rows)

    def list_rows(self, query: Query) -> list[Row]:
        with self.reading() as storage:
            return storage.data.list_rows(self.user.id, query).rows

    def list_json(self, query: Query) -> JsonPage:
        with self.reading() as storage:
            return storage.data.list_json(self.user.id, query)

    def ids(self, resource: Resource, *conditions: Condition, sort: str = "+id") -> list[int]:
        """Return the numbers of the rows that match the conditions, in order."""
        query = Query(resource, conditions, parse_sort(resource, sort), limit=100)
        return [number_of(row["id"]) for row in self.list_rows(query)]

    def delete(self) -> None:
        """Delete the user."""
        with self.writing() as storage:
            storage.users.delete(self.user.id)


def numbers_in(page: JsonPage) -> list[int]:
    """Return the numbers of the rows of a page."""
    return [number_of(row.partition(b'"id":"')[2]) for row in page.rows]


def add_user(storage: WritableStorage, email: str) -> User:
    return storage.users.add(
        uuid=new_id(), email=email, premium=True, password_hash=None, created_at=1_000
    )


def make_token(user: User, number: int, **values: Any) -> Token:
    """Return a token; its number is its id, its digest and its time."""
    name, digest = f"token {number}", f"{number:064x}"
    token = Token(make_id(number), user.id, name, digest, "fin_abcd", None, created_at=number)
    return replace(token, **values)


class OneUser:
    """The base of all parts of the suite, with two users."""

    @pytest.fixture
    def unit(self, backend: StorageBackend) -> Unit:
        return Unit(backend)

    @pytest.fixture
    def other(self, unit: Unit) -> Unit:
        return Unit(unit.backend, "two")
