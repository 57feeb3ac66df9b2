"""Protects forms from other sites (CSRF).

Every change, signing in included, is a POST with the token of one of our forms. If the browser
reports where the form came from, that must be our own origin.
"""

import hmac
import logging
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
from finance_api.http import surfaces
from finance_api.http.identity import SessionIdentity
from finance_api.http.requests import Request, is_https
from finance_api.web.page import LOGIN

logger = logging.getLogger(__name__)

_FOREIGN = "This form was sent from another site, so nothing was changed."
_PORT_DROPPED = (
    "The proxy in front of this service has to pass on the header Host with its port (nginx: "
    "proxy_set_header Host $http_host)."
)
_BLANK = re.compile("[ \t]")
#: The content types of forms without files. Forms sent by scripts name the charset.
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
    """Tokens derived from the cookie's secret; see `pyramid.interfaces.ICSRFStoragePolicy`."""

    def new_csrf_token(self, request: Request) -> str:
        return self.get_csrf_token(request)

    def get_csrf_token(self, request: Request) -> str:
        identity = request.identity
        secret = identity.secret if isinstance(identity, SessionIdentity) else _visitor(request)
        return sessions.csrf_token(secret)

    def check_csrf_token(self, request: Request, supplied_token: Any) -> bool:
        expected = [self.get_csrf_token(request)]
        # The sign-in form may be in a tab that was open before another tab signed in.
        visitor = sessions.sent_secret(request, _VISITOR)
        if request.path_info.startswith(LOGIN) and visitor is not None:
            expected.append(sessions.csrf_token(visitor))
        supplied = str(supplied_token).encode("utf-8", "replace")
        return any(hmac.compare_digest(token.encode(), supplied) for token in expected)


def _visitor(request: Request) -> str:
    """Return the secret of a browser that is not signed in; set a new one if it has no secret."""
    secret = sessions.sent_secret(request, _VISITOR) or request.visitor_secret
    if secret is None:
        made = request.visitor_secret = sessions.new_secret()

        def send(request: Request, response: Response) -> None:
            sessions.set_cookie(request, response, _VISITOR, made)

        request.add_response_callback(send)
        secret = made
    return str(secret)


def require_own_form(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """View deriver: 415 for a body that is not a form, 403 for another site's form, 400 for an
    incomplete form.
    """

    def checked(context: Any, request: Request) -> Any:
        if request.method not in _SAFE_METHODS and surfaces.is_page(request.path_info):
            sent = _BLANK.sub("", request.environ.get("CONTENT_TYPE", "")).lower()
            # The form with a file is read by its view; see `receiving`.
            has_file = request.path_info == surfaces.UPLOADS
            if not (sent.startswith(_UPLOAD) if has_file else sent in _FORMS):
                raise HTTPUnsupportedMediaType
            fault = _fault_of_origin(request)
            if fault is not None:
                raise HTTPForbidden(fault)
            if not has_file:
                try:
                    request.POST  # noqa: B018 (read once, and kept)
                except (OSError, ValueError):
                    raise HTTPBadRequest from None
        return view(context, request)

    return view if info.exception_only else checked


def require_token(request: Request, supplied: str) -> None:
    """Check the token of a form in which Pyramid cannot find it. Raises BadCSRFToken."""
    if not CsrfTokens().check_csrf_token(request, supplied):
        raise BadCSRFToken


def _fault_of_origin(request: Request) -> str | None:
    """Return why the form is not one of our own, or None. Log a proxy that drops Host's port."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return None if site in ("same-origin", "none") else _FOREIGN
    sender = request.headers.get("Origin") or request.headers.get("Referer")
    # Some clients send neither header; they still need the token.
    if sender is None:
        return None
    try:
        origin = urlsplit(sender)
    except ValueError:
        return _FOREIGN
    # A proxy that we do not trust may provide HTTPS without our knowledge.
    schemes = ("https",) if is_https(request) else ("http", "https")
    sent, own = origin.netloc.lower(), request.host.lower()
    if origin.scheme in schemes and sent == own:
        return None
    if sent.rpartition(":")[0] != own:
        return _FOREIGN
    proxy = request.environ.get("REMOTE_ADDR", "-")
    logger.warning("forms: the proxy at %s drops the port of Host: %s", proxy, _PORT_DROPPED)
    return _PORT_DROPPED


def includeme(config: Configurator) -> None:
    config.set_csrf_storage_policy(CsrfTokens())
    config.add_view_deriver(require_own_form, under=INGRESS, over="secured_view")
    config.set_default_csrf_options(
        # Pyramid checks the origin over HTTPS only.
        check_origin=False,
        callback=lambda request: surfaces.is_page(request.path_info),
    )
