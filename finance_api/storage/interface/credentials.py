"""Credentials of programs: personal API tokens and JSON Web Tokens."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from finance_api.storage.interface.users import User


@dataclass(frozen=True, slots=True)
class Token:
    """A personal API token; its text is not stored.

    sha256: the digest of the token's text, in hexadecimal.
    start: the first characters, by which the user recognises it.
    scopes: paths of the resources it may read; None means all of them.
    """

    id: str
    user_id: int
    name: str
    sha256: str
    start: str
    scopes: tuple[str, ...] | None
    created_at: int
    expires_at: int | None = None
    last_used_at: int | None = None
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Jwt:
    """A JSON Web Token that was issued here, or issued elsewhere and revoked here.

    user_id, issued_at: None if it was issued elsewhere.
    """

    jti: str
    user_id: int | None
    issued_at: int | None
    expires_at: int
    revoked_at: int | None = None


class TokenReader(ABC):
    @abstractmethod
    def get_owner(self, sha256: str) -> tuple[Token, User]:
        """Return the token with this digest, whatever its state, and its user. Raises NotFound."""

    @abstractmethod
    def list_by_user(self, user_id: int) -> list[Token]:
        """Return the user's tokens, also revoked and expired ones, oldest first."""


class TokenWriter(TokenReader):
    @abstractmethod
    def add(self, token: Token) -> None:
        """Add a token. Raises NotFound if there is no such user."""

    @abstractmethod
    def update(self, token_id: str, *, user_id: int, **changes: Any) -> Token:
        """Change `name` or `expires_at`. Raises NotFound, also for another user's token."""

    @abstractmethod
    def revoke(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        """Revoke a token and return it; a token revoked before keeps its date.

        Raises NotFound, also for a token of another user than ``user_id``, if that is given.
        """

    @abstractmethod
    def revoke_all(self, user_id: int, at: int) -> None:
        """Revoke the user's tokens; tokens revoked before keep their date."""

    @abstractmethod
    def set_used(self, used_at: Mapping[str, int]) -> None:
        """Store when tokens (by id) were last used; ignore unknown ids and earlier times."""


class JwtReader(ABC):
    @abstractmethod
    def get_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        """Return the user, and whether the token is revoked by its jti. Raises NotFound.

        Either ``uuid`` or ``email`` names the user. The token itself may be unknown.
        """

    @abstractmethod
    def list_by_user(self, user_id: int) -> list[Jwt]:
        """Return the user's tokens that were issued here, oldest first."""


class JwtWriter(JwtReader):
    @abstractmethod
    def add(self, jwt: Jwt) -> None:
        """Add a token. Raises Conflict if its jti exists, NotFound if there is no such user."""

    @abstractmethod
    def revoke(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        """Revoke a token and return it; a token revoked before keeps its date.

        Raises NotFound, also for a token of another user than ``user_id``, if that is given.
        """

    @abstractmethod
    def revoke_all(self, user_id: int, at: int) -> None:
        """Revoke all tokens issued up to ``at``, wherever they were issued. Raises NotFound."""

    @abstractmethod
    def prune(self, before: int) -> None:
        """Delete tokens that expired before then."""
