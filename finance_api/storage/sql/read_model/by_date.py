"""SQL for `records_by_date`: pages in default order, however deep, and the JSON of records.

A page far down the list starts at an anchor, not at the beginning of the list, unless the list has
a last date.
"""

from typing import Any

import sqlalchemy as sa

from finance_api.storage.errors import StorageDamaged
from finance_api.storage.sql.parameters import LIMIT, OFFSET, USER, number_parameter
from finance_api.storage.sql.read_model.tables import (
    ANCHOR_INTERVAL,
    record_anchors,
    records_by_date,
)
from finance_api.storage.sql.tables import user_data

#: Marks a record that is missing in `records_by_date`; JSON has no control characters.
MISSING = b"\x1f"

_RECORDS = records_by_date.c
_ANCHORS = record_anchors.c
#: Bounds of newest_first, both inclusive.
_FIRST, _LAST = number_parameter("first"), number_parameter("last")


def far_page(database: str) -> sa.Select[Any]:
    """Select a page far down the list: start at the nearest anchor above the page.

    The list must have no last date: anchors count from the end of the whole list, and OFFSET from
    its beginning, the newest record.
    """
    # A record's position is the number of records after it, so positions count from the end.
    size = sa.select(user_data.c.record_count).where(user_data.c.user_id == USER).scalar_subquery()
    position = size - 1 - OFFSET
    above = (position + (ANCHOR_INTERVAL - 1)) // ANCHOR_INTERVAL * ANCHOR_INTERVAL
    # If the page is past the end of the list, there is no anchor, and the page is empty.
    anchor = [
        sa.select(column)
        .where(_ANCHORS.user_id == USER, _ANCHORS.position == above)
        .scalar_subquery()
        for column in (_ANCHORS.newest_first, _ANCHORS.id)
    ]
    rows = sa.select(_RECORDS.json).where(
        _RECORDS.user_id == USER,
        _RECORDS.newest_first <= _LAST,
        sa.tuple_(_RECORDS.newest_first, _RECORDS.id) >= sa.tuple_(*anchor),
    )
    order = _RECORDS.newest_first, _RECORDS.id
    return rows.order_by(*order).limit(LIMIT).offset(above - position)


def page(database: str) -> sa.Select[Any]:
    """Select a page of the list, within its bounds."""
    within = _RECORDS.newest_first.between(_FIRST, _LAST)
    rows = sa.select(_RECORDS.json).where(_RECORDS.user_id == USER, within)
    return rows.order_by(_RECORDS.newest_first, _RECORDS.id).limit(LIMIT).offset(OFFSET)


def listed_json(
    database: str,
    chosen: sa.FromClause,
    row_id: sa.ColumnElement[str],
    date: sa.ColumnElement[int] | None = None,
) -> sa.ColumnElement[str]:
    """Return the JSON of a chosen record, or MISSING. date: its date, which makes this faster.

    It is a scalar subquery, not a join: for a join PostgreSQL may read all of the user's rows.
    """
    is_chosen = [_RECORDS.user_id == USER, _RECORDS.id == row_id]
    if date is not None:
        # With "=" SQLite would use the index of ids; with BETWEEN it uses the index by date.
        if database == "sqlite":
            is_chosen[1] = _RECORDS.id.between(row_id, row_id)
        is_chosen.append(_RECORDS.newest_first == -date)
    row = sa.select(_RECORDS.json).where(*is_chosen).correlate(chosen).scalar_subquery()
    return sa.func.coalesce(row, MISSING.decode())


def check_whole(lines: bytes) -> bytes:
    """Return the lines unchanged. Raises StorageDamaged if a record is missing."""
    if MISSING in lines:
        raise StorageDamaged("a record is not in records_by_date")
    return lines
