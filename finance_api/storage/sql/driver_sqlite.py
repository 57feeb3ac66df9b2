"""StatementCache for the standard library's driver."""

import time
from typing import Any

from sqlalchemy import Connection

from finance_api.storage.sql.driver import CompiledStatement, Driver, ResultRow
from finance_api.storage.sql.engine import DEADLINE


class SqliteDriver(Driver):
    """seconds: after which a statement is ended."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        super().__init__(connection)
        self._seconds = seconds
        self._deadline = connection.connection.info[DEADLINE]

    def _rows(self, statement: CompiledStatement, parameters: Any) -> list[ResultRow]:
        self._deadline.at = time.monotonic() + self._seconds
        rows: list[ResultRow] = self._raw.execute(statement.text, parameters).fetchall()
        return rows

    def _lines(
        self, statement: CompiledStatement, parameters: Any
    ) -> tuple[ResultRow, bytes] | None:
        # One row, with all rows joined.
        for *state, lines in self._rows(statement, parameters):
            return tuple(state), lines or b""
        return None

    def _execute(self, text: str) -> None:
        self._raw.execute(text)
