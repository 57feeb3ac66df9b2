"""Reads the pages of changes from the API, and waits while its quota is used up."""

import gzip
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from finance_api.values.version import __version__

_LIMIT = 1_000
_SECONDS = 60
#: Maximum number of tries for a page, and maximum number of seconds to wait before a try.
_TRIES, _LONGEST_WAIT = 20, 3_600
_ADVICE = {
    401: "create a personal token and set FINANCE_TOKEN to it",
    403: "the token in FINANCE_TOKEN may not read this",
}


class SourceError(Exception):
    """The API cannot be read; the message says why."""


class StartOver(Exception):
    """Some changes since the last run are no longer known."""


class _NoRedirects(HTTPRedirectHandler):
    """Refuses redirects, which would send the token to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


@dataclass(frozen=True)
class Source:
    """base: the address of the service. say: shows a message. wait: sleeps for some seconds."""

    base: str
    token: str
    say: Callable[[str], None]
    wait: Callable[[float], None] = time.sleep

    def read_page(self, since: str) -> bytes:
        """Return a page of changes as JSON. Raises StartOver and SourceError."""
        for _ in range(_TRIES):
            found = self._ask(since)
            if isinstance(found, bytes):
                return found
            self.say(f"waiting {found} seconds: {self.base} limits requests")
            self.wait(found)
        raise SourceError(f"{self.base} still refuses after {_TRIES} tries; try again later")

    def _ask(self, since: str) -> bytes | int:
        """Return the page, or the number of seconds to wait before the next try."""
        query = urlencode({"since": since, "limit": _LIMIT})
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept-Encoding": "gzip",
            "User-Agent": f"finance-api-mirror/{__version__}",
        }
        url = f"{self.base}/v1/api/changes?{query}"
        request = Request(url, headers=headers)  # noqa: S310 (the caller checks the scheme)
        try:
            with _opener.open(request, timeout=_SECONDS) as response:
                body = bytes(response.read())
                is_packed = response.headers.get("Content-Encoding") == "gzip"
                return gzip.decompress(body) if is_packed else body
        except HTTPError as error:
            with error:
                return _seconds_to_wait(error)
        except (OSError, URLError, HTTPException) as error:
            reason = getattr(error, "reason", error) or type(error).__name__
            raise SourceError(f"{self.base} does not respond: {reason}") from None


def _seconds_to_wait(error: HTTPError) -> int:
    """Return the seconds to wait. Raises StartOver, or SourceError if waiting does not help."""
    if error.code == 410:
        raise StartOver
    wait = error.headers.get("Retry-After", "")
    if error.code in (429, 503) and wait.isdecimal() and int(wait) <= _LONGEST_WAIT:
        return max(1, int(wait))
    try:
        detail = json.loads(error.read())["detail"]
    except (OSError, ValueError, LookupError, TypeError):
        detail = "is this the address of finance_api?"
    advice = f"; {_ADVICE[error.code]}" if error.code in _ADVICE else ""
    if advice:
        detail = detail.removesuffix(".")
    raise SourceError(f"the service responds with {error.code}: {detail}{advice}")


def parse_page(body: bytes) -> dict[str, Any]:
    """Parse a page, with exact numbers. Raises SourceError."""
    try:
        page = json.loads(body, parse_float=Decimal, parse_int=Decimal)
        if page["next"] and isinstance(page["changes"], list):
            return dict(page)
    except (ValueError, LookupError, TypeError):
        pass
    raise SourceError("the response is not a page of changes: is this the address of finance_api?")
