"""Helpers of the views: variables, forms, units of work, redirections, long lists."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlencode

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPForbidden, HTTPNotFound, HTTPSeeOther
from pyramid.response import Response

from finance_api.auth import sessions
from finance_api.auth.policy import PAGES
from finance_api.http.requests import Request, origin_of
from finance_api.http.surfaces import OVERVIEW, SETTINGS_PAGES, is_page
from finance_api.ledger.changing import changing
from finance_api.ledger.session import DataMoved, LedgerSession, UserRows
from finance_api.query.errors import QueryError
from finance_api.query.model import MAX_OFFSET
from finance_api.query.parse import parse_integer
from finance_api.resources.field import Resource
from finance_api.storage.errors import NotFound, StorageLocked
from finance_api.storage.interface import (
    Session,
    Storage,
    WritableStorage,
    data_state_of,
    unit_of_work,
)
from finance_api.values import Row
from finance_api.values.text import Message, edited

_Found = TypeVar("_Found")
#: How long a page waits for another writer.
LOCK_SECONDS = 1

#: The parameters of a page that shows something once: a notice, which is a key of
#: `rendering.NOTICES` or the number of an entry of the user's history; or a form of `kept_forms`.
DONE, CHANGED, KEPT = SHOWN_ONCE = ("done", "changed", "kept")

CHANGED_MEANWHILE = (
    "This was changed elsewhere since you opened the form, so nothing was saved. The form still "
    "has your entries. Save again to replace the stored values."
)
SIGNED_OUT = "You have been signed out. Sign in and submit the form again."
SIGNED_OUT_KEPT = "You have been signed out. Sign in again, and the form has what you entered."


class SeeOther(HTTPSeeOther):  # type: ignore[misc]
    """A redirection to a path alone, to which WebOb would add the request's Host."""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        start_response(self.status, self.headerlist)
        return self.app_iter


class Place(Enum):
    """How the view of a page takes a place in the bulkhead.

    CHEAP, COSTLY: see `Request.in_place`. OWN: the view waits for its client, so it takes places
    itself, for its work before and after.
    """

    CHEAP, COSTLY, OWN = range(3)


#: How many times a form is tried whose data changes before the form can be stored.
_TRIES = 3


def in_place(view: Any, info: Any) -> Any:
    """View deriver: pages and forms of signed-in users wait for a place, as data requests do.

    The template is rendered while the request has its place, because it reads data too.
    Pages with settings are cheap, all others costly unless their option ``place`` says otherwise.
    """
    permission = info.options.get("permission")
    is_setting = str(permission).startswith("settings:")
    place = info.options.get("place") or (Place.CHEAP if is_setting else Place.COSTLY)
    if permission not in PAGES or place is Place.OWN:
        return view

    def wrapped(context: Any, request: Request) -> Response:
        def work() -> Response:
            for _ in range(_TRIES):
                with suppress(DataMoved):
                    return view(context, request)
            raise StorageLocked

        return request.in_place(work, request.user.id, is_cheap=place is Place.CHEAP)

    return wrapped


in_place.options = ("place",)  # type: ignore[attr-defined]


def includeme(config: Configurator) -> None:
    config.add_view_deriver(in_place)


def page(section: str, title: str, /, **variables: Any) -> dict[str, Any]:
    """Return the variables of a template. section: the page's section of the navigation."""
    return {"page": section, "title": title, **variables}


def writing(request: Request) -> AbstractContextManager[WritableStorage]:
    """Begin a unit of work that writes, and does not wait long for another writer.

    Ends the request's reading unit first, so that a request never needs two connections.
    """
    request.close_storage()
    backend = request.services.storage
    return unit_of_work(backend, lock_timeout_seconds=LOCK_SECONDS, origin=origin_of(request))


@contextmanager
def writing_for_user(request: Request) -> Iterator[WritableStorage]:
    """Begin `writing` with the user locked; raise a 403 if the session has ended meanwhile."""
    with writing(request) as storage:
        with suppress(NotFound):
            storage.users.lock(request.user.id)
        require_session(request, storage)
        yield storage


@contextmanager
def editing(
    request: Request, action: str | None, *, dry_run: bool = False
) -> Iterator[LedgerSession]:
    """Open the user's data to change it as commands do; raise a 403 if the session has ended.

    The change is stored at the end; if the data has changed meanwhile, `in_place` calls the view
    again. action: the change's name in the history; None for an undo. dry_run: whether to store
    nothing. Raises ChangeRefused, DataMoved, TookTooLong.
    """
    request.close_storage()
    with changing(
        request.services.storage,
        request.user.email,
        request.now,
        action=action,
        origin=origin_of(request),
        keep_days=request.registry.settings["finance_api.imports.keep_days"],
        dry_run=dry_run,
        decides_first=True,
        lock_timeout_seconds=LOCK_SECONDS,
        check=partial(require_session, request),
    ) as session:
        yield session


def require_session(request: Request, storage: Storage) -> None:
    """Raise a 403 if the session has ended meanwhile."""
    try:
        storage.users.get_owner(Session, request.identity.session.sha256)
    except NotFound:
        raise HTTPForbidden(SIGNED_OUT) from None


def done(path: str, notice: str) -> Response:
    """Redirect to a page with a notice (post, redirect, get)."""
    return _with_notice(path, DONE, notice)


def changed(session: LedgerSession, path: str) -> Response:
    """Redirect to a page whose notice says what the session changed, with a button to undo it.

    session: the session of `editing`, after its change. path: may have a query, but no notice.
    The notice is made from the history entry; see `sentences.sentence_of`.
    """
    entry = session.entry
    return done(path, "same") if entry is None else _with_notice(path, CHANGED, entry.number)


def _with_notice(path: str, parameter: str, value: str | int) -> Response:
    path, mark, row = path.partition("#")
    return SeeOther(f"{path}{'&' if '?' in path else '?'}{parameter}={value}{mark}{row}")


def refused(request: Request, page: dict[str, Any], status: int = 400) -> dict[str, Any]:
    """Set the status for a refused form, and return the variables of its page."""
    request.response.status_int = status
    return page


def own_rows(request: Request) -> UserRows:
    """Return the user's rows. Raises StorageUnavailable if a read replica lacks the user so far."""
    data_state_of(request.storage, request.user.id)
    return UserRows(request.storage, request.user)


def own_row(request: Request, resource: Resource) -> Row:
    """Return the user's row with the id in the path; raise a 404 if there is no such row."""
    rows = request.storage.data.get_rows(request.user.id, resource, [request.path_id])
    if not rows:
        raise HTTPNotFound()
    row: Row = rows[request.path_id]
    return row


def first_of(found: Iterable[_Found]) -> _Found:
    """Return the first object, or raise a 404."""
    for each in found:
        return each
    raise HTTPNotFound()


def capital(text: str) -> Message:
    """Begin a clause with a capital."""
    return edited(text, lambda text: text[:1].upper() + text[1:])


def sentence(error: Exception) -> Message:
    """Return the message of an error as a sentence for people."""
    return edited(capital(str(error)), "{}.".format)


_COOKIE = "made"
_SECONDS = 60


def show_once(request: Request, path: str, text: str) -> Response:
    """Redirect to the page that shows a new secret, and pass the secret in a cookie.

    Reloading that page then creates no second secret, and the server need not store the secret. The
    page must check that the secret is the user's: a browser can send any cookie.
    """
    response = SeeOther(path)
    sessions.set_cookie(request, response, _COOKIE, text, seconds=_SECONDS)
    return response


def taken(request: Request) -> str:
    """Return the text from `show_once`, or "", and have the response delete the cookie."""

    def forget(request: Request, response: Response) -> None:
        sessions.set_cookie(request, response, _COOKIE, None)

    request.add_response_callback(forget)
    return str(request.cookies.get(sessions.cookie_name(request, _COOKIE), ""))


LOGIN = f"{SETTINGS_PAGES}/login"


def login_path(wanted: str) -> str:
    """Return the path of the sign-in page that leads back to ``wanted``, a path with its query."""
    return f"{LOGIN}?next={quote(wanted, safe='')}"


def login_page(
    email: str = "", next: str = "", carried: str = "", errors: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the variables of the sign-in page. carried: see `kept_forms.carried_form`."""
    return page("login", "Sign in", email=email, next=next, carried=carried, errors=errors or {})


def page_after(wanted: str, default: str = OVERVIEW) -> str:
    """Return ``wanted`` if it is the path of a page, else ``default``.

    A full URL would be an open redirect, and so would ``//host`` or ``/\\\\host`` in some browsers.
    """
    path = wanted.partition("?")[0]
    harmless = wanted.isprintable() and wanted.isascii() and "\\" not in wanted
    # Browsers take %2e for a dot.
    if harmless and is_page(path) and "/." not in unquote(path) and not path.startswith(LOGIN):
        return wanted
    return default


#: The parameter of a page that was opened from a list: the path of the list, with its query.
BACK = "back"


def here(request: Request) -> str:
    """Return the path of this page with its query, but without what it shows once."""
    return f"{request.path}{query_of(request)}"


def query_of(request: Request, **replaced: str | int) -> str:
    """Return ``?`` and the query of this page, without what it shows once; "" for no query.

    replaced: parameters with another value.
    """
    left_out = (*SHOWN_ONCE, *replaced)
    kept = [pair for pair in request.GET.items() if pair[0] not in left_out]
    query = urlencode([*kept, *replaced.items()])
    return f"?{query}" if query else ""


def opened(request: Request, path: str, back: str | None = None) -> str:
    """Return the link to a page that leads back to this one. back: by default, see `here`."""
    return _with_back(path, here(request) if back is None else back)


def onward(request: Request, path: str) -> str:
    """Return the link to a page that leads back to the same list as this one."""
    return _with_back(path, request.GET[BACK]) if BACK in request.GET else path


def _with_back(path: str, back: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{urlencode({BACK: back})}"


def returning(request: Request, default: str, row_id: str = "") -> str:
    """Return the path of the list from which this page was opened; ``default`` without a list.

    row_id: the row of the list to return to.
    """
    path = page_after(request.GET.get(BACK, ""), "")
    return f"{path}#r-{row_id}" if path and row_id else path or default


PAGE_ROWS = 50


def offset_of(request: Request) -> int:
    return offset_in(request.GET)


def offset_in(sent: Mapping[str, str]) -> int:
    """Return the number of rows before the page; 0 for a faulty parameter."""
    try:
        return parse_integer(sent.get("offset", "0"), 0, MAX_OFFSET)
    except QueryError:
        return 0


@dataclass(frozen=True)
class Pager:
    """One page of a long list. A page past the end becomes the last page.

    offset: the number of rows before the page. first, last: the numbers of its first and last row,
    counted from 1. previous, next: links to the pages before and after it, if any.
    """

    offset: int
    first: int
    last: int
    total: int
    previous: str | None
    next: str | None

    @classmethod
    def of(cls, request: Request, total: int, rows: int = PAGE_ROWS) -> "Pager":
        """rows: the number of rows on a page."""
        offset = offset_of(request)
        if offset >= total:
            offset = max(0, total - 1) // rows * rows
        following = offset + rows
        return cls(
            offset,
            first=min(offset + 1, total),
            last=min(following, total),
            total=total,
            previous=query_of(request, offset=max(0, offset - rows)) if offset else None,
            next=query_of(request, offset=following) if following < total else None,
        )
