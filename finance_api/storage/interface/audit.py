"""The audit log: who did what, when and from where. Never a secret."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum

#: The origin of what a command does; that of all else is the client's address.
COMMAND = "command"


class AuditAction(StrEnum):
    """What is noted."""

    SIGN_IN = "sign-in"
    SIGN_IN_FAILED = "sign-in-failed"
    PASSWORD_CHANGED = "password-changed"  # noqa: S105 (an action)
    TOKEN_CREATED = "token-created"  # noqa: S105
    TOKEN_RENAMED = "token-renamed"  # noqa: S105
    TOKEN_REVOKED = "token-revoked"  # noqa: S105
    TOKENS_REVOKED = "tokens-revoked"
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
    """origin: `COMMAND` or the client's address; "-" where that is not known.

    user_id: whose account or data it was about; None: of nobody who is known.
    detail: what of it, such as the name of a token.
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
        """From the newest on, those of a user or of all; those noted later first."""


class AuditWriter(AuditReader):
    @abstractmethod
    def add(self, entry: AuditEntry) -> None:
        """Left out if its user is gone."""

    @abstractmethod
    def prune(self, before: int) -> None:
        """Deletes those from before then."""
