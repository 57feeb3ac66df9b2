"""Secrets that are shown once, on the page after a form.

The page has the secret from a cookie, so that reloading it creates no second one, and the server
stores nothing. The page must check whose secret it is: a cookie can be anybody's.
"""

from pyramid.response import Response

from finance_api.auth import sessions
from finance_api.http.requests import Request
from finance_api.web.page import SeeOther

_COOKIE = "made"
_SECONDS = 60


def show_once(request: Request, path: str, text: str) -> Response:
    """Redirect to the page that shows the text."""
    response = SeeOther(path)
    sessions.set_cookie(request, response, _COOKIE, text, seconds=_SECONDS)
    return response


def taken(request: Request) -> str:
    """The text, or "". The browser deletes it with this response."""

    def forget(request: Request, response: Response) -> None:
        sessions.set_cookie(request, response, _COOKIE, None)

    request.add_response_callback(forget)
    return str(request.cookies.get(sessions.cookie_name(request, _COOKIE), ""))
