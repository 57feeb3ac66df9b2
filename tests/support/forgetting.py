"""Changes queries so that they no longer select the rows of one user only."""

import copy
import re
import traceback
from collections.abc import Callable, Iterator
from inspect import isfunction
from typing import Any

import pytest
from sqlalchemy import event

from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.placement import is_of_users
from finance_api.storage.sql.read_model.drivers import CompiledSql, SqlCache
from finance_api.storage.sql.tables import metadata, users

#: A predicate that restricts a query to one user, or to a key of one user. It compares with a value
#: or with another table. Matches the SQL for SQLite and for PostgreSQL.
_PREDICATE = re.compile(
    r"\b(?:\w+\.(?:user_id|uuid|email|sha256|jti)|(?:users|tokens)\.id) = "
    r"(?:\?(?!\w)|%\(\w+\)s(?:::\w+)?(?: COLLATE \"C\")?"
    r"|\w+\.(?:user_id|id)\b|json_extract\(.*?\)|CAST\(.*?\))"
)
_TABLES = "|".join(name for name, t in metadata.tables.items() if "user_id" in t.c or t is users)

Get = Callable[..., CompiledSql]
#: Where a predicate is: the text of its query, and its number among the query's predicates.
Place = tuple[str, int]


def predicates(text: str) -> list[str]:
    return _PREDICATE.findall(text)


def without_predicate(text: str, number: int | None = None, *, opposite: bool = False) -> str:
    """Return the query without this predicate, or with its opposite; the parameters stay.

    number: None removes all predicates.
    """
    count = -1

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        if number not in (None, count):
            return found[0]
        return found[0].replace(" = ", " <> ", 1) if opposite else f"({found[0]} OR true)"

    return _PREDICATE.sub(replace, text)


def forgetting(get: Get, is_forgetful: Callable[[Any], bool]) -> Get:
    """Return a `SqlCache.get` that drops the user's predicates from some ``build``'s queries."""

    def careless(statements: Any, build: Any, *shape: Any) -> CompiledSql:
        statement = get(statements, build, *shape)
        if not any(map(is_forgetful, builds_of(build, shape))):
            return statement
        return _changed(statement, without_predicate(statement.text))

    return careless


def builds_of(build: Any, shape: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the function or query, and the functions among its arguments, if any."""
    yield build
    yield from (part for part in shape if isfunction(part))


def is_bound(text: str) -> bool:
    """Return whether the query restricts each of its tables of users' rows to one user."""
    return 0 < len(re.findall(rf"\b(?:FROM|JOIN) ({_TABLES})\b", text)) <= len(predicates(text))


def names_user(text: str) -> bool:
    """Return whether each table of users' rows is restricted to a user outside of subqueries."""
    text = re.sub(r"%\(\w+\)s", "?", text)
    while (outer := re.sub(r"\([^()]*\)", "", text)) != text:
        text = outer
    tables = re.findall(rf"\b(?:FROM|JOIN|UPDATE) ({_TABLES})\b(?! AS)", text)
    keys = "user_id|id|uuid|email|sha256|jti"
    return all(re.search(rf"\b{table}\.(?:{keys}) = ", text) for table in tables)


def placements(text: str) -> set[bool]:
    """Return where the query's tables are kept in a distributed database."""
    tables = metadata.tables.keys() & set(re.findall(r"\w+", text))
    return {is_of_users(metadata.tables[name]) for name in tables}


def _changed(statement: CompiledSql, text: str) -> CompiledSql:
    changed = copy.copy(statement)
    changed.text = text
    return changed


class Statements:
    """Watches, and may change, all queries that a backend runs from now on.

    used: the predicates in these queries, and the functions that run them. left_out: the predicate
    to remove. opposite: turn this predicate into its opposite instead.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, backend: SqlBackend) -> None:
        self.used: dict[Place, str] = {}
        self.left_out: Place | None = None
        self.opposite = False
        get = SqlCache.get

        def changed(statements: Any, build: Any, *shape: Any) -> CompiledSql:
            statement = get(statements, build, *shape)
            run = " of ".join(_name(b, statement.text) for b in builds_of(build, shape))
            return _changed(statement, self._text(statement.text, run))

        monkeypatch.setattr(SqlCache, "get", changed)

        @event.listens_for(backend.engine, "before_cursor_execute", retval=True)
        def change(
            connection: Any, cursor: Any, text: str, values: Any, context: Any, many: bool
        ) -> tuple[str, Any]:
            # One function may run several queries, so the text is part of the name.
            return self._text(text, f"{_running()}: {' '.join(text.split())}"), values

    def _text(self, text: str, run: str) -> str:
        for number in range(len(predicates(text))):
            self.used[text, number] = run
        if self.left_out is None or self.left_out[0] != text:
            return text
        return without_predicate(text, self.left_out[1], opposite=self.opposite)


def _name(build: Any, text: str) -> str:
    """Return the name of a function that builds a query, or the query's text."""
    return f"{_module(build.__module__)}.{build.__name__}" if callable(build) else text


def _module(name: str) -> str:
    return name.removeprefix("finance_api.storage.sql.")


def _running() -> str:
    """Return the name of the storage's function that is running a query now."""
    for frame, _ in traceback.walk_stack(None):
        module = frame.f_globals["__name__"]
        if module.startswith("finance_api.storage.sql.") and "connection" not in module:
            return f"{_module(module)}.{frame.f_code.co_name}"
    return "a test"
