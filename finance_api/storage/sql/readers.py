"""The connections that are read with, kept open and ready.

SQLAlchemy's pool gives a connection out and takes it back with some ceremony; for units of work
that last half a millisecond, that would be a good part of the whole.
"""

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection, Engine

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.sql.attempts import Attempts
from finance_api.storage.sql.drivers import driver_of
from finance_api.storage.sql.engine import BEGIN_SNAPSHOT, CONNECT_SECONDS

#: A connection that was idle for longer may be of before a restart of the database.
_IDLE_SECONDS = 5


class Reader:
    """One connection, by itself and by its driver."""

    def __init__(self, connection: Connection, seconds: float, generation: int) -> None:
        self.connection = connection
        self.driver = driver_of(connection, seconds)
        self.generation = generation
        self.used_at = time.monotonic()
        self._begin = BEGIN_SNAPSHOT[connection.dialect.name]
        self._raw: Any = connection.connection.driver_connection
        self._in_snapshot = False

    def begin_snapshot(self) -> None:
        """From here on all that is read is of one unchanging state."""
        if not self._in_snapshot:
            self.driver.execute(self._begin)
            self._in_snapshot = True

    def end_snapshot(self) -> None:
        if self._in_snapshot:
            self._in_snapshot = False
            self._raw.rollback()


class Readers:
    """At most ``size`` readers of one engine; who needs one more waits a while.

    seconds: after which a statement is ended. attempts: to connect to that database.
    when_lost: called when the database has closed a connection; others are then lost, too.
    """

    def __init__(
        self,
        engine: Engine,
        size: int,
        seconds: float,
        attempts: Attempts,
        when_lost: Callable[[], object] = lambda: None,
    ) -> None:
        self.engine = engine
        self._attempts = attempts
        self._seconds = seconds
        self._when_lost = when_lost
        self._idle: deque[Reader] = deque()
        self._is_closed = False
        #: One for each reader more that may be taken; a semaphore costs ten times as much.
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(size):
            self._free.put(None)
        #: Readers of an earlier one are of before the database went away.
        self._generation = 0
        self._asks = engine.dialect.name == "postgresql"

    def take(self) -> Reader:
        """A reader, to be given back. Raises StorageUnavailable."""
        try:
            self._free.get(timeout=CONNECT_SECONDS)
        except Empty:
            raise StorageUnavailable("every database connection is in use") from None
        try:
            return self._idle_one() or self._attempts.make(self._new_one)
        except BaseException:
            self._free.put(None)
            raise

    def _new_one(self) -> Reader:
        return Reader(self.engine.connect(), self._seconds, self._generation)

    def _idle_one(self) -> Reader | None:
        while self._idle:
            try:
                # The one used last: its connection is the warmest.
                reader = self._idle.pop()
            except IndexError:
                return None
            if reader.generation == self._generation and self._answers(reader):
                return reader
            _discard(reader)
        return None

    def _answers(self, reader: Reader) -> bool:
        if not self._asks or time.monotonic() - reader.used_at < _IDLE_SECONDS:
            return True
        with suppress(StorageUnavailable):
            reader.driver.execute("SELECT 1")
            return True
        return False

    def give_back(self, reader: Reader) -> None:
        """Ends what the reader is in the middle of, and keeps it for the next."""
        try:
            if reader.connection.invalidated:
                self._generation += 1
                _discard(reader)
                self._when_lost()
                return
            reader.end_snapshot()
            reader.used_at = time.monotonic()
            self._idle.append(reader)
            if self._is_closed:
                self._discard_idle()
        except Exception:
            _discard(reader)
        finally:
            self._free.put(None)

    def close(self) -> None:
        """Closes the idle ones, and those that are given back from now on."""
        self._is_closed = True
        self._discard_idle()
        self.engine.dispose()

    def _discard_idle(self) -> None:
        while self._idle:
            with suppress(IndexError):
                _discard(self._idle.pop())


def _discard(reader: Reader) -> None:
    with suppress(Exception):
        # Closed in fact, not given back to a pool that may be closed itself by now.
        reader.connection.invalidate()
        reader.connection.close()
