"""Password and sessions."""

from typing import Any

from pyramid.response import Response

from finance_api.auth import sessions
from finance_api.auth.passwords import PasswordRefused, checked_hash, is_password
from finance_api.auth.policy import Permission
from finance_api.auth.sessions import remember_browser
from finance_api.auth.user_accounts import set_password, sign_out
from finance_api.http.requests import Request
from finance_api.http.surfaces import SETTINGS_PAGES
from finance_api.ratelimit.tween import quotas_of
from finance_api.storage.interface import AuditEntry, Session
from finance_api.web.page import done, first_of, page, refused, sentence, writing, writing_for_user
from finance_api.web.routes import get, post
from finance_api.web.views.login import signed_out

SECURITY = f"{SETTINGS_PAGES}/security"
_AUDIT_ENTRIES = 20
_ID_CHARACTERS = 16
#: Pairs of a mark in User-Agent and the name of the browser. The first match counts, since many
#: browsers also name others.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@get("settings.security", Permission.SETTINGS_READ, "security")
def show_security(request: Request) -> dict[str, Any]:
    return _page(request, {})


def _page(
    request: Request, errors: dict[str, str], *, revoke_tokens: bool = False
) -> dict[str, Any]:
    user_id = request.user.id
    entries = request.storage.audit.list_newest(user_id, limit=_AUDIT_ENTRIES)
    return page(
        "security",
        "Security",
        errors=errors,
        sessions=_sessions(request),
        revoke_tokens=revoke_tokens,
        audit=[(entry, _what(entry)) for entry in entries],
    )


def _sessions(request: Request) -> list[dict[str, Any]]:
    """Return the user's sessions. id: the start of the digest, which is never shown in full."""
    current = request.identity.session
    now = request.now
    return [
        {
            "id": session.sha256[:_ID_CHARACTERS],
            "sha256": session.sha256,
            "signed_in_at": session.created_at,
            "seen_at": session.seen_at,
            "browser": _browser_name(session.user_agent),
            "user_agent": session.user_agent,
            "is_current": session.sha256 == current.sha256,
        }
        for session in request.storage.users.list_owned(Session, current.user_id)
        if sessions.is_alive(session, now)
    ]


def _browser_name(user_agent: str) -> str:
    """Return ``Firefox on Linux``, from User-Agent."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "Unknown browser")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    return browser if system is None else f"{browser} on {system}"


def _what(entry: AuditEntry) -> str:
    """Return what an entry says: ``Token created: Spreadsheet``, ``Import 1``."""
    text = entry.action.replace("-", " ").replace("jwt", "JWT")
    words = f"{text[0].upper()}{text[1:]}"
    # A number says which import or edit.
    mark = "" if entry.detail[:1].isdigit() else ":"
    return f"{words}{mark} {entry.detail}" if entry.detail else words


@post("settings.password", Permission.SETTINGS_SECURITY_WRITE, "security")
def change_password(request: Request) -> Any:
    user, now = request.user, request.now
    current, new, repeated = (
        request.sent_text(name)
        for name in ("current_password", "new_password", "repeated_password")
    )
    revoke_tokens = bool(request.sent_text("revoke_tokens"))
    session, now_ms = request.identity.session, request.services.clock.now_ms()
    attempt = quotas_of(request).take_password_change(session.sha256, now_ms)
    errors = {}
    password_hash = ""
    if not attempt.decision.allowed:
        request.response.headers["Retry-After"] = str(attempt.decision.retry_after_seconds)
        errors["current_password"] = "Too many wrong passwords. Please try again later."  # noqa: S105
    elif not is_password(current, user.password_hash):
        errors["current_password"] = "This is not your current password."  # noqa: S105
    else:
        attempt.succeeded()
    if not new:
        errors["new_password"] = "Enter a new password."  # noqa: S105
    elif new != repeated:
        errors["repeated_password"] = "The passwords do not match."  # noqa: S105
    elif not errors:
        try:
            password_hash = checked_hash(new, user.email, user.password_hash)
        except PasswordRefused as error:
            errors["new_password"] = sentence(error)
    if errors:
        status = 400 if attempt.decision.allowed else 429
        return refused(request, _page(request, errors, revoke_tokens=revoke_tokens), status)
    with writing_for_user(request) as storage:
        set_password(storage, user, password_hash, now, revoke_tokens=revoke_tokens)
        secret = sessions.start_session(storage, user, now=now, user_agent=request.user_agent or "")
    response = done(SECURITY, "password-changed")
    sessions.set_cookie(request, response, "session", secret)
    remember_browser(request, response, user.uuid, password_hash)
    return response


@get("settings.session_end", Permission.SETTINGS_SECURITY_WRITE, "session_end")
def confirm_ending(request: Request) -> dict[str, Any]:
    return page("security", "End a session", session=_own_session(request))


@post("settings.session_end", Permission.SETTINGS_SECURITY_WRITE)
def end_session(request: Request) -> Response:
    session = _own_session(request)
    with writing(request) as storage:
        storage.users.delete_session(session["sha256"])
    if session["is_current"]:
        return signed_out(request, "signed-out")
    return done(SECURITY, "session-ended")


def _own_session(request: Request) -> dict[str, Any]:
    """Return the session in the path; raise a 404 if it is not the user's or has ended."""
    session_id = request.matchdict["id"]
    return first_of(each for each in _sessions(request) if each["id"] == session_id)


@get("settings.sign_out_everywhere", Permission.SETTINGS_SECURITY_WRITE, "sign_out_everywhere")
def confirm_signing_out(request: Request) -> dict[str, Any]:
    return page("security", "Sign out everywhere", count=len(_sessions(request)))


@post("settings.sign_out_everywhere", Permission.SETTINGS_SECURITY_WRITE)
def sign_out_everywhere(request: Request) -> Response:
    with writing(request) as storage:
        sign_out(storage, request.user, request.now)
    return signed_out(request, "signed-out-everywhere")
