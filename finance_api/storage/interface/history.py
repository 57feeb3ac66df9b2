"""The history of a user's data: imports and edits, and what was there before each of them."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.resources.field import Resource
from finance_api.values import Row


@dataclass(frozen=True, kw_only=True)
class HistoryEntry:
    """A change of a user's data.

    number: from 1, in the order of the changes; the `importId` of the records that it made.
    action: what was run, e.g. ``import``. by: ``command`` or ``page``.
    revision: the one that it made. undone_at: when it was undone, if it was.
    pruned: whether its images are gone.
    details: more about it, as JSON takes it; what was inferred from it counts until it is undone.
    """

    number: int
    at: int
    action: str
    by: str
    revision: int
    undone_at: int | None = None
    pruned: bool = False
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> list[dict[str, Any]]:
        """Return what its statements stated about accounts."""
        facts: list[dict[str, Any]] = self.details.get("accounts", [])
        return facts


class BeforeImage(NamedTuple):
    """A row as it was before an entry; None: there was none.

    A record that an entry made has no image: its importId says so.
    """

    resource: Resource
    row_id: str
    row: Row | None


class HistoryReader(ABC):
    @abstractmethod
    def list_entries(self, user_id: int) -> list[HistoryEntry]:
        """Return all entries, oldest first."""

    @abstractmethod
    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        """Return images of an entry in the order of (resource name, row id), after ``after``."""

    @abstractmethod
    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        """Return the images that an entry has of the rows with these ids, by id."""


class HistoryWriter(HistoryReader):
    @abstractmethod
    def add(self, user_id: int, entry: HistoryEntry) -> None:
        """Add an entry. Raises Conflict if its number exists."""

    @abstractmethod
    def set_undone(self, user_id: int, number: int, at: int) -> None: ...

    @abstractmethod
    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        """Keep images of an entry. If a row has one already, the first stays.

        replace: the new one stays instead.
        """

    @abstractmethod
    def prune_before(self, user_id: int, at: int) -> None:
        """Delete the images of entries made before then, and mark these as pruned."""
