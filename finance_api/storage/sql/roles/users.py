"""Users, their credentials (API tokens, JSON Web Tokens, sessions), and their saved questions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, ClassVar, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    DataState,
    Jwt,
    JwtWriter,
    LinkWriter,
    Question,
    QuestionLink,
    QuestionWriter,
    Session,
    SessionWriter,
    Token,
    TokenWriter,
    User,
    UserWriter,
)
from finance_api.storage.sql.connections.failures import is_duplicate
from finance_api.storage.sql.connections.unit import STATE_OF_USER, Part, Query, ResultRow
from finance_api.storage.sql.parameters import USER, number_parameter, text_parameter
from finance_api.storage.sql.tables import (
    STATE_COLUMNS,
    data_states,
    jwts,
    metadata,
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


class _Owners(Part):
    def fetch_owners(
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


class SqlUsers(_Owners, UserWriter):
    def get(self, email: str) -> User:
        for _, user in self.fetch_owners(_user, "email", values={"wanted": email}):
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
        for _, user in self.fetch_owners(_user, "id", values={"user": user_id}):
            return user
        raise NotFound("there is no such user")

    def delete(self, user_id: int) -> None:
        # The foreign keys cascade, so the user's rows in other tables are deleted, too. Delete the
        # data first: this waits for an import to end, and a half-done deletion can be repeated.
        self.connection.execute(sa.delete(user_data).where(user_data.c.user_id == user_id))
        if self.connection.execute(sa.delete(users).where(users.c.id == user_id)).rowcount == 0:
            raise NotFound("there is no such user")


_COLUMNS = {
    table.name: [table.c[field.name] for field in fields(kind)]
    for table, kind in (
        (tokens, Token),
        (question_links, QuestionLink),
        (jwts, Jwt),
        (sessions, Session),
        (questions, Question),
    )
}
_ORDERS: dict[str, tuple[sa.ColumnElement[Any], ...]] = {
    "tokens": (tokens.c.created_at, tokens.c.id),
    "question_links": (question_links.c.created_at, question_links.c.id),
    "jwts": (jwts.c.issued_at, jwts.c.jti),
    "sessions": (sessions.c.created_at.desc(), sessions.c.sha256),
    "questions": (questions.c.name,),
}


def _of_user(database: str, table: str) -> sa.Select[Any]:
    own = metadata.tables[table].c.user_id == USER
    return sa.select(*_COLUMNS[table]).where(own).order_by(*_ORDERS[table])


def _and_owner(database: str, is_cluster: bool, table: str) -> sa.Select[Any]:
    """Select the token, link or session with a given digest, and its user."""
    found = metadata.tables[table]
    joined = found.join(users, users.c.id == found.c.user_id)
    owned = _with_owner(is_cluster, *_COLUMNS[table], source=joined)
    return owned.where(found.c.sha256 == text_parameter("digest"))


R = TypeVar("R", Token, QuestionLink, Jwt, Session, Question)


class _Stored(_Owners, Generic[R]):
    """Objects of one kind that belong to users.

    table: the table with the objects. kind: the class of an object. noun: the word in messages.
    """

    table: ClassVar[sa.Table]
    kind: Callable[..., R]
    noun: ClassVar[str]

    def make(self, row: Sequence[Any]) -> R:
        """Make an object from the values of _COLUMNS."""
        return self.kind(*row)

    def list_by_user(self, user_id: int) -> list[R]:
        found = self.connection.fetch(_of_user, self.table.name, values={"user": user_id})
        return [self.make(row) for row in found]

    def add(self, credential: R) -> None:
        """Add an object. Raises Conflict if it exists, NotFound if there is no such user."""
        values = asdict(credential)
        if values.get("scopes") is not None:
            values["scopes"] = " ".join(values["scopes"])
        try:
            self.connection.execute(sa.insert(self.table).values(values))
        except IntegrityError as error:
            if is_duplicate(error):
                raise Conflict(f"there is such a {self.noun} already") from error
            raise NotFound("there is no such user") from error

    def revoke_one(self, key: sa.ColumnElement[bool], at: int, user_id: int | None) -> R:
        """Revoke a token or JWT, unless it is already revoked; return it.

        user_id: the user that the credential must belong to; None if any user is allowed.
        """
        wanted: list[sa.ColumnElement[bool]] = [key]
        if user_id is not None:
            wanted.append(self.table.c.user_id == user_id)
        return self.change([*wanted, self.table.c.revoked_at.is_(None)], wanted, revoked_at=at)

    def change(
        self,
        which: Sequence[sa.ColumnElement[bool]],
        wanted: Sequence[sa.ColumnElement[bool]],
        **values: Any,
    ) -> R:
        """Change the row that ``which`` selects, and return the row that ``wanted`` selects."""
        self.connection.execute(sa.update(self.table).where(*which).values(**values))
        found = sa.select(*_COLUMNS[self.table.name]).where(*wanted)
        row = self.connection.execute(found).first()
        if row is None:
            raise NotFound(f"there is no such {self.noun}")
        return self.make(row)


class _Credentials(_Stored[R]):
    """Credentials with a digest. key, used: the columns that `set_used` looks up and sets."""

    key: ClassVar[sa.ColumnElement[str]]
    used: ClassVar[sa.ColumnElement[int]]

    def get_owner(self, sha256: str) -> tuple[R, User]:
        values = {"digest": sha256}
        for row, owner in self.fetch_owners(_and_owner, self.table.name, values=values):
            return self.make(row), owner
        raise NotFound(f"there is no such {self.noun}")

    def set_used(self, used_at: Mapping[str, int]) -> None:
        if not used_at:
            return
        at: sa.ColumnElement[int] = sa.bindparam("at")
        self.connection.execute(
            sa.update(self.table)
            .where(self.key == sa.bindparam("used"), sa.or_(self.used.is_(None), self.used < at))
            .values({self.used: at}),
            # Always in the same order, so that two processes cannot wait for each other.
            [{"used": name, "at": second} for name, second in sorted(used_at.items())],
        )


_SCOPES = [field.name for field in fields(Token)].index("scopes")


class SqlTokens(_Credentials[Token], TokenWriter):
    table, kind, noun = tokens, Token, "token"
    key, used = tokens.c.id, tokens.c.last_used_at

    def make(self, row: Sequence[Any]) -> Token:
        values = list(row)
        if values[_SCOPES] is not None:
            values[_SCOPES] = tuple(values[_SCOPES].split())
        return Token(*values)

    def update(self, token_id: str, *, user_id: int, **changes: Any) -> Token:
        wanted = [tokens.c.id == token_id, tokens.c.user_id == user_id]
        return self.change(wanted, wanted, **changes)

    def revoke(self, token_id: str, at: int, *, user_id: int | None = None) -> Token:
        return self.revoke_one(tokens.c.id == token_id, at, user_id)

    def revoke_all(self, user_id: int, at: int) -> None:
        active = tokens.c.user_id == user_id, tokens.c.revoked_at.is_(None)
        self.connection.execute(sa.update(tokens).where(*active).values(revoked_at=at))


class SqlLinks(_Credentials[QuestionLink], LinkWriter):
    table, kind, noun = question_links, QuestionLink, "link"
    key, used = question_links.c.id, question_links.c.last_used_at

    def revoke(self, user_id: int, at: int, link_ids: Collection[str]) -> None:
        links = question_links.c
        active = links.user_id == user_id, links.id.in_(link_ids), links.revoked_at.is_(None)
        self.connection.execute(sa.update(question_links).where(*active).values(revoked_at=at))


def _jwt_owner(database: str, is_cluster: bool, key: str) -> sa.Select[Any]:
    """Select whether a JWT is revoked, and a user. key: the user's column, uuid or email."""
    jti = text_parameter("jti")
    revoked = sa.exists().where(jwts.c.jti == jti, jwts.c.revoked_at.is_not(None))
    return _with_owner(is_cluster, revoked).where(users.c[key] == _WANTED)


class SqlJwts(_Stored[Jwt], JwtWriter):
    table, kind, noun = jwts, Jwt, "JWT"

    def get_owner(
        self, jti: str, *, uuid: str | None = None, email: str | None = None
    ) -> tuple[User, bool]:
        key, wanted = ("uuid", uuid) if uuid is not None else ("email", email)
        values = {"jti": jti, "wanted": wanted}
        for (is_revoked,), owner in self.fetch_owners(_jwt_owner, key, values=values):
            return owner, bool(is_revoked)
        raise NotFound("there is no such user")

    def add(self, jwt: Jwt) -> None:
        known = sa.select(jwts.c.jti).where(jwts.c.jti == jwt.jti)
        # Check first: in PostgreSQL, a transaction cannot continue after an error.
        if self.connection.execute(known).first() is not None:
            raise Conflict(f"there is a JWT {jwt.jti} already")
        super().add(jwt)

    def revoke(self, jti: str, at: int, *, user_id: int | None = None) -> Jwt:
        return self.revoke_one(jwts.c.jti == jti, at, user_id)

    def revoke_all(self, user_id: int, at: int) -> None:
        latest = sa.func.coalesce(users.c.jwts_revoked_at, at)
        self.connection.execute(
            sa.update(users).where(users.c.id == user_id, latest <= at).values(jwts_revoked_at=at)
        )
        active = jwts.c.user_id == user_id, jwts.c.issued_at <= at, jwts.c.revoked_at.is_(None)
        self.connection.execute(sa.update(jwts).where(*active).values(revoked_at=at))
        if (
            self.connection.execute(sa.select(users.c.id).where(users.c.id == user_id)).first()
            is None
        ):
            raise NotFound("there is no such user")

    def prune(self, before: int) -> None:
        self.connection.execute(sa.delete(jwts).where(jwts.c.expires_at < before))


class SqlSessions(_Credentials[Session], SessionWriter):
    table, kind, noun = sessions, Session, "session"
    key, used = sessions.c.sha256, sessions.c.seen_at

    def delete(self, sha256: str) -> None:
        self.connection.execute(sa.delete(sessions).where(sessions.c.sha256 == sha256))

    def delete_all(self, user_id: int) -> None:
        self.connection.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))

    def prune(self, *, created_before: int, seen_before: int) -> None:
        old = sa.or_(sessions.c.created_at < created_before, sessions.c.seen_at < seen_before)
        self.connection.execute(sa.delete(sessions).where(old))


_QUESTION = sa.select(*_COLUMNS["questions"]).where(
    questions.c.user_id == USER, questions.c.id == text_parameter("question")
)


class SqlQuestions(_Stored[Question], QuestionWriter):
    table, kind, noun = questions, Question, "question"

    def get(self, user_id: int, question_id: str) -> Question:
        values = {"user": user_id, "question": question_id}
        for row in self.connection.fetch(_QUESTION, values=values):
            return self.make(row)
        raise NotFound("there is no such question")

    def update(self, user_id: int, question_id: str, **changes: Any) -> Question:
        wanted = [questions.c.user_id == user_id, questions.c.id == question_id]
        try:
            return self.change(wanted, wanted, **changes)
        except IntegrityError as error:
            raise Conflict("there is such a question already") from error

    def delete(self, user_id: int, question_id: str) -> None:
        which = (questions.c.user_id == user_id) & (questions.c.id == question_id)
        if self.connection.execute(sa.delete(questions).where(which)).rowcount == 0:
            raise NotFound("there is no such question")
