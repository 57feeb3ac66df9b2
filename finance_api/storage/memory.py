"""Everything in this process's memory: the plain statement of what a storage means.

It serves tests, and exports that are loaded at start. Data is lost with the process.
"""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import transaction
from transaction.interfaces import IDataManager
from zope.interface import implementer

from finance_api.query.evaluate import matches, sorted_rows
from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource, names_of
from finance_api.resources.records import VOID
from finance_api.storage.errors import Conflict, NotFound, StorageUnavailable
from finance_api.storage.interface import (
    LOCK_TIMEOUT_SECONDS,
    DataState,
    Jwt,
    Page,
    RecordSum,
    Session,
    Storage,
    StorageBackend,
    Token,
    User,
)
from finance_api.values import Row


@dataclass(frozen=True)
class _Table:
    """The rows of one user and resource, by id, and which id a (source, sourceId) has."""

    rows: dict[str, Row] = field(default_factory=dict)
    ids_by_source: dict[tuple[str, str], str] = field(default_factory=dict)

    def copy(self) -> "_Table":
        return _Table(dict(self.rows), dict(self.ids_by_source))

    def put(self, row: Row) -> None:
        old = self.rows.get(row["id"])
        if old is not None and old["sourceId"] is not None:
            self.ids_by_source.pop((old["source"], old["sourceId"]), None)
        if row["sourceId"] is not None:
            key = (row["source"], row["sourceId"])
            if self.ids_by_source.setdefault(key, row["id"]) != row["id"]:
                raise Conflict(f"there is a row of source {key[0]} with the id {key[1]} already")
        self.rows[row["id"]] = dict(row)


@dataclass(frozen=True)
class _Contents:
    """All that is kept. Never changed in place: a commit puts a new one in its stead."""

    next_user_id: int = 1
    users: dict[int, User] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    jwts: dict[str, Jwt] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    usage: dict[tuple[int, int], int] = field(default_factory=dict)
    tables: dict[tuple[int, str], _Table] = field(default_factory=dict)


class MemoryBackend(StorageBackend):
    """Readers keep the state they began with; writers wait for each other."""

    persistent = False

    def __init__(self) -> None:
        self.state = _Contents()
        self.write_lock = threading.RLock()

    def read(self) -> Storage:
        return MemoryStorage(self.state)

    def write(
        self,
        tm: transaction.TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
    ) -> Storage:
        if not self.write_lock.acquire(timeout=lock_timeout_seconds):
            raise StorageUnavailable(
                "another import or change is running: try again when it has ended"
            )
        storage = MemoryStorage(self.state)
        tm.get().join(_Commit(self, storage, tm))
        return storage

    def check(self) -> None:
        """Memory always answers."""

    def upgrade(self) -> None:
        """There is nothing older than this process."""

    def close(self) -> None:
        """There is nothing to let go of."""


@implementer(IDataManager)
class _Commit:
    """Puts a writer's state in place when its transaction commits."""

    def __init__(
        self, backend: MemoryBackend, storage: "MemoryStorage", tm: transaction.TransactionManager
    ) -> None:
        self.backend = backend
        self.storage = storage
        self.transaction_manager = tm

    def abort(self, transaction: Any) -> None:
        self.backend.write_lock.release()

    def tpc_begin(self, transaction: Any) -> None: ...

    def commit(self, transaction: Any) -> None: ...

    def tpc_vote(self, transaction: Any) -> None: ...

    def tpc_finish(self, transaction: Any) -> None:
        self.backend.state = self.storage.state
        self.backend.write_lock.release()

    def tpc_abort(self, transaction: Any) -> None:
        self.backend.write_lock.release()

    def sortKey(self) -> str:  # noqa: N802 (the interface's name)
        return "finance_api.memory"


def from_settings(settings: Mapping[str, Any]) -> MemoryBackend:
    """An empty storage; `finance_api.preload` fills it."""
    return MemoryBackend()


class MemoryStorage(Storage):
    def __init__(self, state: _Contents) -> None:
        self.state = state
        #: Tables that this unit of work has copied, and may therefore change in place.
        self._own: set[tuple[int, str]] = set()

    # -- users

    def add_user(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        if any(user.email == email for user in self.state.users.values()):
            raise Conflict(f"there is a user {email} already")
        user = User(
            self.state.next_user_id,
            uuid,
            email,
            premium,
            True,
            password_hash,
            created_at,
            data=DataState(0, created_at),
        )
        self.state = replace(
            self.state,
            next_user_id=user.id + 1,
            users=self.state.users | {user.id: user},
        )
        return user

    def get_user(self, email: str) -> User:
        for user in self.state.users.values():
            if user.email == email:
                return user
        raise NotFound(f"there is no user {email}")

    def list_users(self) -> list[User]:
        return sorted(self.state.users.values(), key=lambda user: user.email)

    def update_user(self, user_id: int, **changes: Any) -> User:
        if user_id not in self.state.users:
            raise NotFound("there is no such user")
        user = replace(self.state.users[user_id], **changes)
        self.state = replace(self.state, users=self.state.users | {user_id: user})
        return user

    def delete_user(self, user_id: int) -> None:
        if user_id not in self.state.users:
            raise NotFound("there is no such user")
        self.state = replace(
            self.state,
            users=_without(self.state.users, user_id),
            tokens={k: t for k, t in self.state.tokens.items() if t.user_id != user_id},
            jwts={k: j for k, j in self.state.jwts.items() if j.user_id != user_id},
            sessions={k: s for k, s in self.state.sessions.items() if s.user_id != user_id},
            usage={k: n for k, n in self.state.usage.items() if k[0] != user_id},
            tables={k: table for k, table in self.state.tables.items() if k[0] != user_id},
        )

    # -- personal tokens

    def add_token(self, token: Token) -> None:
        if token.user_id not in self.state.users:
            raise NotFound("there is no such user")
        self.state = replace(self.state, tokens=self.state.tokens | {token.id: token})

    def get_token_owner(self, sha256: str) -> tuple[Token, User]:
        for token in self.state.tokens.values():
            if token.sha256 == sha256:
                return token, self.state.users[token.user_id]
        raise NotFound("there is no such token")

    def list_tokens(self, user_id: int) -> list[Token]:
        tokens = [t for t in self.state.tokens.values() if t.user_id == user_id]
        return sorted(tokens, key=lambda token: (token.created_at, token.id))

    def revoke_token(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        token = self.state.tokens.get(token_id)
        if token is None or user_id not in (None, token.user_id):
            raise NotFound("there is no such token")
        if token.revoked_at is None:
            token = replace(token, revoked_at=at)
            self.state = replace(self.state, tokens=self.state.tokens | {token_id: token})
        return token

    def set_tokens_used(self, used_at: Mapping[str, int]) -> None:
        tokens = dict(self.state.tokens)
        for token_id, at in used_at.items():
            token = tokens.get(token_id)
            if token is not None and (token.last_used_at or at) <= at:
                tokens[token_id] = replace(token, last_used_at=at)
        self.state = replace(self.state, tokens=tokens)

    # -- JSON Web Tokens

    def add_jwt(self, jwt: Jwt) -> None:
        if jwt.jti in self.state.jwts:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        if jwt.user_id is not None and jwt.user_id not in self.state.users:
            raise NotFound("there is no such user")
        self.state = replace(self.state, jwts=self.state.jwts | {jwt.jti: jwt})

    def get_jwt_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        for user in self.state.users.values():
            if uuid in (None, user.uuid) and email in (None, user.email):
                jwt = self.state.jwts.get(jti)
                return user, jwt is not None and jwt.revoked_at is not None
        raise NotFound("there is no such user")

    def list_jwts(self, user_id: int) -> list[Jwt]:
        jwts = [jwt for jwt in self.state.jwts.values() if jwt.user_id == user_id]
        return sorted(jwts, key=lambda jwt: (jwt.issued_at or 0, jwt.jti))

    def revoke_jwt(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        jwt = self.state.jwts.get(jti)
        if jwt is None or user_id not in (None, jwt.user_id):
            raise NotFound("there is no such JWT")
        if jwt.revoked_at is None:
            jwt = replace(jwt, revoked_at=at)
            self.state = replace(self.state, jwts=self.state.jwts | {jti: jwt})
        return jwt

    def revoke_all_jwts(self, user_id: int, at: int) -> None:
        user = self.state.users.get(user_id)
        if user is None:
            raise NotFound("there is no such user")
        self.update_user(user_id, jwts_revoked_at=max(at, user.jwts_revoked_at or at))
        for jwt in self.list_jwts(user_id):
            if (jwt.issued_at or 0) <= at:
                self.revoke_jwt(jwt.jti, at)

    def prune_jwts(self, before: int) -> None:
        kept = {jti: jwt for jti, jwt in self.state.jwts.items() if jwt.expires_at >= before}
        self.state = replace(self.state, jwts=kept)

    # -- sessions of the settings pages

    def add_session(self, session: Session) -> None:
        if session.user_id not in self.state.users:
            raise NotFound("there is no such user")
        self._set_sessions({**self.state.sessions, session.sha256: session})

    def get_session_owner(self, sha256: str) -> tuple[Session, User]:
        session = self.state.sessions.get(sha256)
        if session is None:
            raise NotFound("there is no such session")
        return session, self.state.users[session.user_id]

    def list_sessions(self, user_id: int) -> list[Session]:
        found = [s for s in self.state.sessions.values() if s.user_id == user_id]
        return sorted(found, key=lambda s: (-s.created_at, s.sha256))

    def set_sessions_seen(self, seen_at: Mapping[str, int]) -> None:
        sessions = dict(self.state.sessions)
        for sha256, at in seen_at.items():
            session = sessions.get(sha256)
            if session is not None and session.seen_at < at:
                sessions[sha256] = replace(session, seen_at=at)
        self._set_sessions(sessions)

    def delete_session(self, sha256: str) -> None:
        self._set_sessions({k: s for k, s in self.state.sessions.items() if k != sha256})

    def delete_sessions(self, user_id: int) -> None:
        kept = {k: s for k, s in self.state.sessions.items() if s.user_id != user_id}
        self._set_sessions(kept)

    def prune_sessions(self, *, created_before: int, seen_before: int) -> None:
        self._set_sessions(
            {
                k: s
                for k, s in self.state.sessions.items()
                if s.created_at >= created_before and s.seen_at >= seen_before
            }
        )

    def _set_sessions(self, sessions: dict[str, Session]) -> None:
        self.state = replace(self.state, sessions=sessions)

    # -- usage

    def add_usage(self, requests: Mapping[tuple[int, int], int]) -> None:
        usage = dict(self.state.usage)
        for (user_id, day), count in requests.items():
            if user_id in self.state.users:
                usage[user_id, day] = usage.get((user_id, day), 0) + count
        self.state = replace(self.state, usage=usage)

    def list_usage(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        return sorted(
            (day, count)
            for (owner_id, day), count in self.state.usage.items()
            if owner_id == user_id and start <= day < end
        )

    def prune_usage(self, before: int) -> None:
        kept = {key: count for key, count in self.state.usage.items() if key[1] >= before}
        self.state = replace(self.state, usage=kept)

    # -- reading data

    def get_data_state(self, user_id: int) -> DataState:
        user = self.state.users.get(user_id)
        if user is None:
            raise NotFound("there is no such user")
        return user.data

    def _rows(self, user_id: int, resource: Resource) -> dict[str, Row]:
        return self._table(user_id, resource).rows

    def _table(self, user_id: int, resource: Resource) -> _Table:
        return self.state.tables.get((user_id, resource.name)) or _Table()

    def list_rows(self, user_id: int, query: Query) -> Page:
        rows = self._rows(user_id, query.resource).values()
        found = sorted_rows((r for r in rows if matches(r, query.conditions)), query.sort)
        names = names_of(query.resource.listed_fields)
        end = query.offset + query.limit
        page = [{name: row[name] for name in names} for row in found[query.offset : end]]
        return Page(page, len(found) > end, len(found) if query.with_total else None)

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        rows = self._rows(user_id, resource)
        return {row_id: dict(rows[row_id]) for row_id in ids if row_id in rows}

    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        rows = self._rows(user_id, resource)
        found = [
            dict(rows[row_id])
            for row_id in sorted(rows)
            if row_id > after_id and matches(rows[row_id], conditions)
        ]
        return found[:limit]

    def sum_records(self, user_id: int, conditions: Sequence[Condition]) -> RecordSum:
        amounts = [
            row["amount"]
            for row in self._rows(user_id, RECORDS).values()
            if row["recordState"] != VOID and matches(row, conditions)
        ]
        return RecordSum(sum(amounts), len(amounts))

    # -- writing data

    def lock_data(self, user_id: int) -> DataState:
        return self.get_data_state(user_id)

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        table = self._table(user_id, resource)
        keys = (
            (source_id, table.ids_by_source.get((source, source_id))) for source_id in source_ids
        )
        return {source_id: dict(table.rows[row_id]) for source_id, row_id in keys if row_id}

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        key = (user_id, resource.name)
        if key not in self._own:
            table = self._table(user_id, resource).copy()
            self.state = replace(self.state, tables=self.state.tables | {key: table})
            self._own.add(key)
        table = self.state.tables[key]
        for row in new:
            if row["id"] in table.rows:
                raise Conflict(f"there is a row {row['id']} already")
            table.put(row)
        for row in changed:
            table.put(row)

    def set_data_state(self, user_id: int, state: DataState) -> None:
        self.update_user(user_id, data=state)


def _without(mapping: Mapping[int, Any], key: int) -> dict[int, Any]:
    return {k: value for k, value in mapping.items() if k != key}
