"""Everything in this process's memory: the plain statement of what a storage means.

It serves tests, and exports that are loaded at start. Data is lost with the process.
"""

import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import itemgetter
from typing import Any

import transaction
from transaction.interfaces import IDataManager
from zope.interface import implementer

from finance_api.query.evaluate import matches, sorted_rows
from finance_api.query.grouping import group_of
from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource, names_of
from finance_api.resources.records import VOID
from finance_api.resources.wire import RowEncoder, encoder_of
from finance_api.storage.errors import Conflict, NotFound, StorageUnavailable
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
    NO_RATES,
    STREAMED_ROWS,
    AuditEntry,
    AuditReader,
    AuditWriter,
    BeforeImage,
    Change,
    ChangeKey,
    Changes,
    DataReader,
    DataState,
    DataWriter,
    HistoryEntry,
    HistoryReader,
    HistoryWriter,
    Jwt,
    JwtReader,
    JwtWriter,
    Page,
    RateReader,
    RatesState,
    RateWriter,
    RecordSum,
    Session,
    SessionReader,
    SessionWriter,
    Storage,
    StorageBackend,
    Token,
    TokenReader,
    TokenWriter,
    Totals,
    TransferProposal,
    TransferReader,
    TransferWriter,
    Upload,
    UploadReader,
    UploadWriter,
    UsageReader,
    UsageWriter,
    User,
    UserReader,
    UserWriter,
    WritableStorage,
)
from finance_api.values import Row
from finance_api.values.rates import DayRates


@cache
def _encode_shown(resource: Resource) -> Callable[[Row], bytes]:
    """What is shown of a row, but for computed fields."""
    return RowEncoder(resource.listed_fields).encode


@dataclass(frozen=True)
class _Table:
    """The rows of one user and resource, by id, and the id of each (source, sourceId).

    revisions, deletions: those of the newest changes of rows that are there, and that are not.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    ids_by_source: dict[tuple[str, str], str] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)
    deletions: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "_Table":
        return _Table(
            dict(self.rows), dict(self.ids_by_source), dict(self.revisions), dict(self.deletions)
        )

    def delete(self, row_id: str) -> bool:
        """Whether there was such a row."""
        old = self.rows.pop(row_id, None)
        if old is not None and old["sourceId"] is not None:
            del self.ids_by_source[old["source"], old["sourceId"]]
        return old is not None

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
class _Database:
    """Everything that is stored. Never changed in place: a commit puts a new one in its place."""

    next_user_id: int = 1
    users: dict[int, User] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    jwts: dict[str, Jwt] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    usage: dict[tuple[int, int], int] = field(default_factory=dict)
    token_usage: dict[tuple[int, int, str], int] = field(default_factory=dict)
    tables: dict[tuple[int, str], _Table] = field(default_factory=dict)
    #: By user and revision.
    states: dict[tuple[int, int], DataState] = field(default_factory=dict)
    #: By user and number.
    history: dict[tuple[int, int], HistoryEntry] = field(default_factory=dict)
    #: By day and base.
    rates: dict[tuple[int, str], DayRates] = field(default_factory=dict)
    rates_state: RatesState = NO_RATES
    #: By user.
    proposals: dict[int, list[TransferProposal]] = field(default_factory=dict)
    #: By user and id.
    uploads: dict[tuple[int, str], Upload] = field(default_factory=dict)
    upload_pieces: dict[tuple[int, str], tuple[bytes, ...]] = field(default_factory=dict)
    #: By user and number of the entry; then by resource name and row id.
    before: dict[tuple[int, int], dict[tuple[str, str], BeforeImage]] = field(default_factory=dict)
    #: In the order in which they were noted.
    audit: tuple[AuditEntry, ...] = ()


class _Unit:
    """The database as one unit of work sees and changes it."""

    def __init__(self, database: _Database) -> None:
        self.database = database
        #: Tables that this unit of work has copied, and may therefore change in place.
        self.copied: set[tuple[int, str]] = set()

    def change(self, **parts: Any) -> None:
        self.database = replace(self.database, **parts)

    def user(self, user_id: int) -> User:
        """Raises NotFound."""
        user = self.database.users.get(user_id)
        if user is None:
            raise NotFound("there is no such user")
        return user

    def update_user(self, user_id: int, **changes: Any) -> User:
        user = replace(self.user(user_id), **changes)
        self.change(users=self.database.users | {user_id: user})
        return user


class MemoryBackend(StorageBackend):
    """Readers keep the state they began with; writers wait for each other."""

    persistent = False

    def __init__(self) -> None:
        self.database = _Database()
        self.write_lock = threading.RLock()

    def read(self, deadline: float = math.inf) -> Storage:
        # Nothing here waits for anything.
        unit = _Unit(self.database)
        return Storage(
            users=MemoryUserReader(unit),
            tokens=MemoryTokenReader(unit),
            jwts=MemoryJwtReader(unit),
            sessions=MemorySessionReader(unit),
            usage=MemoryUsageReader(unit),
            data=MemoryDataReader(unit),
            history=MemoryHistoryReader(unit),
            rates=MemoryRateReader(unit),
            transfers=MemoryTransferReader(unit),
            uploads=MemoryUploadReader(unit),
            audit=MemoryAuditReader(unit),
            close=lambda: None,
        )

    def write(
        self,
        tm: transaction.TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
        origin: str = COMMAND,
    ) -> WritableStorage:
        if not self.write_lock.acquire(timeout=lock_timeout_seconds):
            raise StorageUnavailable(
                "another import or change is running: try again when it has ended"
            )
        unit = _Unit(self.database)
        tm.get().join(_Commit(self, unit, tm))
        return WritableStorage(
            users=MemoryUserWriter(unit),
            tokens=MemoryTokenWriter(unit),
            jwts=MemoryJwtWriter(unit),
            sessions=MemorySessionWriter(unit),
            usage=MemoryUsageWriter(unit),
            data=MemoryDataWriter(unit),
            history=MemoryHistoryWriter(unit),
            rates=MemoryRateWriter(unit),
            transfers=MemoryTransferWriter(unit),
            uploads=MemoryUploadWriter(unit),
            audit=MemoryAuditWriter(unit),
            origin=origin,
        )

    def check(self) -> None:
        """Memory is always there."""

    def totals(self) -> Totals:
        users = self.database.users.values()
        return Totals(users=len(users), revisions=sum(user.data.revision for user in users))

    def upgrade(self) -> None:
        """There is nothing older than this process."""

    def close(self) -> None:
        """There are no connections."""


@implementer(IDataManager)
class _Commit:
    """Puts a writer's database in place when its transaction commits."""

    def __init__(
        self, backend: MemoryBackend, unit: _Unit, tm: transaction.TransactionManager
    ) -> None:
        self.backend = backend
        self.unit = unit
        self.transaction_manager = tm

    def abort(self, transaction: Any) -> None:
        self.backend.write_lock.release()

    def tpc_begin(self, transaction: Any) -> None: ...

    def commit(self, transaction: Any) -> None: ...

    def tpc_vote(self, transaction: Any) -> None: ...

    def tpc_finish(self, transaction: Any) -> None:
        self.backend.database = self.unit.database
        self.backend.write_lock.release()

    def tpc_abort(self, transaction: Any) -> None:
        self.backend.write_lock.release()

    def sortKey(self) -> str:  # noqa: N802 (the interface's name)
        return "finance_api.memory"


def from_settings(settings: Mapping[str, Any]) -> MemoryBackend:
    """An empty storage; `finance_api.preload` fills it."""
    return MemoryBackend()


class _Part:
    """The part of a unit of work for one role."""

    def __init__(self, unit: _Unit) -> None:
        self._unit = unit


class MemoryUserReader(_Part, UserReader):
    def get(self, email: str) -> User:
        for user in self._unit.database.users.values():
            if user.email == email:
                return user
        raise NotFound(f"there is no user {email}")

    def list_all(self) -> list[User]:
        return sorted(self._unit.database.users.values(), key=lambda user: user.email)

    def list_with_past_states(self, before: int) -> list[int]:
        states = self._unit.database.states
        counts = Counter(
            user_id for (user_id, _), state in states.items() if state.changed_at < before
        )
        return [user_id for user_id, count in counts.items() if count > 1]


class MemoryUserWriter(MemoryUserReader, UserWriter):
    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        users = self._unit.database.users
        if any(user.email == email for user in users.values()):
            raise Conflict(f"there is a user {email} already")
        user = User(
            self._unit.database.next_user_id,
            uuid,
            email,
            premium,
            True,
            password_hash,
            created_at,
            data=DataState(0, created_at),
        )
        states = self._unit.database.states | {(user.id, 0): user.data}
        self._unit.change(next_user_id=user.id + 1, users=users | {user.id: user}, states=states)
        return user

    def lock(self, user_id: int) -> User:
        return self._unit.user(user_id)

    def update(self, user_id: int, **changes: Any) -> User:
        return self._unit.update_user(user_id, **changes)

    def delete(self, user_id: int) -> None:
        database = self._unit.database
        self._unit.user(user_id)
        self._unit.change(
            users={k: user for k, user in database.users.items() if k != user_id},
            tokens={k: t for k, t in database.tokens.items() if t.user_id != user_id},
            jwts={k: j for k, j in database.jwts.items() if j.user_id != user_id},
            sessions={k: s for k, s in database.sessions.items() if s.user_id != user_id},
            usage={k: n for k, n in database.usage.items() if k[0] != user_id},
            token_usage={k: n for k, n in database.token_usage.items() if k[0] != user_id},
            tables={k: table for k, table in database.tables.items() if k[0] != user_id},
            states={k: state for k, state in database.states.items() if k[0] != user_id},
            history={k: entry for k, entry in database.history.items() if k[0] != user_id},
            proposals={k: p for k, p in database.proposals.items() if k != user_id},
            before={k: images for k, images in database.before.items() if k[0] != user_id},
            uploads={k: u for k, u in database.uploads.items() if k[0] != user_id},
            upload_pieces={k: p for k, p in database.upload_pieces.items() if k[0] != user_id},
            audit=tuple(entry for entry in database.audit if entry.user_id != user_id),
        )


class MemoryTokenReader(_Part, TokenReader):
    def get_owner(self, sha256: str) -> tuple[Token, User]:
        for token in self._unit.database.tokens.values():
            if token.sha256 == sha256:
                return token, self._unit.user(token.user_id)
        raise NotFound("there is no such token")

    def list_by_user(self, user_id: int) -> list[Token]:
        tokens = [t for t in self._unit.database.tokens.values() if t.user_id == user_id]
        return sorted(tokens, key=lambda token: (token.created_at, token.id))


class MemoryTokenWriter(MemoryTokenReader, TokenWriter):
    def add(self, token: Token) -> None:
        self._unit.user(token.user_id)
        self._unit.change(tokens=self._unit.database.tokens | {token.id: token})

    def update(self, token_id: str, *, user_id: int, **changes: Any) -> Token:
        token = replace(self._get(token_id, user_id), **changes)
        self._unit.change(tokens=self._unit.database.tokens | {token_id: token})
        return token

    def revoke(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        token = self._get(token_id, user_id)
        if token.revoked_at is None:
            token = self.update(token_id, user_id=token.user_id, revoked_at=at)
        return token

    def _get(self, token_id: str, user_id: int | None) -> Token:
        token = self._unit.database.tokens.get(token_id)
        if token is None or user_id not in (None, token.user_id):
            raise NotFound("there is no such token")
        return token

    def revoke_all(self, user_id: int, at: int) -> None:
        for token in self.list_by_user(user_id):
            self.revoke(token.id, at)

    def set_used(self, used_at: Mapping[str, int]) -> None:
        tokens = dict(self._unit.database.tokens)
        for token_id, at in used_at.items():
            token = tokens.get(token_id)
            if token is not None and (token.last_used_at or at) <= at:
                tokens[token_id] = replace(token, last_used_at=at)
        self._unit.change(tokens=tokens)


class MemoryJwtReader(_Part, JwtReader):
    def get_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        for user in self._unit.database.users.values():
            if uuid in (None, user.uuid) and email in (None, user.email):
                jwt = self._unit.database.jwts.get(jti)
                return user, jwt is not None and jwt.revoked_at is not None
        raise NotFound("there is no such user")

    def list_by_user(self, user_id: int) -> list[Jwt]:
        jwts = [jwt for jwt in self._unit.database.jwts.values() if jwt.user_id == user_id]
        return sorted(jwts, key=lambda jwt: (jwt.issued_at or 0, jwt.jti))


class MemoryJwtWriter(MemoryJwtReader, JwtWriter):
    def add(self, jwt: Jwt) -> None:
        if jwt.jti in self._unit.database.jwts:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        if jwt.user_id is not None:
            self._unit.user(jwt.user_id)
        self._unit.change(jwts=self._unit.database.jwts | {jwt.jti: jwt})

    def revoke(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        jwt = self._unit.database.jwts.get(jti)
        if jwt is None or user_id not in (None, jwt.user_id):
            raise NotFound("there is no such JWT")
        if jwt.revoked_at is None:
            jwt = replace(jwt, revoked_at=at)
            self._unit.change(jwts=self._unit.database.jwts | {jti: jwt})
        return jwt

    def revoke_all(self, user_id: int, at: int) -> None:
        before = self._unit.user(user_id).jwts_revoked_at
        self._unit.update_user(user_id, jwts_revoked_at=max(at, before or at))
        for jwt in self.list_by_user(user_id):
            if (jwt.issued_at or 0) <= at:
                self.revoke(jwt.jti, at)

    def prune(self, before: int) -> None:
        jwts = self._unit.database.jwts
        self._unit.change(jwts={k: jwt for k, jwt in jwts.items() if jwt.expires_at >= before})


class MemorySessionReader(_Part, SessionReader):
    def get_owner(self, sha256: str) -> tuple[Session, User]:
        session = self._unit.database.sessions.get(sha256)
        if session is None:
            raise NotFound("there is no such session")
        return session, self._unit.user(session.user_id)

    def list_by_user(self, user_id: int) -> list[Session]:
        found = [s for s in self._unit.database.sessions.values() if s.user_id == user_id]
        return sorted(found, key=lambda s: (-s.created_at, s.sha256))


class MemorySessionWriter(MemorySessionReader, SessionWriter):
    def add(self, session: Session) -> None:
        self._unit.user(session.user_id)
        self._unit.change(sessions=self._unit.database.sessions | {session.sha256: session})

    def set_seen(self, seen_at: Mapping[str, int]) -> None:
        sessions = dict(self._unit.database.sessions)
        for sha256, at in seen_at.items():
            session = sessions.get(sha256)
            if session is not None and session.seen_at < at:
                sessions[sha256] = replace(session, seen_at=at)
        self._unit.change(sessions=sessions)

    def delete(self, sha256: str) -> None:
        self._keep(lambda session: session.sha256 != sha256)

    def delete_all(self, user_id: int) -> None:
        self._keep(lambda session: session.user_id != user_id)

    def prune(self, *, created_before: int, seen_before: int) -> None:
        self._keep(lambda s: s.created_at >= created_before and s.seen_at >= seen_before)

    def _keep(self, condition: Callable[[Session], bool]) -> None:
        sessions = self._unit.database.sessions
        self._unit.change(sessions={k: s for k, s in sessions.items() if condition(s)})


class MemoryUsageReader(_Part, UsageReader):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        return sorted(
            (day, count)
            for (owner_id, day), count in self._unit.database.usage.items()
            if owner_id == user_id and start <= day < end
        )

    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        sums: Counter[str] = Counter()
        for (owner_id, day, token_id), count in self._unit.database.token_usage.items():
            if owner_id == user_id and start <= day < end:
                sums[token_id] += count
        return dict(sums)


class MemoryUsageWriter(MemoryUsageReader, UsageWriter):
    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        usage = dict(self._unit.database.usage)
        for (user_id, day), count in requests.items():
            if user_id in self._unit.database.users:
                usage[user_id, day] = usage.get((user_id, day), 0) + count
        self._unit.change(usage=usage)

    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        usage = dict(self._unit.database.token_usage)
        for key, count in requests.items():
            if key[0] in self._unit.database.users:
                usage[key] = usage.get(key, 0) + count
        self._unit.change(token_usage=usage)

    def prune(self, before: int) -> None:
        usage, by_token = self._unit.database.usage, self._unit.database.token_usage
        self._unit.change(
            usage={key: n for key, n in usage.items() if key[1] >= before},
            token_usage={key: n for key, n in by_token.items() if key[1] >= before},
        )


class MemoryDataReader(_Part, DataReader):
    def get_state(self, user_id: int) -> DataState:
        return self._unit.user(user_id).data

    def _table(self, user_id: int, resource: Resource) -> _Table:
        return self._unit.database.tables.get((user_id, resource.name)) or _Table()

    def _rows(self, user_id: int, resource: Resource) -> dict[str, Row]:
        return self._table(user_id, resource).rows

    def _matching(self, user_id: int, query: Query) -> list[Row]:
        """The whole list, in no order."""
        rows = self._rows(user_id, query.resource).values()
        return [row for row in rows if matches(row, query.conditions)]

    def list_rows(self, user_id: int, query: Query) -> Page:
        found = sorted_rows(self._matching(user_id, query), query.sort)
        names = names_of(query.resource.listed_fields)
        end = query.offset + query.limit
        page = [{name: row[name] for name in names} for row in found[query.offset : end]]
        return Page(page, len(found) > end, len(found) if query.with_total else None)

    def count_rows(self, user_id: int, query: Query) -> int:
        return len(self._matching(user_id, query))

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        found = sorted_rows(self._matching(user_id, query), query.sort)
        for start in range(0, len(found), STREAMED_ROWS):
            yield encoder_of(query.resource).lines(found[start : start + STREAMED_ROWS])

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        rows = self._rows(user_id, resource)
        return {row_id: dict(rows[row_id]) for row_id in ids if row_id in rows}

    def get_transfers(self, user_id: int, ids: Collection[str]) -> dict[str, list[Row]]:
        wanted, found = set(ids), dict[str, list[Row]]()
        rows = [r for r in self._rows(user_id, RECORDS).values() if r["transferId"] in wanted]
        for row in sorted(rows, key=itemgetter("id")):
            found.setdefault(row["transferId"], []).append(dict(row))
        return {transfer_id: same[:2] for transfer_id, same in found.items()}

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        table = self._table(user_id, resource)
        keys = (
            (source_id, table.ids_by_source.get((source, source_id))) for source_id in source_ids
        )
        return {source_id: dict(table.rows[row_id]) for source_id, row_id in keys if row_id}

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

    def list_changes(
        self,
        user_id: int,
        resources: Sequence[Resource],
        *,
        rows_after: ChangeKey,
        deletions_after: ChangeKey,
        limit: int,
        revisions: Collection[int] = (),
    ) -> Changes:
        by_name = {resource.name: resource for resource in resources}
        found: list[ChangeKey] = []
        for name, resource in by_name.items():
            table = self._table(user_id, resource)
            deletions = [(n, name, row_id) for row_id, n in table.deletions.items()]
            found += [key for key in deletions if key > deletions_after]
            if not resource.computed_fields:
                rows = [(n, name, row_id) for row_id, n in table.revisions.items()]
                found += [key for key in rows if key > rows_after]
        lines = [
            Change(n, by_name[name], row_id, self._shown(user_id, by_name[name], row_id)).line
            for n, name, row_id in sorted(found)[:limit]
        ]
        known = self._unit.database.states
        tags = {n: known[user_id, n].tag for n in revisions if (user_id, n) in known}
        return Changes(self.get_state(user_id), tags, lines)

    def _shown(self, user_id: int, resource: Resource, row_id: str) -> bytes | None:
        row = self._rows(user_id, resource).get(row_id)
        return None if row is None else _encode_shown(resource)(row)

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> dict[tuple[Any, ...], RecordSum]:
        sums: dict[tuple[Any, ...], RecordSum] = {}
        for row in self._counted(user_id, conditions, with_void):
            key, at = group_of(row, tuple(names)), row["recordDate"]
            one = RecordSum(row["amount"], 1, at, at)
            sums[key] = sums[key].joined(one) if key in sums else one
        return sums

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        found = self._counted(user_id, conditions, with_void)
        return [(*group_of(row, tuple(names)), row["amount"]) for row in found]

    def _counted(
        self, user_id: int, conditions: Sequence[Condition], with_void: bool
    ) -> Iterator[Row]:
        for row in self._rows(user_id, RECORDS).values():
            if (with_void or row["recordState"] != VOID) and matches(row, conditions):
                yield row


class MemoryDataWriter(MemoryDataReader, DataWriter):
    def lock(self, user_id: int) -> DataState:
        return self.get_state(user_id)

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        table, revision = self._own_table(user_id, resource), self._next_revision(user_id)
        shown = _encode_shown(resource)
        unchanged = {
            row["id"]
            for row in changed
            if row["id"] in table.rows and shown(table.rows[row["id"]]) == shown(row)
        }
        # All at once: they may exchange their source ids.
        for row in changed:
            table.delete(row["id"])
        for row in new:
            if row["id"] in table.rows:
                raise Conflict(f"there is a row {row['id']} already")
            table.put(row)
        for row in changed:
            table.put(row)
        for row in (*new, *changed):
            if row["id"] not in unchanged:
                table.revisions[row["id"]] = revision
            table.deletions.pop(row["id"], None)

    def _next_revision(self, user_id: int) -> int:
        return self.get_state(user_id).revision + 1

    def _own_table(self, user_id: int, resource: Resource) -> _Table:
        """The table, for this unit of work to change."""
        key = (user_id, resource.name)
        if key not in self._unit.copied:
            table = self._table(user_id, resource).copy()
            self._unit.change(tables=self._unit.database.tables | {key: table})
            self._unit.copied.add(key)
        return self._unit.database.tables[key]

    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        table, revision = self._own_table(user_id, resource), self._next_revision(user_id)
        for row_id in ids:
            if table.delete(row_id):
                del table.revisions[row_id]
                table.deletions[row_id] = revision

    def set_state(self, user_id: int, state: DataState) -> None:
        self._unit.update_user(user_id, data=state)
        states = self._unit.database.states | {(user_id, state.revision): state}
        self._unit.change(states=states)

    def forget_states(self, user_id: int, before: int) -> None:
        states = self._unit.database.states
        old = [k[1] for k, s in states.items() if k[0] == user_id and s.changed_at < before]
        if not old:
            return
        first = max(old)
        kept = {k: s for k, s in states.items() if k[0] != user_id or k[1] >= first}
        self._unit.change(states=kept)
        for resource in RESOURCES:
            table = self._own_table(user_id, resource)
            for row_id in [i for i, revision in table.deletions.items() if revision <= first]:
                del table.deletions[row_id]


class MemoryHistoryReader(_Part, HistoryReader):
    def list_entries(self, user_id: int) -> list[HistoryEntry]:
        return [e for key, e in sorted(self._unit.database.history.items()) if key[0] == user_id]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        images = self._unit.database.before.get((user_id, number), {})
        return [images[key] for key in sorted(images) if key > after][:limit]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        images = self._unit.database.before.get((user_id, number), {})
        keys = [(resource.name, row_id) for row_id in ids]
        return {key[1]: images[key] for key in keys if key in images}


class MemoryHistoryWriter(MemoryHistoryReader, HistoryWriter):
    def add(self, user_id: int, entry: HistoryEntry) -> None:
        key = (user_id, entry.number)
        if key in self._unit.database.history:
            raise Conflict(f"there is an entry {entry.number} of the history already")
        self._unit.change(history=self._unit.database.history | {key: entry})

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        key = (user_id, number)
        entry = replace(self._unit.database.history[key], undone_at=at)
        self._unit.change(history=self._unit.database.history | {key: entry})

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        added = {(image.resource.name, image.row_id): image for image in images}
        key = (user_id, number)
        kept = self._unit.database.before.get(key, {})
        both = kept | added if replace else added | kept
        self._unit.change(before=self._unit.database.before | {key: both})

    def prune_before(self, user_id: int, at: int) -> None:
        old = {k for k, e in self._unit.database.history.items() if k[0] == user_id and e.at < at}
        database = self._unit.database
        pruned = {key: replace(database.history[key], pruned=True) for key in old}
        self._unit.change(
            history=database.history | pruned,
            before={k: images for k, images in database.before.items() if k not in old},
        )


class MemoryRateReader(_Part, RateReader):
    def get_state(self) -> RatesState:
        return self._unit.database.rates_state

    def list_days(self, days: Collection[int] | None = None) -> list[DayRates]:
        rates = self._unit.database.rates
        return [found for key, found in sorted(rates.items()) if days is None or key[0] in days]


class MemoryRateWriter(MemoryRateReader, RateWriter):
    def lock(self) -> RatesState:
        return self.get_state()

    def put(self, rates: Sequence[DayRates]) -> None:
        added = {(each.day, each.base): each for each in rates}
        self._unit.change(rates=self._unit.database.rates | added)

    def set_state(self, state: RatesState) -> None:
        self._unit.change(rates_state=state)


class MemoryTransferReader(_Part, TransferReader):
    def _proposals(self, user_id: int) -> list[TransferProposal]:
        return self._unit.database.proposals.get(user_id, [])

    def count(self, user_id: int) -> int:
        return len(self._proposals(user_id))

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        found = sorted(self._proposals(user_id), key=lambda p: (-p.day, p.out_id))
        return found[offset : offset + limit]


class MemoryTransferWriter(MemoryTransferReader, TransferWriter):
    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        kept = [p for p in self._proposals(user_id) if not first <= p.day < end]
        self._set(user_id, [*kept, *proposals])

    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        gone = set(record_ids)
        kept = [p for p in self._proposals(user_id) if p.out_id not in gone and p.in_id not in gone]
        self._set(user_id, kept)

    def _set(self, user_id: int, proposals: list[TransferProposal]) -> None:
        if proposals != self._proposals(user_id):
            known = self._unit.database.proposals | {user_id: proposals}
            self._unit.change(proposals={k: found for k, found in known.items() if found})


class MemoryUploadReader(_Part, UploadReader):
    def get(self, user_id: int, upload_id: str) -> Upload:
        upload = self._unit.database.uploads.get((user_id, upload_id))
        if upload is None:
            raise NotFound("there is no such upload")
        return upload

    def list_by_user(self, user_id: int) -> list[Upload]:
        found = [u for key, u in self._unit.database.uploads.items() if key[0] == user_id]
        return sorted(found, key=lambda upload: (upload.created_at, upload.id))

    def get_piece(self, user_id: int, upload_id: str, number: int) -> bytes:
        pieces = self._unit.database.upload_pieces.get((user_id, upload_id), ())
        return pieces[number] if number < len(pieces) else b""


class MemoryUploadWriter(MemoryUploadReader, UploadWriter):
    def add(self, user_id: int, upload: Upload, pieces: Iterable[bytes]) -> None:
        self._unit.user(user_id)
        key, database = (user_id, upload.id), self._unit.database
        self._unit.change(
            uploads=database.uploads | {key: upload},
            upload_pieces=database.upload_pieces | {key: tuple(pieces)},
        )

    def change(self, user_id: int, upload: Upload, **changes: Any) -> Upload:
        if self.get(user_id, upload.id).step != upload.step:
            raise Conflict("the upload was changed meanwhile")
        return self._put(user_id, upload.id, step=upload.step + 1, **changes)

    def _put(self, user_id: int, upload_id: str, **changes: Any) -> Upload:
        upload = replace(self.get(user_id, upload_id), **changes)
        self._unit.change(uploads=self._unit.database.uploads | {(user_id, upload_id): upload})
        return upload

    def set_alive(self, uploads: Collection[tuple[int, str]], at: int) -> None:
        for key in self._unit.database.uploads.keys() & set(uploads):
            self._put(*key, alive_at=at)

    def drop_content(self, user_id: int, upload_id: str) -> None:
        pieces = self._unit.database.upload_pieces
        gone = (user_id, upload_id)
        self._unit.change(upload_pieces={k: p for k, p in pieces.items() if k != gone})

    def delete(self, user_id: int, upload_id: str) -> None:
        self.drop_content(user_id, upload_id)
        uploads = self._unit.database.uploads
        gone = (user_id, upload_id)
        self._unit.change(uploads={k: u for k, u in uploads.items() if k != gone})

    def prune(self, *, created_before: int, alive_before: int) -> None:
        for (user_id, upload_id), upload in self._unit.database.uploads.items():
            if upload.created_at < created_before and upload.alive_at < alive_before:
                self.delete(user_id, upload_id)


class MemoryAuditReader(_Part, AuditReader):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        found = [
            entry
            for entry in reversed(self._unit.database.audit)
            if user_id in (None, entry.user_id) and entry.at >= since
        ]
        return sorted(found, key=lambda entry: entry.at, reverse=True)[:limit]


class MemoryAuditWriter(MemoryAuditReader, AuditWriter):
    def add(self, entry: AuditEntry) -> None:
        database = self._unit.database
        if entry.user_id is None or entry.user_id in database.users:
            self._unit.change(audit=(*database.audit, entry))

    def prune(self, before: int) -> None:
        kept = tuple(entry for entry in self._unit.database.audit if entry.at >= before)
        self._unit.change(audit=kept)
