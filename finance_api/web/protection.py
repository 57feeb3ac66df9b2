"""Protects the pages: their security headers, and who may send their forms (CSRF).

Every change, signing in included, is a POST with the token of one of our forms. If the browser
reports where the form came from, that must be our own origin.

A form that was sent after its session had ended is kept until its user signs in again. The form is
then shown, never carried out. It is stored with the user's uploads, for an hour, and only that user
sees it. After a sign-out, the server cannot tell whose form it is. The sign-in page then contains
the form in a hidden field, and the form is stored once its user has signed in.
"""

import hashlib
import hmac
import json
import logging
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode, urlsplit

from pyramid.config import Configurator
from pyramid.exceptions import BadCSRFToken
from pyramid.httpexceptions import HTTPBadRequest, HTTPForbidden, HTTPUnsupportedMediaType
from pyramid.interfaces import ICSRFStoragePolicy
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.viewderivers import INGRESS
from webob.multidict import MultiDict
from zope.interface import implementer

from finance_api.auth import sessions
from finance_api.http import surfaces
from finance_api.http.errors import CONTENT_TYPE
from finance_api.http.identity import SessionIdentity
from finance_api.http.requests import Handler, Request, is_https
from finance_api.storage.errors import NotFound, StorageUnavailable
from finance_api.storage.interface import Upload, UploadState, User
from finance_api.uploads.jobs import is_over
from finance_api.values.ids import new_id
from finance_api.web.guides import error_guide
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.page import LOGIN, SeeOther, login_path, page_after, regional, writing
from finance_api.web.routes import ROUTES, STATIC

logger = logging.getLogger(__name__)

_NONE = "'none'"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: The policy of the API references, whose viewer has its own styles and images.
_DOCS_POLICY = _POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
    "img-src 'self'", "img-src 'self' data:"
)
#: Errors at these paths get no help link: they have only the members that their clients know.
_WITHOUT_HELP = (surfaces.INTERNAL_SURFACE, surfaces.WALLET)
#: Headers for the links of saved questions, whose addresses are secret. `headers_tween` adds their
#: policy.
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
        if is_read_by_people:
            with regional(request):
                response = handler(request)
        else:
            response = handler(request)
        if path.startswith(surfaces.SURFACES) and response.status_int < 400:
            # Neither a page nor a problem document. Reading the content type would take longer.
            return response
        if path.startswith(surfaces.LINKS):
            response.headers.update(link_headers)
        elif is_read_by_people or response.content_type == "text/html":
            response.headers.update(_HEADERS)
            if surfaces.is_below(path, surfaces.DOCS) and not surfaces.is_below(
                path, surfaces.GUIDES
            ):
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


#: The parameter of a page that shows a kept form again.
KEPT = "kept"
#: The route of the form in each row of the list of records, and the field of a kept form that names
#: the row. The list shows such a form again.
CATEGORY_OF_ROW = "records.category"
ROW = "row"
#: The routes whose forms are kept. Their pages show these forms again.
_ROUTES = frozenset(
    (
        *("records", CATEGORY_OF_ROW, "record.new", "record", "record.split", "records.rule"),
        *("question.new", "question.edit"),
        *(f"{name}{a}" for name in OBJECT_PAGES for a in (".new", ".edit")),
    )
)
_TOKEN, OWNER = "csrf_token", "form-user"
_MAX_BYTES = 1 << 16
#: The sign-in page's field for a form, and the field's maximum length: a whole body has 64 kB.
CARRIED = "carried-form"
_MAX_CARRIED = 40_000
#: A user can have this many kept forms; another one replaces the oldest.
_MAX_FORMS = 5
_SECRET_NAMES = ("password", "token")


def owner_mark(user: User) -> str:
    """Return the value of a hidden field that says whose form it is."""
    return hashlib.sha256(f"form of {user.uuid}".encode()).hexdigest()[:16]


def keep_of_ended_session(request: Request) -> Response | None:
    """Keep the form of a session that has ended, and redirect to the sign-in page.

    Returns None for any other form, or if the session's user is unknown.
    """
    secret = sessions.sent_secret(request, "session")
    if secret is None or not _is_kept(request):
        return None
    token = sessions.csrf_token(secret)
    if not hmac.compare_digest(token.encode(), _sent(request, _TOKEN)):
        return None
    try:
        _, user = request.storage.sessions.get_owner(sessions.digest(secret))
    except NotFound:
        return None
    path = _keep(request, user) if user.enabled else None
    return None if path is None else SeeOther(login_path(path))


def keep_of_older_session(request: Request) -> Response | None:
    """Keep a form of the signed-in user's earlier session, and redirect to the form.

    Returns None for any other form, such as another user's.
    """
    identity = request.identity
    if not isinstance(identity, SessionIdentity) or not _is_kept(request):
        return None
    if not hmac.compare_digest(owner_mark(identity.user).encode(), _sent(request, OWNER)):
        return None
    path = _keep(request, identity.user)
    return None if path is None else SeeOther(path)


def _sent(request: Request, name: str) -> bytes:
    return str(request.POST.get(name, "")).encode("utf-8", "replace")


def _is_kept(request: Request) -> bool:
    route = request.matched_route
    return request.method == "POST" and route is not None and route.name in _ROUTES


def _keep(request: Request, user: User) -> str | None:
    """Keep the form for the user; return the path that shows it, or None if it cannot be kept."""
    return _store(request, user, _path_of(request), _entries(request))


def _path_of(request: Request) -> str:
    """Return the path and query of the form's page, without an earlier kept form."""
    query = urlencode([pair for pair in request.GET.items() if pair[0] != KEPT])
    path = ROUTES["records"] if request.matched_route.name == CATEGORY_OF_ROW else request.path
    return f"{path}{'?' if query else ''}{query}"


def _entries(request: Request) -> list[tuple[str, str]]:
    row = [(ROW, request.matchdict["id"])] if request.matched_route.name == CATEGORY_OF_ROW else []
    return row + [
        (name, value)
        for name, value in request.POST.items()
        if isinstance(value, str)
        and name != OWNER
        and not any(word in name.lower() for word in _SECRET_NAMES)
    ]


def _store(
    request: Request, user: User, path: str, entries: Iterable[tuple[str, str]]
) -> str | None:
    content = json.dumps(list(entries)).encode()
    if len(content) > _MAX_BYTES:
        return None
    now, (page, mark, query) = request.now, path.partition("?")
    with suppress(NotFound, StorageUnavailable), writing(request) as storage:
        storage.users.lock(user.id)
        uploads = storage.uploads.list_by_user(user.id)
        forms = [upload for upload in uploads if upload.state is UploadState.FORM]
        for old in forms[: max(0, len(forms) + 1 - _MAX_FORMS)]:
            storage.uploads.delete(user.id, old.id)
        form = Upload(
            id=new_id(), name=page, size=len(content), created_at=now, state=UploadState.FORM
        )
        storage.uploads.add(user.id, form, [content])
        return f"{page}?{query}{'&' if mark else ''}{urlencode({KEPT: form.id})}"
    return None


def carried_form(request: Request) -> str | None:
    """Return the form as a text for the sign-in page; None if it is too long or not to be kept."""
    if not (_is_kept(request) and _sent(request, OWNER)):
        return None
    form = _path_of(request), str(request.POST[OWNER]), _entries(request)
    text = urlsafe_b64encode(json.dumps(form).encode()).decode()
    return text if len(text) <= _MAX_CARRIED else None


def keep_carried(request: Request, user: User, text: str) -> str | None:
    """Keep the form that the sign-in page contained; return the path that shows the form.

    text: the sent text, usually from `carried_form`. Returns None if the text is not a form of this
    user, or cannot be kept.
    """
    try:
        path, owner, entries = json.loads(urlsafe_b64decode(text))
        pairs = [(str(name), str(value)) for name, value in entries]
        is_own = hmac.compare_digest(owner_mark(user).encode(), owner.encode())
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return _store(request, user, page_after(path), pairs) if is_own else None


def kept_form(request: Request) -> MultiDict | None:
    """Return the kept form that the page should show; None if the user has no such form."""
    form_id = request.GET.get(KEPT, "") if request.method != "POST" else ""
    if not (form_id and form_id.isascii() and form_id.isprintable()):
        return None
    user_id, uploads = request.user.id, request.storage.uploads
    try:
        form = uploads.get(user_id, form_id)
    except NotFound:
        return None
    is_shown = form.state is UploadState.FORM and form.name == request.path
    if not is_shown or is_over(form, request.now):
        return None
    return MultiDict(map(tuple, json.loads(uploads.get_piece(user_id, form_id, 0))))
