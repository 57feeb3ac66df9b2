"""The driver of a connection, by its database."""

from sqlalchemy import Connection

from finance_api.storage.sql.driver import Driver
from finance_api.storage.sql.driver_sqlite import SqliteDriver


def driver_of(connection: Connection, seconds: float) -> Driver:
    """seconds: after which a statement is ended, where the database does not do that by itself."""
    if connection.dialect.name == "sqlite":
        return SqliteDriver(connection, seconds)
    # Only here, so that psycopg is needed only where it is used.
    from finance_api.storage.sql.driver_postgresql import PostgresqlDriver

    return PostgresqlDriver(connection)
