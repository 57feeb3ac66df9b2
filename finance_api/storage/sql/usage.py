"""How many requests each user's tokens made on each day."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from finance_api.storage.sql.tables import usage, users

_INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Usage:
    connection: Connection

    def add_usage(self, requests: Mapping[tuple[int, int], int]) -> None:
        if not requests:
            return
        insert = _INSERTS[self.connection.dialect.name](usage)
        # Through the table of users, so that one who is gone makes none of the others fail.
        still_there = select(
            users.c.id, bindparam("of_day", type_=BigInteger), bindparam("more", type_=BigInteger)
        ).where(users.c.id == bindparam("of_user"))
        statement = insert.from_select(["user_id", "day", "requests"], still_there)
        self.connection.execute(
            statement.on_conflict_do_update(
                index_elements=["user_id", "day"],
                set_={"requests": usage.c.requests + statement.excluded.requests},
            ),
            # In one order everywhere, so that two processes cannot wait for each other.
            [
                {"of_user": user_id, "of_day": day, "more": count}
                for (user_id, day), count in sorted(requests.items())
            ],
        )

    def list_usage(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        rows = self.connection.execute(
            select(usage.c.day, usage.c.requests)
            .where(usage.c.user_id == user_id, usage.c.day >= start, usage.c.day < end)
            .order_by(usage.c.day)
        )
        return [(day, count) for day, count in rows]

    def prune_usage(self, before: int) -> None:
        self.connection.execute(delete(usage).where(usage.c.day < before))
