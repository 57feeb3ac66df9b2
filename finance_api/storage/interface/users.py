"""Users, their credentials (tokens, links, sessions, JWTs), and their saved questions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from finance_api.storage.interface.data import DataState
from finance_api.values.time import UTC


@dataclass(frozen=True, slots=True)
class User:
    """A user. id: the storage's own key. uuid: the public id."""

    id: int
    uuid: str
    email: str
    premium: bool
    enabled: bool
    password_hash: str | None
    created_at: int
    #: JWTs issued up to this second are refused.
    jwts_revoked_at: int | None = None
    #: The name of an IANA time zone, which decides which day is today.
    time_zone: str = UTC
    #: The currency that the overview converts to, if there are rates.
    base_currency: str | None = None
    #: The tag of the region whose formats of numbers and dates the pages use; None: the browser's.
    region: str | None = None
    #: The state of the user's data when the user was read.
    data: DataState = field(default_factory=lambda: DataState(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A personal API token; its text is not stored.

    sha256: the digest of the token's text, in hexadecimal.
    start: the first characters, by which the user recognises it.
    scopes: the paths of the resources that the token may read; None means all resources.
    """

    noun: ClassVar = "token"

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
class QuestionLink:
    """A link of a saved question; the secret in its address is not stored.

    sha256: the secret's digest, in hexadecimal.
    """

    noun: ClassVar = "link"

    id: str
    user_id: int
    question_id: str
    name: str
    sha256: str
    created_at: int
    expires_at: int | None = None
    last_used_at: int | None = None
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A user's session on the settings pages. The secret in the cookie is not stored.

    sha256: the secret's digest, in hexadecimal.
    seen_at: when the session was last used, accurate to about a minute.
    user_agent: the browser's User-Agent header.
    """

    noun: ClassVar = "session"

    sha256: str
    user_id: int
    created_at: int
    seen_at: int
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class Jwt:
    """A JSON Web Token: issued here, or issued elsewhere and revoked here.

    user_id, issued_at: None if the token was issued elsewhere.
    """

    noun: ClassVar = "JWT"

    jti: str
    user_id: int | None
    issued_at: int | None
    expires_at: int
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A saved question. address: the path and query of a GET request, without a format's suffix.

    The name is unique among the user's questions.
    """

    noun: ClassVar = "question"

    id: str
    user_id: int
    name: str
    address: str
    created_at: int
    updated_at: int


#: What belongs to users: their credentials and saved questions.
Owned = Token | QuestionLink | Session | Jwt | Question
#: One of these classes: any, one with the digest of a secret, one that can be revoked, one that can
#: be changed.
E = TypeVar("E", bound=Owned)
S = TypeVar("S", bound=Token | QuestionLink | Session)
R = TypeVar("R", bound=Token | QuestionLink | Jwt)
N = TypeVar("N", bound=Token | Question)


class UserReader(ABC):
    """Users, their credentials and saved questions. kind: the class of what belongs to a user."""

    @abstractmethod
    def get(self, email: str) -> User:
        """Return a user by e-mail. Raises NotFound."""

    @abstractmethod
    def list_all(self) -> list[User]:
        """Return all users, ordered by e-mail."""

    @abstractmethod
    def list_with_past_states(self, before: int) -> list[int]:
        """Return the ids of users who have more than one stored state from before that time."""

    @abstractmethod
    def get_owner(self, kind: type[S], sha256: str) -> tuple[S, User]:
        """Return the credential with this digest, whatever its state, and its user.

        Raises NotFound.
        """

    @abstractmethod
    def get_jwt_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        """Return the user, and whether a JWT with this jti is revoked. Raises NotFound.

        Name the user by either ``uuid`` or ``email``. The JWT itself need not be stored.
        """

    @abstractmethod
    def get_question(self, user_id: int, question_id: str) -> Question:
        """Return a question. Raises NotFound, also if it belongs to another user."""

    @abstractmethod
    def list_owned(self, kind: type[E], user_id: int) -> list[E]:
        """Return what belongs to a user, including revoked and expired credentials.

        Oldest first, but sessions newest first, and questions by name.
        """


class UserWriter(UserReader):
    @abstractmethod
    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        """Add an enabled user without data. Raises Conflict if the e-mail is taken."""

    @abstractmethod
    def lock(self, user_id: int) -> User:
        """Lock the user and the user's credentials until the unit of work ends; return the user.

        Call it before adding credentials. Raises NotFound.
        """

    @abstractmethod
    def update(self, user_id: int, **changes: Any) -> User:
        """Change `premium`, `enabled`, `password_hash`, `jwts_revoked_at`, `time_zone`,
        `base_currency` or `region`. Raises NotFound.
        """

    @abstractmethod
    def delete(self, user_id: int) -> None:
        """Delete the user and all of the user's data. Raises NotFound."""

    @abstractmethod
    def add_owned(self, owned: Owned) -> None:
        """Add a credential or question. After an error, the unit of work cannot go on.

        Raises Conflict if its id, jti or digest exists, or if the user has another question with
        its name; NotFound if there is no such user.
        """

    @abstractmethod
    def update_owned(self, kind: type[N], key: str, *, user_id: int, **changes: Any) -> N:
        """Change a token's `name` or `expires_at`, or a question's `name`, `address`, `updated_at`.

        key: its id. Raises NotFound, also if it is another user's; Conflict as `add_owned`.
        """

    @abstractmethod
    def set_used(self, kind: type[S], used_at: Mapping[str, int]) -> None:
        """Store when credentials were last used; ignore unknown credentials and earlier times.

        used_at: the times by credential id; for sessions, by digest.
        """

    @abstractmethod
    def revoke(self, kind: type[R], key: str, at: int, *, user_id: int | None = None) -> R:
        """Revoke a credential and return it; one that is already revoked keeps its date.

        key: its id or jti. Raises NotFound, also if ``user_id`` is given and the credential is
        another user's.
        """

    @abstractmethod
    def revoke_all(self, kind: type[R], user_id: int, at: int) -> None:
        """Revoke the user's credentials; those that are already revoked keep their date."""

    @abstractmethod
    def delete_question(self, user_id: int, question_id: str) -> None:
        """Delete a question. Raises NotFound."""

    @abstractmethod
    def delete_session(self, sha256: str) -> None:
        """Delete a session, if it exists."""

    @abstractmethod
    def delete_sessions(self, user_id: int) -> None:
        """Delete the user's sessions."""

    @abstractmethod
    def prune_sessions(self, *, created_before: int, seen_before: int) -> None:
        """Delete sessions that were created, or last used, before these times."""

    @abstractmethod
    def prune_jwts(self, before: int) -> None:
        """Delete JWTs that expired before then."""
