"""Reads SQLite files of strangers without running the SQL in them.

Views, triggers, indexes and virtual tables are the stranger's: only columns of ordinary tables are
read, from a private copy that nobody writes. A file with generated columns is refused, because even
checking a file for damage computes them.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, BinaryIO

from finance_api.importers.books.reading import row_type
from finance_api.importers.interface import ImportRefused, listed, quoted
from finance_api.values.text import count_text

MAGIC = b"SQLite format 3\x00"
#: Exceptions that damaged databases cause. UnicodeDecodeError: the name of a column is no text.
SQLITE_DAMAGES = (sqlite3.Error, UnicodeDecodeError)
#: Maximum size of a database in bytes.
MAX_BYTES = 500_000_000
#: Maximum size of one value in bytes.
_MAX_VALUE_BYTES = 1_000_000
_PIECE_BYTES = 1 << 20
#: Columns without which a row cannot be.
_IDS = ("id", "guid")
_SAFE = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA ignore_check_constraints = ON",
    "PRAGMA query_only = ON",
)
#: The tables with generated columns.
_COMPUTED = """
    SELECT tables.name FROM pragma_table_list AS tables, pragma_table_xinfo(tables.name) AS columns
    WHERE tables.schema = 'main' AND tables.type NOT IN ('view', 'virtual')
    AND columns.hidden IN (2, 3)
"""


#: A table -> the columns that are read: ``id amount:int`` are a text and a whole number.
Columns = Mapping[str, str]


class SqliteFile:
    """An open database. Its methods raise SQLITE_DAMAGES if the file is damaged.

    read: the columns that `rows` has. advice: what to do if one is missing. no_text: what a missing
    text is. columns: all columns of each ordinary table.
    """

    def __init__(
        self, connection: sqlite3.Connection, read: Columns, advice: str, no_text: str | None = None
    ) -> None:
        """Raises ImportRefused if a column is missing."""
        self._connection = connection
        self._no_text = no_text
        self.columns: dict[str, set[str]] = {}
        for row in connection.execute("PRAGMA main.table_list").fetchall():
            name, kind = row[1], row[2]
            if kind == "table":
                found = connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
                self.columns[name] = {column for (column,) in found}
        self.read: dict[str, dict[str, type]] = {}
        for table, text in read.items():
            named = (each.partition(":") for each in text.split())
            self.read[table] = {name: int if kind else str for name, _, kind in named}
            if missing := self.read[table].keys() - self.columns.get(table, set()):
                raise ImportRefused(
                    f"the book lacks {listed(sorted(missing))} in the table {table}: {advice}"
                )

    def untyped_rows(
        self, table: str, *columns: str, order: str = "rowid"
    ) -> Iterator[tuple[Any, ...]]:
        """Yield values of all rows, without using an index.

        order: an expression. table, columns: names from the code, never from the file.
        """
        names = ", ".join(f'"{column}"' for column in columns)
        query = f'SELECT {names} FROM main."{table}" NOT INDEXED ORDER BY {order}'  # noqa: S608
        return self._connection.execute(query)

    def rows(self, table: str, order: str = "rowid") -> Iterator[Any]:
        """Yield the columns that are read as named tuples. A missing number is 0.

        order: an expression.

        Raises ImportRefused for a value of another type than its column has.
        """
        types = self.read[table]
        named = row_type(table, types)
        for row in self.untyped_rows(table, *types, order=order):
            values: list[Any] = []
            for value, (name, kind) in zip(row, types.items(), strict=True):
                if value is None and name not in _IDS:
                    value = 0 if kind is int else self._no_text
                elif not isinstance(value, kind):
                    raise ImportRefused(
                        f"{quoted(name)} is {quoted(str(value))} in a row of the table {table}, "
                        f"where the program has a {'whole number' if kind is int else 'text'}"
                    )
                values.append(value)
            yield named._make(values)


@contextmanager
def opened(
    source: IO[bytes], read: Columns, advice: str, no_text: str | None = None
) -> Iterator[SqliteFile]:
    """Open a private copy of a database. read, advice, no_text: see `SqliteFile`.

    Raises ImportRefused and SQLITE_DAMAGES.
    """
    with TemporaryDirectory(prefix="finance-api-") as folder:
        path = Path(folder) / "copy.sqlite"
        _copy_bounded(source, path)
        _check_header(path)
        with _connected(path) as connection:
            yield SqliteFile(connection, read, advice, no_text)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    uri = f"{path.as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        for pragma in _SAFE:
            connection.execute(pragma)
        if found := connection.execute(_COMPUTED).fetchone():
            raise ImportRefused(
                f"the table {quoted(found[0])} has a column that SQL in the file computes, and "
                "no SQL of a file is run: give the file as its program exports it"
            )
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("quick_check")
        yield connection


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(MAGIC):
        raise sqlite3.DatabaseError("no header")
    # https://www.sqlite.org/fileformat2.html#the_database_header
    if 2 in header[18:20]:
        raise ImportRefused(
            "the newest changes of this database may be in another file beside it, as its name "
            "ends with -wal: close the program that keeps it, or export the data there"
        )
    page_size = int.from_bytes(header[16:18]) or 1
    pages = int.from_bytes(header[28:32])
    if pages * (65_536 if page_size == 1 else page_size) > path.stat().st_size:
        raise sqlite3.DatabaseError("cut off")


def _copy_bounded(source: IO[bytes], target: Path) -> None:
    """Copy a database. Raises ImportRefused if it is too large."""
    size = 0
    with target.open("wb") as file:
        while piece := source.read(_PIECE_BYTES):
            size += len(piece)
            if size > MAX_BYTES:
                raise ImportRefused(
                    f"the database has more than {count_text(MAX_BYTES)} bytes, which is the limit"
                )
            file.write(piece)


def contains(stream: BinaryIO, words: bytes) -> bool:
    """Return whether a file contains the words. The stream is at its start, and is rewound."""
    try:
        end = b""
        while piece := stream.read(_PIECE_BYTES):
            if words in end + piece:
                return True
            end = piece[-len(words) :]
        return False
    finally:
        stream.seek(0)
