"""Users."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from finance_api.storage.interface.data import DataState
from finance_api.values.time import UTC


@dataclass(frozen=True, slots=True)
class User:
    """id: the storage's own key. uuid: what the outside knows the user by."""

    id: int
    uuid: str
    email: str
    premium: bool
    enabled: bool
    password_hash: str | None
    created_at: int
    #: JWTs issued up to this second are refused.
    jwts_revoked_at: int | None = None
    #: A name of the IANA database: it says which day is today.
    time_zone: str = UTC
    #: The currency that the overview converts to, where there are rates.
    base_currency: str | None = None
    #: The state of the user's data when this was read.
    data: DataState = field(default_factory=lambda: DataState(0, 0), compare=False)


class UserReader(ABC):
    @abstractmethod
    def get(self, email: str) -> User:
        """Raises NotFound."""

    @abstractmethod
    def list_all(self) -> list[User]:
        """All users, by e-mail."""

    @abstractmethod
    def list_with_past_states(self, before: int) -> list[int]:
        """The ids of users with a state of their data that another one followed before then."""


class UserWriter(UserReader):
    @abstractmethod
    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        """A new user, enabled and without data. Raises Conflict if the e-mail is taken."""

    @abstractmethod
    def lock(self, user_id: int) -> User:
        """The user as of now; others change neither the user nor its credentials until the end.

        What lets somebody in is written after it. Raises NotFound.
        """

    @abstractmethod
    def update(self, user_id: int, **changes: Any) -> User:
        """Sets `premium`, `enabled`, `password_hash`, `time_zone` or `base_currency`.

        Raises NotFound.
        """

    @abstractmethod
    def delete(self, user_id: int) -> None:
        """Removes the user and everything of the user's. Raises NotFound."""
