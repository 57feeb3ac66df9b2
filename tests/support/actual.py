"""A book of Actual Budget, and what is in it after SQL statements."""

import io
import sqlite3
import zipfile
from contextlib import closing

from support.books import BOOKS

HOUSEHOLD = (BOOKS / "actual-household.zip").read_bytes()


def database_in(book: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return archive.read("db.sqlite")


def edited_actual(*statements: str) -> bytes:
    """Return the database of the household after SQL statements."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize(database_in(HOUSEHOLD))
        for statement in statements:
            database.execute(statement)
        return database.serialize()
