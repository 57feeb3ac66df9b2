"""Users, their credentials (API tokens, JSON Web Tokens, sessions), and their saved questions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    DataState,
    Jwt,
    Question,
    QuestionLink,
    Session,
    Token,
    User,
    UserWriter,
)
from finance_api.storage.interface.users import E, N, Owned, R, S
from finance_api.storage.sql.connections.failures import is_duplicate
from finance_api.storage.sql.connections.unit import STATE_OF_USER, Part, Query, ResultRow
from finance_api.storage.sql.parameters import USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import (
    STATE_COLUMNS,
    data_states,
    jwts,
    question_links,
    questions,
    sessions,
    tokens,
    user_data,
    users,
)

#: The columns for the fields of `User`, in order, without the state of the data.
_USER_COLUMNS = [users.c[field.name] for field in fields(User) if field.name != "data"]
_WIDTH = len(_USER_COLUMNS)


def _to_user(row: Sequence[Any], state: Sequence[Any]) -> User:
    """Make a user from the values of _USER_COLUMNS and of STATE_COLUMNS."""
    user_id, uuid, email, premium, enabled, *others = row
    # A user who was deleted only in part has no state.
    data = DataState(0, 0) if state[0] is None else DataState(*state)
    # SQLite has no booleans.
    values = (user_id, uuid, email, bool(premium), bool(enabled), *others, data)
    return User(*values)


def _with_owner(
    is_cluster: bool, *columns: sa.ColumnElement[Any], source: sa.FromClause = users
) -> sa.Select[Any]:
    """Select columns, then a user, then the state of the user's data if the query can read it."""
    if is_cluster:
        return sa.select(*columns, *_USER_COLUMNS).select_from(source)
    joined = source.outerjoin(user_data, user_data.c.user_id == users.c.id)
    return sa.select(*columns, *_USER_COLUMNS, *STATE_COLUMNS).select_from(joined)


_WANTED = text_parameter("wanted")
_NO_STATE = (None,) * len(STATE_COLUMNS)


def _user(database: str, is_cluster: bool, key: str) -> sa.Select[Any]:
    """Select the user whose key column (id or email) has the given value."""
    value = USER if key == "id" else _WANTED
    return _with_owner(is_cluster).where(users.c[key] == value)


_ALL_USERS = sa.select(*_USER_COLUMNS).order_by(users.c.email)
_ALL_STATES = sa.select(user_data.c.user_id, *STATE_COLUMNS)
_USERS_WITH_PAST_STATES = (
    sa.select(data_states.c.user_id)
    .where(data_states.c.changed_at < number_parameter("before"))
    .group_by(data_states.c.user_id)
    .having(sa.func.count() > sa.literal_column("1"))
)


class _Kind(NamedTuple):
    """How objects of a class are stored. key: the name of the column with their id.

    order: of the objects of a user. used: the name of the column with the time of their last use.
    """

    table: sa.Table
    key: str
    order: Sequence[sa.ColumnElement[Any]]
    used: str = ""

    def columns(self, kind: type[Any]) -> list[sa.Column[Any]]:
        """Return the columns for the fields of the class."""
        return [self.table.c[field.name] for field in fields(kind)]


_KINDS: dict[type[Any], _Kind] = {
    Token: _Kind(tokens, "id", (tokens.c.created_at, tokens.c.id), "last_used_at"),
    QuestionLink: _Kind(
        question_links, "id", (question_links.c.created_at, question_links.c.id), "last_used_at"
    ),
    Session: _Kind(
        sessions, "sha256", (sessions.c.created_at.desc(), sessions.c.sha256), "seen_at"
    ),
    Jwt: _Kind(jwts, "jti", (jwts.c.issued_at, jwts.c.jti)),
    Question: _Kind(questions, "id", (questions.c.name,)),
}


def _of_user(database: str, kind: type[Any]) -> sa.Select[Any]:
    stored = _KINDS[kind]
    own = stored.table.c.user_id == USER
    return sa.select(*stored.columns(kind)).where(own).order_by(*stored.order)


def _and_owner(database: str, is_cluster: bool, kind: type[Any]) -> sa.Select[Any]:
    """Select the token, link or session with a given digest, and its user."""
    table = _KINDS[kind].table
    joined = table.join(users, users.c.id == table.c.user_id)
    owned = _with_owner(is_cluster, *_KINDS[kind].columns(kind), source=joined)
    return owned.where(table.c.sha256 == text_parameter("digest"))


def _jwt_owner(database: str, is_cluster: bool, key: str) -> sa.Select[Any]:
    """Select whether a JWT is revoked, and a user. key: the user's column, uuid or email."""
    jti = text_parameter("jti")
    revoked = sa.exists().where(jwts.c.jti == jti, jwts.c.revoked_at.is_not(None))
    return _with_owner(is_cluster, revoked).where(users.c[key] == _WANTED)


_SCOPES = [field.name for field in fields(Token)].index("scopes")


def _make(kind: type[Any], row: Sequence[Any]) -> Any:
    """Make an object from the values of its columns."""
    values = list(row)
    if kind is Token and values[_SCOPES] is not None:
        values[_SCOPES] = tuple(values[_SCOPES].split())
    return kind(*values)


_QUESTION = sa.select(*_KINDS[Question].columns(Question)).where(
    questions.c.user_id == USER, questions.c.id == text_parameter("question")
)


class SqlUsers(Part, UserWriter):
    def _fetch_owners(
        self, build: Query, *shape: Any, values: dict[str, Any]
    ) -> list[tuple[ResultRow, User]]:
        """Return the rows of a query made by `_with_owner`, each with its user."""
        is_cluster = self.connection.is_cluster
        found = self.connection.fetch(build, is_cluster, *shape, values=values)
        if is_cluster:
            found = [(*row, *self._fetch_state(row[-_WIDTH])) for row in found]
        end, start = -len(STATE_COLUMNS), -len(STATE_COLUMNS) - _WIDTH
        return [(row[:start], _to_user(row[start:end], row[end:])) for row in found]

    def _fetch_state(self, user_id: int) -> ResultRow:
        found = self.connection.fetch(STATE_OF_USER, values={"user": user_id})
        return found[0] if found else _NO_STATE

    def get(self, email: str) -> User:
        for _, user in self._fetch_owners(_user, "email", values={"wanted": email}):
            return user
        raise NotFound(f"there is no user {email}")

    def list_all(self) -> list[User]:
        found = self.connection.fetch(_ALL_USERS, values={})
        states = {key: state for key, *state in self.connection.fetch(_ALL_STATES, values={})}
        return [_to_user(row, states.get(row[0], _NO_STATE)) for row in found]

    def list_with_past_states(self, before: int) -> list[int]:
        found = self.connection.fetch(_USERS_WITH_PAST_STATES, values={"before": before})
        return [user_id for (user_id,) in found]

    def add(
        self, *, uuid: str, email: str, premium: bool, password_hash: str | None, created_at: int
    ) -> User:
        values = {
            "uuid": uuid,
            "email": email,
            "premium": premium,
            "enabled": True,
            "password_hash": password_hash,
            "created_at": created_at,
        }
        try:
            added = self.connection.execute(sa.insert(users).values(values).returning(users.c.id))
            user_id = added.scalar_one()
        except IntegrityError as error:
            raise Conflict(f"a user {email} already exists") from error
        # A crash may have left data of a user who was never added, whose id is now used again.
        self.connection.execute(sa.delete(user_data).where(user_data.c.user_id == user_id))
        state = asdict(DataState(0, created_at))
        for table in (user_data, data_states):
            self.connection.execute(sa.insert(table).values(user_id=user_id, **state))
        return self._get(user_id)

    def lock(self, user_id: int) -> User:
        # On SQLite a writer locks the whole database. On PostgreSQL, lock a number instead of the
        # row, because `update` locks the row. Only this uses negative numbers.
        if self.connection.database == "postgresql":
            self.connection.execute(sa.select(sa.func.pg_advisory_xact_lock(-user_id)))
        return self._get(user_id)

    def update(self, user_id: int, **changes: Any) -> User:
        self.connection.execute(sa.update(users).where(users.c.id == user_id).values(**changes))
        return self._get(user_id)

    def _get(self, user_id: int) -> User:
        for _, user in self._fetch_owners(_user, "id", values={"user": user_id}):
            return user
        raise NotFound("there is no such user")

    def delete(self, user_id: int) -> None:
        # The foreign keys cascade, so the user's rows in other tables are deleted, too. Delete the
        # data first: this waits for an import to end, and a half-done deletion can be repeated.
        self.connection.execute(sa.delete(user_data).where(user_data.c.user_id == user_id))
        if self.connection.execute(sa.delete(users).where(users.c.id == user_id)).rowcount == 0:
            raise NotFound("there is no such user")

    # -- what belongs to users

    def get_owner(self, kind: type[S], sha256: str) -> tuple[S, User]:
        for row, owner in self._fetch_owners(_and_owner, kind, values={"digest": sha256}):
            return _make(kind, row), owner
        raise NotFound(f"there is no such {kind.noun}")

    def get_jwt_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        key, wanted = ("uuid", uuid) if uuid is not None else ("email", email)
        values = {"jti": jti, "wanted": wanted}
        for (is_revoked,), owner in self._fetch_owners(_jwt_owner, key, values=values):
            return owner, bool(is_revoked)
        raise NotFound("there is no such user")

    def get_question(self, user_id: int, question_id: str) -> Question:
        values = {"user": user_id, "question": question_id}
        for row in self.connection.fetch(_QUESTION, values=values):
            return Question(*row)
        raise NotFound("there is no such question")

    def list_owned(self, kind: type[E], user_id: int) -> list[E]:
        found = self.connection.fetch(_of_user, kind, values={"user": user_id})
        return [_make(kind, row) for row in found]

    def add_owned(self, owned: Owned) -> None:
        values = asdict(owned)
        if values.get("scopes") is not None:
            values["scopes"] = " ".join(values["scopes"])
        try:
            self.connection.execute(sa.insert(_KINDS[type(owned)].table).values(values))
        except IntegrityError as error:
            if is_duplicate(error):
                raise Conflict(f"there is such a {owned.noun} already") from error
            raise NotFound("there is no such user") from error

    def update_owned(self, kind: type[N], key: str, *, user_id: int, **changes: Any) -> N:
        try:
            owned: N = self._change(kind, key, user_id, **changes)
        except IntegrityError as error:
            raise Conflict(f"there is such a {kind.noun} already") from error
        return owned

    def set_used(self, kind: type[S], used_at: Mapping[str, int]) -> None:
        if not used_at:
            return
        stored = _KINDS[kind]
        used, at = stored.table.c[stored.used], sa.bindparam("at", type_=sa.BigInteger)
        self.connection.execute(
            sa.update(stored.table)
            .where(stored.table.c[stored.key] == sa.bindparam("used"))
            .where(sa.or_(used.is_(None), used < at))
            .values({used: at}),
            # Always in the same order, so that two processes cannot wait for each other.
            [{"used": name, "at": second} for name, second in sorted(used_at.items())],
        )

    def _change(
        self,
        kind: type[Any],
        key: str,
        user_id: int | None,
        *further: sa.ColumnElement[bool],
        **values: Any,
    ) -> Any:
        """Change an object, and return it.

        user_id: the user that it must belong to; None if any user is allowed. further: conditions
        without which it stays as it is.
        """
        stored = _KINDS[kind]
        wanted = [stored.table.c[stored.key] == key]
        if user_id is not None:
            wanted.append(stored.table.c.user_id == user_id)
        self.connection.execute(sa.update(stored.table).where(*wanted, *further).values(**values))
        found = sa.select(*stored.columns(kind)).where(*wanted)
        row = self.connection.execute(found).first()
        if row is None:
            raise NotFound(f"there is no such {kind.noun}")
        return _make(kind, row)

    def revoke(self, kind: type[R], key: str, at: int, *, user_id: int | None = None) -> R:
        active = _KINDS[kind].table.c.revoked_at.is_(None)
        credential: R = self._change(kind, key, user_id, active, revoked_at=at)
        return credential

    def revoke_all(self, kind: type[R], user_id: int, at: int) -> None:
        table = _KINDS[kind].table
        active = table.c.user_id == user_id, table.c.revoked_at.is_(None)
        self.connection.execute(sa.update(table).where(*active).values(revoked_at=at))

    def delete_question(self, user_id: int, question_id: str) -> None:
        which = (questions.c.user_id == user_id) & (questions.c.id == question_id)
        if self.connection.execute(sa.delete(questions).where(which)).rowcount == 0:
            raise NotFound("there is no such question")

    def delete_session(self, sha256: str) -> None:
        self.connection.execute(sa.delete(sessions).where(sessions.c.sha256 == sha256))

    def delete_sessions(self, user_id: int) -> None:
        self.connection.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))

    def prune_sessions(self, *, created_before: int, seen_before: int) -> None:
        old = sa.or_(sessions.c.created_at < created_before, sessions.c.seen_at < seen_before)
        self.connection.execute(sa.delete(sessions).where(old))

    def prune_jwts(self, before: int) -> None:
        self.connection.execute(sa.delete(jwts).where(jwts.c.expires_at < before))
