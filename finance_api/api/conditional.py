"""The data's revision in headers, and requests that depend on it (RFC 9110, section 13)."""

import hashlib
import re

from pyramid.request import Request
from pyramid.response import Response

from finance_api import __version__
from finance_api.storage.interface import DataState
from finance_api.values.time import instant_text

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


class Freshness:
    """What identifies an answer: user, revision, representation, query, and the day if it matters.

    Knowing it needs the data's state, but none of its rows.
    """

    def __init__(
        self, request: Request, state: DataState, media_type: str, query: str, day: str = ""
    ) -> None:
        self._request = request
        self._state = state
        parts = (__version__, request.identity.user.uuid, str(state.revision), media_type, day)
        key = "\0".join((*parts, query)).encode("utf-8", "surrogatepass")
        self._etag = f'"{hashlib.sha256(key).hexdigest()[:32]}"'

    @property
    def is_known_to_client(self) -> bool:
        """Whether If-None-Match has this answer's tag, or ``*``."""
        header = self._request.headers.get("If-None-Match")
        if header is None:
            return False
        return header.strip() == "*" or self._etag in _ENTITY_TAG.findall(header)

    def not_modified(self) -> Response:
        """304."""
        response = Response(status=304)
        response.headers.pop("Content-Type", None)
        return self.mark(response)

    def mark(self, response: Response) -> Response:
        """Adds the headers of every data response."""
        headers = response.headers
        headers["ETag"] = self._etag
        headers["X-Last-Data-Change-At"] = instant_text(self._state.changed_at)
        headers["X-Last-Data-Change-Rev"] = str(self._state.revision)
        headers["Cache-Control"] = "private, no-cache"
        headers["Vary"] = "Accept, Authorization"
        return response
