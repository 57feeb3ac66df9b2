"""What happened: the data's history, proposed pairs, uploads, usage and the audit log."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from finance_api.resources import BY_NAME
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    AuditAction,
    AuditEntry,
    AuditWriter,
    BeforeImage,
    HistoryEntry,
    LedgerWriter,
    Proposed,
    ProposedPair,
    TokenDay,
    Upload,
    UploadState,
    UploadWriter,
    UsageWriter,
)
from finance_api.storage.sql.bulk import (
    insert_rows,
    json_elements,
    looked_up,
    replacing,
    rows_with,
    upsert,
)
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import (
    IDS,
    LIMIT,
    NO_LIMIT,
    OFFSET,
    USER,
    number_parameter,
    text_parameter,
)
from finance_api.storage.sql.tables import (
    audit,
    before_images,
    history,
    proposals,
    token_usage,
    upload_pieces,
    uploads,
    usage,
    users,
)
from finance_api.values import Row

_BATCH = 1_000
_NUMBER = number_parameter("number")
#: For the columns whose values are not those of the fields: how they are read.
_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("details", "options", "outcome"), orjson.loads),
    "pruned": bool,
    "state": UploadState,
}


def _read(columns: Iterable[sa.Column[Any]], row: Iterable[Any]) -> dict[str, Any]:
    """Return the values of a row, by field."""
    values = {column.name: value for column, value in zip(columns, row, strict=True)}
    return values | {name: read(values[name]) for name, read in _READERS.items() if name in values}


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of fields, by column: objects as JSON."""
    return {
        name: orjson.dumps(value).decode() if isinstance(value, dict) else value
        for name, value in values.items()
    }


_ENTRY_COLUMNS = [column for column in history.c if column is not history.c.user_id]


def _entries(database: str, has_numbers: bool) -> sa.Select[Any]:
    entries = sa.select(*_ENTRY_COLUMNS).where(history.c.user_id == USER)
    if has_numbers:
        numbers = sa.cast(json_elements(database, IDS).c.value, sa.BigInteger)
        entries = entries.where(history.c.number.in_(sa.select(numbers)))
    return entries.order_by(history.c.number)


_OF_ENTRY = (before_images.c.user_id == USER, before_images.c.number == _NUMBER)
_IMAGES = (
    sa.select(before_images.c.resource, before_images.c.row_id, before_images.c.row)
    .where(
        *_OF_ENTRY,
        sa.tuple_(before_images.c.resource, before_images.c.row_id)
        > sa.tuple_(text_parameter("after_resource"), text_parameter("after_id")),
    )
    .order_by(before_images.c.resource, before_images.c.row_id)
    .limit(LIMIT)
)


def _images_of(database: str) -> sa.Select[Any]:
    of_resource = before_images.c.resource == text_parameter("resource")
    found = sa.select(before_images.c.row_id, before_images.c.row).where(*_OF_ENTRY, of_resource)
    return looked_up(database, found, before_images.c.row_id)


def _row(resource: Resource, text: str | None) -> Row | None:
    if text is None:
        return None
    table = DATA_TABLES[resource.name]
    # An older version of the program may have stored the image, without fields added since.
    defaults = {field.name: field.default for field in resource.persisted_fields}
    row: Row = {**defaults, **orjson.loads(text)}
    for name in table.lists:
        row[name] = tuple(row[name] or ())
    return row


_OF_KIND = (proposals.c.user_id == USER, proposals.c.kind == text_parameter("kind"))
_COUNT = sa.select(sa.func.count()).select_from(proposals).where(*_OF_KIND)
_NEWEST_PROPOSED = (
    sa.select(*(proposals.c[name] for name in ProposedPair._fields))
    .where(*_OF_KIND)
    .order_by(proposals.c.day.desc(), proposals.c.first_id)
    .limit(LIMIT)
    .offset(OFFSET)
)


class SqlLedger(Part, LedgerWriter):
    def list_entries(
        self, user_id: int, numbers: Collection[int] | None = None
    ) -> list[HistoryEntry]:
        values = {"user": user_id, "ids": json.dumps(list(numbers or ()))}
        found = self.connection.read(_entries, numbers is not None, values=values)
        return [HistoryEntry(**_read(_ENTRY_COLUMNS, row)) for row in found]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        values: dict[str, Any] = {"user": user_id, "number": number, "limit": limit}
        values |= {"after_resource": after[0], "after_id": after[1]}
        found = self.connection.read(_IMAGES, values=values)
        return [
            BeforeImage(BY_NAME[name], row_id, _row(BY_NAME[name], text))
            for name, row_id, text in found
        ]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        values = {"user": user_id, "number": number, "resource": resource.name}
        values["ids"] = json.dumps(list(ids))
        found = self.connection.read(_images_of, values=values)
        return {
            row_id: BeforeImage(resource, row_id, _row(resource, text)) for row_id, text in found
        }

    def add_entry(self, user_id: int, entry: HistoryEntry) -> None:
        try:
            values = _written(vars(entry))
            self.connection.execute(sa.insert(history).values(user_id=user_id, **values))
        except IntegrityError as error:
            raise Conflict(f"entry {entry.number} of the history already exists") from error

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        which = (history.c.user_id == user_id) & (history.c.number == number)
        self.connection.execute(sa.update(history).where(which).values(undone_at=at))

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
        database = self.connection.database
        adding = upsert(before_images, database).on_conflict_do_nothing()
        if replace:
            adding = replacing(before_images, database)
        for begin in range(0, len(rows), _BATCH):
            self.connection.execute(adding, rows[begin : begin + _BATCH])

    def prune_before(self, user_id: int, at: int) -> None:
        entries = (history.c.user_id == user_id) & (history.c.at < at)
        old = sa.select(history.c.number).where(entries)
        which = (before_images.c.user_id == user_id) & before_images.c.number.in_(old)
        self.connection.execute(sa.delete(before_images).where(which))
        self.connection.execute(sa.update(history).where(entries).values(pruned=True))

    def count_proposals(self, user_id: int, kind: Proposed) -> int:
        ((number,),) = self.connection.read(_COUNT, values={"user": user_id, "kind": kind})
        return int(number)

    def list_proposals(
        self, user_id: int, kind: Proposed, *, limit: int, offset: int = 0
    ) -> list[ProposedPair]:
        values = {"user": user_id, "kind": kind, "limit": limit, "offset": offset}
        found = self.connection.read(_NEWEST_PROPOSED, values=values)
        return [
            ProposedPair(kind, first_id, second_id, day, bool(by_number))
            for _, first_id, second_id, day, by_number in found
        ]

    def replace_proposals(
        self, user_id: int, kind: Proposed, first: int, end: int, new: Sequence[ProposedPair]
    ) -> None:
        columns = proposals.c
        of_kind = (columns.user_id == user_id) & (columns.kind == kind)
        in_range = of_kind & (columns.day >= first) & (columns.day < end)
        self.connection.execute(sa.delete(proposals).where(in_range))
        if new:
            rows = [(user_id, *proposal) for proposal in new]
            insert_rows(self.connection.sqlalchemy, proposals, rows)

    def forget_proposals(self, user_id: int, record_ids: Collection[str]) -> None:
        if not record_ids:
            return
        connection, ids = self.connection.sqlalchemy, list(record_ids)
        for key, kind in product(("first_id", "second_id"), Proposed):
            which = rows_with(connection, proposals, user_id, ids, key, kind=kind)
            connection.execute(sa.delete(proposals).where(which))


_UPLOAD_COLUMNS = [column for column in uploads.c if column is not uploads.c.user_id]
_ID = text_parameter("upload")
_OLDEST_FIRST = uploads.c.created_at, uploads.c.id
_UPLOADS = sa.select(*_UPLOAD_COLUMNS).where(uploads.c.user_id == USER).order_by(*_OLDEST_FIRST)
_UPLOAD = _UPLOADS.where(uploads.c.id == _ID)
_PIECE = sa.select(upload_pieces.c.content).where(
    upload_pieces.c.user_id == USER,
    upload_pieces.c.upload_id == _ID,
    upload_pieces.c.number == _NUMBER,
)


def _to_upload(row: Iterable[Any]) -> Upload:
    return Upload(**_read(_UPLOAD_COLUMNS, row))


class SqlUploads(Part, UploadWriter):
    def get(self, user_id: int, upload_id: str) -> Upload:
        found = self.connection.fetch(_UPLOAD, values={"user": user_id, "upload": upload_id})
        if not found:
            raise NotFound("there is no such upload")
        return _to_upload(found[0])

    def list_by_user(self, user_id: int) -> list[Upload]:
        found = self.connection.fetch(_UPLOADS, values={"user": user_id})
        return [_to_upload(row) for row in found]

    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        values = {"user": user_id, "upload": upload_id, "number": number}
        for (content,) in self.connection.fetch(_PIECE, values=values):
            return bytes(content)
        return b""

    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        values = _written(vars(upload))
        try:
            self.connection.execute(sa.insert(uploads).values(user_id=user_id, **values))
        except IntegrityError as error:
            raise NotFound("there is no such user") from error
        for number, content in enumerate(pieces):
            piece = {"upload_id": upload.id, "number": number, "content": content}
            self.connection.execute(sa.insert(upload_pieces).values(user_id=user_id, **piece))

    def change(self, user_id: int, upload: Upload, **changes: Any) -> Upload:
        which = _which(user_id, upload.id) & (uploads.c.step == upload.step)
        values = {**_written(changes), "step": upload.step + 1}
        if self.connection.execute(sa.update(uploads).where(which).values(values)).rowcount == 0:
            self.get(user_id, upload.id)
            raise Conflict("another request changed the upload in the meantime")
        return self.get(user_id, upload.id)

    def set_alive(self, uploads_alive: Collection[tuple[int, Upload]], at: int) -> None:
        # Always in the same order, so that two processes cannot wait for each other.
        for user_id, upload in sorted(uploads_alive, key=lambda each: (each[0], each[1].id)):
            which = _which(user_id, upload.id) & (uploads.c.step == upload.step)
            values = _written({"outcome": upload.outcome, "alive_at": at})
            self.connection.execute(sa.update(uploads).where(which).values(values))

    def drop_content(self, user_id: int, upload_id: str) -> None:
        which = (upload_pieces.c.user_id == user_id) & (upload_pieces.c.upload_id == upload_id)
        self.connection.execute(sa.delete(upload_pieces).where(which))

    def delete(self, user_id: int, upload_id: str) -> None:
        self.connection.execute(sa.delete(uploads).where(_which(user_id, upload_id)))

    def prune(self, *, created_before: int, alive_before: int) -> None:
        old = (uploads.c.created_at < created_before) & (uploads.c.alive_at < alive_before)
        self.connection.execute(sa.delete(uploads).where(old))


def _which(user_id: int, upload_id: str) -> sa.ColumnElement[bool]:
    return (uploads.c.user_id == user_id) & (uploads.c.id == upload_id)


_START, _END, _SINCE = map(number_parameter, ("start", "end", "since"))


_DAYS = (
    sa.select(usage.c.day, usage.c.requests)
    .where(usage.c.user_id == USER, usage.c.day >= _START, usage.c.day < _END)
    .order_by(usage.c.day)
)


# In PostgreSQL the sum of a bigint column is numeric.
_SUMS_BY_TOKEN = (
    sa.select(token_usage.c.token_id, sa.cast(sa.func.sum(token_usage.c.requests), sa.BigInteger))
    .where(token_usage.c.user_id == USER, token_usage.c.day >= _START, token_usage.c.day < _END)
    .group_by(token_usage.c.token_id)
)


@cache
def _adding(table: sa.Table, database: str) -> Any:
    """Return SQL that adds to a number; its parameters are the values of a row."""
    names = [column.name for column in table.c]
    values = [sa.bindparam(f"added_{column.name}", type_=column.type) for column in table.c]
    # Select from the table of users, so that rows of a deleted user are ignored.
    row = sa.select(users.c.id, *values[1:]).where(users.c.id == values[0])
    adding = upsert(table, database).from_select(names, row)
    total = table.c.requests + adding.excluded.requests
    return adding.on_conflict_do_update(
        index_elements=list(table.primary_key), set_={"requests": total}
    )


class SqlUsage(Part, UsageWriter):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        values = {"user": user_id, "start": start, "end": end}
        return [(day, count) for day, count in self.connection.fetch(_DAYS, values=values)]

    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        values = {"user": user_id, "start": start, "end": end}
        return dict(self.connection.fetch(_SUMS_BY_TOKEN, values=values))

    def add(self, requests: Mapping[TokenDay, int]) -> None:
        days: Counter[tuple[int, int]] = Counter()
        for (user_id, day, _), number in requests.items():
            days[user_id, day] += number
        self._add(usage, [(*key, number) for key, number in days.items()])
        self._add(token_usage, [(*key, number) for key, number in requests.items() if key[2]])

    def _add(self, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add to the numbers in a table. rows: the values of the table's columns, in order."""
        if not rows:
            return
        names = [f"added_{column.name}" for column in table.c]
        # Always in the same order, so that two processes cannot wait for each other.
        values = [dict(zip(names, row, strict=True)) for row in sorted(rows)]
        self.connection.execute(_adding(table, self.connection.database), values)

    def prune(self, before: int) -> None:
        for table in (usage, token_usage):
            self.connection.execute(sa.delete(table).where(table.c.day < before))


_AUDIT_COLUMNS = (audit.c.at, audit.c.action, audit.c.origin, audit.c.user_id, audit.c.detail)
_AUDIT_NAMES = [column.name for column in _AUDIT_COLUMNS]


_NEWEST_AUDITED = (
    sa.select(*_AUDIT_COLUMNS)
    .where(audit.c.at >= _SINCE)
    .order_by(audit.c.at.desc(), audit.c.id.desc())
    .limit(LIMIT)
)
_NEWEST_AUDITED_OF_USER = _NEWEST_AUDITED.where(audit.c.user_id == USER)


class SqlAudit(Part, AuditWriter):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        values = {"user": user_id, "since": since, "limit": NO_LIMIT if limit is None else limit}
        build = _NEWEST_AUDITED if user_id is None else _NEWEST_AUDITED_OF_USER
        found = self.connection.fetch(build, values=values)
        return [AuditEntry(at, AuditAction(action), *rest) for at, action, *rest in found]

    def add(self, entry: AuditEntry) -> None:
        values = [sa.literal(getattr(entry, name), audit.c[name].type) for name in _AUDIT_NAMES]
        row = sa.select(*values)
        if entry.user_id is not None:
            # Select from the table of users, so that an entry of a deleted user is ignored.
            row = row.where(users.c.id == entry.user_id)
        self.connection.execute(sa.insert(audit).from_select(_AUDIT_NAMES, row))

    def prune(self, before: int) -> None:
        self.connection.execute(sa.delete(audit).where(audit.c.at < before))
