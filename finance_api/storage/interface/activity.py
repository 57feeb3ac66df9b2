"""What happened: changes to a user's data, uploads, requests, and the audit log (no secrets)."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from finance_api.resources.field import Resource
from finance_api.values import Row

#: The origin of actions that a command runs. A client's actions have its address instead.
COMMAND = "command"


class AuditAction(StrEnum):
    """The kinds of events in the audit log."""

    SIGN_IN = "sign-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out-everywhere"
    PASSWORD_CHANGED = "password-changed"  # noqa: S105 (an action)
    TOKEN_CREATED = "token-created"  # noqa: S105
    TOKEN_RENAMED = "token-renamed"  # noqa: S105
    TOKEN_REVOKED = "token-revoked"  # noqa: S105
    TOKENS_REVOKED = "tokens-revoked"
    LINK_CREATED = "link-created"
    LINK_REVOKED = "link-revoked"
    JWT_ISSUED = "jwt-issued"
    JWT_REVOKED = "jwt-revoked"
    JWTS_REVOKED = "jwts-revoked"
    USER_ENABLED = "user-enabled"
    USER_DISABLED = "user-disabled"
    IMPORT = "import"
    EDIT = "edit"
    UNDO = "undo"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry of the audit log.

    origin: `COMMAND` or the client's address; "-" if that is unknown.
    user_id: the user whose account or data the event concerns; None if unknown.
    detail: more about the event, for example the name of a token.
    """

    at: int
    action: AuditAction
    origin: str
    user_id: int | None
    detail: str = ""


class AuditReader(ABC):
    @abstractmethod
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        """Return the entries of a user or of all users, newest first."""


class AuditWriter(AuditReader):
    @abstractmethod
    def add(self, entry: AuditEntry) -> None:
        """Add an entry, unless its user was deleted."""

    @abstractmethod
    def prune(self, before: int) -> None:
        """Delete the entries that are older than that time."""


#: User id, day (its first second), and token id; "" for requests without a token.
TokenDay = tuple[int, int, str]


class UsageReader(ABC):
    @abstractmethod
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        """Return (first second, requests) of each day from ``start`` to before ``end``, in order.

        Days without requests are left out.
        """

    @abstractmethod
    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        """Return the numbers of requests on these days, by token id.

        Leaves out requests without a token.
        """


class UsageWriter(UsageReader):
    @abstractmethod
    def add(self, requests: Mapping[TokenDay, int]) -> None:
        """Add to the numbers of requests; ignore deleted users."""

    @abstractmethod
    def prune(self, before: int) -> None:
        """Delete the usage of days before that time."""


@dataclass(frozen=True, kw_only=True)
class HistoryEntry:
    """One change to a user's data: an import or an edit.

    number: the entry's number, from 1, in the order of the changes. Records that the change added
    have this number as their `importId`. action: the action that was run, e.g. ``import``.
    by: where it was run, ``command`` or ``page``. revision: the revision that the change made.
    undone_at: when the change was undone, if it was. pruned: whether the entry's images were
    deleted. details: further facts, in types that JSON has. Whatever is inferred from an entry
    counts until the entry is undone.
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
        """Return the facts about accounts that this import's statements stated."""
        facts: list[dict[str, Any]] = self.details.get("accounts", [])
        return facts


class BeforeImage(NamedTuple):
    """A row as it was before an entry changed it. row: None if the row did not exist.

    A record that an entry added has no image: its importId names the entry.
    """

    resource: Resource
    row_id: str
    row: Row | None


class Proposed(StrEnum):
    """What two records look like: a transfer between own accounts, or one payment twice."""

    TRANSFER = "transfer"
    DUPLICATE = "duplicate"


class ProposedPair(NamedTuple):
    """Two records that look like a transfer or like duplicates, until the user decides.

    first_id: the record of a transfer's outgoing money, or the duplicate that was stored earlier.
    day: the first second of its day. by_number: whether one record of a transfer names the account
    number of the other record's account.
    """

    kind: Proposed
    first_id: str
    second_id: str
    day: int
    by_number: bool = False

    @property
    def ids(self) -> tuple[str, str]:
        return self.first_id, self.second_id


class LedgerReader(ABC):
    """What the ledger keeps beside the data: its history, and proposed pairs of records."""

    @abstractmethod
    def list_entries(
        self, user_id: int, numbers: Collection[int] | None = None
    ) -> list[HistoryEntry]:
        """Return the entries with these numbers, or all entries; oldest first."""

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

    @abstractmethod
    def count_proposals(self, user_id: int, kind: Proposed) -> int: ...

    @abstractmethod
    def list_proposals(
        self, user_id: int, kind: Proposed, *, limit: int, offset: int = 0
    ) -> list[ProposedPair]:
        """Return proposals, newest day first; within a day, by the id of the first record."""


class LedgerWriter(LedgerReader):
    @abstractmethod
    def add_entry(self, user_id: int, entry: HistoryEntry) -> None:
        """Add an entry. Raises Conflict if its number exists."""

    @abstractmethod
    def set_undone(self, user_id: int, number: int, at: int) -> None: ...

    @abstractmethod
    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        """Add images to an entry.

        replace: whether to replace images that the rows already have. If not, the old images stay.
        """

    @abstractmethod
    def prune_before(self, user_id: int, at: int) -> None:
        """Delete the images of entries made before that time, and mark the entries as pruned."""

    @abstractmethod
    def replace_proposals(
        self, user_id: int, kind: Proposed, first: int, end: int, proposals: Sequence[ProposedPair]
    ) -> None:
        """Replace proposals with first <= day < end. New ones are of that kind and range, too."""

    @abstractmethod
    def forget_proposals(self, user_id: int, record_ids: Collection[str]) -> None:
        """Delete the proposals that include any of these records."""


class UploadState(StrEnum):
    """The state of an upload.

    CHECKING and IMPORTING: a process is working on the file. ASKING: the user must answer questions
    about it. READY: there is a preview. DONE: the file was imported. FAILED: the process ended too
    early. FORM: the upload is not a file but a form, kept until its user signs in again.
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

    size: the file's size in bytes. step: a number that rises with each change, so that a decision
    made at one step is not carried out at a later step. alive_at: when the process that works on
    the file last reported. worker: the name of that process. options: the user's choices.
    outcome: the result of the last step.
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

        Raises NotFound if the upload was deleted, Conflict if its stored step differs.
        """

    @abstractmethod
    def set_alive(self, uploads: Collection[tuple[int, Upload]], at: int) -> None:
        """Record that processes are working on these uploads, and store the uploads' outcomes.

        uploads: each upload with its user's id. An upload is ignored if it was deleted, or if its
        stored step differs.
        """

    @abstractmethod
    def drop_content(self, user_id: int, upload_id: str) -> None:
        """Delete the upload's content, and keep the rest."""

    @abstractmethod
    def delete(self, user_id: int, upload_id: str) -> None:
        """Delete an upload, if it exists."""

    @abstractmethod
    def prune(self, *, created_before: int, alive_before: int) -> None:
        """Delete the uploads that were both created and last worked on before these times."""
