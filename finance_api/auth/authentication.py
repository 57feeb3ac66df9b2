"""Authentication: the identity of a request's credential, and 401 and 403 responses.

Each surface takes one kind of credential. The tween sends a 401 before any other response, such as
404 or 400.
"""

import re
import secrets
from collections.abc import Sequence

from pyramid.authorization import ACLDenied
from pyramid.httpexceptions import HTTPException, HTTPForbidden
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.auth import sessions
from finance_api.auth.jwts import Claims, JwtExpired, JwtRefused, verify_jwt
from finance_api.auth.personal_tokens import digest, is_live, is_well_formed
from finance_api.auth.policy import NO_PREMIUM, has_api_access
from finance_api.auth.question_links import digest_of_path
from finance_api.http.errors import CONTENT_TYPE, NOT_FOUND, as_problem, problem
from finance_api.http.identity import (
    Failure,
    Identity,
    JwtIdentity,
    LinkIdentity,
    SessionIdentity,
    TokenIdentity,
)
from finance_api.http.querystring import split_query
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import INTERNAL_SURFACE, LINKS, TOKEN_SURFACES, needs_credential
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import QuestionLink, Session, Token, User, UserReader
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
        return _by_link(request) if path.startswith(LINKS) else _by_session(request)
    text = bearer_token(request.environ.get("HTTP_AUTHORIZATION"))
    return text if isinstance(text, Failure) else accept(request, text)


def bearer_token(header: str | None) -> str | Failure:
    """Return the token in the Authorization header, or why there is no usable token."""
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
        token, user = request.storage.users.get_owner(Token, sha256)
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
        user, revoked = _owner(request, claims)
    except JwtExpired:
        return Failure.EXPIRED
    except (JwtRefused, NotFound, EmailRefused, IdError):
        return Failure.INVALID
    if revoked or not user.enabled:
        return Failure.INVALID
    # An older token may be for a deleted user with the same address; UUIDs are never reused.
    if "@" in claims.subject and claims.issued_at < user.created_at:
        return Failure.INVALID
    if user.jwts_revoked_at is not None and claims.issued_at <= user.jwts_revoked_at:
        return Failure.INVALID
    return JwtIdentity(user, claims.jti)


def _by_link(request: Request) -> Identity | Failure:
    """Return the identity of a link.

    Runs one query for every link, valid or not, so that all requests take equally long.
    """
    try:
        link, user = request.storage.users.get_owner(
            QuestionLink, digest_of_path(request.environ["PATH_INFO"])
        )
    except NotFound:
        return Failure.INVALID
    now = request.services.clock.now()
    has_access = user.enabled and has_api_access(user, request.registry.settings)
    if not (has_access and is_live(link, now)):
        return Failure.EXPIRED
    request.registry.services.last_used_links.note(link.id, now)
    return LinkIdentity(user, link.id, link.question_id)


def _by_session(request: Request) -> Identity | Failure:
    secret = sessions.sent_secret(request, "session")
    if secret is None:
        return Failure.ABSENT
    try:
        session, user = request.storage.users.get_owner(Session, sessions.digest(secret))
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
    """Return the user of the claims, and whether the token is revoked.

    Raises NotFound, EmailRefused and IdError.
    """
    users: UserReader = request.storage.users
    by_email = request.registry.settings["finance_api.jwt.subject"] == "email"
    if by_email and "@" in claims.subject:
        return users.get_jwt_owner(claims.jti, email=_email(claims.subject))
    return users.get_jwt_owner(claims.jti, uuid=parse_id(claims.subject))


def _email(subject: str) -> str:
    """Return the normalised address. Raises EmailRefused if more than ASCII case changes.

    A subject that needs more normalisation may belong to a different user of the issuer.
    """
    email = normal_email(subject)
    if "".join(c.lower() if c.isascii() else c for c in subject) != email:
        raise EmailRefused("not a normalised address")
    return email


_SURFACES = ((TOKEN_SURFACES, _by_token), (INTERNAL_SURFACE, _by_jwt))


REALM = "finance_api"
NEEDS_PREMIUM = (
    "The public API needs premium, which your administrator can give to you, or to all users with "
    "the setting finance_api.users.api_access."
)

_DETAILS = {
    Failure.ABSENT: "A token is needed: send the header Authorization: Bearer <token>.",
    Failure.INVALID: "The token is not valid.",
    Failure.EXPIRED: "The token has expired.",
}

#: Other services take tokens in these query parameters, which logs and browser histories record.
TOKEN_PARAMETERS = frozenset({"access_token", "token", "api_key", "apikey", "api_token"})
TOKEN_IN_QUERY = "send a token in the header Authorization: Bearer <token>, never in the URL"  # noqa: S105


def unauthorized(failure: Failure) -> Response:
    """Make a 401; it has an ``error`` only if a token was sent (RFC 6750, section 3)."""
    challenge = f'Bearer realm="{REALM}"'
    if failure is not Failure.ABSENT:
        challenge += ', error="invalid_token"'
    return problem(401, _DETAILS[failure], headers={"WWW-Authenticate": challenge})


def authentication_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        path = request.environ["PATH_INFO"]
        if needs_credential(path) and isinstance(request.authentication, Failure):
            if path.startswith(LINKS):
                raise no_link(request.authentication)
            _refuse_token_in_query(request)
            raise unauthorized(request.authentication)
        return handler(request)

    return tween


def no_link(failure: Failure = Failure.EXPIRED) -> HTTPException:
    """Make the 404 of an unknown link, or the 410 of a link that no longer works."""
    if failure is Failure.EXPIRED:
        return problem(410, "This link no longer works.")
    return problem(404, NOT_FOUND)


def _refuse_token_in_query(request: Request) -> None:
    """Raise a 400 instead of a 401, so that the client learns where its token belongs.

    If the header has a valid token, such a parameter is reported with the query's other faults.
    """
    names = dict.fromkeys(name for name, _ in split_query(request.query_string))
    errors = [
        {"in": "query", "name": name, "message": TOKEN_IN_QUERY}
        for name in names
        if name.lower() in TOKEN_PARAMETERS
    ]
    if errors:
        raise problem(400, f"{errors[0]['name']}: {TOKEN_IN_QUERY}", errors=errors)


def forbidden(error: HTTPForbidden, request: Request) -> Response:
    """Return a 403 for an authenticated request, a 401 for others."""
    if error.content_type == CONTENT_TYPE:
        return as_problem(error, request)
    if isinstance(request.authentication, Failure):
        return unauthorized(request.authentication)
    denied = error.result
    if isinstance(denied, ACLDenied) and denied.ace and denied.ace[1] == NO_PREMIUM:
        return problem(403, NEEDS_PREMIUM)
    scopes = getattr(request.context, "scopes", ())
    if not scopes or not isinstance(request.authentication, TokenIdentity):
        return problem(403, "The token does not allow this.")
    missing = [scope for scope in scopes if scope not in (request.authentication.scopes or ())]
    return lacks_scopes(missing, scopes)


def lacks_scopes(missing: Sequence[str], scopes: Sequence[str]) -> HTTPException:
    """Make a 403 (RFC 6750, section 3.1). scopes: all scopes that are needed."""
    return problem(
        403,
        f"The token lacks the scope{'s' if len(missing) > 1 else ''} {', '.join(missing)}.",
        headers={
            "WWW-Authenticate": f'Bearer realm="{REALM}", error="insufficient_scope", '
            f'scope="{" ".join(scopes)}"'
        },
    )


def require_scopes(request: Request, scopes: Sequence[str]) -> None:
    """Raise a 403 if the request's token lacks one of the scopes."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if identity.scopes is not None:
        missing = [scope for scope in dict.fromkeys(scopes) if scope not in identity.scopes]
        if missing:
            raise lacks_scopes(missing, scopes)
