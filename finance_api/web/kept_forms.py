"""Keeps forms that were refused, or sent after their session had ended.

Their page shows a refused form with its errors, so that Back, after the form was corrected, sends
nothing again. The form of an ended session is shown once its user has signed in, never carried out.
Forms are stored with the user's uploads, for an hour, and only that user sees them. After a
sign-out, the server cannot tell whose form it is. The sign-in page then contains the form in a
hidden field, and the form is stored once its user has signed in.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth import sessions
from finance_api.http.identity import SessionIdentity
from finance_api.http.requests import Request
from finance_api.storage.errors import NotFound, StorageUnavailable
from finance_api.storage.interface import Session, Upload, UploadState, User
from finance_api.uploads.jobs import is_over
from finance_api.values.ids import new_id
from finance_api.values.text import Message, message
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.page import KEPT, SeeOther, login_path, page_after, query_of, writing
from finance_api.web.routes import ROUTES

#: The route of the form in each row of the list of records, and the field of a kept form that names
#: the row. The list shows such a form again.
CATEGORY_OF_ROW = "records.category"
ROW = "row"
#: The routes whose forms are kept. Their pages show these forms again.
_ROUTES = frozenset(
    (
        *("records", CATEGORY_OF_ROW, "record.new", "record", "record.split", "records.rule"),
        *("question.new", "question.edit", "payee", "payees", "payees.categories"),
        *(f"{name}{a}" for name in OBJECT_PAGES for a in (".new", ".edit")),
    )
)
#: Other routes of forms whose page is the one above them.
_BELOW_THEIR_PAGE = ("import.confirm", "settings.password", "settings.token_regenerate")
#: Field of a kept form: the errors of a refused form, as JSON.
_ERRORS = "form-errors"
#: Field of a form: the digest of the stored values that it showed.
_SEEN = "seen"
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
        _, user = request.storage.users.get_owner(Session, sessions.digest(secret))
    except NotFound:
        return None
    if not user.enabled:
        return None
    path = _store(request, user, page_of_form(request), _entries(request))
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
    path = _store(request, identity.user, page_of_form(request), _entries(request))
    return None if path is None else SeeOther(path)


def keep_refused(request: Request, page: Mapping[str, Any]) -> Response | None:
    """Keep a refused form, and redirect to its page. Returns None if the form is not kept.

    page: the variables of the page with the errors.
    """
    if not _is_kept(request):
        return None
    entries = [pair for pair in _entries(request) if pair[0] != _SEEN]
    if _SEEN in page:
        # If the stored values had changed, the page said so: the form now replaces them.
        entries.append((_SEEN, page[_SEEN]))
    errors = {key: getattr(text, "marked", text) for key, text in page["errors"].items()}
    entries.append((_ERRORS, json.dumps(errors)))
    path = _store(request, request.user, page_of_form(request), entries)
    if path is None:
        return None
    is_row = request.matched_route.name == CATEGORY_OF_ROW
    return SeeOther(f"{path}#c-{request.matchdict['id']}" if is_row else path)


def kept_errors(form: MultiDict | None) -> dict[str, Message]:
    """Return the errors of a kept form, which has none if it was not refused."""
    errors = json.loads((form or {}).get(_ERRORS, "{}"))
    return {key: message(text) for key, text in errors.items()}


def _sent(request: Request, name: str) -> bytes:
    return str(request.POST.get(name, "")).encode("utf-8", "replace")


def _is_kept(request: Request) -> bool:
    route = request.matched_route
    return request.method == "POST" and route is not None and route.name in _ROUTES


def page_of_form(request: Request) -> str:
    """Return the path and query of a form's page, without what it shows once."""
    path, name = request.path, request.matched_route.name
    if name == CATEGORY_OF_ROW:
        path = ROUTES["records"]
    elif name in _BELOW_THEIR_PAGE:
        path = path.rpartition("/")[0]
    return f"{path}{query_of(request)}"


def _entries(request: Request) -> list[tuple[str, str]]:
    row = [(ROW, request.matchdict["id"])] if request.matched_route.name == CATEGORY_OF_ROW else []
    return row + [
        (name, value)
        for name, value in request.POST.items()
        if isinstance(value, str)
        and name not in (OWNER, _ERRORS)
        and not any(word in name.lower() for word in _SECRET_NAMES)
    ]


def _store(
    request: Request, user: User, path: str, entries: Iterable[tuple[str, str]]
) -> str | None:
    """Keep the form for the user; return the path that shows it, or None if it cannot be kept."""
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
    form = page_of_form(request), str(request.POST[OWNER]), _entries(request)
    text = urlsafe_b64encode(json.dumps(form).encode()).decode()
    return text if len(text) <= _MAX_CARRIED else None


def keep_carried(request: Request, user: User, text: str) -> str | None:
    """Keep the form that the sign-in page contained; return the path that shows the form.

    text: the sent text, usually from `carried_form`. Returns None if the text is not a form of this
    user, or cannot be kept.
    """
    try:
        path, owner, entries = json.loads(urlsafe_b64decode(text))
        pairs = [(str(name), str(value)) for name, value in entries if name != _ERRORS]
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
