"""Finds and opens the database of a book of Actual."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from finance_api.importers.books.actual.tables import checked
from finance_api.importers.books.sqlite_file import (
    MAGIC,
    SQLITE_DAMAGES,
    SqliteFile,
    contains,
    opened,
)
from finance_api.importers.interface import ImportRefused

_DATABASE, _METADATA = "db.sqlite", "metadata.json"
#: A table that only books of Actual have.
_OWN_TABLE = b"CREATE TABLE payee_mapping"
_HEAD_BYTES = 64
#: Exceptions that damaged files cause.
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, *SQLITE_DAMAGES)


def looks_like_actual(stream: BinaryIO) -> bool:
    """Return whether a file is a book, even a damaged one. The stream is rewound."""
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    if head.startswith(MAGIC):
        return contains(stream, _OWN_TABLE)
    try:
        with zipfile.ZipFile(stream) as archive:
            return {_DATABASE, _METADATA} <= {Path(name).name for name in archive.namelist()}
    except (*_DAMAGES, ValueError, OverflowError, struct.error):
        # The first member is named at the beginning, also if the list at the end is cut off.
        return _DATABASE.encode() in head
    finally:
        stream.seek(0)


@contextmanager
def actual_database(stream: BinaryIO) -> Iterator[SqliteFile]:
    """Open a private copy of the database of a book. Raises ImportRefused."""
    try:
        with _database_in(stream) as file, opened(file) as database:
            checked(database)
            yield database
    except _DAMAGES:
        raise ImportRefused(
            "the book is damaged or cut short: export it again, with Settings, Export data"
        ) from None


@contextmanager
def _database_in(stream: BinaryIO) -> Iterator[IO[bytes]]:
    is_database = stream.read(len(MAGIC)) == MAGIC
    stream.seek(0)
    if is_database:
        yield stream
        return
    with zipfile.ZipFile(stream) as archive:
        members = [each for each in archive.infolist() if Path(each.filename).name == _DATABASE]
        if len(members) != 1:
            raise ImportRefused(f"the ZIP file has {len(members)} databases: give one book a file")
        packed = members[0].compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not packed or members[0].flag_bits & 1:
            raise ImportRefused(
                "the ZIP file has a password, or is packed in an unusual way: give the file as "
                "Actual exports it"
            )
        with archive.open(members[0]) as member:
            yield member
