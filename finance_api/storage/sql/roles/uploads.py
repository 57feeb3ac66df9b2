"""Files that wait to be imported: uploads."""

from collections.abc import Collection, Iterable
from typing import Any

import orjson
from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Upload, UploadState, UploadWriter
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.parameters import USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import upload_pieces, uploads

_COLUMNS = [column for column in uploads.c if column is not uploads.c.user_id]
_ID = text_parameter("upload")
_UPLOAD = select(*_COLUMNS).where(uploads.c.user_id == USER, uploads.c.id == _ID)


_UPLOADS_OF_USER = (
    select(*_COLUMNS).where(uploads.c.user_id == USER).order_by(uploads.c.created_at, uploads.c.id)
)
_PIECE = select(upload_pieces.c.content).where(
    upload_pieces.c.user_id == USER,
    upload_pieces.c.upload_id == _ID,
    upload_pieces.c.number == number_parameter("number"),
)


def _to_upload(row: Iterable[Any]) -> Upload:
    values = dict(zip((column.name for column in _COLUMNS), row, strict=True))
    read = {name: orjson.loads(values[name]) for name in ("options", "outcome")}
    return Upload(**{**values, **read, "state": UploadState(values["state"])})


def _written(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: orjson.dumps(value).decode() if name in ("options", "outcome") else value
        for name, value in values.items()
    }


class SqlUploads(Part, UploadWriter):
    def get(self, user_id: int, upload_id: str) -> Upload:
        found = self.connection.fetch(_UPLOAD, values={"user": user_id, "upload": upload_id})
        if not found:
            raise NotFound("there is no such upload")
        return _to_upload(found[0])

    def list_by_user(self, user_id: int) -> list[Upload]:
        found = self.connection.fetch(_UPLOADS_OF_USER, values={"user": user_id})
        return [_to_upload(row) for row in found]

    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        values = {"user": user_id, "upload": upload_id, "number": number}
        for (content,) in self.connection.fetch(_PIECE, values=values):
            return bytes(content)
        return b""

    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        values = _written(vars(upload))
        try:
            self.connection.execute(insert(uploads).values(user_id=user_id, **values))
        except IntegrityError as error:
            raise NotFound("there is no such user") from error
        for number, content in enumerate(pieces):
            piece = {"upload_id": upload.id, "number": number, "content": content}
            self.connection.execute(insert(upload_pieces).values(user_id=user_id, **piece))

    def change(self, user_id: int, upload: Upload, **changes: Any) -> Upload:
        which = _which(user_id, upload.id) & (uploads.c.step == upload.step)
        values = {**_written(changes), "step": upload.step + 1}
        if self.connection.execute(update(uploads).where(which).values(values)).rowcount == 0:
            self.get(user_id, upload.id)
            raise Conflict("another request changed the upload in the meantime")
        return self.get(user_id, upload.id)

    def set_alive(self, uploads_alive: Collection[tuple[int, Upload]], at: int) -> None:
        # Always in the same order, so that two processes cannot wait for each other.
        for user_id, upload in sorted(uploads_alive, key=lambda each: (each[0], each[1].id)):
            which = _which(user_id, upload.id) & (uploads.c.step == upload.step)
            values = _written({"outcome": upload.outcome, "alive_at": at})
            self.connection.execute(update(uploads).where(which).values(values))

    def drop_content(self, user_id: int, upload_id: str) -> None:
        self.connection.execute(
            delete(upload_pieces).where(
                upload_pieces.c.user_id == user_id, upload_pieces.c.upload_id == upload_id
            )
        )

    def delete(self, user_id: int, upload_id: str) -> None:
        self.connection.execute(delete(uploads).where(_which(user_id, upload_id)))

    def prune(self, *, created_before: int, alive_before: int) -> None:
        old = (uploads.c.created_at < created_before) & (uploads.c.alive_at < alive_before)
        self.connection.execute(delete(uploads).where(old))


def _which(user_id: int, upload_id: str) -> ColumnElement[bool]:
    return (uploads.c.user_id == user_id) & (uploads.c.id == upload_id)
