"""Files that users have sent, and that wait to be imported."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class UploadState(StrEnum):
    """What is being done with an upload, or has come of it.

    CHECKING and IMPORTING: somebody works at it. ASKING: the file is refused until more is said.
    READY: there is a preview. DONE: it is imported. FAILED: the work ended before its end.
    """

    CHECKING = "checking"
    ASKING = "asking"
    READY = "ready"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file of a user's, without its content.

    size: in bytes. step: goes up with each change, so that what was decided at one step is not
    done at another. alive_at: when whoever works at it was last heard of; worker: the name of that
    process.
    options: what was chosen for it, outcome: what came of the last step; as JSON takes them.
    """

    id: str
    name: str
    size: int
    created_at: int
    state: UploadState
    step: int = 0
    alive_at: int = 0
    worker: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    outcome: dict[str, Any] = field(default_factory=dict)


class UploadReader(ABC):
    @abstractmethod
    def get(self, user_id: int, upload_id: str) -> Upload:
        """Raises NotFound, also for another user's."""

    @abstractmethod
    def list_by_user(self, user_id: int) -> list[Upload]:
        """The user's uploads, the oldest first."""

    @abstractmethod
    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        """A piece of the content, by its number from 0; empty behind the last one."""


class UploadWriter(UploadReader):
    @abstractmethod
    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        """Adds an upload and its content. Raises NotFound if there is no such user."""

    @abstractmethod
    def change(self, user_id: int, upload: Upload, **changes: Any) -> Upload:
        """Sets fields, and goes to the next step.

        Raises NotFound if it is gone, Conflict if it is at another step than ``upload``.
        """

    @abstractmethod
    def set_alive(self, uploads: Collection[tuple[int, str]], at: int) -> None:
        """Notes that somebody works at uploads, by user and id; those that are gone are ignored."""

    @abstractmethod
    def drop_content(self, user_id: int, upload_id: str) -> None:
        """Deletes the content."""

    @abstractmethod
    def delete(self, user_id: int, upload_id: str) -> None:
        """Harmless if there is none."""

    @abstractmethod
    def prune(self, *, created_before: int, alive_before: int) -> None:
        """Deletes those that were made, and last worked at, before then."""
