"""Many rows at once, by the fastest way that each database has."""

import json
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Dialect,
    Table,
    TextClause,
    and_,
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
        WHERE owned.user_id = :user AND owned.{key} = wanted.id{further} LIMIT 1
    ) AS one
))
"""


def rows_with(
    connection: Connection,
    table: Table,
    user_id: int,
    ids: Sequence[str],
    key: str = "id",
    **further: str,
) -> ColumnElement[bool] | TextClause:
    """Selects the user's rows with these ids, however many.

    key: the column with the ids. further: texts in other columns.
    """
    if connection.dialect.name == "sqlite":
        wanted = json_elements("sqlite", literal(json.dumps(list(ids)), CodePointText))
        found = (table.c.user_id == user_id) & table.c[key].in_(select(wanted.c.value))
        return and_(found, *(table.c[name] == value for name, value in further.items()))
    user = bindparam("user", user_id, BigInteger)
    conditions = "".join(f" AND owned.{name} = :{name}" for name in further)
    condition = _WITH_IDS.format(table=table.name, key=key, further=conditions)
    return text(condition).bindparams(user, ids=list(ids), **further)


class Shown(NamedTuple):
    """What is shown of a row, and since which revision."""

    json: str
    revision: int


def shown_in(
    connection: Connection, table: Table, user_id: int, ids: Sequence[str]
) -> dict[str, Shown]:
    """Of the user's rows with these ids in one of JSON_TABLES, by id."""
    which = rows_with(connection, table, user_id, ids)
    found = connection.execute(select(table.c.id, table.c.json, table.c.revision).where(which))
    return {row_id: Shown(*shown) for row_id, *shown in found}


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
