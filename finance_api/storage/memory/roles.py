"""The roles except the data and the users: usage, the audit log, history, and so on."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from finance_api.resources.currencies import DayRates
from finance_api.resources.field import Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    AuditEntry,
    AuditWriter,
    BeforeImage,
    HistoryEntry,
    LedgerWriter,
    Proposed,
    ProposedPair,
    RatesState,
    RateWriter,
    TokenDay,
    Upload,
    UploadWriter,
    UsageWriter,
)
from finance_api.storage.memory.database import Part


class MemoryUsage(Part, UsageWriter):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        return sorted(self._sums(1, user_id, start, end).items())

    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        sums = self._sums(2, user_id, start, end)
        return {token_id: number for token_id, number in sums.items() if token_id}

    def _sums(self, place: int, user_id: int, start: int, end: int) -> Counter[Any]:
        """Return the numbers of requests, by the element of their keys in this place."""
        sums: Counter[Any] = Counter()
        for key, number in self._database.usage.items():
            if key[0] == user_id and start <= key[1] < end:
                sums[key[place]] += number
        return sums

    def add(self, requests: Mapping[TokenDay, int]) -> None:
        sums = Counter(self._database.usage)
        sums.update({k: n for k, n in requests.items() if k[0] in self._database.users})
        self._unit.change(usage=dict(sums))

    def prune(self, before: int) -> None:
        usage = self._database.usage
        self._unit.change(usage={key: n for key, n in usage.items() if key[1] >= before})


class MemoryAudit(Part, AuditWriter):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        found = [
            entry
            for entry in reversed(self._database.audit)
            if user_id in (None, entry.user_id) and entry.at >= since
        ]
        return sorted(found, key=lambda entry: entry.at, reverse=True)[:limit]

    def add(self, entry: AuditEntry) -> None:
        database = self._database
        if entry.user_id is None or entry.user_id in database.users:
            self._unit.change(audit=(*database.audit, entry))

    def prune(self, before: int) -> None:
        kept = tuple(entry for entry in self._database.audit if entry.at >= before)
        self._unit.change(audit=kept)


class MemoryLedger(Part, LedgerWriter):
    def list_entries(
        self, user_id: int, numbers: Collection[int] | None = None
    ) -> list[HistoryEntry]:
        own = [e for key, e in sorted(self._database.history.items()) if key[0] == user_id]
        return own if numbers is None else [e for e in own if e.number in numbers]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        images = self._database.before.get((user_id, number), {})
        return [images[key] for key in sorted(images) if key > after][:limit]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        images = self._database.before.get((user_id, number), {})
        keys = [(resource.name, row_id) for row_id in ids]
        return {key[1]: images[key] for key in keys if key in images}

    def add_entry(self, user_id: int, entry: HistoryEntry) -> None:
        key = (user_id, entry.number)
        if key in self._database.history:
            raise Conflict(f"entry {entry.number} of the history already exists")
        self._unit.change(history=self._database.history | {key: entry})

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        key = (user_id, number)
        entry = replace(self._database.history[key], undone_at=at)
        self._unit.change(history=self._database.history | {key: entry})

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        added = {(image.resource.name, image.row_id): image for image in images}
        key = (user_id, number)
        kept = self._database.before.get(key, {})
        both = kept | added if replace else added | kept
        self._unit.change(before=self._database.before | {key: both})

    def prune_before(self, user_id: int, at: int) -> None:
        old = {k for k, e in self._database.history.items() if k[0] == user_id and e.at < at}
        database = self._database
        pruned = {key: replace(database.history[key], pruned=True) for key in old}
        self._unit.change(
            history=database.history | pruned,
            before={k: images for k, images in database.before.items() if k not in old},
        )

    def _proposals(self, user_id: int) -> list[ProposedPair]:
        return self._database.proposals.get(user_id, [])

    def count_proposals(self, user_id: int, kind: Proposed) -> int:
        return sum(proposal.kind is kind for proposal in self._proposals(user_id))

    def list_proposals(
        self, user_id: int, kind: Proposed, *, limit: int, offset: int = 0
    ) -> list[ProposedPair]:
        of_kind = (p for p in self._proposals(user_id) if p.kind is kind)
        found = sorted(of_kind, key=lambda p: (-p.day, p.first_id))
        return found[offset : offset + limit]

    def replace_proposals(
        self, user_id: int, kind: Proposed, first: int, end: int, proposals: Sequence[ProposedPair]
    ) -> None:
        kept = [
            p for p in self._proposals(user_id) if p.kind is not kind or not first <= p.day < end
        ]
        self._set_proposals(user_id, [*kept, *proposals])

    def forget_proposals(self, user_id: int, record_ids: Collection[str]) -> None:
        gone = set(record_ids)
        kept = [p for p in self._proposals(user_id) if gone.isdisjoint(p.ids)]
        self._set_proposals(user_id, kept)

    def _set_proposals(self, user_id: int, proposals: list[ProposedPair]) -> None:
        self._unit.change(proposals=self._database.proposals | {user_id: proposals})


class MemoryRates(Part, RateWriter):
    def get_state(self) -> RatesState:
        return self._database.rates_state

    def list_days(self, days: Collection[int] | None = None) -> list[DayRates]:
        rates = self._database.rates
        return [found for key, found in sorted(rates.items()) if days is None or key[0] in days]

    def lock(self) -> RatesState:
        return self.get_state()

    def put(self, rates: Sequence[DayRates]) -> None:
        added = {(each.day, each.base): each for each in rates}
        self._unit.change(rates=self._database.rates | added)

    def set_state(self, state: RatesState) -> None:
        self._unit.change(rates_state=state)


class MemoryUploads(Part, UploadWriter):
    def get(self, user_id: int, upload_id: str) -> Upload:
        upload = self._database.uploads.get((user_id, upload_id))
        if upload is None:
            raise NotFound("there is no such upload")
        return upload

    def list_by_user(self, user_id: int) -> list[Upload]:
        found = [u for key, u in self._database.uploads.items() if key[0] == user_id]
        return sorted(found, key=lambda upload: (upload.created_at, upload.id))

    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        pieces = self._database.upload_pieces.get((user_id, upload_id), ())
        return pieces[number] if number < len(pieces) else b""

    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        self._unit.user(user_id)
        key, database = (user_id, upload.id), self._database
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
        self._unit.change(uploads=self._database.uploads | {(user_id, upload_id): upload})
        return upload

    def set_alive(self, uploads: Collection[tuple[int, Upload]], at: int) -> None:
        for user_id, upload in uploads:
            stored = self._database.uploads.get((user_id, upload.id))
            if stored is not None and stored.step == upload.step:
                self._put(user_id, upload.id, alive_at=at, outcome=upload.outcome)

    def drop_content(self, user_id: int, upload_id: str) -> None:
        pieces = self._database.upload_pieces
        gone = (user_id, upload_id)
        self._unit.change(upload_pieces={k: p for k, p in pieces.items() if k != gone})

    def delete(self, user_id: int, upload_id: str) -> None:
        self.drop_content(user_id, upload_id)
        uploads = self._database.uploads
        gone = (user_id, upload_id)
        self._unit.change(uploads={k: u for k, u in uploads.items() if k != gone})

    def prune(self, *, created_before: int, alive_before: int) -> None:
        for (user_id, upload_id), upload in self._database.uploads.items():
            if upload.created_at < created_before and upload.alive_at < alive_before:
                self.delete(user_id, upload_id)
