"""Sessions of the settings pages."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from finance_api.storage.interface.users import User


@dataclass(frozen=True, slots=True)
class Session:
    """A user signed in to the settings pages; the secret of the cookie is not stored.

    sha256: of that secret, in hexadecimal.
    seen_at: when it was last used, to about a minute.
    user_agent: the browser's header.
    """

    sha256: str
    user_id: int
    created_at: int
    seen_at: int
    user_agent: str = ""


class SessionReader(ABC):
    @abstractmethod
    def get_owner(self, sha256: str) -> tuple[Session, User]:
        """Return the session with this digest, whatever its age, and its user. Raises NotFound."""

    @abstractmethod
    def list_by_user(self, user_id: int) -> list[Session]:
        """Return the user's sessions, newest first."""


class SessionWriter(SessionReader):
    @abstractmethod
    def add(self, session: Session) -> None:
        """Add a session. Raises NotFound if there is no such user."""

    @abstractmethod
    def set_seen(self, seen_at: Mapping[str, int]) -> None:
        """Store when sessions (by digest) were used; ignore unknown ones and earlier times."""

    @abstractmethod
    def delete(self, sha256: str) -> None:
        """Delete a session; harmless if there is none."""

    @abstractmethod
    def delete_all(self, user_id: int) -> None:
        """Delete the user's sessions."""

    @abstractmethod
    def prune(self, *, created_before: int, seen_before: int) -> None:
        """Delete sessions created or last used before then."""
