"""What a restore keeps of the database that it replaces: nothing that was revoked comes back.

``present_users``, ``present_tokens`` and ``present_jwts`` are what was there before. The statements
are the same for both databases, and name columns that tables of every version have.
"""

_KEPT = (
    """UPDATE users SET enabled = present.enabled, password_hash = present.password_hash,
    jwts_revoked_at = present.jwts_revoked_at
    FROM present_users AS present WHERE present.uuid = users.uuid""",
    # An empty database has forgotten nobody: it is a new one.
    """UPDATE users SET enabled = false
    WHERE uuid NOT IN (SELECT uuid FROM present_users) AND EXISTS (SELECT 1 FROM present_users)""",
    """UPDATE tokens SET revoked_at = coalesce(
        (SELECT revoked_at FROM present_tokens WHERE present_tokens.sha256 = tokens.sha256), {now})
    WHERE revoked_at IS NULL
    AND sha256 NOT IN (SELECT sha256 FROM present_tokens WHERE revoked_at IS NULL)
    AND EXISTS (SELECT 1 FROM present_users)""",
    # One that was replaced ended sooner.
    """UPDATE tokens SET expires_at = present.expires_at FROM present_tokens AS present
    WHERE present.sha256 = tokens.sha256
    AND (tokens.expires_at IS NULL OR present.expires_at < tokens.expires_at)""",
    """DELETE FROM jwts
    WHERE jti IN (SELECT jti FROM present_jwts WHERE revoked_at IS NOT NULL)""",
    # Whose they were does not matter, and the user may be unknown.
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

#: Where it is from. at: what stands before the names of the tables.
PRESENT = {
    "present_users": "SELECT uuid, enabled, password_hash, jwts_revoked_at FROM {at}users",
    "present_tokens": "SELECT sha256, revoked_at, expires_at FROM {at}tokens",
    "present_jwts": "SELECT jti, issued_at, expires_at, revoked_at FROM {at}jwts",
}


def statements_after(now: int, *, has_present: bool, revoke_tokens: bool) -> list[str]:
    """To be run on what was restored.

    has_present: whether there were tables before. revoke_tokens: all of them.
    """
    statements = [*_KEPT * has_present, *_ENDED, *[_REVOKED] * revoke_tokens]
    return [statement.format(now=int(now)) for statement in statements]
