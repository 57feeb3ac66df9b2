"""StatementCache for libpq, by psycopg's ``pq``.

psycopg's cursors choose formats and types anew for each statement, which costs as much as most
statements here cost the database. These have few types, which their text says (``::BIGINT``), and
what they find is wanted as text or whole numbers.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from psycopg import errors, pq
from sqlalchemy import Connection

from finance_api.storage.sql.driver import CompiledStatement, Driver, ResultRow

#: StatementCache that a connection keeps prepared; the database has memory for each.
_PREPARED = 100

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
    """In a transaction that somebody has begun, or in none. The database ends what takes long.

    The only one of its connection, if that is one whose statements psycopg does not prepare.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._libpq: pq.abc.PGconn = self._raw.pgconn
        # Where psycopg prepares statements, it drops all that there are now and then.
        self._prepares = self._raw.prepare_threshold is None
        # Names, by text; what was used last stands last.
        self._prepared: dict[str, bytes] = {}
        self._number = 0

    def _rows(self, statement: CompiledStatement, parameters: Any) -> list[ResultRow]:
        result = self._ask(statement, parameters)
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

    def _lines(
        self, statement: CompiledStatement, parameters: Any
    ) -> tuple[ResultRow, bytes] | None:
        result = self._ask(statement, parameters)
        if not result.ntuples:
            return None
        # A row for each body, and one without if there is none; each has the state.
        get, body = result.get_value, result.nfields - 1
        state = tuple([int(get(0, column) or 0) for column in range(body)])
        rows = [get(row, body) for row in range(result.ntuples)]
        return state, b"" if rows[0] is None else b"\n".join(rows)  # type: ignore[arg-type]

    def _execute(self, text: str) -> None:
        self._checked(self._libpq.exec_(text.encode()))

    def _ask(self, statement: CompiledStatement, parameters: Mapping[str, Any]) -> pq.abc.PGresult:
        text, names = _numbered(statement.text)
        # pq's types have forgotten that a value may be missing.
        values: Any = [_written(parameters[name]) for name in names]
        if not (self._prepares and statement.is_prepared):
            return self._checked(self._libpq.exec_params(text, values))
        name = self._prepared.pop(statement.text, None) or self._prepare(text)
        self._prepared[statement.text] = name
        return self._checked(self._libpq.exec_prepared(name, values))

    def _prepare(self, text: bytes) -> bytes:
        if len(self._prepared) >= _PREPARED:
            oldest = self._prepared.pop(next(iter(self._prepared)))
            self._checked(self._libpq.exec_(b"DEALLOCATE " + oldest))
        self._number += 1
        name = b"finance_api_%d" % self._number
        self._checked(self._libpq.prepare(name, text))
        return name

    def _checked(self, result: pq.abc.PGresult) -> pq.abc.PGresult:
        if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            raise errors.error_from_result(result)
        return result


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
