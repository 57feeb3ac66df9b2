"""Users."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from finance_api.storage.interface.data import DataState
from finance_api.values.time import UTC


@dataclass(frozen=True, slots=True)
class User:
    """id: the storage's own key. uuid: the public id."""

    id: int
    uuid: str
    email: str
    premium: bool
    enabled: bool
    password_hash: str | None
    created_at: int
    #: JWTs issued up to this second are refused.
    jwts_revoked_at: int | None = None
    #: A name of the IANA database, which determines today's date.
    time_zone: str = UTC
    #: The currency that the overview converts to, if there are rates.
    base_currency: str | None = None
    #: The state of the user's data when the user was read.
    data: DataState = field(default_factory=lambda: DataState(0, 0), compare=False)


class UserReader(ABC):
    @abstractmethod
    def get(self, email: str) -> User:
        """Return a user by e-mail. Raises NotFound."""

    @abstractmethod
    def list_all(self) -> list[User]:
        """Return all users, ordered by e-mail."""

    @abstractmethod
    def list_with_past_states(self, before: int) -> list[int]:
        """Return the ids of users with a state of their data that was replaced before then."""


class UserWriter(UserReader):
    @abstractmethod
    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        """Add an enabled user without data. Raises Conflict if the e-mail is taken."""

    @abstractmethod
    def lock(self, user_id: int) -> User:
        """Return the user, and keep others from changing the user or the credentials until the end.

        Call it before adding credentials. Raises NotFound.
        """

    @abstractmethod
    def update(self, user_id: int, **changes: Any) -> User:
        """Change `premium`, `enabled`, `password_hash`, `time_zone` or `base_currency`.

        Raises NotFound.
        """

    @abstractmethod
    def delete(self, user_id: int) -> None:
        """Delete the user and all of the user's data. Raises NotFound."""
