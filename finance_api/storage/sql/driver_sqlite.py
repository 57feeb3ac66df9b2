"""Statements for the standard library's driver."""

import time
from typing import Any

from sqlalchemy import Connection

from finance_api.storage.sql.driver import Driver, Row, Statement
from finance_api.storage.sql.engine import DEADLINE


class SqliteDriver(Driver):
    """seconds: after which a statement is ended."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        super().__init__(connection)
        self._seconds = seconds
        self._deadline = connection.connection.info[DEADLINE]

    def _rows(self, statement: Statement, parameters: Any) -> list[Row]:
        self._deadline.at = time.monotonic() + self._seconds
        rows: list[Row] = self._raw.execute(statement.text, parameters).fetchall()
        return rows

    def _lines(self, statement: Statement, parameters: Any) -> tuple[Row, bytes] | None:
        # One row, with all bodies joined.
        for *state, lines in self._rows(statement, parameters):
            return tuple(state), lines or b""
        return None

    def _execute(self, text: str) -> None:
        self._raw.execute(text)
