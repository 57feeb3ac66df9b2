"""SQL for the standard library's driver."""

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

from finance_api.runtime.time_limit import TookTooLong, seconds_left
from finance_api.storage.sql.connections.compiled import CompiledSql, Driver, ResultRow

# Number of steps of SQLite's machine between two checks of the time limit.
_PROGRESS_STEPS = 20_000


class SqliteDriver(Driver):
    failures = sqlite3.Error

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.set_progress_handler(self._is_late, _PROGRESS_STEPS)

    def _is_late(self) -> bool:
        return seconds_left() <= 0

    def rows(self, sql: CompiledSql, values: Mapping[str, Any]) -> list[ResultRow]:
        try:
            cursor = self.connection.execute(sql.text, sql.parameters(values))
            rows: list[ResultRow] = cursor.fetchall()
        except sqlite3.OperationalError as error:
            _tell_late(error)
            raise
        return rows

    def lines(self, sql: CompiledSql, values: Mapping[str, Any]) -> tuple[ResultRow, bytes] | None:
        # One row, which has all JSON rows joined.
        for *state, lines in self.rows(sql, values):
            return tuple(state), lines or b""
        return None

    def stream(
        self, sql: CompiledSql, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        try:
            with closing(self.connection.cursor()) as cursor:
                cursor.execute(sql.text, sql.parameters(values))
                while found := cursor.fetchmany(rows):
                    yield "\n".join([text for (text,) in found]).encode()
        except sqlite3.OperationalError as error:
            _tell_late(error)
            raise

    def begin_snapshot(self) -> None:
        self.connection.execute("BEGIN")

    def end_snapshot(self) -> None:
        self.connection.rollback()


def _tell_late(error: sqlite3.OperationalError) -> None:
    """Raise TookTooLong if the progress handler interrupted SQLite."""
    # Errors of the driver itself have no code.
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
        raise TookTooLong from error
