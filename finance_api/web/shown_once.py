"""What is shown once: the page after a form has it from a cookie, so that no reload makes more.

The server does not store it. Who shows it checks whose it is: a cookie can be anybody's.
"""

from pyramid.response import Response

from finance_api.auth import sessions
from finance_api.http.requests import Request
from finance_api.web.page import SeeOther

_COOKIE = "made"
_SECONDS = 60


def show_once(request: Request, path: str, text: str) -> Response:
    """Redirects to the page that shows it."""
    response = SeeOther(path)
    sessions.set_cookie(request, response, _COOKIE, text, seconds=_SECONDS)
    return response


def taken(request: Request) -> str:
    """The text, which the browser forgets with this response; "" if there is none."""

    def forget(request: Request, response: Response) -> None:
        sessions.set_cookie(request, response, _COOKIE, None)

    request.add_response_callback(forget)
    return str(request.cookies.get(sessions.cookie_name(request, _COOKIE), ""))
