"""Locks tables of PostgreSQL, so that queries on them wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine, text


@contextmanager
def locked(url: str, table: str) -> Iterator[Callable[[], int]]:
    """Lock a table. Yields a function that counts the queries waiting for the table."""
    engine = create_engine(url)
    query = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = :table ::regclass")

    def waiting() -> int:
        with engine.connect() as other:
            return int(other.execute(query, {"table": table}).scalar_one())

    try:
        with engine.begin() as connection:
            connection.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
            yield waiting
    finally:
        engine.dispose()
