"""Personal tokens: list, create, revoke."""

from dataclasses import asdict, dataclass
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth import issuing
from finance_api.auth.issuing import (
    SCOPES,
    IssueRefused,
    checked_name,
    issue_token,
    regenerate_token,
)
from finance_api.auth.permissions import Permission
from finance_api.auth.personal_tokens import digest, is_well_formed
from finance_api.auth.principals import has_api_access, is_open_to_all
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE, SETTINGS_PAGES
from finance_api.ratelimit.tween import quotas_of
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Token
from finance_api.values.time import (
    DAY_SECONDS,
    TimeError,
    date_text,
    parse_date,
    start_of_day,
)
from finance_api.web.api_requests import curl_line
from finance_api.web.page import (
    SeeOther,
    done,
    form_text,
    form_texts,
    identity_of,
    page,
    path_text,
    sentence,
    today_of,
    writing,
    writing_for_user,
)
from finance_api.web.shown_once import show_once, taken

TOKENS = f"{SETTINGS_PAGES}/tokens"
MADE = f"{TOKENS}/made"

_LABELS = [
    (r.path, r.path.replace("-", " ").capitalize(), r.meaning) for r in PUBLIC_RESOURCES if r.path
]
_DAYS = ("30", "90", "365")
#: For how long a token that is replaced stays valid.
_OVERLAPS = (
    (0, "Not at all: revoke it at once"),
    (3_600, "1 hour"),
    (DAY_SECONDS, "1 day"),
    (7 * DAY_SECONDS, "7 days"),
)
_LAST_DAY = parse_date("9999-12-30")


@dataclass(frozen=True)
class QuotaView:
    """full_at: seconds; None if no request is used."""

    limit: int
    remaining: int
    full_at: int | None


@dataclass(frozen=True, kw_only=True)
class TokenView(Token):
    """A token as the pages show it. state: active, expired or revoked."""

    state: str
    quota: QuotaView | None


def token_views(request: Request) -> list[TokenView]:
    """The user's tokens, active ones first and with their quota."""
    now = request.services.clock.now()
    tokens = request.storage.tokens.list_by_user(identity_of(request).user.id)
    views = [_view(request, token, now) for token in reversed(tokens)]
    return sorted(views, key=lambda view: view.state != "active")


def _view(request: Request, token: Token, now: int) -> TokenView:
    state = "active"
    if token.revoked_at is not None:
        state = "revoked"
    elif token.expires_at is not None and token.expires_at <= now:
        state = "expired"
    quota = _quota(request, token) if state == "active" else None
    return TokenView(**asdict(token), state=state, quota=quota)


def _quota(request: Request, token: Token) -> QuotaView:
    now_ms = request.services.clock.now_ms()
    level = quotas_of(request).peek_token(token.id, now_ms).tightest
    full_at = -(-(now_ms + level.full_ms) // 1000) if level.full_ms else None
    return QuotaView(level.limit.count, level.remaining, full_at)


@view_config(
    route_name="settings.tokens",
    request_method="GET",
    renderer="tokens.jinja2",
    permission=Permission.SETTINGS_READ,
)
def list_tokens(request: Request) -> dict[str, Any]:
    return page("tokens", "API tokens", tokens=token_views(request))


@dataclass(frozen=True)
class TokenForm:
    """The form's fields. expiry: days, ``date`` or ``never``."""

    name: str = ""
    scopes: frozenset[str] = frozenset()
    expiry: str = "90"
    expires_on: str = ""


def _form_page(request: Request, form: TokenForm, errors: dict[str, str]) -> dict[str, Any]:
    tomorrow = today_of(request) + DAY_SECONDS
    return page(
        "tokens",
        "Create a token",
        scopes=_LABELS,
        values=form,
        errors=errors,
        min_date=date_text(tomorrow),
    )


@view_config(
    route_name="settings.token_new",
    request_method="GET",
    renderer="token_new.jinja2",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def show_form(request: Request) -> dict[str, Any]:
    if not has_api_access(identity_of(request).user, request.registry.settings):
        return _refused(request)
    return _form_page(request, TokenForm(), {})


def _refused(request: Request) -> dict[str, Any]:
    """403: the page says that premium is needed."""
    request.response.status_int = 403
    return _form_page(request, TokenForm(), {})


@view_config(
    route_name="settings.token_new",
    request_method="POST",
    renderer="token_new.jinja2",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def create_token(request: Request) -> Any:
    user, now = identity_of(request).user, request.services.clock.now()
    if not has_api_access(user, request.registry.settings):
        return _refused(request)
    form = TokenForm(
        name=form_text(request, "name"),
        scopes=frozenset(form_texts(request, "scopes")),
        expiry=form_text(request, "expiry"),
        expires_on=form_text(request, "expires_on"),
    )
    errors: dict[str, str] = {}
    name = _checked(checked_name, form.name, "name", errors)
    if not form.scopes or not form.scopes <= set(SCOPES):
        errors["scopes"] = "Choose at least one of these."
    expires_at = _expires_at(request, form, errors)
    if not errors:
        try:
            with writing_for_user(request) as storage:
                text = issue_token(
                    storage,
                    user,
                    name=name or "",
                    now=now,
                    scopes=() if form.scopes == set(SCOPES) else sorted(form.scopes),
                    expires_at=expires_at,
                    max_live=request.registry.settings["finance_api.tokens.max_live"],
                    is_open_to_all=is_open_to_all(request.registry.settings),
                )
        except IssueRefused as error:
            errors["form"] = sentence(error)
    if errors:
        request.response.status_int = 400
        return _form_page(request, form, errors)
    return show_once(request, MADE, text)


@view_config(
    route_name="settings.token_made",
    request_method="GET",
    renderer="token_created.jinja2",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def show_token(request: Request) -> Any:
    """The token, once; then the list."""
    text = taken(request)
    sha256 = digest(text) if is_well_formed(text) else ""
    tokens = request.storage.tokens.list_by_user(identity_of(request).user.id)
    made = next((token for token in tokens if token.sha256 == sha256), None)
    if made is None:
        return SeeOther(TOKENS)
    scopes = made.scopes or SCOPES
    tried = RECORDS.path if RECORDS.path in scopes else min(scopes)
    return page(
        "tokens",
        "Your new token",
        token=text,
        name=made.name,
        curl=curl_line(request, text, f"{PUBLIC_SURFACE}{tried}?limit=5"),
    )


def _checked(check: Any, text: str, field: str, errors: dict[str, str]) -> str | None:
    try:
        return str(check(text))
    except IssueRefused as error:
        errors[field] = sentence(error)
        return None


def _expires_at(request: Request, form: TokenForm, errors: dict[str, str]) -> int | None:
    """When the token expires: at the end of a date in the user's time zone."""
    if form.expiry == "never":
        return None
    if form.expiry in _DAYS:
        return request.services.clock.now() + int(form.expiry) * DAY_SECONDS
    if form.expiry != "date":
        errors["expiry"] = "Choose when the token expires."
        return None
    try:
        day = parse_date(form.expires_on.strip())
    except TimeError:
        errors["expires_on"] = "Enter a date such as 2027-01-31."
        return None
    if day <= today_of(request):
        errors["expires_on"] = "Choose a date after today."
        return None
    if day > _LAST_DAY:
        errors["expires_on"] = f"Choose a date up to {date_text(_LAST_DAY)}."
        return None
    return start_of_day(identity_of(request).user.time_zone, day + DAY_SECONDS)


@view_config(
    route_name="settings.token",
    request_method="GET",
    renderer="token.jinja2",
    permission=Permission.SETTINGS_READ,
)
def show_one(request: Request) -> dict[str, Any]:
    token = _wanted(request)
    return _token_page(request, token, token.name, {})


def _token_page(
    request: Request, token: TokenView, name: str, errors: dict[str, str]
) -> dict[str, Any]:
    return page("tokens", token.name, token=token, name=name, errors=errors, overlaps=_OVERLAPS)


def _wanted(request: Request) -> TokenView:
    """404 if it is none of the user's."""
    wanted = request.matchdict["id"]
    for token in token_views(request):
        if token.id == wanted:
            return token
    raise HTTPNotFound()


@view_config(
    route_name="settings.token",
    request_method="POST",
    renderer="token.jinja2",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def rename_token(request: Request) -> Any:
    token, text = _wanted(request), form_text(request, "name")
    errors: dict[str, str] = {}
    name = _checked(checked_name, text, "name", errors)
    if errors:
        request.response.status_int = 400
        return _token_page(request, token, text, errors)
    with writing_for_user(request) as storage:
        issuing.rename_token(
            storage,
            token.id,
            user_id=identity_of(request).user.id,
            before=token.name,
            name=name or "",
            now=request.services.clock.now(),
        )
    return done(TOKENS, "token-renamed")


@view_config(
    route_name="settings.token_regenerate",
    request_method="POST",
    renderer="token.jinja2",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def regenerate(request: Request) -> Any:
    token, settings = _wanted(request), request.registry.settings
    overlap = next((s for s, _ in _OVERLAPS if str(s) == form_text(request, "overlap")), None)
    errors = {}
    if overlap is None:
        errors["overlap"] = "Choose how long the old token stays valid."
    else:
        try:
            with writing_for_user(request) as storage:
                text = regenerate_token(
                    storage,
                    identity_of(request).user,
                    token.id,
                    now=request.services.clock.now(),
                    overlap_seconds=overlap,
                    max_live=settings["finance_api.tokens.max_live"],
                    is_open_to_all=is_open_to_all(settings),
                )
            return show_once(request, MADE, text)
        except IssueRefused as error:
            errors["form"] = sentence(error)
    request.response.status_int = 400
    return _token_page(request, token, token.name, errors)


@view_config(
    route_name="settings.token_revoke",
    request_method="GET",
    renderer="token_revoke.jinja2",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def confirm_revoking(request: Request) -> dict[str, Any]:
    return page("tokens", "Revoke a token", token=_wanted(request))


@view_config(
    route_name="settings.token_revoke",
    request_method="POST",
    permission=Permission.SETTINGS_TOKENS_WRITE,
)
def revoke_token(request: Request) -> Response:
    user, wanted = identity_of(request).user, path_text(request, "id")
    try:
        with writing(request) as storage:
            issuing.revoke_token(storage, wanted, request.services.clock.now(), user_id=user.id)
    except NotFound:
        raise HTTPNotFound() from None
    return done(TOKENS, "token-revoked")
