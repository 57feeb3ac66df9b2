"""Protection from cross-site request forgery (CSRF).

Every change is a POST with a token of our own forms, and from our own origin as far as the browser
tells it. That includes signing in.
"""

import hmac
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from pyramid.config import Configurator
from pyramid.exceptions import BadCSRFToken
from pyramid.httpexceptions import HTTPBadRequest, HTTPForbidden, HTTPUnsupportedMediaType
from pyramid.interfaces import ICSRFStoragePolicy
from pyramid.response import Response
from pyramid.viewderivers import INGRESS
from zope.interface import implementer

from finance_api.auth import sessions
from finance_api.http.identity import SessionIdentity
from finance_api.http.proxies import is_https
from finance_api.http.requests import Request
from finance_api.http.surfaces import UPLOADS, is_page
from finance_api.web.return_path import LOGIN

_PORT = re.compile(":[0-9]*$")
_BLANK = re.compile("[ \t]")
#: What browsers send of forms without files; scripts name the charset.
_FORMS = frozenset(
    f"application/x-www-form-urlencoded{charset}"
    for charset in ("", ";", ";charset=utf-8", ';charset="utf-8"')
)
_UPLOAD = "multipart/form-data;"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: The cookie of browsers that are not signed in, set with the sign-in page.
_VISITOR = "visitor"


@implementer(ICSRFStoragePolicy)
class CsrfTokens:
    """See `pyramid.interfaces.ICSRFStoragePolicy`. The cookie's secret gives the token."""

    def new_csrf_token(self, request: Request) -> str:
        return self.get_csrf_token(request)

    def get_csrf_token(self, request: Request) -> str:
        identity = request.identity
        secret = identity.secret if isinstance(identity, SessionIdentity) else _visitor(request)
        return sessions.csrf_token(secret)

    def check_csrf_token(self, request: Request, supplied_token: Any) -> bool:
        expected = [self.get_csrf_token(request)]
        # The sign-in form of a tab that was open before another one signed in.
        visitor = sessions.sent_secret(request, _VISITOR)
        if request.path_info == LOGIN and visitor is not None:
            expected.append(sessions.csrf_token(visitor))
        return isinstance(supplied_token, str) and any(
            _is_same(token, supplied_token) for token in expected
        )


def _is_same(token: str, supplied: str) -> bool:
    return hmac.compare_digest(token.encode(), supplied.encode("utf-8", "replace"))


def _visitor(request: Request) -> str:
    """The secret of a browser that is not signed in; made and set as a cookie if there is none."""
    secret = sessions.sent_secret(request, _VISITOR) or request.visitor_secret
    if secret is None:
        made = request.visitor_secret = sessions.new_secret()

        def send(request: Request, response: Response) -> None:
            sessions.set_cookie(request, response, _VISITOR, made)

        request.add_response_callback(send)
        secret = made
    return str(secret)


def require_form(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """View deriver: 415 for a body that is no form, before anything looks into it."""

    def checked(context: Any, request: Request) -> Any:
        unsafe = request.method not in _SAFE_METHODS and is_page(request.path_info)
        sent = _BLANK.sub("", request.environ.get("CONTENT_TYPE", "")).lower()
        if unsafe and not (sent.startswith(_UPLOAD) if _has_file(request) else sent in _FORMS):
            raise HTTPUnsupportedMediaType
        return view(context, request)

    return view if info.exception_only else checked


def require_own_origin(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """View deriver: 403 for a form of another origin, 400 for one that cannot be read."""

    def checked(context: Any, request: Request) -> Any:
        unsafe = request.method not in _SAFE_METHODS and is_page(request.path_info)
        if unsafe and not _is_own_origin(request):
            raise HTTPForbidden("This form was sent from another site, so nothing was changed.")
        if unsafe and not _has_file(request) and not _is_readable(request):
            raise HTTPBadRequest
        return view(context, request)

    return view if info.exception_only else checked


def require_token(request: Request, supplied: str) -> None:
    """Raises BadCSRFToken. For the form whose token Pyramid cannot find."""
    if not CsrfTokens().check_csrf_token(request, supplied):
        raise BadCSRFToken


def _has_file(request: Request) -> bool:
    """Whether it is the form with a file, which is read while it is sent; see `receiving`."""
    return bool(request.path_info == UPLOADS)


def _is_readable(request: Request) -> bool:
    """False for a form that is cut short."""
    try:
        request.POST  # noqa: B018 (read once, and kept)
    except (OSError, ValueError):
        return False
    return True


def _is_own_origin(request: Request) -> bool:
    site = request.headers.get("Sec-Fetch-Site")
    if site not in (None, "same-origin", "none"):
        return False
    said = request.headers.get("Origin") or request.headers.get("Referer")
    # Some clients send neither header; they still need the token.
    if said is None:
        return True
    # From pages without referrer, as ours are, browsers send the origin "null" (Fetch standard,
    # 3.2); Sec-Fetch-Site says that it is our own, if they send it.
    if said == "null":
        return site == "same-origin" or not (is_https(request) or _is_this_machine(request))
    try:
        origin = urlsplit(said)
    except ValueError:
        return False
    # A proxy that is not trusted may add HTTPS.
    schemes = ("https",) if is_https(request) else ("http", "https")
    return origin.scheme in schemes and origin.netloc.lower() == request.host.lower()


def _is_this_machine(request: Request) -> bool:
    """Whether browsers trust the host as they trust HTTPS."""
    name = _PORT.sub("", request.host.lower())
    return name in ("localhost", "127.0.0.1", "[::1]") or name.endswith(".localhost")


def includeme(config: Configurator) -> None:
    config.set_csrf_storage_policy(CsrfTokens())
    config.add_view_deriver(require_form, name="require_form", under=INGRESS, over="secured_view")
    config.add_view_deriver(
        require_own_origin, name="require_own_origin", under="secured_view", over="csrf_view"
    )
