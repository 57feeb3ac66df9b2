"""The history of a user's data, and the pairs of records that look like transfers."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import orjson
from sqlalchemy import Select, delete, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from finance_api.resources import RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    BeforeImage,
    HistoryEntry,
    HistoryWriter,
    TransferProposal,
    TransferWriter,
)
from finance_api.storage.sql.bulk import insert_rows, looked_up, rows_with, upsert
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import LIMIT, OFFSET, USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import before_images, history, transfer_proposals
from finance_api.values import Row

_RESOURCES = {resource.name: resource for resource in RESOURCES}
_BATCH = 1_000
_NUMBER = number_parameter("number")
_COLUMNS = [column for column in history.c if column is not history.c.user_id]
_ENTRIES = select(*_COLUMNS).where(history.c.user_id == USER).order_by(history.c.number)


_IMAGES = (
    select(before_images.c.resource, before_images.c.row_id, before_images.c.row)
    .where(
        before_images.c.user_id == USER,
        before_images.c.number == _NUMBER,
        tuple_(before_images.c.resource, before_images.c.row_id)
        > tuple_(text_parameter("after_resource"), text_parameter("after_id")),
    )
    .order_by(before_images.c.resource, before_images.c.row_id)
    .limit(LIMIT)
)


def _images_of(database: str) -> Select[Any]:
    found = select(before_images.c.row_id, before_images.c.row).where(
        before_images.c.user_id == USER,
        before_images.c.number == _NUMBER,
        before_images.c.resource == text_parameter("resource"),
    )
    return looked_up(database, found, before_images.c.row_id)


def _row(resource: Resource, text: str | None) -> Row | None:
    if text is None:
        return None
    table = DATA_TABLES[resource.name]
    # An older version may have stored the image, without fields that are new since.
    row: Row = {**dict.fromkeys(table.columns), **orjson.loads(text)}
    for name in table.lists:
        row[name] = tuple(row[name] or ())
    return row


class SqlHistory(Part, HistoryWriter):
    def list_entries(self, user_id: int) -> list[HistoryEntry]:
        self.connection.begin_snapshot()
        found = self.connection.fetch(_ENTRIES, values={"user": user_id})
        names = [column.name for column in _COLUMNS]
        entries = (dict(zip(names, row, strict=True)) for row in found)
        return [
            HistoryEntry(
                **{
                    **entry,
                    "pruned": bool(entry["pruned"]),
                    "details": orjson.loads(entry["details"]),
                }
            )
            for entry in entries
        ]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        self.connection.begin_snapshot()
        values: dict[str, Any] = {"user": user_id, "number": number, "limit": limit}
        values |= {"after_resource": after[0], "after_id": after[1]}
        found = self.connection.fetch(_IMAGES, values=values)
        return [
            BeforeImage(_RESOURCES[name], row_id, _row(_RESOURCES[name], text))
            for name, row_id, text in found
        ]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        self.connection.begin_snapshot()
        values = {"user": user_id, "number": number, "resource": resource.name}
        values["ids"] = json.dumps(list(ids))
        found = self.connection.fetch(_images_of, values=values)
        return {
            row_id: BeforeImage(resource, row_id, _row(resource, text)) for row_id, text in found
        }

    def add(self, user_id: int, entry: HistoryEntry) -> None:
        values = {**vars(entry), "details": orjson.dumps(entry.details).decode()}
        try:
            self.connection.execute(insert(history).values(user_id=user_id, **values))
        except IntegrityError as error:
            raise Conflict(f"there is an entry {entry.number} of the history already") from error

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        which = (history.c.user_id == user_id) & (history.c.number == number)
        self.connection.execute(update(history).where(which).values(undone_at=at))

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        rows = [
            {
                "user_id": user_id,
                "number": number,
                "resource": image.resource.name,
                "row_id": image.row_id,
                "row": None if image.row is None else orjson.dumps(image.row).decode(),
            }
            for image in images
        ]
        kept = upsert(before_images, self.connection.database)
        if replace:
            key = list(before_images.primary_key)
            kept = kept.on_conflict_do_update(index_elements=key, set_={"row": kept.excluded.row})
        else:
            kept = kept.on_conflict_do_nothing()
        for begin in range(0, len(rows), _BATCH):
            self.connection.execute(kept, rows[begin : begin + _BATCH])

    def prune_before(self, user_id: int, at: int) -> None:
        entries = (history.c.user_id == user_id) & (history.c.at < at)
        old = select(history.c.number).where(entries)
        which = (before_images.c.user_id == user_id) & before_images.c.number.in_(old)
        self.connection.execute(delete(before_images).where(which))
        self.connection.execute(update(history).where(entries).values(pruned=True))


_PROPOSED = tuple(transfer_proposals.c[name] for name in TransferProposal._fields)
_COUNT = (
    select(func.count()).select_from(transfer_proposals).where(transfer_proposals.c.user_id == USER)
)


_NEWEST = (
    select(*_PROPOSED)
    .where(transfer_proposals.c.user_id == USER)
    .order_by(transfer_proposals.c.day.desc(), transfer_proposals.c.out_id)
    .limit(LIMIT)
    .offset(OFFSET)
)


class SqlTransfers(Part, TransferWriter):
    def count(self, user_id: int) -> int:
        self.connection.begin_snapshot()
        ((number,),) = self.connection.fetch(_COUNT, values={"user": user_id})
        return int(number)

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        self.connection.begin_snapshot()
        values = {"user": user_id, "limit": limit, "offset": offset}
        found = self.connection.fetch(_NEWEST, values=values)
        return [
            TransferProposal(out_id, in_id, day, bool(by_number))
            for out_id, in_id, day, by_number in found
        ]

    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        columns = transfer_proposals.c
        self.connection.execute(
            delete(transfer_proposals).where(
                columns.user_id == user_id, columns.day >= first, columns.day < end
            )
        )
        if proposals:
            rows = [(user_id, *proposal) for proposal in proposals]
            insert_rows(self.connection.sqlalchemy, transfer_proposals, rows)

    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        if not record_ids:
            return
        connection, ids = self.connection.sqlalchemy, list(record_ids)
        for key in ("out_id", "in_id"):
            which = rows_with(connection, transfer_proposals, user_id, ids, key)
            connection.execute(delete(transfer_proposals).where(which))
