"""The SQL storage as the process holds it: engines, schema version, units of work."""

import transaction
import zope.sqlalchemy
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from zope.sqlalchemy.datamanager import STATUS_CHANGED

from finance_api.storage.errors import StorageNotReady
from finance_api.storage.interface import LOCK_TIMEOUT_SECONDS, Storage, StorageBackend
from finance_api.storage.sql import engine as engines
from finance_api.storage.sql import schema
from finance_api.storage.sql.attempts import Attempts
from finance_api.storage.sql.driver import StatementCache
from finance_api.storage.sql.readers import Readers
from finance_api.storage.sql.storage import ReadingSqlStorage, SqlStorage


class SqlBackend(StorageBackend):
    """SQLite or PostgreSQL, by the URL.

    SQLAlchemy Core, not its ORM: rows go to JSON as they are, and an identity map, change
    tracking and lazy loading would cost several times what the query does and serve nothing here.

    read_url: of a copy of the database that data is read from; who may read it, the database
    itself is asked.
    """

    def __init__(
        self, url: str, *, read_url: str = "", pool_size: int = 8, statement_seconds: int = 5
    ) -> None:
        def engine(url: str, *, setting: str = "sqlalchemy.url", for_reading: bool) -> Engine:
            return engines.make_engine(
                url,
                setting=setting,
                pool_size=pool_size,
                statement_seconds=statement_seconds,
                for_reading=for_reading,
            )

        def readers(engine: Engine, attempts: Attempts) -> Readers:
            return Readers(
                engine,
                pool_size,
                statement_seconds,
                attempts,
                # A restart of the database takes the connections for writing away as well.
                self.engine.dispose,
            )

        self.engine = engine(url, for_reading=False)
        self._attempts = Attempts()
        self.readers = readers(engine(url, for_reading=True), self._attempts)
        self.copies = None
        if read_url:
            copy = engine(read_url, setting="sqlalchemy.read_url", for_reading=True)
            if copy.dialect.name != self.engine.dialect.name:
                raise StorageNotReady(
                    f"sqlalchemy.read_url: {copy.dialect.name} is no copy of sqlalchemy.url,"
                    f" which is {self.engine.dialect.name}"
                )
            self.copies = readers(copy, Attempts())
        self._statements = StatementCache(self.engine.dialect)

    def read(self) -> Storage:
        return ReadingSqlStorage(self.readers, self._statements, self.copies)

    def write(
        self,
        tm: transaction.TransactionManager,
        *,
        lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
    ) -> Storage:
        # Without a transaction nobody would give the connection back.
        tm.get()
        session = Session(engines.writing(self.engine, lock_timeout_seconds), autoflush=False)
        # Core statements do not tell the session that they changed something.
        zope.sqlalchemy.register(session, initial_state=STATUS_CHANGED, transaction_manager=tm)
        connection = self._attempts.make(session.connection)
        storage = SqlStorage(connection, self._statements)
        # Last of all, so that it is done once however much was written.
        tm.get().addBeforeCommitHook(storage.rebuild_anchors)
        return storage

    def check(self) -> None:
        self._attempts.make(lambda: schema.check(self.engine))
        if self.copies is not None:
            # By one of those that are read with: the pool has no more than they.
            reader = self.copies.take()
            try:
                schema.check_connection(reader.connection)
            finally:
                self.copies.give_back(reader)

    def upgrade(self) -> None:
        schema.upgrade(self.engine)

    def close(self) -> None:
        self.readers.close()
        if self.copies is not None:
            self.copies.close()
        self.engine.dispose()
