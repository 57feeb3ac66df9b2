"""Reads the pages of changes from the API, and waits while its quota is used up."""

import json
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from gzip import GzipFile
from http.client import HTTPException, HTTPResponse
from threading import Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from finance_api.values.version import __version__

_LIMIT = 1_000
#: Seconds for a whole page, however slowly the service sends it.
_SECONDS = 120
#: The largest page, unpacked, and the part of it that is unpacked at once.
MAX_PAGE_BYTES = 64 * 2**20
_PART = 2**16
#: Maximum number of tries for a page, and maximum number of seconds to wait before a try.
_TRIES, _LONGEST_WAIT = 20, 3_600
#: More digits than the longest wait has; Python refuses to convert thousands of digits.
_DIGITS = 20
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
        answer: Future[bytes | int] = Future()
        # In a thread of its own: no time limit of a socket covers a whole response.
        Thread(target=_run, args=(answer, lambda: _fetch(request)), daemon=True).start()
        try:
            return answer.result(_SECONDS)
        except TimeoutError:
            raise SourceError(f"{self.base} sends no page in {_SECONDS} seconds") from None
        except (OSError, URLError, HTTPException, zlib.error) as error:
            reason = getattr(error, "reason", error) or type(error).__name__
            raise SourceError(f"{self.base} does not respond: {reason}") from None


def _run(answer: Future[bytes | int], function: Callable[[], bytes | int]) -> None:
    try:
        answer.set_result(function())
    except BaseException as error:
        answer.set_exception(error)


def _fetch(request: Request) -> bytes | int:
    """Return the page, or the number of seconds to wait."""
    try:
        with _opener.open(request, timeout=_SECONDS) as response:
            return _body(response)
    except HTTPError as error:
        with error:
            return _seconds_to_wait(error)


def _body(response: HTTPResponse) -> bytes:
    """Read and unpack a body. Raises SourceError if it is too large."""
    is_packed = response.headers.get("Content-Encoding") == "gzip"
    try:
        # One more byte than allowed shows that the body is too large.
        body = (GzipFile(fileobj=response) if is_packed else response).read(MAX_PAGE_BYTES + 1)
    except EOFError:
        raise SourceError("a page ends before its end") from None
    if len(body) > MAX_PAGE_BYTES:
        raise SourceError(f"a page has more than {MAX_PAGE_BYTES // 2**20} MB")
    return body


def _seconds_to_wait(error: HTTPError) -> int:
    """Return the seconds to wait. Raises StartOver, or SourceError if waiting does not help."""
    if error.code == 410:
        raise StartOver
    wait = error.headers.get("Retry-After", "")
    if error.code in (429, 503) and wait.isdecimal() and int(wait[:_DIGITS]) <= _LONGEST_WAIT:
        return max(1, int(wait[:_DIGITS]))
    try:
        detail = str(json.loads(error.read(_PART))["detail"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        detail = "is this the address of finance_api?"
    if error.code in _ADVICE:
        detail = f"{detail.removesuffix('.')}; {_ADVICE[error.code]}"
    raise SourceError(f"the service responds with {error.code}: {detail}")
