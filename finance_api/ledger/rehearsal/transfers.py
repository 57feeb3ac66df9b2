"""The proposals of transfers as they are stored: no change reads those that it has written."""

from collections.abc import Collection, Sequence

from finance_api.storage.interface import TransferProposal, TransferReader, TransferWriter


class RehearsedTransfers(TransferWriter):
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
