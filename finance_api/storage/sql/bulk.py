"""Many rows at once, by the fastest way that each database has."""

import json
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Dialect,
    Table,
    TextClause,
    bindparam,
    insert,
    literal,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError

from finance_api.storage.sql.clauses import json_elements
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.engine import raise_unavailable


def upsert(table: Table, database: str) -> Any:
    """An insertion that can say what becomes of rows that are there."""
    # The other database's dialect would be a tenth of a command's start.
    if database == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    return insert(table)


def insert_rows(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    """rows: a value for every column of the table, in their order, as the driver takes it.

    Raises IntegrityError, StorageUnavailable.
    """
    if connection.dialect.name == "postgresql":
        _copy(connection, table, rows)
    else:
        _insert(connection, table, rows)


# A loop of look-ups. PostgreSQL knows nothing yet of rows that this transaction has written, takes
# them for few, and would read all of the user's for any list of ids.
_WITH_IDS = """
{table}.ctid = ANY (ARRAY(
    SELECT one.ctid FROM unnest(CAST(:ids AS text[])) AS wanted (id), LATERAL (
        SELECT owned.ctid FROM {table} AS owned
        WHERE owned.user_id = :user AND owned.id = wanted.id LIMIT 1
    ) AS one
))
"""


def rows_with(
    connection: Connection, table: Table, user_id: int, ids: Sequence[str]
) -> ColumnElement[bool] | TextClause:
    """Selects the user's rows with these ids, however many."""
    if connection.dialect.name == "sqlite":
        wanted = json_elements("sqlite", literal(json.dumps(list(ids)), CodePointText))
        return (table.c.user_id == user_id) & table.c.id.in_(select(wanted.c.value))
    user = bindparam("user", user_id, BigInteger)
    return text(_WITH_IDS.format(table=table.name)).bindparams(user, ids=list(ids))


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
