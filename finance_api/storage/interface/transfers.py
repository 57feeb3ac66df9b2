"""Pairs of records that look like transfers between own accounts, until somebody says so or not."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import NamedTuple


class TransferProposal(NamedTuple):
    """Ids of the record that money goes out by, and of the one by which it comes in.

    day: the first one's, as its first second. by_number: whether one names the other's account.
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
        """By day, the newest first, then by the id of the first record."""


class TransferWriter(TransferReader):
    @abstractmethod
    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        """Puts these in the place of those with first <= day < end, within which they are."""

    @abstractmethod
    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        """Those of which one of the records is a side."""
