"""Finds, opens and checks the database of a book of Actual."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from finance_api.importers.books.sqlite_file import (
    MAGIC,
    SQLITE_DAMAGES,
    SqliteFile,
    contains,
    opened,
)
from finance_api.importers.interface import ImportRefused, listed

_DATABASE, _METADATA = "db.sqlite", "metadata.json"
#: A table that only books of Actual have.
_OWN_TABLE = b"CREATE TABLE payee_mapping"
_HEAD_BYTES = 64
#: Exceptions that damaged files cause.
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, *SQLITE_DAMAGES)
#: The newest migration of version 26.9.0, with which the reader was tried.
NEWEST = 1787013118115
#: The columns that are read.
_READ = {
    "accounts": "id name offbudget:int closed:int tombstone:int",
    "payees": "id name transfer_acct tombstone:int",
    "payee_mapping": "id targetId",
    "category_groups": "id name is_income:int hidden:int tombstone:int",
    "categories": "id name cat_group hidden:int tombstone:int goal_def",
    "category_mapping": "id transferId",
    "transactions": (
        "id isParent:int isChild:int parent_id acct category amount:int description notes date:int "
        "imported_description starting_balance_flag:int transferred_id tombstone:int cleared:int "
        "reconciled:int financial_id"
    ),
    "zero_budgets": "month:int category amount:int carryover:int",
    "reflect_budgets": "month:int category amount:int carryover:int",
    "zero_budget_months": "id buffered:int",
    "rules": "id conditions conditions_op actions tombstone:int",
    "schedules": "id rule completed:int posts_transaction:int tombstone:int name",
    "notes": "id note",
    "preferences": "id value",
}
#: All other columns of these tables.
_NOT_READ = {
    "accounts": (
        "account_id balance_current balance_available balance_limit mask official_name subtype "
        "bank sort_order type account_sync_source last_sync last_reconciled bank_sync_status "
        "account_group_id"
    ),
    "payees": "category favorite learn_categories",
    "category_groups": "sort_order",
    "categories": "is_income sort_order template_settings cleanup_def",
    "transactions": "type location error sort_order pending schedule raw_synced_data",
    "zero_budgets": "id goal long_goal",
    "reflect_budgets": "id goal long_goal",
    "rules": "stage",
    "schedules": "active custom_upcoming_length sort_order",
}
_ADVICE = "open it with a current version of Actual, and export it again"


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
        with _database_in(stream) as file, opened(file, _READ, _ADVICE) as database:
            _check_version(database)
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


def _check_version(database: SqliteFile) -> None:
    """Raise ImportRefused for a version in which anything that is read may be different."""
    newest = newest_migration(database)
    if newest <= NEWEST:
        return
    for table, read in database.read.items():
        known = {*read, *_NOT_READ.get(table, "").split()}
        if changed := sorted(database.columns[table] ^ known):
            raise ImportRefused(
                f"the book is of a newer version of Actual (migration {newest}; known are those up "
                f"to {NEWEST}), which changed {listed(changed)} in the table {table}: finance-api "
                "needs an update to read it"
            )


def newest_migration(database: SqliteFile) -> int:
    if "id" not in database.columns.get("__migrations__", ()):
        raise ImportRefused("the database has no list of migrations, as books of Actual have")
    ids: list[int] = [number for (number,) in database.untyped_rows("__migrations__", "id")]
    if not ids or not all(isinstance(number, int) for number in ids):
        raise ImportRefused("the database has no list of migrations, as books of Actual have")
    return max(ids)
