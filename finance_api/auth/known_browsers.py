"""Browsers in which a user has signed in before: a cookie, signed with the user's password hash.

Such a browser has attempts of its own to sign in, so that nobody else's can lock its owner out. All
processes have the key and nobody outside; a new password is a new key, so it ends the cookies.
"""

import hashlib
import hmac
import secrets

from pyramid.response import Response

from finance_api.auth import sessions
from finance_api.http.requests import Request
from finance_api.storage.interface import User
from finance_api.values.time import DAY_SECONDS

_COOKIE = "browser"
_SECONDS = 180 * DAY_SECONDS


def remember_browser(request: Request, response: Response, uuid: str, password_hash: str) -> None:
    """Sets the cookie of the user's browser, with a new id."""
    browser = secrets.token_urlsafe(16)
    value = f"{browser}.{_signature(uuid, password_hash, browser)}"
    sessions.set_cookie(request, response, _COOKIE, value, seconds=_SECONDS)


def known_browser(request: Request, user: User | None) -> str | None:
    """The id of the browser, if the user has signed in there with the present password."""
    if user is None or user.password_hash is None:
        return None
    sent = request.cookies.get(sessions.cookie_name(request, _COOKIE), "")
    browser, _, signature = sent.partition(".")
    expected = _signature(user.uuid, user.password_hash, browser)
    is_known = hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace"))
    return browser if is_known else None


def _signature(uuid: str, password_hash: str, browser: str) -> str:
    message = f"{uuid} {browser}".encode("utf-8", "replace")
    return hmac.new(password_hash.encode(), message, hashlib.sha256).hexdigest()
