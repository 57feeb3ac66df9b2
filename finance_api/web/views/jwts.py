"""JSON Web Tokens of the internal API: list, issue, revoke."""

from dataclasses import asdict, dataclass
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth.issuing import IssueRefused
from finance_api.auth.jwt_issuing import TooManyJwts, issue_jwt, revoke_own_jwt
from finance_api.auth.jwt_keys import signing_key
from finance_api.auth.jwts import JwtRefused, verify_jwt
from finance_api.auth.permissions import Permission
from finance_api.auth.user_accounts import revoke_all_jwts as revoke_all
from finance_api.http.requests import Request
from finance_api.http.surfaces import INTERNAL_SURFACE, SETTINGS_PAGES
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Jwt
from finance_api.web.api_requests import curl_line
from finance_api.web.page import (
    SeeOther,
    done,
    form_text,
    identity_of,
    page,
    path_text,
    sentence,
    writing,
    writing_for_user,
)
from finance_api.web.shown_once import show_once, taken

JWTS = f"{SETTINGS_PAGES}/jwts"
MADE = f"{JWTS}/made"

_LIFETIMES = (
    (900, "15 minutes"),
    (3_600, "1 hour"),
    (28_800, "8 hours"),
    (86_400, "1 day"),
    (604_800, "7 days"),
    (2_592_000, "30 days"),
)


@dataclass(frozen=True, kw_only=True)
class JwtView(Jwt):
    """A JWT as the pages show it. state: active or revoked; expired ones are not listed."""

    state: str


def jwt_views(request: Request) -> list[JwtView]:
    """The user's JWTs that have not expired, newest first."""
    now = request.services.clock.now()
    found = request.storage.jwts.list_by_user(identity_of(request).user.id)
    return [_view(jwt) for jwt in reversed(found) if jwt.expires_at > now]


def _view(jwt: Jwt) -> JwtView:
    state = "active" if jwt.revoked_at is None else "revoked"
    return JwtView(**asdict(jwt), state=state)


def _list_page(request: Request, ttl: str, errors: dict[str, str]) -> dict[str, Any]:
    """ttl: what is chosen of the lifetimes: seconds, as text."""
    services = request.registry.services
    longest = services.jwt_rules.max_ttl_seconds
    available = signing_key(services.jwt_keys.keys(), services.clock.now()) is not None
    return page(
        "jwts",
        "JWTs",
        jwts=jwt_views(request),
        ttl=ttl,
        ttl_choices=[(str(s), label) for s, label in _lifetimes(request) if s <= longest],
        errors=errors,
        available=available,
    )


def _lifetimes(request: Request) -> list[tuple[int, str]]:
    """(seconds, label) of the choices, including the default of the settings."""
    usual = request.registry.settings["finance_api.jwt.ttl_seconds"]
    known = dict(_LIFETIMES)
    return sorted({usual: f"{usual:,} seconds", **known}.items())


@view_config(
    route_name="settings.jwts",
    request_method="GET",
    renderer="jwts.jinja2",
    permission=Permission.SETTINGS_READ,
)
def list_jwts(request: Request) -> dict[str, Any]:
    usual = request.registry.settings["finance_api.jwt.ttl_seconds"]
    return _list_page(request, str(usual), {})


@view_config(
    route_name="settings.jwts",
    request_method="POST",
    renderer="jwts.jinja2",
    permission=Permission.SETTINGS_JWTS_WRITE,
)
def create_jwt(request: Request) -> Any:
    services = request.registry.services
    now = services.clock.now()
    ttl = form_text(request, "ttl")
    seconds = next((s for s, _ in _lifetimes(request) if str(s) == ttl), None)
    errors = {}
    if seconds is None:
        errors["ttl"] = "Choose how long it is valid."
    else:
        try:
            with writing_for_user(request) as storage:
                text, _ = issue_jwt(
                    storage,
                    identity_of(request).user,
                    keys=services.jwt_keys.keys(),
                    rules=services.jwt_rules,
                    now=now,
                    ttl_seconds=seconds,
                )
        except TooManyJwts as error:
            errors["form"] = sentence(error)
        except IssueRefused:
            errors["form"] = "This server cannot issue JWTs at the moment. Ask your administrator."
    if errors:
        request.response.status_int = 400
        return _list_page(request, ttl, errors)
    return show_once(request, MADE, text)


@view_config(
    route_name="settings.jwt_made",
    request_method="GET",
    renderer="jwt_created.jinja2",
    permission=Permission.SETTINGS_JWTS_WRITE,
)
def show_jwt(request: Request) -> Any:
    """The JWT, once; then the list."""
    services, text = request.registry.services, taken(request)
    try:
        claims = verify_jwt(
            text, services.jwt_keys.keys(), services.jwt_rules, services.clock.now()
        )
    except JwtRefused:
        return SeeOther(JWTS)
    made = next((jwt for jwt in jwt_views(request) if jwt.jti == claims.jti), None)
    if made is None:
        return SeeOther(JWTS)
    return page(
        "jwts",
        "Your new JWT",
        token=text,
        expires_at=made.expires_at,
        curl=curl_line(request, text, f"{INTERNAL_SURFACE}get-records?limit=5"),
    )


@view_config(
    route_name="settings.jwt_revoke",
    request_method="GET",
    renderer="jwt_revoke.jinja2",
    permission=Permission.SETTINGS_JWTS_WRITE,
)
def confirm_revoking(request: Request) -> dict[str, Any]:
    wanted = request.matchdict["jti"]
    for jwt in jwt_views(request):
        if jwt.jti == wanted:
            return page("jwts", "Revoke a JWT", jwt=jwt)
    raise HTTPNotFound()


@view_config(
    route_name="settings.jwt_revoke",
    request_method="POST",
    permission=Permission.SETTINGS_JWTS_WRITE,
)
def revoke_jwt(request: Request) -> Response:
    user, wanted = identity_of(request).user, path_text(request, "jti")
    try:
        with writing(request) as storage:
            revoke_own_jwt(storage, wanted, request.services.clock.now(), user_id=user.id)
    except NotFound:
        raise HTTPNotFound() from None
    return done(JWTS, "jwt-revoked")


@view_config(
    route_name="settings.jwt_revoke_all",
    request_method="GET",
    renderer="jwt_revoke_all.jinja2",
    permission=Permission.SETTINGS_JWTS_WRITE,
)
def confirm_revoking_all(request: Request) -> dict[str, Any]:
    return page("jwts", "Revoke all JWTs")


@view_config(
    route_name="settings.jwt_revoke_all",
    request_method="POST",
    permission=Permission.SETTINGS_JWTS_WRITE,
)
def revoke_all_jwts(request: Request) -> Response:
    with writing(request) as storage:
        revoke_all(storage, identity_of(request).user.id, request.services.clock.now())
    return done(JWTS, "jwts-revoked")
