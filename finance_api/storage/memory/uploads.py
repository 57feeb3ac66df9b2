"""Uploads."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Upload, UploadWriter
from finance_api.storage.memory.database import Part


class MemoryUploads(Part, UploadWriter):
    def get(self, user_id: int, upload_id: str) -> Upload:
        upload = self._unit.database.uploads.get((user_id, upload_id))
        if upload is None:
            raise NotFound("there is no such upload")
        return upload

    def list_by_user(self, user_id: int) -> list[Upload]:
        found = [u for key, u in self._unit.database.uploads.items() if key[0] == user_id]
        return sorted(found, key=lambda upload: (upload.created_at, upload.id))

    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        pieces = self._unit.database.upload_pieces.get((user_id, upload_id), ())
        return pieces[number] if number < len(pieces) else b""

    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        self._unit.user(user_id)
        key, database = (user_id, upload.id), self._unit.database
        self._unit.change(
            uploads=database.uploads | {key: upload},
            upload_pieces=database.upload_pieces | {key: tuple(pieces)},
        )

    def change(self, user_id: int, upload: Upload, **changes: Any) -> Upload:
        if self.get(user_id, upload.id).step != upload.step:
            raise Conflict("another request changed the upload in the meantime")
        return self._put(user_id, upload.id, step=upload.step + 1, **changes)

    def _put(self, user_id: int, upload_id: str, **changes: Any) -> Upload:
        upload = replace(self.get(user_id, upload_id), **changes)
        self._unit.change(uploads=self._unit.database.uploads | {(user_id, upload_id): upload})
        return upload

    def set_alive(self, uploads: Collection[tuple[int, Upload]], at: int) -> None:
        for user_id, upload in uploads:
            stored = self._unit.database.uploads.get((user_id, upload.id))
            if stored is not None and stored.step == upload.step:
                self._put(user_id, upload.id, alive_at=at, outcome=upload.outcome)

    def drop_content(self, user_id: int, upload_id: str) -> None:
        pieces = self._unit.database.upload_pieces
        gone = (user_id, upload_id)
        self._unit.change(upload_pieces={k: p for k, p in pieces.items() if k != gone})

    def delete(self, user_id: int, upload_id: str) -> None:
        self.drop_content(user_id, upload_id)
        uploads = self._unit.database.uploads
        gone = (user_id, upload_id)
        self._unit.change(uploads={k: u for k, u in uploads.items() if k != gone})

    def prune(self, *, created_before: int, alive_before: int) -> None:
        for (user_id, upload_id), upload in self._unit.database.uploads.items():
            if upload.created_at < created_before and upload.alive_at < alive_before:
                self.delete(user_id, upload_id)
