"""Parts of many statements, and running statements by their shapes.

``build`` functions get the name of the database and a shape, and return the statement. The values
that it binds are named here, or p0, p1 ... by `clauses.BindNames`.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import Any, NoReturn, TypeVar

from sqlalchemy import (
    BigInteger,
    Dialect,
    LargeBinary,
    Select,
    bindparam,
    cast,
    func,
    select,
    true,
)
from sqlalchemy.sql import ColumnElement, Executable

from finance_api.runtime.time_limit import TookTooLong
from finance_api.storage.errors import NotFound, StorageDamaged, StorageUnavailable
from finance_api.storage.interface import STREAMED_ROWS, DataState
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.driver import Driver, StatementCache
from finance_api.storage.sql.engine import raise_unavailable
from finance_api.storage.sql.tables import records_by_date, users

T = TypeVar("T")

#: Makes a statement.
Build = Callable[..., Executable]
#: Makes one that selects.
BuildSelect = Callable[..., Select[Any]]

USER: ColumnElement[int] = bindparam("user", type_=BigInteger())
LIMIT: ColumnElement[int] = bindparam("limit", type_=BigInteger())
OFFSET: ColumnElement[int] = bindparam("offset", type_=BigInteger())
#: A limit that no list reaches.
NO_LIMIT = 2**62
#: A JSON list of ids.
IDS: ColumnElement[str] = bindparam("ids", type_=CodePointText)

#: Bounds of records_by_date.newest_first.
FIRST: ColumnElement[int] = bindparam("first", type_=BigInteger())
LAST: ColumnElement[int] = bindparam("last", type_=BigInteger())


def by_user_and_date(has_first: bool, has_last: bool) -> list[ColumnElement[bool]]:
    """Restricts `records_by_date` to the user's, and to bounds where there are some."""
    columns = records_by_date.c
    restriction = [columns.user_id == USER]
    if has_first:
        restriction.append(columns.newest_first >= FIRST)
    if has_last:
        restriction.append(columns.newest_first <= LAST)
    return restriction


#: The fields of `DataState`.
STATE = (users.c.data_revision, users.c.data_changed_at, users.c.data_tag)


def data_state(database: str) -> Executable:
    return select(*STATE).where(users.c.id == USER)


def with_state(database: str, build: BuildSelect, shape: tuple[Any, ...]) -> Executable:
    """The state of the data, and the JSON rows that ``build`` selects; see `Driver.lines`.

    One statement reads one state, also outside a transaction.
    """
    inner = build(database, *shape)
    return _WITH_STATE[database](inner)


def _in_one_row(inner: Select[Any]) -> Select[Any]:
    """SQLite's driver takes a lock for each row, so there is one, with all rows in one text.

    They are in the order in which they are selected. With a limit SQLite cannot leave an ORDER BY
    out; without one, what is selected must come in order by itself.
    """
    (row,) = inner.subquery("rows").c
    # As bytes, which spares decoding them.
    joined = select(cast(func.group_concat(row, "\n"), LargeBinary)).scalar_subquery()
    return select(*STATE, joined).where(users.c.id == USER)


def _in_rows(inner: Select[Any]) -> Select[Any]:
    """PostgreSQL is slower at joining texts than at sending rows; each has the state.

    Without rows there is one row all the same. Nothing but a nested loop, which keeps the order,
    can do this join.
    """
    rows = inner.subquery("rows")
    (row,) = rows.c
    return select(*STATE, row).select_from(users.outerjoin(rows, true())).where(users.c.id == USER)


_WITH_STATE: dict[str, Callable[[Select[Any]], Select[Any]]] = {
    "sqlite": _in_one_row,
    "postgresql": _in_rows,
}


def _text(lines: bytes) -> bytes:
    """Raises UnicodeDecodeError and StorageDamaged for what only a damaged page can hold.

    Nothing else reads these bytes before they are sent.
    """
    lines.decode()
    if b"\0" in lines:
        raise StorageDamaged("a text has a zero byte")
    return lines


class StatementConnection(ABC):
    """The connection of a unit of work, on which statements are run by their shapes.

    database: sqlite or postgresql. Every method may raise StorageUnavailable.
    """

    def __init__(self, dialect: Dialect, statements: StatementCache) -> None:
        self.database = dialect.name
        self._dialect = dialect
        self._statements = statements
        self._stream: Generator[bytes, None, None] | None = None
        self._seconds = 0.0

    def take_seconds(self) -> float:
        """How long statements took, since this was last asked; waiting for a connection, too."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    @property
    @abstractmethod
    def driver(self) -> Driver: ...

    @abstractmethod
    def begin_snapshot(self) -> None:
        """From here on all data is read from one unchanging state."""

    @abstractmethod
    def _invalidate(self, error: Exception | None) -> None:
        """Closes the connection. error: why the database has given it up, if it has."""

    def _fail(self, driver: Driver, error: Exception) -> NoReturn:
        """Raises what the error means; of some the connection is not used again."""
        if isinstance(error, (StorageUnavailable, TookTooLong)):
            self._invalidate(None)
        if not isinstance(error, (driver.failures, UnicodeDecodeError)):
            raise error
        is_disconnect = self._dialect.is_disconnect(error, driver.connection, None)  # type: ignore[arg-type]
        if is_disconnect:
            self._invalidate(error)
        raise_unavailable(error, self._dialect, is_disconnect=is_disconnect)
        raise error

    def _run(self, work: Callable[[Driver], T]) -> T:
        started = time.monotonic()
        driver = self.driver
        try:
            return work(driver)
        except Exception as error:
            self._fail(driver, error)
        finally:
            self._seconds += time.monotonic() - started

    def fetch(self, build: Build, *shape: Any, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """The rows of the statement that ``build`` makes."""
        statement = self._statements.get(build, *shape)
        return self._run(lambda driver: driver.rows(statement, values))

    def stream(self, build: BuildSelect, *shape: Any, values: dict[str, Any]) -> Iterator[bytes]:
        """The texts of the rows that ``build`` selects; see `Driver.stream`."""
        self.begin_snapshot()
        statement = self._statements.get(build, *shape)
        driver = self.driver
        self._stream = driver.stream(statement, values, STREAMED_ROWS)
        try:
            for lines in self._stream:
                yield _text(lines)
        except Exception as error:
            self._fail(driver, error)

    def _end_stream(self) -> None:
        """Ends the stream that there may be, whoever has its iterator."""
        if self._stream is not None:
            self._stream.close()

    def fetch_lines(
        self, build: BuildSelect, *shape: Any, values: dict[str, Any]
    ) -> tuple[DataState, bytes]:
        """The JSON rows that ``build`` selects, and their state. Raises NotFound without a user."""
        statement = self._statements.get(with_state, build, shape)
        found = self._run(lambda driver: driver.lines(statement, values))
        if found is None:
            raise NotFound("there is no such user")
        state, lines = found
        return DataState(*state), self._run(lambda driver: _text(lines))

    def get_data_state(self, user_id: int) -> DataState:
        """Raises NotFound."""
        self.begin_snapshot()
        found = self.fetch(data_state, values={"user": user_id})
        if not found:
            raise NotFound("there is no such user")
        return DataState(*found[0])


class Part:
    """The part of a unit of work for one role."""

    def __init__(self, connection: StatementConnection) -> None:
        self.connection = connection
