"""Issuing and revoking JSON Web Tokens, for commands and settings pages."""

from collections.abc import Sequence

from finance_api.auth.issuing import IssueRefused
from finance_api.auth.jwt_keys import JwtKey, signing_key
from finance_api.auth.jwts import MAX_ID_CHARACTERS, Claims, JwtRules, sign_jwt
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import AuditAction, Jwt, User, WritableStorage
from finance_api.values.ids import new_id


class TooManyJwts(IssueRefused):
    """The user has as many as allowed."""


class RevokeRefused(Exception):
    """The text is no jti."""


def issue_jwt(
    storage: WritableStorage,
    user: User,
    *,
    keys: Sequence[JwtKey],
    rules: JwtRules,
    now: int,
    ttl_seconds: int,
) -> tuple[str, Jwt]:
    """Issue a JWT; return its text and the stored row. Raises IssueRefused, NotFound."""
    user = storage.users.lock(user.id)
    if not user.enabled:
        raise IssueRefused("the user is disabled")
    if not 0 < ttl_seconds <= rules.max_ttl_seconds:
        raise IssueRefused(
            f"a JWT lasts 1 to {rules.max_ttl_seconds} seconds (finance_api.jwt.max_ttl_seconds)"
        )
    key = signing_key(keys, now)
    if key is None:
        raise IssueRefused(
            "there is no HS256 key in use in finance_api.jwt.keys: finance-api jwt new-key"
        )
    # JWTs issued up to the second of a revocation of all are refused.
    issued_at = now if user.jwts_revoked_at is None else max(now, user.jwts_revoked_at + 1)
    expires_at = issued_at + ttl_seconds
    if key.use_until is not None:
        expires_at = min(expires_at, key.use_until)
    if expires_at <= issued_at:
        raise IssueRefused("the signing key ends before the JWT would begin")
    own = storage.jwts.list_by_user(user.id)
    live = [jwt for jwt in own if jwt.revoked_at is None and jwt.expires_at > now]
    if len(live) >= rules.max_live:
        raise TooManyJwts(
            f"there are {len(live)} active JWTs, and {rules.max_live} are allowed: "
            "revoke one first, or wait until one expires"
        )
    claims = Claims(user.uuid, new_id(), issued_at, expires_at)
    jwt = Jwt(claims.jti, user.id, issued_at, expires_at)
    storage.jwts.add(jwt)
    storage.note(user.id, AuditAction.JWT_ISSUED, now, jwt.jti)
    return sign_jwt(key, rules, claims), jwt


def revoke_own_jwt(storage: WritableStorage, jti: str, now: int, *, user_id: int) -> None:
    """Revoke a JWT that was issued here to the user. Raises NotFound."""
    storage.jwts.revoke(jti, now, user_id=user_id)
    storage.note(user_id, AuditAction.JWT_REVOKED, now, jti)


def revoke_jwt(storage: WritableStorage, jti: str, *, rules: JwtRules, now: int) -> Jwt:
    """Revoke a JWT by its jti, wherever it was issued. Raises RevokeRefused.

    An unknown jti is stored for the longest lifetime of a JWT.
    """
    if not 0 < len(jti) <= MAX_ID_CHARACTERS or not jti.isprintable():
        raise RevokeRefused(f"a jti has 1 to {MAX_ID_CHARACTERS} printable characters")
    jwt = _revoked(storage, jti, rules, now)
    storage.note(jwt.user_id, AuditAction.JWT_REVOKED, now, jti)
    return jwt


def _revoked(storage: WritableStorage, jti: str, rules: JwtRules, now: int) -> Jwt:
    try:
        return storage.jwts.revoke(jti, now)
    except NotFound:
        expires_at = now + rules.max_ttl_seconds + 2 * rules.leeway_seconds
        jwt = Jwt(jti, None, None, expires_at, revoked_at=now)
        try:
            storage.jwts.add(jwt)
        except Conflict:
            raise RevokeRefused("it is being revoked just now; try again") from None
        return jwt
