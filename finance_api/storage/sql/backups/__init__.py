"""Backups of the whole database in one file, and restoring them.

A restore keeps what was revoked in the database that it replaces: ``present_users``,
``present_tokens`` and ``present_jwts`` contain that database's users, tokens and JWTs. The SQL
works on both databases, and uses only columns that exist in every version of the tables.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_KEPT = (
    """UPDATE users SET enabled = present.enabled, password_hash = present.password_hash,
    jwts_revoked_at = present.jwts_revoked_at
    FROM present_users AS present WHERE present.uuid = users.uuid""",
    # Disable users who were deleted since the backup. A new database has no users to compare with.
    """UPDATE users SET enabled = false
    WHERE uuid NOT IN (SELECT uuid FROM present_users) AND EXISTS (SELECT 1 FROM present_users)""",
    """UPDATE tokens SET revoked_at = coalesce(
        (SELECT revoked_at FROM present_tokens WHERE present_tokens.sha256 = tokens.sha256), {now})
    WHERE revoked_at IS NULL
    AND sha256 NOT IN (SELECT sha256 FROM present_tokens WHERE revoked_at IS NULL)
    AND EXISTS (SELECT 1 FROM present_users)""",
    # Keep the earlier expiry: a token that was replaced expires sooner.
    """UPDATE tokens SET expires_at = present.expires_at FROM present_tokens AS present
    WHERE present.sha256 = tokens.sha256
    AND (tokens.expires_at IS NULL OR present.expires_at < tokens.expires_at)""",
    """DELETE FROM jwts
    WHERE jti IN (SELECT jti FROM present_jwts WHERE revoked_at IS NOT NULL)""",
    # Leave out their users, who may not be in the backup.
    """INSERT INTO jwts (jti, issued_at, expires_at, revoked_at)
    SELECT jti, issued_at, expires_at, revoked_at FROM present_jwts WHERE revoked_at IS NOT NULL""",
)
_ENDED = (
    "DELETE FROM sessions",
    """UPDATE users SET jwts_revoked_at =
    CASE WHEN jwts_revoked_at > {now} THEN jwts_revoked_at ELSE {now} END""",
    "UPDATE jwts SET revoked_at = {now} WHERE revoked_at IS NULL",
)
_REVOKED = "UPDATE tokens SET revoked_at = {now} WHERE revoked_at IS NULL"

#: Queries for what the database had before. at: a prefix of the tables' names.
PRESENT = {
    "present_users": "SELECT uuid, enabled, password_hash, jwts_revoked_at FROM {at}users",
    "present_tokens": "SELECT sha256, revoked_at, expires_at FROM {at}tokens",
    "present_jwts": "SELECT jti, issued_at, expires_at, revoked_at FROM {at}jwts",
}


def sql_after(now: int, *, has_present: bool, revoke_tokens: bool) -> list[str]:
    """Return the SQL to run after the data was restored.

    has_present: whether there were tables before. revoke_tokens: whether to revoke all tokens.
    """
    found = [*_KEPT * has_present, *_ENDED, *[_REVOKED] * revoke_tokens]
    return [sql.format(now=int(now)) for sql in found]


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file, which is renamed to ``path`` if the block ends without an error.

    Otherwise the file is removed. It is in the same folder, so that it can be renamed, and only its
    owner may read it.
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
