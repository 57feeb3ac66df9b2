"""Compares the numbers of records in the parts of the read model, before these are read.

It takes a few milliseconds for 100,000 records, so a process does it once in `SECONDS` for a user.
"""

import time
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.read_model.tables import GRAINS, record_sums, records_by_date
from finance_api.storage.sql.tables import user_data

SECONDS = 600
#: The maximum number of users whose next comparison a process remembers.
_MOST = 10_000


def _numbers(database: str) -> sa.Select[Any]:
    """Select the number of a user's records, as each part of the read model has it."""
    listed, sums = records_by_date.c, record_sums.c
    coarsest = sums.grain == sa.literal_column(str(len(GRAINS) - 1))
    parts = [
        sa.select(sa.func.count()).where(DATA_TABLES[RECORDS.name].user_id == USER),
        sa.select(sa.func.count()).where(listed.user_id == USER),
        sa.select(
            sa.func.coalesce(sa.func.sum(sums.number_of_records), sa.literal_column("0"))
        ).where(sums.user_id == USER, coarsest),
    ]
    columns = [part.scalar_subquery() for part in parts]
    return sa.select(user_data.c.record_count, *columns).where(user_data.c.user_id == USER)


def check_numbers(connection: FastConnection, user_id: int) -> None:
    """Raise StorageDamaged if the numbers differ."""
    due = connection.comparisons_due
    if connection.writes or time.monotonic() < due.get(user_id, 0):
        return
    for numbers in connection.fetch(_numbers, values={"user": user_id}):
        if len(set(numbers)) > 1:
            raise StorageDamaged("parts of the read model have different numbers of records")
    if len(due) >= _MOST:
        due.clear()
    due[user_id] = time.monotonic() + SECONDS
