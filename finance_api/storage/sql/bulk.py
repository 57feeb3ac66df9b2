"""Reads and writes many rows at once, in the fastest way that each database has."""

import json
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from finance_api.storage.sql.connections.failures import raise_unavailable
from finance_api.storage.sql.parameters import IDS
from finance_api.storage.sql.placement import is_violation
from finance_api.storage.sql.tables import CodePointText


def json_elements(database: str, json_list: sa.ColumnElement[Any]) -> sa.TableValuedAlias:
    """Return the elements of a JSON list as a table with the column ``value``, in list order.

    On PostgreSQL the column ``ordinality`` has their positions; SQLite keeps the order anyway.
    """
    if database == "sqlite":
        return sa.func.json_each(json_list).table_valued("value")
    function = sa.func.json_array_elements_text(sa.cast(json_list, sa.JSON))
    return function.table_valued("value", with_ordinality="ordinality")


def upsert(table: sa.Table, database: str) -> Any:
    """Make an INSERT that can also say what to do with rows that already exist."""
    # Importing both dialects would make commands take a tenth longer to start.
    if database == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    return insert(table)


def replacing(table: sa.Table, database: str) -> Any:
    """Make an INSERT that replaces rows with the same primary key."""
    insert, key = upsert(table, database), list(table.primary_key)
    others = {column.name: insert.excluded[column.name] for column in table.c if column not in key}
    return insert.on_conflict_do_update(index_elements=key, set_=others)


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows, each with a value for every column, in column order, as the driver takes it.

    Raises IntegrityError, StorageUnavailable.
    """
    if connection.dialect.name == "postgresql":
        _copy(connection, table, rows)
    else:
        _insert(connection, table, rows)


# Looks up one id after the other. PostgreSQL has no statistics for rows that this transaction
# wrote. It assumes that there are few, and would read all of the user's rows for a list of ids.
# The outer condition names the user, too: the user decides which machine has the rows.
_WITH_IDS = """
{table}.user_id = :user AND {table}.ctid = ANY (ARRAY(
    SELECT one.ctid FROM unnest(CAST(:ids AS text[])) AS wanted (id), LATERAL (
        SELECT owned.ctid FROM {table} AS owned
        WHERE owned.user_id = :user AND owned.{key} = wanted.id{further} LIMIT 1
    ) AS one
))
"""


def rows_with(
    connection: sa.Connection,
    table: sa.Table,
    user_id: int,
    ids: Sequence[str],
    key: str = "id",
    **further: str,
) -> sa.ColumnElement[bool] | sa.TextClause:
    """Return a condition for the user's rows with these ids; there may be very many ids.

    key: the column with the ids. further: values that other columns must have, by name.
    """
    if connection.dialect.name == "sqlite":
        wanted = json_elements("sqlite", sa.literal(json.dumps(list(ids)), CodePointText))
        found = (table.c.user_id == user_id) & table.c[key].in_(sa.select(wanted.c.value))
        return sa.and_(found, *(table.c[name] == value for name, value in further.items()))
    user = sa.bindparam("user", user_id, sa.BigInteger)
    conditions = "".join(f" AND owned.{name} = :{name}" for name in further)
    condition = _WITH_IDS.format(table=table.name, key=key, further=conditions)
    return sa.text(condition).bindparams(user, ids=list(ids), **further)


def looked_up(database: str, rows: sa.Select[Any], column: sa.ColumnElement[str]) -> sa.Select[Any]:
    """Return the query, restricted to rows whose column has one of IDS."""
    ids = json_elements(database, IDS)
    if database == "sqlite":
        return rows.where(column.in_(sa.select(ids.c.value)))
    # Look up one id after the other, as `rows_with` does.
    one = rows.where(column == ids.c.value).limit(sa.literal_column("1")).lateral()
    return sa.select(one).select_from(ids.join(one, sa.true()))


def rows_differ(
    connection: sa.Connection, expected: sa.Select[Any], stored: sa.Select[Any]
) -> bool:
    """Whether two queries select different rows; their order does not count."""
    for one, other in ((expected, stored), (stored, expected)):
        difference = sa.except_(one, other).subquery()
        if connection.scalar(sa.select(sa.literal_column("1")).select_from(difference).limit(1)):
            return True
    return False


# These functions call the drivers without SQLAlchemy, so they must convert the drivers' errors.


@cache
def _insertion(table: sa.Table, dialect: sa.Dialect) -> str:
    return str(sa.insert(table).compile(dialect=dialect))


def _insert(connection: sa.Connection, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
    raw: Any = connection.connection.driver_connection
    try:
        raw.executemany(_insertion(table, connection.dialect), rows)
    except sqlite3.IntegrityError as error:
        raise IntegrityError("INSERT", None, error) from error
    except sqlite3.Error as error:
        raise_unavailable(error, connection.dialect, is_disconnect=False)
        raise


def _copy(connection: sa.Connection, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
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
    except psycopg.Error as error:
        if isinstance(error, psycopg.IntegrityError) or is_violation(error, table):
            raise IntegrityError("COPY", None, error) from error
        raise_unavailable(error, connection.dialect, is_disconnect=False)
        raise
