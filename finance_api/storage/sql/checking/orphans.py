"""Rows that belong to nothing: whose user, or whatever else they are a part of, is not there."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, ForeignKeyConstraint, Table, and_, delete, exists, func, select

from finance_api.resources import RECORDS
from finance_api.storage.interface import REPAIR, Fault
from finance_api.storage.sql.tables import (
    DATA_TABLES,
    before_images,
    history,
    metadata,
    tombstones,
    transfer_proposals,
)
from finance_api.values.text import counted


def orphans_without_user(connection: Connection, repair: bool) -> Iterator[Fault]:
    """What the foreign keys forbid, and a database that was damaged or edited may have."""
    for table in metadata.sorted_tables:
        for key in table.foreign_key_constraints:
            condition = _has_no_parent(table, key)
            number = connection.scalar(select(func.count()).select_from(table).where(condition))
            if not number:
                continue
            parent = key.referred_table.name
            belong = "belongs" if number == 1 else "belong"
            rows = counted(number, "row")
            message = f"{rows} of {table.name} {belong} to none of the {parent}"
            fault = Fault("orphans", message, REPAIR)
            if repair:
                # As the key would have done when what they belong to went.
                connection.execute(delete(table).where(condition))
                fault = fault.as_repaired()
            yield fault


def _has_no_parent(table: Table, key: ForeignKeyConstraint) -> Any:
    parent = key.referred_table.alias("parent")
    pairs = [(table.c[e.parent.name], parent.c[e.column.name]) for e in key.elements]
    found = exists().where(and_(*(own == of for own, of in pairs))).correlate(table)
    return and_(*(own.is_not(None) for own, _ in pairs), ~found)


def _lost_parts(user_id: int) -> Iterator[tuple[Table, Any, str]]:
    """Which of a user's rows are a part of something that is not there, and what they are."""
    entry = exists().where(
        history.c.user_id == before_images.c.user_id, history.c.number == before_images.c.number
    )
    yield before_images, ~entry, "before-images of no entry of the history"
    records = DATA_TABLES[RECORDS.name]
    sides = [
        exists().where(
            records.user_id == transfer_proposals.c.user_id, records.columns["id"] == side
        )
        for side in (transfer_proposals.c.out_id, transfer_proposals.c.in_id)
    ]
    yield transfer_proposals, ~and_(*sides), "proposed transfers of records that are not there"
    for name, data in DATA_TABLES.items():
        row = exists().where(
            data.user_id == tombstones.c.user_id, data.columns["id"] == tombstones.c.row_id
        )
        of_resource = and_(tombstones.c.resource == name, row)
        yield tombstones, of_resource, f"deletions of {name} that are there"


def orphans_of(connection: Connection, user_id: int, email: str) -> Iterator[Fault]:
    for table, condition, what in _lost_parts(user_id):
        own = select(func.count()).select_from(table).where(table.c.user_id == user_id, condition)
        number = connection.scalar(own)
        if number:
            yield Fault("orphans", f"there are {number:,} {what}", REPAIR, email)


def remove_orphans(connection: Connection, user_id: int) -> None:
    for table, condition, _ in _lost_parts(user_id):
        connection.execute(delete(table).where(table.c.user_id == user_id, condition))
