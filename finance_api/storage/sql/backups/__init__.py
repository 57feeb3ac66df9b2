"""Backups of the whole database in one file, and restoring them.

Whatever was revoked in the replaced database stays revoked: ``present_users``, ``present_tokens``,
``present_question_links`` and ``present_jwts`` contain that database's users and credentials. The
SQL works on SQLite and PostgreSQL, and uses only columns that exist in every version of the tables.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: The tables of tokens and links.
_SECRETS = ("tokens", "question_links")
_KEPT_USERS = (
    """UPDATE users SET enabled = present.enabled, password_hash = present.password_hash,
    jwts_revoked_at = present.jwts_revoked_at
    FROM present_users AS present WHERE present.uuid = users.uuid""",
    # Disable users who were deleted since the backup. A new database has no users to compare with.
    """UPDATE users SET enabled = false
    WHERE uuid NOT IN (SELECT uuid FROM present_users) AND EXISTS (SELECT 1 FROM present_users)""",
    """DELETE FROM jwts
    WHERE jti IN (SELECT jti FROM present_jwts WHERE revoked_at IS NOT NULL)""",
    # Leave out the JWTs' users, who may not be in the backup.
    """INSERT INTO jwts (jti, issued_at, expires_at, revoked_at)
    SELECT jti, issued_at, expires_at, revoked_at FROM present_jwts WHERE revoked_at IS NOT NULL""",
)
#: For each of `_SECRETS`.
_KEPT_SECRETS = (
    """UPDATE {table} SET revoked_at = coalesce(
        (SELECT revoked_at FROM present_{table} AS present WHERE present.sha256 = {table}.sha256),
        {now})
    WHERE revoked_at IS NULL
    AND sha256 NOT IN (SELECT sha256 FROM present_{table} WHERE revoked_at IS NULL)
    AND EXISTS (SELECT 1 FROM present_users)""",
    # Keep the earlier expiry: a token that was replaced expires sooner.
    """UPDATE {table} SET expires_at = present.expires_at FROM present_{table} AS present
    WHERE present.sha256 = {table}.sha256
    AND ({table}.expires_at IS NULL OR present.expires_at < {table}.expires_at)""",
)
_ENDED = (
    "DELETE FROM sessions",
    """UPDATE users SET jwts_revoked_at =
    CASE WHEN jwts_revoked_at > {now} THEN jwts_revoked_at ELSE {now} END""",
    "UPDATE jwts SET revoked_at = {now} WHERE revoked_at IS NULL",
)
_REVOKED = "UPDATE {table} SET revoked_at = {now} WHERE revoked_at IS NULL"


_PRESENT = {
    "present_users": "SELECT uuid, enabled, password_hash, jwts_revoked_at FROM {at}users",
    "present_jwts": "SELECT jti, issued_at, expires_at, revoked_at FROM {at}jwts",
    "present_tokens": "SELECT sha256, revoked_at, expires_at FROM {at}tokens",
    "present_question_links": "SELECT sha256, revoked_at, expires_at FROM {at}question_links",
}


def present_queries(at: str = "") -> dict[str, str]:
    """Return queries for the credentials before the restore, by the names of their results.

    at: a prefix for the names of the tables.
    """
    return {name: query.format(at=at) for name, query in _PRESENT.items()}


def sql_after(now: int, *, has_present: bool, revoke_tokens: bool) -> list[str]:
    """Return the SQL to run after the data was restored.

    has_present: whether there were tables before the restore.
    revoke_tokens: whether to revoke all tokens and links.
    """
    each = [*_KEPT_SECRETS * has_present, *[_REVOKED] * revoke_tokens]
    found = [
        *_KEPT_USERS * has_present,
        *(sql.format(table=table, now=int(now)) for table in _SECRETS for sql in each),
        *_ENDED,
    ]
    return [sql.format(now=int(now)) for sql in found]


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file, which is renamed to ``path`` if the block ends without an error.

    If there is an error, the file is removed. It is in the folder of ``path``, so that it can be
    renamed. Only its owner may read it.
    """
    descriptor, name = tempfile.mkstemp(".part", f"{path.name}.", path.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        for each, flags in ((part, os.O_RDWR), (path.parent, os.O_DIRECTORY)):
            descriptor = os.open(each, flags)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if each is part:
                part.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            part.unlink()
        raise
