"""JSON Web Tokens (RFC 7519) of the internal API: signing and verifying.

PyJWT checks the signature and that the claims are there. Checked here, because PyJWT is lax about
it: canonical base64url, duplicate members, the header, types; and times, by our own clock.
"""

import math
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from finance_api.auth.issuing import MAX_LIVE
from finance_api.auth.jwt_keys import JwtKey
from finance_api.auth.strict_json import parse_json
from finance_api.runtime.settings import SettingError

_FORM = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
_CLAIMS = ("sub", "exp", "iat", "jti", "iss", "aud")
_TYPES = ("JWT", "at+jwt")
#: Header members that name a key of the token's own, or extensions; none is supported.
_FORBIDDEN_HEADERS = frozenset({"jku", "jwk", "x5u", "x5c", "crit", "b64"})
MAX_ID_CHARACTERS = 254


class JwtRefused(Exception):
    """The token is not valid; the reason is not disclosed."""


class JwtExpired(JwtRefused):
    """It was valid before it expired."""


@dataclass(frozen=True, slots=True)
class Claims:
    """subject: the user's UUID or e-mail. issued_at, expires_at: seconds."""

    subject: str
    jti: str
    issued_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class JwtRules:
    """The required claims. issuers: those accepted; signed tokens name the first.

    max_live: how many of those issued here a user has that are neither revoked nor expired.
    """

    issuers: tuple[str, ...]
    audience: str
    max_ttl_seconds: int
    leeway_seconds: int
    max_live: int = MAX_LIVE


def jwt_rules(settings: Mapping[str, Any]) -> JwtRules:
    """Raises SettingError."""
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
    """key: for HS256."""
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
    """The claims of a valid token. Raises JwtRefused, JwtExpired."""
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
            # Algorithm and issuer are the key's, never the token's (RFC 8725, 3.1 and 3.8).
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
    """The key that the header names by kid; without kid, the only one in use."""
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
    """Whole seconds of a NumericDate."""
    if isinstance(value, float) and math.isfinite(value):
        return math.floor(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise JwtRefused


def _id(value: Any) -> str:
    """A text short enough for every storage, without control characters."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID_CHARACTERS:
        raise JwtRefused
    if not value.isprintable():
        raise JwtRefused
    return value
