"""Statements for libpq, by psycopg's ``pq``.

psycopg's cursors choose formats and types anew for each statement: 30 µs of the 80 that a token's
look-up takes. These statements have few types, which their text says (``::BIGINT``), and their
results are wanted as text or whole numbers.
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

from finance_api.runtime.time_limit import TookTooLong, in_time, seconds_left, time_limit
from finance_api.storage.errors import StorageNotReady, StorageUnavailable
from finance_api.storage.sql.driver import CompiledStatement, Driver, ResultRow

#: Statements that a connection holds prepared; the database has memory for each.
_MAX_PREPARED = 100

#: How long it may take until a connection is seen to work.
_ANSWER_SECONDS = 3.0
#: How long the database may take to end a statement, and after which part of it it is asked again.
_CANCEL_SECONDS = 1.0
_CANCEL_AGAIN_SECONDS = 0.1

#: Parts of a stream that are fetched at once: each time takes as long as the rows of a part do.
_PARTS = 4

#: With a lock, before it sees anything, against an upgrade that rewrites tables: to snapshots of
#: before they look empty.
_BEGIN_SNAPSHOT = (
    b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
    b"LOCK TABLE alembic_version IN ACCESS SHARE MODE"
)

#: A prepared statement is not there, was there before, or selects what has other types now.
_CHANGED = (
    errors.InvalidSqlStatementName,
    errors.DuplicatePreparedStatement,
    errors.FeatureNotSupported,
)

_PLACEHOLDER = re.compile(r"%(?:\((\w+)\)s|%)")

#: What reads a value, by the number of its type in the catalogue pg_type.
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


class PostgresqlDriver(Driver):
    """Nothing is set on the session, which a pooler such as PgBouncer shares between clients.

    Statements are prepared only where the session is the connection's own. Should it be shared all
    the same, a name still means one statement: it is the digest of the text, from which the types
    of the values follow.

    prepares: whether statements are to be prepared. has_own_session: whether no pooler is seen.
    """

    failures = psycopg.Error

    def __init__(self, connection: "psycopg.Connection[Any]", *, prepares: bool) -> None:
        self.connection = connection
        self._libpq = connection.pgconn
        self._poll = select.poll()
        # A pooler tells each client a process that is none.
        self.has_own_session = self.ask_process() == self._libpq.backend_pid
        self._prepares = prepares and self.has_own_session
        # Names, by text; what was used last stands last.
        self._prepared: dict[bytes, bytes] = {}
        # From the current snapshot.
        self._has_read = False

    def ask_process(self) -> int:
        """The process of PostgreSQL that answers now. A pooler may let wait for one."""
        try:
            with time_limit(_ANSWER_SECONDS):
                self._libpq.send_query(b"SELECT pg_backend_pid()")
                return int(self._result().get_value(0, 0) or 0)
        except TookTooLong as error:
            raise psycopg.OperationalError("the database does not answer") from error

    def rows(self, statement: CompiledStatement, values: Mapping[str, Any]) -> list[ResultRow]:
        result = self._run(statement, values)
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

    def stream(
        self, statement: CompiledStatement, values: Mapping[str, Any], rows: int
    ) -> Generator[bytes, None, None]:
        text, names = _numbered(statement.text)
        parameters = statement.parameters(values)
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
            # It is gone already where the transaction or the connection is.
            with suppress(psycopg.Error):
                self._execute(b"CLOSE stream")

    def begin_snapshot(self) -> None:
        self._execute(_BEGIN_SNAPSHOT)
        self._has_read = False

    def end_snapshot(self) -> None:
        self._execute(b"ROLLBACK")

    def _run(self, statement: CompiledStatement, values: Mapping[str, Any]) -> pq.abc.PGresult:
        text, names = _numbered(statement.text)
        parameters = statement.parameters(values)
        # pq's types have forgotten that a value may be missing.
        written: Any = [_written(parameters[name]) for name in names]
        result = None
        if self._prepares:
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
        """Forgets what is prepared. A snapshot that has been read from cannot begin again."""
        in_snapshot = self._libpq.transaction_status != pq.TransactionStatus.IDLE
        if in_snapshot and self._has_read:
            raise StorageUnavailable(f"a prepared statement has changed: {error}") from error
        if in_snapshot:
            self._execute(b"ROLLBACK")
        if isinstance(error, errors.FeatureNotSupported):
            self._execute(b"DEALLOCATE ALL")
            self._prepared.clear()
        else:
            # Others use the session too.
            self._prepares = False
        if in_snapshot:
            self.begin_snapshot()

    def _execute(self, text: bytes) -> pq.abc.PGresult:
        self._libpq.send_query(text)
        return self._result()

    def _result(self) -> pq.abc.PGresult:
        """Of what was sent; of the last one where there are several."""
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
            # Without a code the connection is lost.
            failure = psycopg.DatabaseError
        raise failure(pq.error_message(result))

    def _wait(self, event: int) -> None:
        """Until the connection can be read from or written to."""
        left = seconds_left()
        if left <= 0:
            self._cancel()
            raise TookTooLong
        self._poll.register(self._libpq.socket, event)
        self._poll.poll(None if left == math.inf else left * 1000)

    def _cancel(self) -> None:
        """The connection is closed next; PostgreSQL would go on with the statement all the same.

        It takes no notice of being asked before it has begun, so it is asked until it answers.
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
