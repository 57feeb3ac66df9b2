"""Numbers of requests, by user and day."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Select, TextClause, bindparam, delete, select, text

from finance_api.storage.interface import UsageReader, UsageWriter
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.statements import USER, Part
from finance_api.storage.sql.tables import usage

# One statement for all users, during which other threads go on. Through the table of users,
# so that one who is gone makes none of the others fail; in one order everywhere, so that two
# processes cannot wait for each other.
_ADD = """
INSERT INTO usage (user_id, day, requests)
SELECT users.id, {day}, {number} FROM {each} AS added JOIN users ON users.id = {user} WHERE true
ORDER BY users.id, {day}
ON CONFLICT (user_id, day) DO UPDATE SET requests = usage.requests + excluded.requests
"""


def _add(each: str, element: str) -> TextClause:
    """each: the elements of a JSON list, as rows. element: one of such a row, by its number."""
    user, day, number = (element.format(position) for position in range(3))
    return text(_ADD.format(each=each, user=user, day=day, number=number))


_ADD_IN: dict[str, TextClause] = {
    "sqlite": _add("json_each(:added)", "json_extract(added.value, '$[{}]')"),
    "postgresql": _add(
        "json_array_elements(CAST(:added AS json))", "CAST(added.value ->> {} AS bigint)"
    ),
}


def _days(database: str) -> Select[Any]:
    start, end = (bindparam(name, type_=BigInteger()) for name in ("start", "end"))
    return (
        select(usage.c.day, usage.c.requests)
        .where(usage.c.user_id == USER, usage.c.day >= start, usage.c.day < end)
        .order_by(usage.c.day)
    )


class SqlUsageReader(Part, UsageReader):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        values = {"user": user_id, "start": start, "end": end}
        return [(day, count) for day, count in self.connection.fetch(_days, values=values)]


class SqlUsageWriter(SqlUsageReader, UsageWriter):
    connection: WriteConnection

    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        if requests:
            added = [(user_id, day, number) for (user_id, day), number in requests.items()]
            self.connection.execute(_ADD_IN[self.connection.database], {"added": json.dumps(added)})

    def prune(self, before: int) -> None:
        self.connection.execute(delete(usage).where(usage.c.day < before))
