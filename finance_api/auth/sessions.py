"""Sessions of the pages: a cookie with a secret, and a row in the storage.

Only the SHA-256 of the secret is stored. The CSRF token of forms is an HMAC with the secret.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode

from pyramid.response import Response

from finance_api.http.requests import Request, is_https
from finance_api.storage.interface import Session, User, WritableStorage
from finance_api.values.time import DAY_SECONDS

IDLE_SECONDS = 1_800
LONGEST_SECONDS = 43_200
#: How long an expired session is kept, to identify the user of a form that is sent too late.
KEPT_SECONDS = DAY_SECONDS
#: The default of the setting finance_api.sessions.max_live.
MAX_LIVE = 20
#: The time of last use is written again only when the stored one is this old.
SEEN_SECONDS = 60
FLUSH_SECONDS = 1.0
_MAX_USER_AGENT_CHARACTERS = 200

_SECRET = re.compile("[A-Za-z0-9_-]{43}")


def cookie_name(request: Request, name: str) -> str:
    """Return the cookie's full name.

    With __Host- (over HTTPS), browsers let neither other hosts nor plain HTTP set the cookie.
    """
    return f"__Host-finance_{name}" if is_https(request) else f"finance_{name}"


def set_cookie(
    request: Request,
    response: Response,
    name: str,
    value: str | None,
    *,
    seconds: int | None = None,
) -> None:
    """Set a cookie that scripts cannot read and POST requests of other sites do not send.

    value: None removes the cookie. seconds: how long the cookie lasts; None means until the browser
    is closed.
    """
    options = {"path": "/", "httponly": True, "samesite": "Lax", "secure": is_https(request)}
    max_age = 0 if value is None else seconds
    response.set_cookie(cookie_name(request, name), value or "", max_age=max_age, **options)


def new_secret() -> str:
    """Make a secret of 256 random bits, in base64url."""
    return secrets.token_urlsafe(32)


def sent_secret(request: Request, name: str) -> str | None:
    """Return the secret in the cookie; None if it is missing or malformed."""
    value = request.cookies.get(cookie_name(request, name))
    return value if value is not None and _SECRET.fullmatch(value) else None


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def csrf_token(secret: str) -> str:
    """Return the CSRF token of the session with this secret."""
    mac = hmac.new(secret.encode("ascii"), b"form", hashlib.sha256).digest()
    return urlsafe_b64encode(mac).decode().rstrip("=")


def start_session(
    storage: WritableStorage, user: User, *, now: int, user_agent: str, max_live: int = MAX_LIVE
) -> str:
    """Start a new session, and return its secret.

    max_live: the maximum number of the user's sessions; the longest unused ones beyond it end.
    """
    own = sorted(storage.users.list_owned(Session, user.id), key=lambda each: -each.seen_at)
    for session in [each for each in own if is_alive(each, now)][max_live - 1 :]:
        storage.users.delete_session(session.sha256)
    secret = new_secret()
    shown = "".join(c for c in user_agent if c.isprintable())[:_MAX_USER_AGENT_CHARACTERS]
    storage.users.add_owned(Session(digest(secret), user.id, now, now, shown))
    return secret


def is_alive(session: Session, now: int) -> bool:
    return now - session.created_at < LONGEST_SECONDS and now - session.seen_at < IDLE_SECONDS


def prune_sessions(storage: WritableStorage, now: int) -> None:
    """Delete sessions that expired more than a day ago."""
    expired = now - KEPT_SECONDS
    storage.users.prune_sessions(
        created_before=expired - LONGEST_SECONDS + 1, seen_before=expired - IDLE_SECONDS + 1
    )


# -- browsers in which a user has signed in before ------------------------------------------------
#
# A browser is recognised by a cookie, signed with the user's password hash as the key. Its sign-in
# attempts have their own limit, so that other people's attempts cannot lock the user out. All our
# processes can read the key; nobody else can. A new password invalidates these cookies.

_BROWSER_COOKIE = "browser"
_BROWSER_SECONDS = 180 * DAY_SECONDS


def remember_browser(request: Request, response: Response, uuid: str, password_hash: str) -> None:
    """Set the cookie of the user's browser, with a new id."""
    browser = secrets.token_urlsafe(16)
    value = f"{browser}.{_signature(uuid, password_hash, browser)}"
    set_cookie(request, response, _BROWSER_COOKIE, value, seconds=_BROWSER_SECONDS)


def known_browser(request: Request, user: User | None) -> str | None:
    """Return the browser's id, if the user has signed in there with the current password."""
    if user is None or user.password_hash is None:
        return None
    sent = request.cookies.get(cookie_name(request, _BROWSER_COOKIE), "")
    browser, _, signature = sent.partition(".")
    expected = _signature(user.uuid, user.password_hash, browser)
    is_known = hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace"))
    return browser if is_known else None


def _signature(uuid: str, password_hash: str, browser: str) -> str:
    message = f"{uuid} {browser}".encode("utf-8", "replace")
    return hmac.new(password_hash.encode(), message, hashlib.sha256).hexdigest()
