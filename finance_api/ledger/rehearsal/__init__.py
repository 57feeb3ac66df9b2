"""A unit of work that shows what a change would do, and stores nothing of it.

It reads from the storage, and keeps what the change writes to itself: the change finds there what
it has written before. So a dry run reports what the change itself would report, and other users
can write meanwhile.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from finance_api.ledger.rehearsal.data import RehearsedData
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    AuditAction,
    BeforeImage,
    HistoryEntry,
    HistoryReader,
    HistoryWriter,
    Storage,
    TransferProposal,
    TransferReader,
    TransferWriter,
    WritableStorage,
)


class _History(HistoryWriter):
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


class _Transfers(TransferWriter):
    """The stored proposals: no change reads those that it has written."""

    def __init__(self, transfers: TransferReader) -> None:
        self._transfers = transfers

    def count(self, user_id: int) -> int:
        return self._transfers.count(user_id)

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        return self._transfers.list_newest(user_id, limit=limit, offset=offset)

    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None: ...

    def forget(self, user_id: int, record_ids: Collection[str]) -> None: ...


class _Rehearsal(WritableStorage):
    def note(self, user_id: int | None, action: AuditAction, at: int, detail: str = "") -> None:
        """Adds nothing to the audit log: nothing is done."""


def rehearse(storage: Storage) -> WritableStorage:
    """Return a unit of work over the storage; only data, history and transfers can be written."""
    reader = cast(Any, storage)
    return _Rehearsal(
        users=reader.users,
        tokens=reader.tokens,
        jwts=reader.jwts,
        sessions=reader.sessions,
        usage=reader.usage,
        data=RehearsedData(storage.data),
        history=_History(storage.history),
        rates=reader.rates,
        transfers=_Transfers(storage.transfers),
        uploads=reader.uploads,
        audit=reader.audit,
    )
