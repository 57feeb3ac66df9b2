"""Statements for libpq, by psycopg's ``pq``.

psycopg's cursors choose formats and types anew for each statement: 30 µs of the 80 that a token's
look-up takes. These statements have few types, which their text says (``::BIGINT``), and their
results are wanted as text or whole numbers.
"""

import re
import secrets
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import errors, pq

from finance_api.storage.sql.driver import CompiledStatement, Driver, ResultRow

#: Statements that a connection holds prepared; the database has memory for each.
_MAX_PREPARED = 100

_PLACEHOLDER = re.compile(r"%(?:\((\w+)\)s|%)")

#: What reads a value, by the number of its type in the catalogue pg_type.
_READERS: dict[int, Callable[[bytes], Any]] = {
    16: b"t".__eq__,  # bool
    20: int,  # int8
    21: int,  # int2
    23: int,  # int4
    25: bytes.decode,  # text
    1043: bytes.decode,  # varchar
    1700: lambda digits: Decimal(digits.decode()),  # numeric
}


class PostgresqlDriver(Driver):
    """The database itself ends statements that take too long.

    No two connections name a prepared statement alike: behind a pooler that gives each transaction
    another connection (PgBouncer's transaction mode, which is not supported), such a name is then
    unknown, where it could otherwise be another statement's.
    """

    failures = psycopg.Error

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.connection = connection
        self._libpq = connection.pgconn
        # Where psycopg prepares statements, it drops all that there are now and then.
        self._prepares = connection.prepare_threshold is None
        self._name = secrets.token_hex(8)
        # Names, by text; what was used last stands last.
        self._prepared: dict[str, bytes] = {}
        self._number = 0

    def rows(self, statement: CompiledStatement, values: Mapping[str, Any]) -> list[ResultRow]:
        result = self._run(statement, values)
        columns = range(result.nfields)
        readers = [(column, _READERS[result.ftype(column)]) for column in columns]
        get = result.get_value
        return [
            tuple(
                [
                    None if (value := get(row, column)) is None else read(value)
                    for column, read in readers
                ]
            )
            for row in range(result.ntuples)
        ]

    def lines(
        self, statement: CompiledStatement, values: Mapping[str, Any]
    ) -> tuple[ResultRow, bytes] | None:
        result = self._run(statement, values)
        if not result.ntuples:
            return None
        # A row for each JSON row, and one without if there is none; each has the state.
        get, json_column = result.get_value, result.nfields - 1
        state = tuple([int(get(0, column) or 0) for column in range(json_column)])
        rows = [get(row, json_column) for row in range(result.ntuples)]
        return state, b"" if rows[0] is None else b"\n".join(rows)  # type: ignore[arg-type]

    def execute(self, text: str) -> None:
        self._checked(self._libpq.exec_(text.encode()))

    def _run(self, statement: CompiledStatement, values: Mapping[str, Any]) -> pq.abc.PGresult:
        text, names = _numbered(statement.text)
        parameters = statement.parameters(values)
        # pq's types have forgotten that a value may be missing.
        written: Any = [_written(parameters[name]) for name in names]
        if not (self._prepares and statement.is_prepared):
            return self._checked(self._libpq.exec_params(text, written))
        name = self._prepared.pop(statement.text, None) or self._prepare(text)
        self._prepared[statement.text] = name
        return self._checked(self._libpq.exec_prepared(name, written))

    def _prepare(self, text: bytes) -> bytes:
        if len(self._prepared) >= _MAX_PREPARED:
            oldest = self._prepared.pop(next(iter(self._prepared)))
            self.execute(f'DEALLOCATE "{oldest.decode()}"')
        self._number += 1
        name = f"finance_api_{self._name}_{self._number}".encode()
        self._checked(self._libpq.prepare(name, text))
        return name

    def _checked(self, result: pq.abc.PGresult) -> pq.abc.PGresult:
        if result.status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            return result
        code = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        try:
            failure = errors.lookup(code.decode())
        except KeyError:
            # Without a code the connection is lost.
            failure = psycopg.DatabaseError
        raise failure(pq.error_message(result))


@lru_cache(maxsize=1_000)
def _numbered(text: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with $1, $2 ... in place of ``%(name)s``, and the names in that order."""
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        if found[1] is None:
            return "%"
        return f"${names.setdefault(found[1], len(names) + 1)}"

    numbered = _PLACEHOLDER.sub(number, text)
    return numbered.encode(), tuple(names)


def _written(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        if "\0" in value:
            # To libpq a text ends there.
            raise ValueError("no text may hold a NUL")
        return value.encode()
    if isinstance(value, int):
        return b"%d" % value
    raise TypeError(f"no statement binds a {type(value).__name__}")
