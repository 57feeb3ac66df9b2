"""Many new rows at once, by the fastest way that each database has."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, Table, insert
from sqlalchemy.exc import IntegrityError

from finance_api.storage.sql.engine import raise_unavailable


def insert_rows(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    """rows: a value for every column of the table, in their order, as the driver takes it.

    Raises IntegrityError, StorageUnavailable.
    """
    if connection.dialect.name == "postgresql":
        _copy(connection, table, rows)
    else:
        _insert(connection, table, rows)


# The drivers' own ways go past SQLAlchemy: errors are converted here.


@cache
def _insertion(table: Table, dialect: Dialect) -> str:
    return str(insert(table).compile(dialect=dialect))


def _insert(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    raw: Any = connection.connection.driver_connection
    try:
        raw.executemany(_insertion(table, connection.dialect), rows)
    except sqlite3.IntegrityError as error:
        raise IntegrityError("INSERT", None, error) from error
    except sqlite3.Error as error:
        raise_unavailable(error, connection.dialect, is_disconnect=False)
        raise


def _copy(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    import psycopg

    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(column.name) for column in table.columns)
    raw: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    try:
        with (
            raw.cursor() as cursor,
            cursor.copy(f"COPY {quote(table.name)} ({names}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)
    except psycopg.IntegrityError as error:
        raise IntegrityError("COPY", None, error) from error
    except psycopg.Error as error:
        raise_unavailable(error, connection.dialect, is_disconnect=False)
        raise
