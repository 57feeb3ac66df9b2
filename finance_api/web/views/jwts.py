"""JSON Web Tokens of the internal API: list, issue, revoke."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.jwt_keys import signing_key
from finance_api.auth.jwts import JwtRefused, TooManyJwts, issue_jwt, revoke_own_jwt, verify_jwt
from finance_api.auth.personal_tokens import IssueRefused
from finance_api.auth.policy import Permission
from finance_api.auth.user_accounts import revoke_all_jwts as revoke_all
from finance_api.http.requests import Request
from finance_api.http.surfaces import INTERNAL_SURFACE, SETTINGS_PAGES
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import Jwt
from finance_api.web import page as pages
from finance_api.web.api_requests import curl_line
from finance_api.web.forms import form_id
from finance_api.web.routes import get, post

JWTS = f"{SETTINGS_PAGES}/jwts"
MADE = f"{JWTS}/made"

_WRITE = Permission.SETTINGS_JWTS_WRITE
#: The setting with the default lifetime in seconds.
_DEFAULT = "finance_api.jwt.ttl_seconds"
_LIFETIMES = {
    900: "15 minutes",
    3_600: "1 hour",
    28_800: "8 hours",
    86_400: "1 day",
    604_800: "7 days",
    2_592_000: "30 days",
}


def _own_jwts(request: Request) -> list[Jwt]:
    """Return the user's JWTs that have not expired, newest first."""
    now = request.now
    jwts = request.storage.users.list_owned(Jwt, request.user.id)
    return [jwt for jwt in reversed(jwts) if jwt.expires_at > now]


def _lifetimes(request: Request) -> dict[int, str]:
    """Return the lifetimes to choose from: their labels by seconds, with the configured default."""
    default = request.registry.settings[_DEFAULT]
    return dict(sorted({default: f"{request.region.count(default)} seconds", **_LIFETIMES}.items()))


def _list_page(request: Request, ttl: str, errors: dict[str, str]) -> dict[str, Any]:
    """Return the variables of the list. ttl: the chosen lifetime in seconds, as text."""
    services = request.registry.services
    longest = services.jwt_rules.max_ttl_seconds
    return pages.page(
        "jwts",
        "JWTs",
        jwts=_own_jwts(request),
        ttl=ttl,
        form_id=form_id(request.POST),
        ttl_choices=[(str(s), label) for s, label in _lifetimes(request).items() if s <= longest],
        errors=errors,
        available=signing_key(services.jwt_keys.keys(), request.now) is not None,
    )


@get("settings.jwts", Permission.SETTINGS_READ, "jwts")
def list_jwts(request: Request) -> dict[str, Any]:
    return _list_page(request, str(request.registry.settings[_DEFAULT]), {})


@post("settings.jwts", _WRITE, "jwts")
def create_jwt(request: Request) -> Any:
    services = request.registry.services
    ttl = request.sent_text("ttl")
    seconds = next((s for s in _lifetimes(request) if str(s) == ttl), None)
    if seconds is None:
        errors = {"ttl": "Choose how long it is valid."}
        return pages.refused(request, _list_page(request, ttl, errors))
    try:
        with pages.writing_for_user(request) as storage:
            text, _ = issue_jwt(
                storage,
                request.user,
                keys=services.jwt_keys.keys(),
                rules=services.jwt_rules,
                now=request.now,
                ttl_seconds=seconds,
                jti=form_id(request.POST),
            )
    except Conflict:
        return pages.done(JWTS, "created-before")
    except TooManyJwts as error:
        return pages.refused(request, _list_page(request, ttl, {"form": pages.sentence(error)}))
    except IssueRefused:
        errors = {"form": "This server cannot issue JWTs at the moment. Ask your administrator."}
        return pages.refused(request, _list_page(request, ttl, errors))
    return pages.show_once(request, MADE, text)


@get("settings.jwt_made", _WRITE, "jwt_created")
def show_jwt(request: Request) -> Any:
    """Show the JWT once; then redirect to the list."""
    services, text = request.registry.services, pages.taken(request)
    try:
        claims = verify_jwt(text, services.jwt_keys.keys(), services.jwt_rules, request.now)
    except JwtRefused:
        return pages.SeeOther(JWTS)
    made = next((jwt for jwt in _own_jwts(request) if jwt.jti == claims.jti), None)
    if made is None:
        return pages.SeeOther(JWTS)
    curl = curl_line(request, text, f"{INTERNAL_SURFACE}get-records?limit=5")
    return pages.page("jwts", "Your new JWT", token=text, expires_at=made.expires_at, curl=curl)


@get("settings.jwt_revoke", _WRITE, "jwt_revoke")
def confirm_revoking(request: Request) -> dict[str, Any]:
    jti = request.matchdict["jti"]
    jwt = pages.first_of(jwt for jwt in _own_jwts(request) if jwt.jti == jti)
    return pages.page("jwts", "Revoke a JWT", jwt=jwt)


@post("settings.jwt_revoke", _WRITE)
def revoke_jwt(request: Request) -> Response:
    user_id, now = request.user.id, request.now
    with pages.writing(request) as storage:
        revoke_own_jwt(storage, request.path_text("jti"), now, user_id=user_id)
    return pages.done(JWTS, "jwt-revoked")


@get("settings.jwt_revoke_all", _WRITE, "jwt_revoke_all")
def confirm_revoking_all(request: Request) -> dict[str, Any]:
    return pages.page("jwts", "Revoke all JWTs")


@post("settings.jwt_revoke_all", _WRITE)
def revoke_all_jwts(request: Request) -> Response:
    with pages.writing(request) as storage:
        revoke_all(storage, request.user.id, request.now)
    return pages.done(JWTS, "jwts-revoked")
