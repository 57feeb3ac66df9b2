"""Authentication: the identity of a request's credential. Each surface takes one kind."""

import re
import secrets

from finance_api.auth import sessions
from finance_api.auth.jwts import Claims, JwtExpired, JwtRefused, verify_jwt
from finance_api.auth.personal_tokens import digest, is_well_formed
from finance_api.http.identity import (
    Failure,
    Identity,
    JwtIdentity,
    SessionIdentity,
    TokenIdentity,
)
from finance_api.http.requests import Request
from finance_api.http.surfaces import INTERNAL_SURFACE, TOKEN_SURFACES
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import User
from finance_api.values.ids import IdError, parse_id
from finance_api.values.text import EmailRefused, normal_email

#: RFC 6750, section 2.1.
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*) *", re.IGNORECASE)
_SCHEME = re.compile(r"bearer(?: |$)", re.IGNORECASE)
#: Longer tokens cannot be valid.
MAX_TOKEN_CHARACTERS = 8_192


def authenticate(request: Request) -> Identity | Failure:
    """Return the identity, or why authentication failed. Raises StorageUnavailable.

    Reads the storage at every request, so that a revocation takes effect at once. Malformed
    credentials are refused without reading it.
    """
    path = request.environ["PATH_INFO"]
    accept = next((a for start, a in _SURFACES if path.startswith(start)), None)
    if accept is None:
        return _by_session(request)
    text = bearer_token(request.environ.get("HTTP_AUTHORIZATION"))
    return text if isinstance(text, Failure) else accept(request, text)


def bearer_token(header: str | None) -> str | Failure:
    """Return the token in the Authorization header, or the reason why it is missing."""
    if header is None or not _SCHEME.match(header):
        return Failure.ABSENT
    match = _BEARER.fullmatch(header)
    if match is None or len(match[1]) > MAX_TOKEN_CHARACTERS:
        return Failure.INVALID
    return match[1]


def _by_token(request: Request, text: str) -> Identity | Failure:
    if not is_well_formed(text):
        return Failure.INVALID
    sha256 = digest(text)
    try:
        token, user = request.storage.tokens.get_owner(sha256)
    except NotFound:
        return Failure.INVALID
    matches = secrets.compare_digest(token.sha256, sha256)
    if not matches or token.revoked_at is not None or not user.enabled:
        return Failure.INVALID
    now = request.services.clock.now()
    if token.expires_at is not None and token.expires_at <= now:
        return Failure.EXPIRED
    request.registry.services.last_used.note(token.id, now)
    return TokenIdentity(user, token.id, token.scopes)


def _by_jwt(request: Request, text: str) -> Identity | Failure:
    now, services = request.services.clock.now(), request.registry.services
    try:
        claims = verify_jwt(text, services.jwt_keys.keys(), services.jwt_rules, now)
    except JwtExpired:
        return Failure.EXPIRED
    except JwtRefused:
        return Failure.INVALID
    try:
        user, revoked = _owner(request, claims)
    except NotFound:
        return Failure.INVALID
    if revoked or not user.enabled:
        return Failure.INVALID
    # An older token may be for a deleted user with the same address; UUIDs are never reused.
    if "@" in claims.subject and claims.issued_at < user.created_at:
        return Failure.INVALID
    if user.jwts_revoked_at is not None and claims.issued_at <= user.jwts_revoked_at:
        return Failure.INVALID
    return JwtIdentity(user, claims.jti)


def _by_session(request: Request) -> Identity | Failure:
    secret = sessions.sent_secret(request, "session")
    if secret is None:
        return Failure.ABSENT
    try:
        session, user = request.storage.sessions.get_owner(sessions.digest(secret))
    except NotFound:
        return Failure.INVALID
    now = request.services.clock.now()
    if not user.enabled:
        return Failure.INVALID
    if not sessions.is_alive(session, now):
        return Failure.EXPIRED
    if now - session.seen_at >= sessions.SEEN_SECONDS:
        request.registry.services.seen_sessions.note(session.sha256, now)
    return SessionIdentity(user, session, secret)


def _owner(request: Request, claims: Claims) -> tuple[User, bool]:
    """The user of the claims, and whether the token is revoked. Raises NotFound."""
    find = request.storage.jwts.get_owner
    by_email = request.registry.settings["finance_api.jwt.subject"] == "email"
    try:
        if by_email and "@" in claims.subject:
            found: tuple[User, bool] = find(claims.jti, email=_email(claims.subject))
        else:
            found = find(claims.jti, uuid=parse_id(claims.subject))
    except (EmailRefused, IdError):
        raise NotFound("there is no such user") from None
    return found


def _email(subject: str) -> str:
    """Return the address in the claim, which may differ in ASCII case only. Raises EmailRefused.

    A subject that needs more normalisation may belong to a different user of the issuer.
    """
    email = normal_email(subject)
    if "".join(c.lower() if c.isascii() else c for c in subject) != email:
        raise EmailRefused("not a normalised address")
    return email


_SURFACES = ((TOKEN_SURFACES, _by_token), (INTERNAL_SURFACE, _by_jwt))
