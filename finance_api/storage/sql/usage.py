"""Numbers of requests, by user and day, and by token."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    Table,
    TextClause,
    bindparam,
    cast,
    delete,
    func,
    select,
    text,
)

from finance_api.storage.interface import UsageReader, UsageWriter
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.statements import USER, Part
from finance_api.storage.sql.tables import token_usage, usage

# One statement for all users, during which other threads go on. Through the table of users,
# so that one who is gone makes none of the others fail; in one order everywhere, so that two
# processes cannot wait for each other.
_ADD = """
INSERT INTO {table} (user_id, {keys}, requests)
SELECT users.id, {values}, {number} FROM {each} AS added JOIN users ON users.id = {user} WHERE true
ORDER BY users.id, {values}
ON CONFLICT (user_id, {keys}) DO UPDATE SET requests = {table}.requests + excluded.requests
"""

#: The elements of a JSON list as rows; a number and a text of such a row, by its position.
_ROWS_IN = {
    "sqlite": ("json_each(:added)", *["json_extract(added.value, '$[{}]')"] * 2),
    "postgresql": (
        "json_array_elements(CAST(:added AS json))",
        "CAST(added.value ->> {} AS bigint)",
        "added.value ->> {}",
    ),
}


def _add(table: str, database: str) -> TextClause:
    """Adds rows of user id, number, day and, to that table, token id."""
    each, integer, word = _ROWS_IN[database]
    user, number, day, token = (
        *(integer.format(position) for position in range(3)),
        word.format(3),
    )
    by_token = table == token_usage.name
    keys, values = ("day, token_id", f"{day}, {token}") if by_token else ("day", day)
    given = {"table": table, "keys": keys, "values": values, "each": each}
    return text(_ADD.format(**given, user=user, number=number))


_ADD_IN = {
    (table.name, database): _add(table.name, database)
    for table in (usage, token_usage)
    for database in _ROWS_IN
}


def _days(database: str) -> Select[Any]:
    start, end = (bindparam(name, type_=BigInteger()) for name in ("start", "end"))
    return (
        select(usage.c.day, usage.c.requests)
        .where(usage.c.user_id == USER, usage.c.day >= start, usage.c.day < end)
        .order_by(usage.c.day)
    )


def _sums_by_token(database: str) -> Select[Any]:
    start, end = (bindparam(name, type_=BigInteger()) for name in ("start", "end"))
    # PostgreSQL's sums of bigint are numeric.
    total = cast(func.sum(token_usage.c.requests), BigInteger)
    return (
        select(token_usage.c.token_id, total)
        .where(token_usage.c.user_id == USER, token_usage.c.day >= start, token_usage.c.day < end)
        .group_by(token_usage.c.token_id)
    )


class SqlUsageReader(Part, UsageReader):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        values = {"user": user_id, "start": start, "end": end}
        return [(day, count) for day, count in self.connection.fetch(_days, values=values)]

    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        values = {"user": user_id, "start": start, "end": end}
        return dict(self.connection.fetch(_sums_by_token, values=values))


class SqlUsageWriter(SqlUsageReader, UsageWriter):
    connection: WriteConnection

    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        self._add(usage, [(user, number, day) for (user, day), number in requests.items()])

    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        rows = [(user, number, day, token) for (user, day, token), number in requests.items()]
        self._add(token_usage, rows)

    def _add(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            statement = _ADD_IN[table.name, self.connection.database]
            self.connection.execute(statement, {"added": json.dumps(rows)})

    def prune(self, before: int) -> None:
        for table in (usage, token_usage):
            self.connection.execute(delete(table).where(table.c.day < before))
