"""Drivers: SQL that is compiled once for each shape, and runs on SQLite's own driver.

SQLAlchemy compiles the SQL, but running it through SQLAlchemy would take longer than most queries.
"""

import sqlite3
from collections.abc import Generator, Hashable, Mapping
from contextlib import closing
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import Executable

from finance_api.storage.sql.connections.unit import Query, ResultRow

#: Maximum number of shapes whose SQL is cached. Clients determine the shapes by their filters.
_CACHED_SHAPES = 1_000


class CompiledSql:
    """The text of a query and the order of its parameters. Raises TypeError for SQL that writes."""

    def __init__(self, query: Executable, dialect: sa.Dialect) -> None:
        # Refuse to write: PostgreSQL's own protection costs a round trip or changes the session.
        if query.is_insert or query.is_update or query.is_delete:
            raise TypeError("a read-only connection cannot write")
        compiled = query.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.text = str(compiled)
        # A search reads all texts of a user. The best plan depends on their number, so PostgreSQL
        # must not plan it for the average user.
        self.is_prepared = "strpos(" not in self.text
        self._fixed = {k: v for k, v in compiled.params.items() if v is not None}
        self._positions: list[str] | None = compiled.positiontup

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """Return the parameters as the driver takes them.

        values: the values to bind, by name; unused names are ignored.
        """
        given = {**self._fixed, **values} if self._fixed else values
        return given if self._positions is None else [given[name] for name in self._positions]


class SqlCache:
    """The SQL for one kind of database; each query is compiled when it is first used."""

    def __init__(self, dialect: sa.Dialect) -> None:
        @lru_cache(maxsize=_CACHED_SHAPES)
        def compiled(build: Query, shape: tuple[Hashable, ...]) -> CompiledSql:
            query = build(dialect.name, *shape) if callable(build) else build
            return CompiledSql(query, dialect)

        self._compiled = compiled

    def get(self, build: Query, *shape: Hashable) -> CompiledSql:
        """Return the SQL of a query, or of ``build(database, *shape)``.

        database: sqlite or postgresql.
        """
        return self._compiled(build, shape)


class SqliteDriver:
    """Runs SQL on a connection of sqlite3, in that connection's current transaction.

    `PostgresqlDriver` has the same methods. Each pooled connection has a driver.
    connection: the DB-API connection. failures: its errors; every method may raise them.
    Raises TookTooLong when a `time_limit` ends while SQL runs. Do not use the connection after
    TookTooLong or StorageUnavailable.
    """

    failures = sqlite3.Error
    is_cluster = False

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, sql: CompiledSql, values: Mapping[str, Any]) -> list[ResultRow]:
        return self.connection.execute(sql.text, sql.parameters(values)).fetchall()

    def lines(self, sql: CompiledSql, values: Mapping[str, Any]) -> tuple[ResultRow, bytes] | None:
        """Run SQL of `with_state`: return the state of the data, and the JSON rows.

        The rows are one per line; the last line has no line end. Returns None if there
        is no state.
        """
        # There is one row, in which all JSON rows are joined.
        for *state, lines in self.rows(sql, values):
            return tuple(state), lines or b""
        return None

    def stream(
        self, sql: CompiledSql, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        """Yield the selected texts as lines, up to ``rows`` lines at a time, inside a snapshot.

        Other SQL may run meanwhile, but no second stream. Closing the iterator ends the query.
        """
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(sql.text, sql.parameters(values))
            while found := cursor.fetchmany(rows):
                yield "\n".join([text for (text,) in found]).encode()

    def begin_snapshot(self) -> None:
        """Begin a transaction that sees one unchanging state, on a connection that reads."""
        self.connection.execute("BEGIN")

    def end_snapshot(self) -> None:
        """End the transaction of `begin_snapshot`."""
        self.connection.rollback()
