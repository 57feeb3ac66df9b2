"""Pairs of records that look like transfers."""

from collections.abc import Collection, Sequence

from finance_api.storage.interface import TransferProposal, TransferWriter
from finance_api.storage.memory.database import Part


class MemoryTransfers(Part, TransferWriter):
    def _proposals(self, user_id: int) -> list[TransferProposal]:
        return self._unit.database.proposals.get(user_id, [])

    def count(self, user_id: int) -> int:
        return len(self._proposals(user_id))

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        found = sorted(self._proposals(user_id), key=lambda p: (-p.day, p.out_id))
        return found[offset : offset + limit]

    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        kept = [p for p in self._proposals(user_id) if not first <= p.day < end]
        self._set(user_id, [*kept, *proposals])

    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        gone = set(record_ids)
        kept = [p for p in self._proposals(user_id) if p.out_id not in gone and p.in_id not in gone]
        self._set(user_id, kept)

    def _set(self, user_id: int, proposals: list[TransferProposal]) -> None:
        if proposals != self._proposals(user_id):
            known = self._unit.database.proposals | {user_id: proposals}
            self._unit.change(proposals={k: found for k, found in known.items() if found})
