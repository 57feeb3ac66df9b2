"""One user of a backend, and rows to give to that user."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from finance_api.query.model import Condition, Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources.field import Kind, Resource
from finance_api.storage.interface import (
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


def make_id(number: int) -> str:
    """Ids in the order of their numbers."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def make_row(resource: Resource, number: int, **values: Any) -> Row:
    """A whole row with something in every field that cannot be empty."""
    row: Row = {}
    for field in resource.persisted_fields:
        value = field.default
        if value is None and not field.nullable:
            value = _SOMETHING[field.kind](field.choices)
        row[field.name] = value
    return {**row, "id": make_id(number), **values}


_SOMETHING: dict[Kind, Callable[[tuple[str, ...]], Any]] = {
    Kind.TEXT: lambda choices: "text",
    Kind.NUMBER: lambda choices: 0,
    Kind.DATE: lambda choices: 0,
    Kind.DATETIME: lambda choices: 0,
    Kind.ID: lambda choices: make_id(0xABC),
    Kind.SERIAL: lambda choices: 1,
    Kind.CHOICE: lambda choices: choices[0],
    Kind.BOOLEAN: lambda choices: False,
    Kind.TEXT_LIST: lambda choices: (),
    Kind.ID_LIST: lambda choices: (),
}


#: Something in every field, by kind: what could come back as something else.
FULL: dict[Kind, Callable[[tuple[str, ...]], Any]] = {
    Kind.TEXT: lambda choices: "Ünïcode 😀\ttab\nnewline 'quote' \"double\" %_\\",
    Kind.NUMBER: lambda choices: 9007199254740993001,
    Kind.DATE: lambda choices: 253402214400,
    Kind.DATETIME: lambda choices: -62135596800,
    Kind.ID: lambda choices: make_id(0xFFFFFFFF),
    Kind.SERIAL: lambda choices: 2**40,
    Kind.CHOICE: lambda choices: choices[-1],
    Kind.BOOLEAN: lambda choices: True,
    Kind.TEXT_LIST: lambda choices: ("b", "a, b", "ß"),
    Kind.ID_LIST: lambda choices: (make_id(2), make_id(1)),
}


class Unit:
    """A backend with one user, and short ways to write and read that user's rows."""

    def __init__(self, backend: StorageBackend, name: str = "one") -> None:
        self.backend = backend
        with self.writing() as storage:
            self.user = add_user(storage, f"{name}@example.org")

    @contextmanager
    def writing(self) -> Iterator[WritableStorage]:
        with unit_of_work(self.backend) as storage:
            yield storage

    @contextmanager
    def reading(self) -> Iterator[Storage]:
        with reading(self.backend) as storage:
            yield storage

    def put(self, resource: Resource, *rows: Row) -> None:
        with self.writing() as storage:
            storage.data.put_rows(self.user.id, resource, new=rows, changed=())

    def ids(self, resource: Resource, *conditions: Condition, sort: str = "+id") -> list[int]:
        """The numbers of the rows that meet the conditions, in order."""
        query = Query(resource, conditions, parse_sort(resource, sort), limit=100)
        with self.reading() as storage:
            rows = storage.data.list_rows(self.user.id, query).rows
        return [int(row["id"][:8], 16) for row in rows]

    def page(self, resource: Resource, offset: int) -> list[int]:
        """The numbers of the rows of a page in the default order."""
        query = Query(resource, (), parse_sort(resource, resource.default_sort), 100, offset)
        with self.reading() as storage:
            page = storage.data.list_json(self.user.id, query)
        return [int(json.loads(row)["id"][:8], 16) for row in page.rows]

    def found(self, resource: Resource, name: str, *texts: str) -> list[int]:
        """The numbers of the rows that the grammar's conditions on one field select."""
        field = resource[name]
        return self.ids(resource, *(c for text in texts for c in parse_conditions(field, text)))


def add_user(storage: WritableStorage, email: str) -> User:
    return storage.users.add(
        uuid=new_id(), email=email, premium=True, password_hash=None, created_at=1_000
    )


def make_token(user: User, number: int, **values: Any) -> Token:
    token = {
        "id": make_id(number),
        "user_id": user.id,
        "name": f"token {number}",
        "sha256": f"{number:064x}",
        "start": "fin_abcd",
        "scopes": None,
        "created_at": number,
    }
    return Token(**{**token, **values})


class OneUser:
    """The base of every part of the suite."""

    @pytest.fixture
    def unit(self, backend: StorageBackend) -> Unit:
        return Unit(backend)
