"""Numbers of requests by user, day and token; and the audit log, which contains no secrets."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

#: The origin of what a command did. What a client did has the client's address instead.
COMMAND = "command"


class AuditAction(StrEnum):
    """The kinds of events in the audit log."""

    SIGN_IN = "sign-in"
    SIGN_IN_FAILED = "sign-in-failed"
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
    user_id: the user whose account or data it concerns; None if unknown.
    detail: for example the name of a token.
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
        """Delete the entries before that time."""


class UsageReader(ABC):
    @abstractmethod
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        """Return (first second, requests) of each day from ``start`` to before ``end``, in order.

        Days without requests are left out.
        """

    @abstractmethod
    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        """Return the numbers of requests in these days by token id; some requests have no token."""


class UsageWriter(UsageReader):
    @abstractmethod
    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        """Add to the numbers of requests; ignore deleted users.

        requests: numbers by user id and day (its first second).
        """

    @abstractmethod
    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        """Add to the numbers of each token; ignore deleted users.

        requests: numbers by user id, day (its first second) and token id.
        """

    @abstractmethod
    def prune(self, before: int) -> None:
        """Delete the numbers of earlier days."""
