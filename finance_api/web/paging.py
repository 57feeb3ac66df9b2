"""Pages of long lists."""

from dataclasses import dataclass
from urllib.parse import urlencode

from finance_api.http.requests import Request
from finance_api.query.errors import QueryError
from finance_api.query.model import MAX_OFFSET
from finance_api.query.parse import parse_integer

PAGE_ROWS = 50


def offset_of(request: Request) -> int:
    """The first row of the page; 0 for a faulty parameter."""
    try:
        return parse_integer(request.GET.get("offset", "0"), 0, MAX_OFFSET)
    except QueryError:
        return 0


@dataclass(frozen=True)
class Pager:
    """first, last: numbers of the rows on the page, from 1. previous, next: links, if any."""

    first: int
    last: int
    total: int
    previous: str | None
    next: str | None

    @classmethod
    def of(cls, request: Request, total: int) -> "Pager":
        offset = offset_of(request)
        following = offset + PAGE_ROWS
        return cls(
            first=min(offset + 1, total),
            last=min(following, total),
            total=total,
            previous=_link(request, max(0, offset - PAGE_ROWS)) if offset else None,
            next=_link(request, following) if following < total else None,
        )


def _link(request: Request, offset: int) -> str:
    """This page with another offset, and without the notice."""
    kept = [pair for pair in request.GET.items() if pair[0] not in ("offset", "done")]
    return "?" + urlencode([*kept, ("offset", offset)])
