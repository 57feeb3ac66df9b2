"""Finds out what the errors of the databases' drivers mean."""

import math
import sqlite3
from typing import Any

from sqlalchemy.exc import IntegrityError

from finance_api.runtime.time_limit import TookTooLong, seconds_left
from finance_api.storage.errors import (
    StorageDamaged,
    StorageError,
    StorageLocked,
    StorageNotReady,
    StorageUnavailable,
)

#: PostgreSQL's read_only_sql_transaction: the server is a standby, as after a failover.
READ_ONLY = "25006"
#: PostgreSQL's query_canceled: a time limit of the role ended the query, or an administrator did.
_QUERY_CANCELED = "57014"
#: PostgreSQL's class program_limit_exceeded: the SQL is at fault.
_LIMIT_EXCEEDED = "54"

#: PostgreSQL's lock_not_available, and its name in SQLite.
_LOCKED: set[int | str] = {"55P03", sqlite3.SQLITE_BUSY}

_NO_ANSWER = "the database does not answer: {}"

#: For some codes (see `codes_of`): the error to raise, and its message; {} is the driver's message.
_MEANINGS: tuple[tuple[set[int | str], type[StorageError], str], ...] = (
    # PostgreSQL: undefined_table, undefined_column, undefined_function.
    (
        {"42P01", "42703", "42883", "no such table", "no such column"},
        StorageNotReady,
        "the database is not ready: {}",
    ),
    # PostgreSQL: data_corrupted, index_corrupted.
    ({"XX001", "XX002", sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}, StorageDamaged, "{}"),
    # PostgreSQL: internal_error. In a cluster, this is most often a lost connection between two
    # servers, so do not advise restoring a backup.
    ({"XX000"}, StorageUnavailable, "the database failed; see its log: {}"),
    # Leave out the driver's message, which shows the text.
    ({"Could not decode"}, StorageDamaged, "a text is not UTF-8"),
    ({READ_ONLY}, StorageUnavailable, "the database is read-only: nothing can be changed now"),
    (
        {sqlite3.SQLITE_READONLY},
        StorageUnavailable,
        "the database is read-only: its file or folder cannot be written",
    ),
    (
        {sqlite3.SQLITE_CANTOPEN},
        StorageUnavailable,
        f"{_NO_ANSWER} (if the database does not exist yet: run 'finance-api db upgrade')",
    ),
    (
        {
            *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_IOERR),
            *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_PROTOCOL),
        },
        StorageUnavailable,
        _NO_ANSWER,
    ),
)


def codes_of(error: BaseException) -> set[int | str]:
    """Return the codes that identify an error.

    SQLite: the primary result code, which is the lowest byte of the extended code, and the first
    words of the message. PostgreSQL: the SQLSTATE and its class.
    """
    if isinstance(error, UnicodeDecodeError):
        return {"Could not decode"}
    if isinstance(error, sqlite3.Error):
        words = " ".join(str(error).split()[:3]).rstrip(":")
        return {getattr(error, "sqlite_errorcode", 0) & 0xFF, words}
    state = getattr(error, "sqlstate", None) or ""
    return {state, state[:2]}


def raise_unavailable(error: BaseException, dialect: Any, *, is_disconnect: bool) -> None:
    """Raise StorageNotReady, StorageUnavailable or StorageDamaged if the error means that."""
    codes = codes_of(error)
    text = " ".join(str(error).split()) or type(error).__name__
    if sqlite3.SQLITE_INTERRUPT in codes:
        # The progress handler of the connection found that the time limit has ended.
        raise TookTooLong from error
    if _QUERY_CANCELED in codes:
        if seconds_left() < math.inf:
            raise TookTooLong from error
        raise StorageUnavailable(f"a query took too long: {text}") from error
    if _LOCKED & codes:
        raise StorageLocked from error
    for known, meaning, message in _MEANINGS:
        if known & codes:
            raise meaning(message.format(text)) from error
    driver = dialect.loaded_dbapi
    is_failure = isinstance(error, (driver.OperationalError, driver.InterfaceError))
    if isinstance(error, sqlite3.Error) or _LIMIT_EXCEEDED in codes:
        is_failure = False
    if is_disconnect or is_failure:
        raise StorageUnavailable(_NO_ANSWER.format(text)) from error


def is_duplicate(error: IntegrityError) -> bool:
    """Whether the key already exists. If not, the row refers to a missing row."""
    duplicates = (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)
    # PostgreSQL: unique_violation.
    return (
        getattr(error.orig, "sqlite_errorcode", None) in duplicates
        or getattr(error.orig, "sqlstate", None) == "23505"
    )
