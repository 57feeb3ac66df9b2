"""The history as it would be."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    BeforeImage,
    HistoryEntry,
    HistoryReader,
    HistoryWriter,
)


class RehearsedHistory(HistoryWriter):
    """history: what is stored, of one user."""

    def __init__(self, history: HistoryReader) -> None:
        self._history = history
        self._entries: dict[int, HistoryEntry] = {}
        self._replaced: dict[tuple[int, str, str], BeforeImage] = {}

    def list_entries(self, user_id: int) -> list[HistoryEntry]:
        stored = {entry.number: entry for entry in self._history.list_entries(user_id)}
        return [entry for _, entry in sorted((stored | self._entries).items())]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        stored = self._history.scan_before(user_id, number, after=after, limit=limit)
        images = {(image.resource.name, image.row_id): image for image in stored}
        for (of, *key), image in self._replaced.items():
            if of == number and tuple(key) > after:
                images[image.resource.name, image.row_id] = image
        return [images[key] for key in sorted(images)][:limit]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        stored = self._history.get_before(user_id, number, resource, ids)
        keys = ((row_id, (number, resource.name, row_id)) for row_id in ids)
        return stored | {i: self._replaced[key] for i, key in keys if key in self._replaced}

    def add(self, user_id: int, entry: HistoryEntry) -> None:
        if any(entry.number == known.number for known in self.list_entries(user_id)):
            raise Conflict(f"there is an entry {entry.number} of the history already")
        self._entries[entry.number] = entry

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        (entry,) = (each for each in self.list_entries(user_id) if each.number == number)
        self._entries[number] = replace(entry, undone_at=at)

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        """Keeps what replaces images of earlier entries, or is added to them.

        Nothing reads the images of the change itself: only a later undo would.
        """
        if replace:
            self._replaced |= {(number, i.resource.name, i.row_id): i for i in images}

    def prune_before(self, user_id: int, at: int) -> None:
        """Deletes nothing: it is the last thing that a change does."""
