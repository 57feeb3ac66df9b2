"""The region whose numbers and dates a page shows and its forms accept."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from webob.acceptparse import create_accept_language_header

from finance_api.http.requests import Request
from finance_api.values.regions import DEFAULT, Region, RegionError, parse_region, region_of
from finance_api.values.sentences import numbers_as_in

_REQUEST: ContextVar[Request | None] = ContextVar("request", default=None)


@contextmanager
def regional(request: Request) -> Iterator[None]:
    """Show everything on a page in the region of the request's user."""
    token = _REQUEST.set(request)
    try:
        with numbers_as_in(current_region):
            yield
    finally:
        _REQUEST.reset(token)


def current_region() -> Region:
    """Return the region that the user chose, else the browser's; the default for strangers."""
    request = _REQUEST.get()
    identity = request and request.known_identity
    if not request or not identity:
        return DEFAULT
    if identity.user.region is not None:
        return region_of(identity.user.region)
    return region_of_browser(request.headers.get("Accept-Language", ""))


@lru_cache(maxsize=256)
def region_of_browser(header: str) -> Region:
    """Return the first known region of an Accept-Language header, or the default."""
    accepted = create_accept_language_header(header or None).parsed or ()
    for tag, quality in sorted(accepted, key=lambda pair: -float(pair[1])):
        for text in (tag, tag.partition("-")[0]) if quality else ():
            try:
                return region_of(parse_region(text))
            except RegionError:
                continue
    return DEFAULT
