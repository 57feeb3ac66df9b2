"""Many new rows at once, by the fastest way that each database has."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import StorageUnavailable


def insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """rows: every column of the table. Raises IntegrityError, StorageUnavailable."""
    if connection.dialect.name == "postgresql":
        _copy(connection, table, rows)
    else:
        connection.execute(insert(table), rows)


def _copy(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    # The driver's own COPY goes past SQLAlchemy: types and errors are converted here.
    import psycopg

    dialect = connection.dialect
    columns = [(c.name, c.type.dialect_impl(dialect).bind_processor(dialect)) for c in table.c]
    quote = dialect.identifier_preparer.quote
    names = ", ".join(quote(name) for name, _ in columns)
    raw: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    try:
        with (
            raw.cursor() as cursor,
            cursor.copy(f"COPY {quote(table.name)} ({names}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(
                    [row[n] if process is None else process(row[n]) for n, process in columns]
                )
    except psycopg.IntegrityError as error:
        raise IntegrityError("COPY", None, error) from error
    except psycopg.OperationalError as error:
        if (error.sqlstate or "").startswith("54"):
            raise
        raise StorageUnavailable(f"the database does not answer: {error}") from error
