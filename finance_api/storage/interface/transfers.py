"""Pairs of records that look like transfers between own accounts, until the user decides."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import NamedTuple


class TransferProposal(NamedTuple):
    """out_id, in_id: the records of the outgoing and of the incoming money.

    day: the first second of the outgoing record's day. by_number: whether one record names the
    other's account.
    """

    out_id: str
    in_id: str
    day: int
    by_number: bool


class TransferReader(ABC):
    @abstractmethod
    def count(self, user_id: int) -> int: ...

    @abstractmethod
    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        """Return proposals by day, newest first, then by the id of the outgoing record."""


class TransferWriter(TransferReader):
    @abstractmethod
    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        """Replace all proposals with first <= day < end. The new ones are in that range, too."""

    @abstractmethod
    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        """Delete the proposals that have one of these records."""
