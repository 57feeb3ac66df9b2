"""Statements that have forgotten whose rows they are to read."""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from finance_api.storage.sql.driver import CompiledStatement
from finance_api.storage.sql.statements import with_state
from finance_api.storage.sql.tables import DATA_TABLES

#: What binds a statement to the user, as SQLite and PostgreSQL are told it.
_OF_USER = re.compile(r"\b(?:(\w+)\.)?(user_id|id) = (\?(?!\w)|%\(user\)s(?:::\w+)?)")
#: The same in the search index of SQLite, where a user's rows are neighbours.
_OF_KEYS = re.compile(r"\browid BETWEEN \? AND \?")
_TABLES = "|".join(
    ["users", "records_by_date", "record_anchors", *(t.table.name for t in DATA_TABLES.values())]
)

Get = Callable[..., CompiledStatement]


def forgetting(
    get: Get, is_forgetful: Callable[[Any], bool], table: str = r"\w*", *, others: bool = False
) -> Get:
    """`StatementCache.get`, but for the statements of some ``build`` functions.

    What binds them to the user, in tables of the name, says nothing any more. others: it says that
    the rows are those of all the others.
    """

    def careless(statements: Any, build: Any, *shape: Any) -> CompiledStatement:
        statement = get(statements, build, *shape)
        forgotten = copy.copy(statement)
        if build is with_state:
            # What is about the state stands at the end.
            start = statement.text.rindex("WHERE users.id = ")
            inner, outer = statement.text[:start], statement.text[start:]
            if is_forgetful(shape[0]):
                inner = without_user(inner, table, others=others)
            if is_forgetful(build):
                outer = without_user(outer, table, others=others)
            forgotten.text = inner + outer
        elif is_forgetful(build):
            forgotten.text = without_user(statement.text, table, others=others)
        return forgotten

    return careless


def builds_of(build: Any, shape: tuple[Any, ...]) -> Iterator[Any]:
    """The function, and the one that it is about, if there is one."""
    yield build
    yield from (part for part in shape if callable(part))


def without_user(text: str, table: str = r"\w*", *, others: bool = False) -> str:
    """The statement without its restriction to the user; it takes the same values."""

    def replace(found: re.Match[str]) -> str:
        is_user = found[2] == "user_id" or found[1] == "users"
        if not is_user or not re.fullmatch(table, found[1] or ""):
            return found[0]
        return found[0].replace(" = ", " <> ") if others else f"({found[3]} IS NOT NULL)"

    return _OF_KEYS.sub(lambda found: without_meaning(found[0]), _OF_USER.sub(replace, text))


def without_meaning(clause: str) -> str:
    """A condition on as many values, that holds."""
    return " AND ".join(["? IS NOT NULL"] * clause.count("?"))


def is_bound(text: str) -> bool:
    """Whether the statement binds every table of users' rows in it to the user."""
    read = re.findall(rf"\b(?:FROM|JOIN) ({_TABLES})\b", text)
    bound = [t for t, column, _ in _OF_USER.findall(text) if column == "user_id" or t == "users"]
    joined = re.findall(r"\b\w+\.user_id = \w+\.user_id\b", text)
    return len(read) <= len(bound) + len(joined) and bool(bound or _OF_KEYS.search(text))
