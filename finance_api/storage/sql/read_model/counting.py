"""Compares the numbers of records in the parts of the read model, before these are read.

docs/decisions/fast-reads.md says how long that takes: too long for each request.
"""

import time
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.sql.connections.unit import ReadConnection
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.read_model.tables import (
    ANCHOR_INTERVAL,
    GRAINS,
    record_anchors,
    record_sums,
    records_by_date,
)
from finance_api.storage.sql.tables import user_data

#: How long a process remembers that a user's numbers agree, and that they differ.
SECONDS, DAMAGED_SECONDS = 600, 10
#: The maximum number of users for whom a process remembers this.
_MOST = 10_000


def _numbers(database: str) -> sa.Select[Any]:
    """Select the number of a user's records, then as each part of the read model has it.

    The last one is the number of anchors.
    """
    rows, listed, sums = DATA_TABLES[RECORDS.name], records_by_date.c, record_sums.c
    number: sa.ColumnElement[Any] = sa.func.count()
    summed = sa.func.coalesce(sa.func.sum(sums.number_of_records), sa.literal_column("0"))
    parts: list[sa.Select[Any]] = [
        *(sa.select(number).where(user_id == USER) for user_id in (rows.user_id, listed.user_id)),
        *(
            sa.select(summed).where(sums.user_id == USER, sums.grain == sa.literal_column(str(n)))
            for n in range(len(GRAINS))
        ),
        sa.select(number).where(record_anchors.c.user_id == USER),
    ]
    columns = [part.scalar_subquery() for part in parts]
    return sa.select(user_data.c.record_count, *columns).where(user_data.c.user_id == USER)


class Comparisons:
    """What a process has found for each user, until it compares the numbers again."""

    def __init__(self) -> None:
        #: By user: whether the numbers agree, and until when this is remembered.
        self._found: dict[int, tuple[bool, float]] = {}

    def check(self, connection: ReadConnection, user_id: int) -> None:
        """Raise StorageDamaged if the numbers differ."""
        now = time.monotonic()
        agree, until = self._found.get(user_id, (True, 0))
        if now >= until:
            agree = _agree(connection, user_id)
            if len(self._found) >= _MOST:
                self.forget()
            self._found[user_id] = agree, now + (SECONDS if agree else DAMAGED_SECONDS)
        if not agree:
            # It names the user, because a process logs the same message only once.
            raise StorageDamaged(
                f"the parts of the read model of user {user_id} have different numbers of records"
            )

    def forget(self) -> None:
        self._found.clear()


def _agree(connection: ReadConnection, user_id: int) -> bool:
    for *numbers, anchors in connection.fetch(_numbers, values={"user": user_id}):
        wanted = (numbers[0] + ANCHOR_INTERVAL - 1) // ANCHOR_INTERVAL
        if len(set(numbers)) > 1 or anchors != wanted:
            return False
    return True
