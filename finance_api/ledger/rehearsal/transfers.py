"""The proposals of transfers as they would be."""

from collections.abc import Collection, Sequence

from finance_api.storage.interface import TransferProposal, TransferReader, TransferWriter


class RehearsedTransfers(TransferWriter):
    """transfers: those that are stored, of one user."""

    def __init__(self, transfers: TransferReader) -> None:
        self._transfers = transfers
        self._proposals: list[TransferProposal] | None = None

    def _all(self, user_id: int) -> list[TransferProposal]:
        if self._proposals is None:
            number = self._transfers.count(user_id)
            self._proposals = self._transfers.list_newest(user_id, limit=number)
        return self._proposals

    def count(self, user_id: int) -> int:
        return len(self._all(user_id))

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        found = sorted(self._all(user_id), key=lambda p: (-p.day, p.out_id))
        return found[offset : offset + limit]

    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        kept = [p for p in self._all(user_id) if not first <= p.day < end]
        self._proposals = [*kept, *proposals]

    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        gone = set(record_ids)
        if gone:
            all_ = self._all(user_id)
            self._proposals = [p for p in all_ if gone.isdisjoint((p.out_id, p.in_id))]
