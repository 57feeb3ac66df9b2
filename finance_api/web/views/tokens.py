"""Personal tokens: list, create, rename, regenerate, revoke."""

from dataclasses import asdict, dataclass
from typing import Any

from pyramid.response import Response

from finance_api.auth import personal_tokens
from finance_api.auth.personal_tokens import QUESTIONS, SCOPES, IssueRefused
from finance_api.auth.policy import Permission, has_api_access
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE, SETTINGS_PAGES
from finance_api.ratelimit.tween import quotas_of
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import Token
from finance_api.values.time import DAY_SECONDS
from finance_api.web import page as pages
from finance_api.web.api_requests import curl_line
from finance_api.web.expiry import expires_at, expiry_page, expiry_values
from finance_api.web.forms import form_id
from finance_api.web.routes import get, post

TOKENS = f"{SETTINGS_PAGES}/tokens"
MADE = f"{TOKENS}/made"

_READ, _WRITE = Permission.SETTINGS_READ, Permission.SETTINGS_TOKENS_WRITE
_LABELS = [
    *(
        (r.path, r.path.replace("-", " ").capitalize(), r.meaning)
        for r in PUBLIC_RESOURCES
        if r.path
    ),
    (QUESTIONS, "Questions", "Saved questions and their answers, whatever data these contain."),
]
#: The choices for how long a replaced token stays valid.
_OVERLAPS = (
    (0, "Not at all: revoke it at once"),
    (3_600, "1 hour"),
    (DAY_SECONDS, "1 day"),
    (7 * DAY_SECONDS, "7 days"),
)


@dataclass(frozen=True, kw_only=True)
class TokenView(Token):
    """A token as the pages show it.

    state: active, expired or revoked. quota: limit, remaining, and full_at, the time in seconds
    when all requests are available again (None if they are). Only active tokens have a quota.
    """

    state: str
    quota: dict[str, int | None] | None


def token_views(request: Request) -> list[TokenView]:
    """Return the user's tokens: the active tokens first, each group newest first."""
    now = request.now
    tokens = request.storage.users.list_owned(Token, request.user.id)
    views = [_view(request, token, now) for token in reversed(tokens)]
    return sorted(views, key=lambda view: view.state != "active")


def _view(request: Request, token: Token, now: int) -> TokenView:
    if not personal_tokens.is_live(token, now):
        state = "expired" if token.revoked_at is None else "revoked"
        return TokenView(**asdict(token), state=state, quota=None)
    now_ms = request.services.clock.now_ms()
    level = quotas_of(request).peek_token(token.id, now_ms).tightest
    full_at = -(-(now_ms + level.full_ms) // 1000) if level.full_ms else None
    quota = {"limit": level.limit.count, "remaining": level.remaining, "full_at": full_at}
    return TokenView(**asdict(token), state="active", quota=quota)


def _issue_options(request: Request) -> dict[str, Any]:
    settings = request.registry.settings
    return {
        "now": request.now,
        "max_live": settings["finance_api.tokens.max_live"],
        "is_open_to_all": personal_tokens.is_open_to_all(settings),
    }


@get("settings.tokens", _READ, "tokens")
def list_tokens(request: Request) -> dict[str, Any]:
    return pages.page("tokens", "API tokens", tokens=token_views(request))


# -- creating one


@get("settings.token_new", _WRITE, "token_new")
def show_form(request: Request) -> dict[str, Any]:
    form = _form_page(request, {"expiry": "90"}, {})
    # If the user has no access to the API, the page says how to get it.
    allowed = has_api_access(request.user, request.registry.settings)
    return form if allowed else pages.refused(request, form, 403)


def _form_page(request: Request, values: dict[str, Any], errors: dict[str, str]) -> dict[str, Any]:
    return pages.page(
        "tokens",
        "Create a token",
        scopes=_LABELS,
        values={"name": "", "scopes": (), "expires_on": "", **values},
        errors=errors,
        **expiry_page(request),
    )


@post("settings.token_new", _WRITE, "token_new")
def create_token(request: Request) -> Any:
    user = request.user
    if not has_api_access(user, request.registry.settings):
        return show_form(request)
    values: dict[str, Any] = {"name": request.sent_text("name"), **expiry_values(request)}
    scopes = set(request.sent_texts("scopes"))
    errors: dict[str, str] = {}
    name = _checked_name(values["name"], errors)
    if not scopes or not scopes <= set(SCOPES):
        errors["scopes"] = "Choose at least one of these."
    ends = expires_at(request, "token", errors)
    if not errors:
        try:
            with pages.writing_for_user(request) as storage:
                text = personal_tokens.issue_token(
                    storage,
                    user,
                    name=name,
                    scopes=() if scopes == set(SCOPES) else sorted(scopes),
                    expires_at=ends,
                    token_id=form_id(request.POST),
                    **_issue_options(request),
                )
            return pages.show_once(request, MADE, text)
        except Conflict:
            return pages.done(TOKENS, "created-before")
        except IssueRefused as error:
            errors["form"] = pages.sentence(error)
    return pages.refused(request, _form_page(request, {**values, "scopes": scopes}, errors))


def _checked_name(text: str, errors: dict[str, str]) -> str:
    """Return the name to store; if it is refused, add the reason to ``errors``."""
    try:
        return personal_tokens.checked_name(text)
    except IssueRefused as error:
        errors["name"] = pages.sentence(error)
        return ""


@get("settings.token_made", _WRITE, "token_created")
def show_token(request: Request) -> Any:
    """Show the token once; then redirect to the list."""
    text = pages.taken(request)
    sha256 = personal_tokens.digest(text) if personal_tokens.is_well_formed(text) else ""
    tokens = request.storage.users.list_owned(Token, request.user.id)
    made = next((token for token in tokens if token.sha256 == sha256), None)
    if made is None:
        return pages.SeeOther(TOKENS)
    scopes = made.scopes or SCOPES
    tried = RECORDS.path if RECORDS.path in scopes else min(scopes)
    path = f"{PUBLIC_SURFACE}{tried}" if tried == QUESTIONS else f"{PUBLIC_SURFACE}{tried}?limit=5"
    curl = curl_line(request, text, path)
    return pages.page("tokens", "Your new token", token=text, name=made.name, curl=curl)


# -- one token


@get("settings.token", _READ, "token")
def show_one(request: Request) -> dict[str, Any]:
    token = _own_token(request)
    return _token_page(token, token.name, {})


def _token_page(token: TokenView, name: str, errors: dict[str, str]) -> dict[str, Any]:
    return pages.page(
        "tokens", token.name, token=token, name=name, errors=errors, overlaps=_OVERLAPS
    )


def _own_token(request: Request) -> TokenView:
    """Return the token in the path; raise a 404 if the user has no such token."""
    views, token_id = token_views(request), request.matchdict["id"]
    return pages.first_of(view for view in views if view.id == token_id)


@post("settings.token", _WRITE, "token")
def rename_token(request: Request) -> Any:
    token, text = _own_token(request), request.sent_text("name")
    errors: dict[str, str] = {}
    name = _checked_name(text, errors)
    if errors:
        return pages.refused(request, _token_page(token, text, errors))
    user_id, now = request.user.id, request.now
    with pages.writing_for_user(request) as storage:
        personal_tokens.rename_token(
            storage, token.id, user_id=user_id, before=token.name, name=name, now=now
        )
    return pages.done(TOKENS, "token-renamed")


@post("settings.token_regenerate", _WRITE, "token")
def regenerate(request: Request) -> Any:
    token = _own_token(request)
    overlap = next((s for s, _ in _OVERLAPS if str(s) == request.sent_text("overlap")), None)
    if overlap is None:
        errors = {"overlap": "Choose how long the old token stays valid."}
        return pages.refused(request, _token_page(token, token.name, errors))
    try:
        with pages.writing_for_user(request) as storage:
            text = personal_tokens.regenerate_token(
                storage, request.user, token.id, overlap_seconds=overlap, **_issue_options(request)
            )
    except IssueRefused as error:
        return pages.refused(
            request, _token_page(token, token.name, {"form": pages.sentence(error)})
        )
    return pages.show_once(request, MADE, text)


@get("settings.token_revoke", _WRITE, "token_revoke")
def confirm_revoking(request: Request) -> dict[str, Any]:
    return pages.page("tokens", "Revoke a token", token=_own_token(request))


@post("settings.token_revoke", _WRITE)
def revoke_token(request: Request) -> Response:
    user_id, now = request.user.id, request.now
    with pages.writing(request) as storage:
        personal_tokens.revoke_token(storage, request.path_text("id"), now, user_id=user_id)
    return pages.done(TOKENS, "token-revoked")
