"""Statements for the standard library's driver."""

import math
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from finance_api.storage.sql.driver import CompiledStatement, Driver, ResultRow

# SQLite asks after so many steps of its machine whether to go on.
_PROGRESS_STEPS = 20_000


class SqliteDriver(Driver):
    """statement_seconds: after which a statement is ended."""

    failures = sqlite3.Error

    def __init__(self, connection: sqlite3.Connection, statement_seconds: float) -> None:
        self.connection = connection
        self._seconds = statement_seconds
        self._deadline = math.inf
        connection.set_progress_handler(self._is_late, _PROGRESS_STEPS)

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def rows(self, statement: CompiledStatement, values: Mapping[str, Any]) -> list[ResultRow]:
        self._deadline = time.monotonic() + self._seconds
        try:
            cursor = self.connection.execute(statement.text, statement.parameters(values))
            rows: list[ResultRow] = cursor.fetchall()
            return rows
        finally:
            self._deadline = math.inf

    def lines(
        self, statement: CompiledStatement, values: Mapping[str, Any]
    ) -> tuple[ResultRow, bytes] | None:
        # One row, with all rows joined.
        for *state, lines in self.rows(statement, values):
            return tuple(state), lines or b""
        return None

    def execute(self, text: str) -> None:
        self.connection.execute(text)
