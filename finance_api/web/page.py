"""What views give to their templates, and what forms give to views."""

from contextlib import AbstractContextManager
from typing import Any

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from pyramid.request import Request
from pyramid.response import Response

from finance_api.auth.identity import SessionIdentity
from finance_api.storage.interface import WritableStorage, data_state_of, unit_of_work


class SeeOther(HTTPSeeOther):  # type: ignore[misc]
    """A redirection to a path: WebOb would put the request's Host before it."""

    @staticmethod
    def _make_location_absolute(environ: dict[str, Any], value: str) -> str:
        return value


def page(entry: str, title: str, /, **variables: Any) -> dict[str, Any]:
    """The variables of a template. entry: of the navigation, that the page belongs to."""
    return {"page": entry, "title": title, **variables}


def writing(request: Request) -> AbstractContextManager[WritableStorage]:
    """A unit of work that writes, and does not wait long for another writer.

    What was read before is over with it: one request never needs two connections.
    """
    if "storage" in vars(request):
        request.storage.close()
        del request.storage
    return unit_of_work(request.registry.storage, lock_timeout_seconds=1)


def identity_of(request: Request) -> SessionIdentity:
    """Who is signed in; the route's context lets only such requests get to a view."""
    identity = request.identity
    assert isinstance(identity, SessionIdentity)
    return identity


def done(path: str, notice: str) -> Response:
    """On to a page that says what was done: loading it again does nothing again."""
    return SeeOther(f"{path}?done={notice}")


def path_text(request: Request, name: str) -> str:
    """A part of the path. What not every storage can be asked for (NUL), does not exist."""
    text = str(request.matchdict[name])
    if not text.isprintable():
        raise HTTPNotFound()
    return text


def form_text(request: Request, name: str) -> str:
    """A field of the form that was sent; a file in its place counts for nothing."""
    value = request.POST.get(name, "")
    return value if isinstance(value, str) else ""


def form_texts(request: Request, name: str) -> list[str]:
    return [value for value in request.POST.getall(name) if isinstance(value, str)]


def sentence(error: Exception) -> str:
    """The message of an error as a sentence for people."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def data_state(request: Request) -> dict[str, Any]:
    """How often the user's data has changed, and when last; None if it never did."""
    state = data_state_of(request.storage, identity_of(request).user.id)
    changed_at = state.changed_at if state.revision else None
    return {"revision": state.revision, "changed_at": changed_at}
