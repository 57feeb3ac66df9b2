"""JSON Web Tokens (RFC 7519) of the internal API: signing, verifying, issuing and revoking.

PyJWT checks the signature and that no claim is missing. Where PyJWT is lax, this module checks:
canonical base64url, duplicate members, the header, and types. It also checks times, by our clock.
"""

import math
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from finance_api.auth.jwt_keys import JwtKey, parse_json, signing_key
from finance_api.auth.personal_tokens import MAX_LIVE, IssueRefused
from finance_api.runtime.settings import SettingError
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import AuditAction, Jwt, User, WritableStorage
from finance_api.values.ids import new_id

_FORM = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
_CLAIMS = ("sub", "exp", "iat", "jti", "iss", "aud")
_TYPES = ("JWT", "at+jwt")
#: Header members that bring or link to a key, or name extensions. Tokens with them are refused.
_FORBIDDEN_HEADERS = frozenset({"jku", "jwk", "x5u", "x5c", "crit", "b64"})
MAX_ID_CHARACTERS = 254


class JwtRefused(Exception):
    """The token is not valid; the reason is not disclosed."""


class JwtExpired(JwtRefused):
    """The token was valid until it expired."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a JWT. subject: the user's UUID or e-mail. issued_at, expires_at: seconds."""

    subject: str
    jti: str
    issued_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class JwtRules:
    """The rules for JWTs. issuers: the accepted issuers; tokens signed here name the first.

    max_live: the maximum number of a user's JWTs that were issued here and are still valid.
    """

    issuers: tuple[str, ...]
    audience: str
    max_ttl_seconds: int
    leeway_seconds: int
    max_live: int = MAX_LIVE


def jwt_rules(settings: Mapping[str, Any]) -> JwtRules:
    """Return the rules of the settings. Raises SettingError."""
    ttl, longest = (settings[f"finance_api.jwt.{n}ttl_seconds"] for n in ("", "max_"))
    if ttl > longest:
        raise SettingError(
            f"finance_api.jwt.ttl_seconds: {ttl} is more than finance_api.jwt.max_ttl_seconds"
        )
    return JwtRules(
        issuers=settings["finance_api.jwt.issuers"],
        audience=settings["finance_api.jwt.audience"],
        max_ttl_seconds=longest,
        leeway_seconds=settings["finance_api.jwt.leeway_seconds"],
        max_live=settings["finance_api.jwt.max_live"],
    )


def sign_jwt(key: JwtKey, rules: JwtRules, claims: Claims) -> str:
    """Sign the claims. key: an HS256 key."""
    return jwt.encode(
        {
            "iss": rules.issuers[0],
            "aud": rules.audience,
            "sub": claims.subject,
            "jti": claims.jti,
            "iat": claims.issued_at,
            "exp": claims.expires_at,
        },
        key.material,
        algorithm=key.algorithm,
        headers={"kid": key.kid},
    )


def verify_jwt(text: str, keys: Sequence[JwtKey], rules: JwtRules, now: int) -> Claims:
    """Verify a token, and return its claims. Raises JwtRefused, JwtExpired."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise JwtRefused
    header, payload, _ = (_canonical(segment) for segment in match.groups())
    in_use = [key for key in keys if key.is_in_use(now, rules.leeway_seconds)]
    key = _key_of(_object(header), in_use)
    members = _object(payload)
    try:
        jwt.decode(
            text,
            key.material,
            # The key decides algorithm and issuer, never the token (RFC 8725, 3.1 and 3.8).
            algorithms=[key.algorithm],
            issuer=rules.issuers[0] if key.issuer is None else key.issuer,
            audience=rules.audience,
            # Times are compared below.
            options={
                "require": list(_CLAIMS),
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except jwt.PyJWTError as error:
        raise JwtRefused from error
    return _claims(members, rules, now)


def _canonical(segment: str) -> bytes:
    """Decode base64url; refuse text that is not the canonical encoding."""
    data = urlsafe_b64decode(segment + "=" * (-len(segment) % 4)) if len(segment) % 4 != 1 else b""
    if urlsafe_b64encode(data).decode().rstrip("=") != segment:
        raise JwtRefused
    return data


def _object(data: bytes) -> dict[str, Any]:
    try:
        members = parse_json(data.decode())
    except ValueError as error:
        raise JwtRefused from error
    if not isinstance(members, dict):
        raise JwtRefused
    return members


def _key_of(header: dict[str, Any], in_use: Sequence[JwtKey]) -> JwtKey:
    """Return the key that the header names by kid; if it has no kid, the only key in use."""
    if header.get("typ", "JWT") not in _TYPES or _FORBIDDEN_HEADERS & header.keys():
        raise JwtRefused
    if "kid" in header:
        in_use = [key for key in in_use if key.kid == header["kid"]]
    if len(in_use) != 1 or header.get("alg") != in_use[0].algorithm:
        raise JwtRefused
    return in_use[0]


def _claims(payload: dict[str, Any], rules: JwtRules, now: int) -> Claims:
    issued_at, expires_at = _numeric_date(payload["iat"]), _numeric_date(payload["exp"])
    not_before = _numeric_date(payload["nbf"]) if "nbf" in payload else issued_at
    claims = Claims(_id(payload["sub"]), _id(payload["jti"]), issued_at, expires_at)
    latest = now + rules.leeway_seconds
    if issued_at > latest or not_before > latest:
        raise JwtRefused
    if not 0 < expires_at - issued_at <= rules.max_ttl_seconds:
        raise JwtRefused
    if expires_at <= now - rules.leeway_seconds:
        raise JwtExpired
    return claims


def _numeric_date(value: Any) -> int:
    """Return the whole seconds of a NumericDate."""
    if isinstance(value, float) and math.isfinite(value):
        return math.floor(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise JwtRefused


def _id(value: Any) -> str:
    """Return the text; refuse it if it has control characters or is too long for a storage."""
    if isinstance(value, str) and 0 < len(value) <= MAX_ID_CHARACTERS and value.isprintable():
        return value
    raise JwtRefused


class TooManyJwts(IssueRefused):
    """The user already has as many JWTs as allowed."""


class RevokeRefused(Exception):
    """The JWT cannot be revoked; the message says why."""


def issue_jwt(
    storage: WritableStorage,
    user: User,
    *,
    keys: Sequence[JwtKey],
    rules: JwtRules,
    now: int,
    ttl_seconds: int,
    jti: str | None = None,
) -> tuple[str, Jwt]:
    """Issue a JWT; return its text and the stored row.

    Raises IssueRefused, NotFound; Conflict if a JWT with this ``jti`` exists.
    """
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
            "finance_api.jwt.keys has no HS256 key in use; create one with finance-api jwt new-key"
        )
    # After "revoke all", JWTs issued up to that second are refused, so begin a second later.
    issued_at = now if user.jwts_revoked_at is None else max(now, user.jwts_revoked_at + 1)
    expires_at = issued_at + ttl_seconds
    if key.use_until is not None:
        expires_at = min(expires_at, key.use_until)
    if expires_at <= issued_at:
        raise IssueRefused("the signing key expires before the JWT would become valid")
    own = storage.users.list_owned(Jwt, user.id)
    live = [jwt for jwt in own if jwt.revoked_at is None and jwt.expires_at > now]
    if len(live) >= rules.max_live:
        raise TooManyJwts(
            f"there are {len(live)} active JWTs, and {rules.max_live} are allowed: "
            "revoke one first, or wait until one expires"
        )
    claims = Claims(user.uuid, jti or new_id(), issued_at, expires_at)
    jwt = Jwt(claims.jti, user.id, issued_at, expires_at)
    storage.users.add_owned(jwt)
    storage.note(user.id, AuditAction.JWT_ISSUED, now, jwt.jti)
    return sign_jwt(key, rules, claims), jwt


def revoke_own_jwt(storage: WritableStorage, jti: str, now: int, *, user_id: int) -> None:
    """Revoke a JWT that was issued here to the user. Raises NotFound."""
    storage.users.revoke(Jwt, jti, now, user_id=user_id)
    storage.note(user_id, AuditAction.JWT_REVOKED, now, jti)


def revoke_jwt(storage: WritableStorage, jti: str, *, rules: JwtRules, now: int) -> Jwt:
    """Revoke a JWT by its jti, wherever it was issued. Raises RevokeRefused.

    An unknown jti is stored for the longest lifetime of a JWT.
    """
    if not 0 < len(jti) <= MAX_ID_CHARACTERS or not jti.isprintable():
        raise RevokeRefused(f"a jti has 1 to {MAX_ID_CHARACTERS} printable characters")
    try:
        jwt = storage.users.revoke(Jwt, jti, now)
    except NotFound:
        expires_at = now + rules.max_ttl_seconds + 2 * rules.leeway_seconds
        jwt = Jwt(jti, None, None, expires_at, revoked_at=now)
        try:
            storage.users.add_owned(jwt)
        except Conflict:
            raise RevokeRefused("it is being revoked just now; try again") from None
    storage.note(jwt.user_id, AuditAction.JWT_REVOKED, now, jti)
    return jwt
