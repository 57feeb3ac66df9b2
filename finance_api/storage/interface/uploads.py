"""Files that users have sent and that wait to be imported."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class UploadState(StrEnum):
    """The state of an upload.

    CHECKING and IMPORTING: a process works on it. ASKING: the user must answer questions about it.
    READY: there is a preview. DONE: it was imported. FAILED: the process ended too early.
    FORM: it is no file, but a form that waits until its user signs in again.
    """

    CHECKING = "checking"
    ASKING = "asking"
    READY = "ready"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"
    FORM = "form"


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A user's file, without its content.

    size: in bytes. step: rises with each change, so that a decision made at one step is not carried
    out at a later one. alive_at: when the process that works on it last reported. worker: the
    name of that process. options: the user's choices. outcome: the result of the last step.
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
        """Return an upload. Raises NotFound, also if it belongs to another user."""

    @abstractmethod
    def list_by_user(self, user_id: int) -> list[Upload]:
        """Return the user's uploads, oldest first."""

    @abstractmethod
    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        """Return a piece of the content by its number, from 0; empty after the last piece."""


class UploadWriter(UploadReader):
    @abstractmethod
    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        """Add an upload and its content. Raises NotFound if there is no such user."""

    @abstractmethod
    def change(self, user_id: int, upload: Upload, **changes: Any) -> Upload:
        """Change fields of an upload, and raise its step.

        Raises NotFound if it was deleted, Conflict if its step differs from that of ``upload``.
        """

    @abstractmethod
    def set_alive(self, uploads: Collection[tuple[int, Upload]], at: int) -> None:
        """Record that processes work on these uploads, each with its user, and their outcomes.

        Ignores uploads that were deleted or have another step.
        """

    @abstractmethod
    def drop_content(self, user_id: int, upload_id: str) -> None:
        """Delete the upload's content, and keep the rest."""

    @abstractmethod
    def delete(self, user_id: int, upload_id: str) -> None:
        """Delete an upload, if it exists."""

    @abstractmethod
    def prune(self, *, created_before: int, alive_before: int) -> None:
        """Delete uploads that were created, and last worked on, before these times."""
