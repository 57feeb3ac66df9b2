"""The SQL storage as the process holds it: engine, schema version, units of work."""

import transaction
import zope.sqlalchemy
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from zope.sqlalchemy.datamanager import STATUS_ACTIVE, STATUS_CHANGED

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Storage, StorageBackend
from finance_api.storage.sql import engine as engines
from finance_api.storage.sql import schema
from finance_api.storage.sql.storage import SqlStorage


class SqlBackend(StorageBackend):
    """SQLite or PostgreSQL, by the URL.

    SQLAlchemy Core, not its ORM: rows go to JSON as they are, and an identity map, change
    tracking and lazy loading would cost several times what the query does and serve nothing here.
    """

    def __init__(self, url: str, *, pool_size: int = 8, statement_seconds: int = 5) -> None:
        self.engine = engines.make_engine(
            url, pool_size=pool_size, statement_seconds=statement_seconds
        )
        self._reading = engines.reading(self.engine)
        self._writing = engines.writing(self.engine)

    def connect(self, tm: transaction.TransactionManager, *, writing: bool = False) -> Storage:
        session = Session(self._writing if writing else self._reading, autoflush=False)
        # Core statements do not tell the session that they changed something: a writer says so.
        zope.sqlalchemy.register(
            session,
            initial_state=STATUS_CHANGED if writing else STATUS_ACTIVE,
            transaction_manager=tm,
        )
        try:
            return SqlStorage(session.connection())
        except PoolTimeout as error:
            raise StorageUnavailable("every database connection is in use") from error

    def check(self) -> None:
        try:
            schema.check(self._reading)
        except PoolTimeout as error:
            raise StorageUnavailable("every database connection is in use") from error

    def upgrade(self) -> None:
        schema.upgrade(self.engine)

    def close(self) -> None:
        self.engine.dispose()
