"""Statements for the standard library's driver."""

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

from finance_api.runtime.time_limit import TookTooLong, seconds_left
from finance_api.storage.sql.driver import CompiledStatement, Driver, ResultRow

# SQLite asks after so many steps of its machine whether to go on.
_PROGRESS_STEPS = 20_000


class SqliteDriver(Driver):
    failures = sqlite3.Error

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.set_progress_handler(self._is_late, _PROGRESS_STEPS)

    def _is_late(self) -> bool:
        return seconds_left() <= 0

    def rows(self, statement: CompiledStatement, values: Mapping[str, Any]) -> list[ResultRow]:
        try:
            cursor = self.connection.execute(statement.text, statement.parameters(values))
            rows: list[ResultRow] = cursor.fetchall()
        except sqlite3.OperationalError as error:
            _tell_late(error)
            raise
        return rows

    def lines(
        self, statement: CompiledStatement, values: Mapping[str, Any]
    ) -> tuple[ResultRow, bytes] | None:
        # One row, with all rows joined.
        for *state, lines in self.rows(statement, values):
            return tuple(state), lines or b""
        return None

    def stream(
        self, statement: CompiledStatement, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        try:
            with closing(self.connection.cursor()) as cursor:
                cursor.execute(statement.text, statement.parameters(values))
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
    """Raises TookTooLong where SQLite was told not to go on."""
    # The driver's own errors have no code.
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
        raise TookTooLong from error
