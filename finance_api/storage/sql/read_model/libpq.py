"""Runs SQL through libpq, using psycopg's ``pq``.

psycopg's cursors choose formats and types in each execution. That takes 30 of the 80 µs for looking
up a token. Our SQL has few types, names them (``::BIGINT``), and reads text and whole numbers.
"""

import math
import re
import select
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any

import psycopg
from psycopg import errors, pq

from finance_api.runtime.time_limit import TookTooLong, in_time, seconds_left
from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.sql.connections.unit import BEGIN_SNAPSHOT, ResultRow
from finance_api.storage.sql.read_model.drivers import CompiledSql

#: Maximum number of prepared statements on a connection; each takes memory in PostgreSQL.
_MAX_PREPARED = 100

#: Time limit for cancelling a query, and the pause between two requests to cancel it.
_CANCEL_SECONDS = 1.0
_CANCEL_AGAIN_SECONDS = 0.1

#: Number of parts of a stream to fetch at once; fetching four costs about as much as fetching one.
_PARTS = 4

_BEGIN_SNAPSHOT = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;%b" % (
    BEGIN_SNAPSHOT["postgresql"].encode()
)

#: Errors that mean: a prepared statement is gone, already exists, or its columns' types changed.
_CHANGED = (
    errors.InvalidSqlStatementName,
    errors.DuplicatePreparedStatement,
    errors.FeatureNotSupported,
)

_PLACEHOLDER = re.compile(r"%(?:\((\w+)\)s|%)")

#: Functions that read a value, by the number of its type in the catalogue pg_type.
_READERS: dict[int, Callable[[bytes], Any]] = {
    16: b"t".__eq__,  # bool
    17: lambda digits: bytes.fromhex(digits[2:].decode()),  # bytea
    20: int,  # int8
    21: int,  # int2
    23: int,  # int4
    25: bytes.decode,  # text
    1043: bytes.decode,  # varchar
    1700: lambda digits: Decimal(digits.decode()),  # numeric
}


class PostgresqlDriver:
    """Runs SQL as `SqliteDriver` does.

    It changes nothing in the session, which a pooler such as PgBouncer may share.
    Even if a pooler goes unnoticed, a prepared statement's name has one meaning: it is the digest
    of the SQL's text, which determines the types.

    prepares: whether to prepare SQL.
    """

    failures = psycopg.Error
    is_cluster = False

    def __init__(self, connection: "psycopg.Connection[Any]", *, prepares: bool) -> None:
        self.connection = connection
        self._libpq = connection.pgconn
        self._poll = select.poll()
        self._prepares = prepares
        # The names of prepared statements by SQL text, least recently used first.
        self._prepared: dict[bytes, bytes] = {}
        # Whether a query has read from the current snapshot.
        self._has_read = False

    def rows(self, sql: CompiledSql, values: Mapping[str, Any]) -> list[ResultRow]:
        result = self._run(sql, values)
        columns = range(result.nfields)
        try:
            readers = [(column, _READERS[result.ftype(column)]) for column in columns]
        except KeyError as error:
            raise StorageNotReady(f"the database is not ready: a column of type {error}") from error
        get = result.get_value
        return [
            tuple(
                [
                    None if (value := get(row, column)) is None else read(value)
                    for column, read in readers
                ]
            )
            for row in in_time(range(result.ntuples))
        ]

    def lines(self, sql: CompiledSql, values: Mapping[str, Any]) -> tuple[ResultRow, bytes] | None:
        result = self._run(sql, values)
        if not result.ntuples:
            return None
        # There is one row for each JSON row, or a single row without JSON. Each row has the state.
        get, json_column = result.get_value, result.nfields - 1
        state = tuple([int(get(0, column) or 0) for column in range(json_column)])
        rows = [get(row, json_column) for row in range(result.ntuples)]
        return state, b"" if rows[0] is None else b"\n".join(rows)  # type: ignore[arg-type]

    def stream(
        self, sql: CompiledSql, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        text, names = _numbered(sql.text)
        parameters = sql.parameters(values)
        written: Any = [_written(parameters[name]) for name in names]
        self._libpq.send_query_params(b"DECLARE stream NO SCROLL CURSOR FOR " + text, written)
        self._result()
        self._has_read = True
        try:
            while (found := self._execute(b"FETCH %d FROM stream" % (_PARTS * rows))).ntuples:
                get, number = found.get_value, found.ntuples
                for first in range(0, number, rows):
                    part = range(first, min(first + rows, number))
                    yield b"\n".join([get(row, 0) or b"" for row in part])
        finally:
            # The stream is closed already if the transaction or the connection has ended.
            with suppress(psycopg.Error):
                self._execute(b"CLOSE stream")

    def begin_snapshot(self) -> None:
        self._execute(_BEGIN_SNAPSHOT)
        self._has_read = False

    def end_snapshot(self) -> None:
        self._execute(b"ROLLBACK")

    def _run(self, sql: CompiledSql, values: Mapping[str, Any]) -> pq.abc.PGresult:
        text, names = _numbered(sql.text)
        parameters = sql.parameters(values)
        # pq's type hints do not allow None, though libpq does.
        written: Any = [_written(parameters[name]) for name in names]
        result = None
        if self._prepares and sql.is_prepared:
            try:
                result = self._run_prepared(text, written)
            except _CHANGED as error:
                self._begin_again(error)
        if result is None:
            self._libpq.send_query_params(text, written)
            result = self._result()
        self._has_read = True
        return result

    def _run_prepared(self, text: bytes, written: Any) -> pq.abc.PGresult:
        name = self._prepared.pop(text, None) or self._prepare(text)
        self._prepared[text] = name
        self._libpq.send_query_prepared(name, written)
        return self._result()

    def _prepare(self, text: bytes) -> bytes:
        if len(self._prepared) >= _MAX_PREPARED:
            oldest = self._prepared.pop(next(iter(self._prepared)))
            self._execute(b'DEALLOCATE "%b"' % oldest)
        name = b"finance_api_" + sha256(text).hexdigest()[:32].encode()
        self._libpq.send_prepare(name, text)
        self._result()
        return name

    def _begin_again(self, error: psycopg.Error) -> None:
        """Forget prepared statements. Raises StorageUnavailable after a read in a snapshot."""
        in_snapshot = self._libpq.transaction_status != pq.TransactionStatus.IDLE
        if in_snapshot and self._has_read:
            raise StorageUnavailable(f"a prepared statement has changed: {error}") from error
        if in_snapshot:
            self._execute(b"ROLLBACK")
        if isinstance(error, errors.FeatureNotSupported):
            self._execute(b"DEALLOCATE ALL")
            self._prepared.clear()
        else:
            # Other clients use this session, too.
            self._prepares = False
        if in_snapshot:
            self.begin_snapshot()

    def _execute(self, text: bytes) -> pq.abc.PGresult:
        self._libpq.send_query(text)
        return self._result()

    def _result(self) -> pq.abc.PGresult:
        """Return the result of the SQL that was sent; if there are several, the last."""
        libpq = self._libpq
        while libpq.flush():
            self._wait(select.POLLOUT)
        result = None
        while True:
            while libpq.is_busy():
                self._wait(select.POLLIN)
                libpq.consume_input()
            following = libpq.get_result()
            if following is None:
                break
            result = following
        if result is None:
            raise psycopg.OperationalError(pq.error_message(libpq))
        if result.status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            return result
        code = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        try:
            failure = errors.lookup(code.decode())
        except KeyError:
            # The error has no code if the connection was lost.
            failure = psycopg.DatabaseError
        raise failure(pq.error_message(result))

    def _wait(self, event: int) -> None:
        """Wait until the connection can be read from or written to."""
        left = seconds_left()
        if left <= 0:
            self._cancel()
            raise TookTooLong
        self._poll.register(self._libpq.socket, event)
        self._poll.poll(None if left == math.inf else left * 1000)

    def _cancel(self) -> None:
        """Cancel the running query: PostgreSQL would finish it even after the connection is closed.

        PostgreSQL ignores requests before the query has begun, so repeat them until it answers.
        """
        self._poll.register(self._libpq.socket, select.POLLIN)
        until = time.monotonic() + _CANCEL_SECONDS
        with suppress(psycopg.Error):
            while (left := until - time.monotonic()) > 0:
                self.connection.cancel_safe(timeout=left)
                if self._poll.poll(_CANCEL_AGAIN_SECONDS * 1000):
                    break


@lru_cache(maxsize=1_000)
def _numbered(text: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the SQL with $1, $2 ... in place of ``%(name)s``, and the names in this order."""
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
            # libpq takes NUL for the end of a text.
            raise ValueError("a text must not contain a NUL character")
        return value.encode()
    if isinstance(value, int):
        return b"%d" % value
    raise TypeError(f"cannot bind a {type(value).__name__}")
