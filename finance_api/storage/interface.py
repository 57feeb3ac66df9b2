"""The storage's contract. `finance_api.storage.testing` holds every implementation to it.

A `StorageBackend` lives as long as the process. It gives units of work, each a `Storage`: `read`
one that reads, and sees one unchanging state of a user's data from when it first asks for some;
`write` one whose writes are kept when its transaction manager commits, all or none.

The user is an argument of every call that touches data: there is no way to ask for a row without
saying whose.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from transaction import TransactionManager

from finance_api.query.model import Condition, Query
from finance_api.resources.field import Resource
from finance_api.resources.wire import encoder_of
from finance_api.storage.errors import NotFound, unknown_there
from finance_api.values import Row

#: How long a unit of work that writes waits for another one, unless it says otherwise.
LOCK_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class DataState:
    """How often a user's data has changed, and when last (or when the user was made)."""

    revision: int
    changed_at: int


@dataclass(frozen=True, slots=True)
class User:
    """Somebody whose data is kept.

    id: the storage's own key. uuid: what the outside knows the user by.
    """

    id: int
    uuid: str
    email: str
    premium: bool
    enabled: bool
    password_hash: str | None
    created_at: int
    #: JWTs issued up to this second are refused.
    jwts_revoked_at: int | None = None
    #: The state of the user's data when this was read.
    data: DataState = field(default=DataState(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A personal API token; its text is not kept.

    sha256: of the token's text, in hexadecimal.
    start: the first characters, by which its owner recognises it.
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
    """A JSON Web Token that was issued here, or that somebody else issued and is revoked here.

    user_id, issued_at: None where it was issued elsewhere.
    """

    jti: str
    user_id: int | None
    issued_at: int | None
    expires_at: int
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody signed in to the settings pages; the secret of the cookie is not kept.

    sha256: of that secret, in hexadecimal.
    seen_at: when it was last used, give or take a minute.
    user_agent: what the browser called itself.
    """

    sha256: str
    user_id: int
    created_at: int
    seen_at: int
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list, in its order.

    total: how many rows the whole list has, where that was asked for.
    """

    rows: list[Row] = field(default_factory=list)
    has_more: bool = False
    total: int | None = None


@dataclass(frozen=True, slots=True)
class JsonPage:
    """A `Page` whose rows are JSON objects, as `resources.wire` writes them.

    state: of the data that they are from. lines: one object on each; none ends after the last.
    """

    state: DataState
    lines: bytes = b""
    has_more: bool = False
    total: int | None = None

    @property
    def rows(self) -> list[bytes]:
        return self.lines.split(b"\n") if self.lines else []


@dataclass(frozen=True, slots=True)
class RecordSum:
    """amount: the exact sum, in ten-thousandths. count: how many records it is of."""

    amount: int
    count: int


class Storage(ABC):
    """One unit of work. Every method may raise StorageUnavailable."""

    def close(self) -> None:  # noqa: B027 (some have nothing to let go of)
        """Ends a unit of work that reads; harmless if it has ended."""

    # -- users -------------------------------------------------------------------------------

    @abstractmethod
    def add_user(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        """A new user, enabled and without data. Raises Conflict if the e-mail is taken."""

    @abstractmethod
    def get_user(self, email: str) -> User:
        """Raises NotFound."""

    @abstractmethod
    def list_users(self) -> list[User]:
        """All users, by e-mail."""

    @abstractmethod
    def update_user(self, user_id: int, **changes: Any) -> User:
        """Sets `premium`, `enabled` or `password_hash`. Raises NotFound."""

    @abstractmethod
    def delete_user(self, user_id: int) -> None:
        """Removes the user and everything of the user's. Raises NotFound."""

    # -- personal tokens ---------------------------------------------------------------------

    @abstractmethod
    def add_token(self, token: Token) -> None:
        """Raises NotFound if there is no such user."""

    @abstractmethod
    def get_token_owner(self, sha256: str) -> tuple[Token, User]:
        """The token with this digest, whatever its state, and whose it is. Raises NotFound."""

    @abstractmethod
    def list_tokens(self, user_id: int) -> list[Token]:
        """The user's tokens, revoked and expired ones too, oldest first."""

    @abstractmethod
    def revoke_token(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        """Revokes it; a token revoked before keeps its date.

        Raises NotFound, also for a token of another user than ``user_id``, where that is given.
        """

    @abstractmethod
    def set_tokens_used(self, used_at: Mapping[str, int]) -> None:
        """Notes when tokens (by id) were last used; unknown ids and earlier times are ignored."""

    # -- JSON Web Tokens ---------------------------------------------------------------------

    @abstractmethod
    def add_jwt(self, jwt: Jwt) -> None:
        """Raises Conflict if there is one with this jti, NotFound if there is no such user."""

    @abstractmethod
    def get_jwt_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        """Whose it is, and whether it is revoked by its jti. Raises NotFound.

        One of ``uuid`` and ``email`` says who the user is; the token itself need not be known.
        """

    @abstractmethod
    def list_jwts(self, user_id: int) -> list[Jwt]:
        """The user's tokens that were issued here, oldest first."""

    @abstractmethod
    def revoke_jwt(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        """Revokes it; a token revoked before keeps its date.

        Raises NotFound, also for a token of another user than ``user_id``, where that is given.
        """

    @abstractmethod
    def revoke_all_jwts(self, user_id: int, at: int) -> None:
        """Revokes all that were issued up to ``at``, wherever that was. Raises NotFound."""

    @abstractmethod
    def prune_jwts(self, before: int) -> None:
        """Forgets those that expired before then."""

    # -- sessions of the settings pages ------------------------------------------------------

    @abstractmethod
    def add_session(self, session: Session) -> None:
        """Raises NotFound if there is no such user."""

    @abstractmethod
    def get_session_owner(self, sha256: str) -> tuple[Session, User]:
        """The session with this digest, whatever its age, and whose it is. Raises NotFound."""

    @abstractmethod
    def list_sessions(self, user_id: int) -> list[Session]:
        """The user's sessions, the newest first."""

    @abstractmethod
    def set_sessions_seen(self, seen_at: Mapping[str, int]) -> None:
        """Notes when sessions (by digest) were used; unknown ones and earlier times are ignored."""

    @abstractmethod
    def delete_session(self, sha256: str) -> None:
        """Ends it; harmless if there is none."""

    @abstractmethod
    def delete_sessions(self, user_id: int) -> None:
        """Ends all of the user's."""

    @abstractmethod
    def prune_sessions(self, *, created_before: int, seen_before: int) -> None:
        """Forgets those that are older, or were last used before then."""

    # -- usage -------------------------------------------------------------------------------

    @abstractmethod
    def add_usage(self, requests: Mapping[tuple[int, int], int]) -> None:
        """Adds to the numbers of requests; users who are gone are left out.

        requests: by user id and day (its first second).
        """

    @abstractmethod
    def list_usage(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        """The days from ``start`` up to, but without, ``end``: (first second, requests), in order.

        Days without requests are left out.
        """

    @abstractmethod
    def prune_usage(self, before: int) -> None:
        """Forgets the days before then."""

    # -- reading data ------------------------------------------------------------------------

    @abstractmethod
    def get_data_state(self, user_id: int) -> DataState:
        """Raises NotFound."""

    @abstractmethod
    def list_rows(self, user_id: int, query: Query) -> Page:
        """One page of a resource: its listed fields.

        Missing values come last in both directions and ties are broken by id, ascending. Text
        compares by code point.
        """

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        """As `list_rows`, each row as the JSON object that answers hold.

        query: of a resource without computed fields. Raises NotFound if there is no such user.
        """
        state = self.get_data_state(user_id)
        page = self.list_rows(user_id, query)
        return JsonPage(
            state, encoder_of(query.resource).lines(page.rows), page.has_more, page.total
        )

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        """The rows with these ids in their order, as `list_json` gives them.

        Empty where there is none. Raises NotFound if there is no such user.
        """
        state = self.get_data_state(user_id)
        encode = encoder_of(resource).encode
        rows = self.get_rows(user_id, resource, ids)
        return state, [encode(rows[row_id]) if row_id in rows else b"" for row_id in ids]

    @abstractmethod
    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        """The rows that exist among ``ids``, by id: everything that is kept of them."""

    @abstractmethod
    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        """Rows in the order of their ids, after ``after_id``: everything that is kept of them."""

    @abstractmethod
    def sum_records(self, user_id: int, conditions: Sequence[Condition]) -> RecordSum:
        """The sum of the records that meet the conditions and are not void."""

    # -- writing data ------------------------------------------------------------------------

    @abstractmethod
    def lock_data(self, user_id: int) -> DataState:
        """Keeps other writers of this user's data waiting until this unit of work ends.

        Raises NotFound.
        """

    @abstractmethod
    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        """The rows of ``source`` that exist among ``source_ids``, by source id."""

    @abstractmethod
    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        """Adds and replaces whole rows: everything that is kept of them.

        Raises Conflict if a new row's id, or a row's (source, sourceId), exists already.
        """

    @abstractmethod
    def set_data_state(self, user_id: int, state: DataState) -> None:
        """Notes the revision that this unit of work makes."""


class StorageBackend(ABC):
    """What `Storage` units of work are made from; safe to use from several threads.

    persistent: whether what is written is still there for the next process.
    """

    persistent: bool = True

    @abstractmethod
    def read(self) -> Storage:
        """A unit of work that reads; its `Storage.close` must be called."""

    @abstractmethod
    def write(
        self, tm: TransactionManager, *, lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS
    ) -> Storage:
        """A unit of work that writes in the manager's current transaction, and ends with it.

        lock_timeout_seconds: how long it waits for another writer before StorageUnavailable.
        """

    @abstractmethod
    def check(self) -> None:
        """Raises StorageNotReady or StorageUnavailable if reads would fail now."""

    @abstractmethod
    def upgrade(self) -> None:
        """Brings what is kept to the version that this program reads; harmless if it is there."""

    @abstractmethod
    def close(self) -> None:
        """Lets go of connections."""


@contextmanager
def reading(backend: StorageBackend) -> Iterator[Storage]:
    """A unit of work that reads, and ends with the block."""
    storage = backend.read()
    try:
        yield storage
    finally:
        storage.close()


def data_state_of(storage: Storage, user_id: int) -> DataState:
    """`get_data_state` of somebody whom the database has let in. Raises StorageUnavailable."""
    try:
        return storage.get_data_state(user_id)
    except NotFound as error:
        raise unknown_there() from error


@contextmanager
def unit_of_work(
    backend: StorageBackend, *, lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS
) -> Iterator[Storage]:
    """A unit of work that writes; what it wrote is kept if the block ends without an error."""
    tm = TransactionManager(explicit=True)
    with tm:
        yield backend.write(tm, lock_timeout_seconds=lock_timeout_seconds)
