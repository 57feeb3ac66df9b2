"""Sign in, sign out."""

from typing import Any

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.auth import sessions
from finance_api.auth.auditing import note_request
from finance_api.auth.policy import Permission
from finance_api.auth.sessions import known_browser, remember_browser
from finance_api.auth.user_accounts import find_user, is_unchanged, lets_in
from finance_api.http.requests import Request, client_address
from finance_api.ratelimit.tween import quotas_of
from finance_api.storage.interface import AuditAction, User
from finance_api.web.kept_forms import CARRIED, keep_carried
from finance_api.web.page import LOGIN, SeeOther, done, login_page, page_after, refused, writing
from finance_api.web.routes import get, post

_REFUSED = "The e-mail address or password is wrong."
_TOO_MANY = "Too many attempts. Please try again in {}."


@get("settings.login", NO_PERMISSION_REQUIRED, "login")
def show_login(request: Request) -> Any:
    wanted = request.GET.get("next", "")
    if request.identity is not None:
        return SeeOther(page_after(wanted))
    return login_page(next=wanted)


@post("settings.login", NO_PERMISSION_REQUIRED, "login")
def sign_in(request: Request) -> Any:
    email, password = (request.sent_text(name) for name in ("email", "password"))
    given = {"email": email, "next": request.sent_text("next")}
    given["carried"] = request.sent_text(CARRIED)
    missing = {"email": "Enter your e-mail address."} if not email.strip() else {}
    if not password:
        missing["password"] = "Enter your password."  # noqa: S105
    if missing:
        return refused(request, login_page(**given, errors=missing))
    services = request.services
    user = find_user(request.storage, email)
    attempt = quotas_of(request).take_sign_in(
        email, client_address(request), known_browser(request, user), services.clock.now_ms()
    )
    if not attempt.decision.allowed:
        seconds = attempt.decision.retry_after_seconds
        errors = {"form": _TOO_MANY.format(_waiting_words(seconds))}
        request.response.headers["Retry-After"] = str(seconds)
        return refused(request, login_page(**given, errors=errors), 429)
    if not lets_in(user, password) or user is None:
        return _wrong(request, user, **given)
    attempt.succeeded()
    secret = begin_session(request, user, AuditAction.SIGN_IN)
    if secret is None:
        return _wrong(request, user, **given)
    wanted = keep_carried(request, user, given["carried"]) or page_after(given["next"])
    response = SeeOther(wanted)
    sessions.set_cookie(request, response, "session", secret)
    remember_browser(request, response, user.uuid, user.password_hash or "")
    return response


def begin_session(request: Request, user: User, action: AuditAction) -> str | None:
    """Replace the browser's session; return the new secret, or None if the user has changed."""
    now, old = request.now, sessions.sent_secret(request, "session")
    with writing(request) as storage:
        if not is_unchanged(storage, user):
            return None
        if old is not None:
            storage.users.delete_session(sessions.digest(old))
        sessions.prune_sessions(storage, now)
        storage.note(user.id, action, now)
        agent = request.user_agent or ""
        most = request.registry.settings["finance_api.sessions.max_live"]
        return sessions.start_session(storage, user, now=now, user_agent=agent, max_live=most)


def _wrong(request: Request, user: User | None, **form: str) -> dict[str, Any]:
    """Refuse a sign-in. user: the owner of the address, if any. What was typed is not logged, as it
    may be a password.
    """
    request.services.metrics.authentication_failures("password", "invalid").inc()
    note_request(request, None if user is None else user.id, AuditAction.SIGN_IN_FAILED)
    return refused(request, login_page(errors={"form": _REFUSED}, **form), 403)


def _waiting_words(seconds: int) -> str:
    minutes = -(-seconds // 60)
    return "a minute" if minutes == 1 else f"{minutes} minutes"


@post("settings.logout", Permission.SETTINGS_SECURITY_WRITE)
def sign_out(request: Request) -> Response:
    with writing(request) as storage:
        storage.users.delete_session(request.identity.session.sha256)
    return signed_out(request, "signed-out")


def signed_out(request: Request, notice: str) -> Response:
    """Redirect to the sign-in page, and have the browser forget the session and the pages."""
    response = done(LOGIN, notice)
    sessions.set_cookie(request, response, "session", None)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response
