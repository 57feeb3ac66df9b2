"""The history of a user's data."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import BeforeImage, HistoryEntry, HistoryWriter
from finance_api.storage.memory.database import Part


class MemoryHistory(Part, HistoryWriter):
    def list_entries(self, user_id: int) -> list[HistoryEntry]:
        return [e for key, e in sorted(self._unit.database.history.items()) if key[0] == user_id]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        images = self._unit.database.before.get((user_id, number), {})
        return [images[key] for key in sorted(images) if key > after][:limit]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        images = self._unit.database.before.get((user_id, number), {})
        keys = [(resource.name, row_id) for row_id in ids]
        return {key[1]: images[key] for key in keys if key in images}

    def add(self, user_id: int, entry: HistoryEntry) -> None:
        key = (user_id, entry.number)
        if key in self._unit.database.history:
            raise Conflict(f"there is an entry {entry.number} of the history already")
        self._unit.change(history=self._unit.database.history | {key: entry})

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        key = (user_id, number)
        entry = replace(self._unit.database.history[key], undone_at=at)
        self._unit.change(history=self._unit.database.history | {key: entry})

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        added = {(image.resource.name, image.row_id): image for image in images}
        key = (user_id, number)
        kept = self._unit.database.before.get(key, {})
        both = kept | added if replace else added | kept
        self._unit.change(before=self._unit.database.before | {key: both})

    def prune_before(self, user_id: int, at: int) -> None:
        old = {k for k, e in self._unit.database.history.items() if k[0] == user_id and e.at < at}
        database = self._unit.database
        pruned = {key: replace(database.history[key], pruned=True) for key in old}
        self._unit.change(
            history=database.history | pruned,
            before={k: images for k, images in database.before.items() if k not in old},
        )
