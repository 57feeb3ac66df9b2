"""Protects the pages: their security headers, and who may send their forms (CSRF).

Every change, signing in included, is a POST with the token of one of our forms, and from our own
origin as far as the browser reports it.
"""

import hmac
import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from urllib.parse import urlsplit

from pyramid.config import Configurator
from pyramid.exceptions import BadCSRFToken
from pyramid.httpexceptions import HTTPBadRequest, HTTPForbidden, HTTPUnsupportedMediaType
from pyramid.interfaces import ICSRFStoragePolicy
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.viewderivers import INGRESS
from zope.interface import implementer

from finance_api.auth import sessions
from finance_api.http import surfaces
from finance_api.http.errors import CONTENT_TYPE
from finance_api.http.identity import SessionIdentity
from finance_api.http.requests import Handler, Request, is_https
from finance_api.web.guides import error_guide
from finance_api.web.page import LOGIN, regional
from finance_api.web.routes import STATIC

_NONE = "'none'"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: For references: their viewer has its own styles and images.
_DOCS_POLICY = _POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
    "img-src 'self'", "img-src 'self' data:"
)
#: Errors of these paths have the members that their clients know.
_WITHOUT_HELP = (surfaces.INTERNAL_SURFACE, surfaces.WALLET)
#: For links of saved questions, whose address is a secret. `headers_tween` adds their policy.
_LINK_HEADERS = {"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "clipboard-write=(self)",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


def headers_tween(handler: Handler, registry: Registry) -> Handler:
    framing = " ".join(registry.settings["finance_api.links.frame_ancestors"])
    link_policy = _POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {framing or _NONE}")
    link_headers = {**_LINK_HEADERS, "Content-Security-Policy": link_policy}

    def tween(request: Request) -> Response:
        # Not request.path, which may not be decodable.
        path = request.environ.get("PATH_INFO", "")
        is_read_by_people = surfaces.is_page(path)
        with regional(request) if is_read_by_people else nullcontext():
            response = handler(request)
        if path.startswith(surfaces.SURFACES) and response.status_int < 400:
            # Neither a page nor a problem document; looking at the content type takes long.
            return response
        if path.startswith(surfaces.LINKS):
            response.headers.update(link_headers)
        elif is_read_by_people or response.content_type == "text/html":
            response.headers.update(_HEADERS)
            if path.startswith(surfaces.DOCS) and not path.startswith(surfaces.GUIDES):
                response.headers["Content-Security-Policy"] = _DOCS_POLICY
            if not (path.startswith(STATIC) and response.status_int == 200):
                response.headers["Cache-Control"] = "no-store"
        elif response.content_type == CONTENT_TYPE and not path.startswith(_WITHOUT_HELP):
            _add_help(request, response)
        return response

    return tween


def _add_help(request: Request, response: Response) -> None:
    """Add a link to the guide about the status, as the last member of a problem document."""
    guide, body = error_guide(response.status_int), response.body
    if guide is not None and body.endswith(b"}"):
        response.body = body[:-1] + f',"help":{json.dumps(request.script_name + guide)}}}'.encode()


_BLANK = re.compile("[ \t]")
#: The content types of forms without files; scripts name the charset.
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
    """Derives tokens from the cookie's secret; see `pyramid.interfaces.ICSRFStoragePolicy`."""

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
    """The secret of a browser that is not signed in; creates one and sets it as a cookie."""
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
            if not _is_own_origin(request):
                raise HTTPForbidden("This form was sent from another site, so nothing was changed.")
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


def _is_own_origin(request: Request) -> bool:
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    sender = request.headers.get("Origin") or request.headers.get("Referer")
    # Some clients send neither header; they still need the token.
    if sender is None:
        return True
    try:
        origin = urlsplit(sender)
    except ValueError:
        return False
    # A proxy that we do not trust may provide HTTPS without our knowledge.
    schemes = ("https",) if is_https(request) else ("http", "https")
    return origin.scheme in schemes and origin.netloc.lower() == request.host.lower()


def includeme(config: Configurator) -> None:
    config.set_csrf_storage_policy(CsrfTokens())
    config.add_view_deriver(require_own_form, under=INGRESS, over="secured_view")
    config.set_default_csrf_options(
        # Pyramid checks the origin over HTTPS only.
        check_origin=False,
        callback=lambda request: surfaces.is_page(request.path_info),
    )
