"""Finds faults of a user's read model."""

from collections.abc import Iterator
from contextlib import suppress

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.interface import NO_VALUE, REPAIR, Fault, Found
from finance_api.storage.sql.checking import stored_pages
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.projection import ListedRecord, ProjectedRecords, listed
from finance_api.storage.sql.read_model.tables import records_by_date

#: The columns for the fields of `ListedRecord`, in their order.
_LISTED = [records_by_date.c[name] for name in ListedRecord._fields]


def find_faults(connection: sa.Connection, user_id: int, email: str) -> Iterator[Fault]:
    found = Found(email)
    for row_id in _differing_by_date(connection, user_id):
        found.add("projection", "the list of records differs from the records in {}", row_id)
    yield from found.faults()
    records = ProjectedRecords(connection, user_id)
    if records.sums.differ():
        yield Fault("sums", "the stored sums differ from the records", REPAIR, email)
    if records.anchors_differ():
        message = "the positions in the list of records are wrong"
        yield Fault("anchors", message, REPAIR, email)


def _differing_by_date(connection: sa.Connection, user_id: int) -> Iterator[str]:
    """Yield the ids of records that differ between `records` and the list, or are in only one."""
    columns, encode = records_by_date.c, DATA_TABLES[RECORDS.name].encode
    own = sa.select(*_LISTED).where(columns.user_id == user_id)
    after = ""
    for _, rows in stored_pages(connection, user_id, RECORDS):
        last = rows[-1]["id"]
        of_page = own.where(columns.id > after, columns.id <= last)
        shown = {row.id: tuple(row) for row in connection.execute(of_page)}
        for row in rows:
            found = shown.pop(row["id"], None)
            with suppress(*NO_VALUE):
                if listed(row["recordDate"], row["id"], encode(row)) != found:
                    yield row["id"]
        yield from shown
        after = last
    yield from connection.scalars(
        sa.select(columns.id).where(columns.user_id == user_id, columns.id > after)
    )
