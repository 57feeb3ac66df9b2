"""The history of a user's data: imports and edits, and the rows as they were before each."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.resources.field import Resource
from finance_api.values import Row


@dataclass(frozen=True, kw_only=True)
class HistoryEntry:
    """One change of a user's data: an import or an edit.

    number: from 1, in the order of the changes. Records that it added have it as their `importId`.
    action: what was run, e.g. ``import``. by: ``command`` or ``page``.
    revision: the revision that it made. undone_at: when it was undone, if it was.
    pruned: whether its images were deleted.
    details: further facts, as JSON takes them. What was inferred from it counts until it is undone.
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
        """Return what the statements of this import stated about accounts."""
        facts: list[dict[str, Any]] = self.details.get("accounts", [])
        return facts


class BeforeImage(NamedTuple):
    """A row as it was before an entry; the row is None if it did not exist.

    A record that an entry added has no image: its importId names the entry.
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
        """Return an entry's images after ``after``, in the order of (resource name, row id)."""

    @abstractmethod
    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        """Return an entry's images of the rows with these ids, by id."""


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
        """Add images to an entry. If a row has an image already, that one stays.

        replace: replace it instead.
        """

    @abstractmethod
    def prune_before(self, user_id: int, at: int) -> None:
        """Delete the images of entries made before that time, and mark the entries as pruned."""
