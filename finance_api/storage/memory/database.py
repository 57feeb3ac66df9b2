"""The stored data, and each unit of work's own view of it."""

from dataclasses import dataclass, field, replace
from typing import Any

from finance_api.resources.currencies import DayRates
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    NO_RATES,
    AuditEntry,
    BeforeImage,
    DataState,
    HistoryEntry,
    ProposedPair,
    RatesState,
    TokenDay,
    Upload,
    User,
)
from finance_api.values import Row


@dataclass(frozen=True)
class Table:
    """The rows of one user and resource, by id.

    ids_by_source: row ids by (source, sourceId). revisions: the revision of each row's newest
    change, by row id. deletions: the revisions that deleted rows, by row id.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    ids_by_source: dict[tuple[str, str], str] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)
    deletions: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "Table":
        return Table(
            dict(self.rows), dict(self.ids_by_source), dict(self.revisions), dict(self.deletions)
        )

    def delete(self, row_id: str) -> bool:
        """Delete the row if it exists; return whether it did."""
        old = self.rows.pop(row_id, None)
        if old is not None and old["sourceId"] is not None:
            del self.ids_by_source[old["source"], old["sourceId"]]
        return old is not None

    def add(self, row: Row) -> None:
        """Add a row. Raises Conflict if another row has its id, or its source and source id."""
        if row["id"] in self.rows:
            raise Conflict(f"there is already a row {row['id']}")
        if row["sourceId"] is not None:
            key = (row["source"], row["sourceId"])
            if key in self.ids_by_source:
                raise Conflict(f"there is a row of source {key[0]} with the id {key[1]} already")
            self.ids_by_source[key] = row["id"]
        self.rows[row["id"]] = dict(row)


@dataclass(frozen=True)
class Database:
    """All stored data. It is never changed in place: a commit replaces it with a new one."""

    next_user_id: int = 1
    users: dict[int, User] = field(default_factory=dict)
    #: Credentials and questions, by class and id, jti or digest.
    owned: dict[tuple[type[Any], str], Any] = field(default_factory=dict)
    usage: dict[TokenDay, int] = field(default_factory=dict)
    tables: dict[tuple[int, str], Table] = field(default_factory=dict)
    #: By (user, revision).
    states: dict[tuple[int, int], DataState] = field(default_factory=dict)
    #: By (user, number).
    history: dict[tuple[int, int], HistoryEntry] = field(default_factory=dict)
    #: By (day, base).
    rates: dict[tuple[int, str], DayRates] = field(default_factory=dict)
    rates_state: RatesState = NO_RATES
    #: By user.
    proposals: dict[int, list[ProposedPair]] = field(default_factory=dict)
    #: By (user, id of the upload).
    uploads: dict[tuple[int, str], Upload] = field(default_factory=dict)
    upload_pieces: dict[tuple[int, str], tuple[bytes, ...]] = field(default_factory=dict)
    #: By (user, number of the entry), and within it by (name of the resource, row id).
    before: dict[tuple[int, int], dict[tuple[str, str], BeforeImage]] = field(default_factory=dict)
    #: In the order in which the entries were added.
    audit: tuple[AuditEntry, ...] = ()


class Unit:
    """The database as one unit of work sees and changes it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        #: Tables that this unit of work has copied, and may therefore change in place.
        self.copied: set[tuple[int, str]] = set()
        self.has_ended = False

    def change(self, **parts: Any) -> None:
        self.database = replace(self.database, **parts)

    def user(self, user_id: int) -> User:
        """Return the user. Raises NotFound."""
        user = self.database.users.get(user_id)
        if user is None:
            raise NotFound("there is no such user")
        return user

    def update_user(self, user_id: int, **changes: Any) -> User:
        user = replace(self.user(user_id), **changes)
        self.change(users=self.database.users | {user_id: user})
        return user


class Part:
    """The part of a unit of work for one role."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    @property
    def _database(self) -> Database:
        return self._unit.database
