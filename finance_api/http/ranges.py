"""Parts of a body: Range and If-Range (RFC 9110, section 14).

WebOb would read the first of several parts only, and fail at ``bytes=-``.
"""

import re
from typing import NamedTuple

from pyramid.response import Response

from finance_api.http.errors import problem
from finance_api.http.requests import Request

#: One part; a number with more digits is no place in a body.
_PART = re.compile("bytes=([0-9]{0,4000})-([0-9]{0,4000})", re.IGNORECASE)


class Part(NamedTuple):
    """The part of a body that a client wants: from ``first`` to ``last``, both included.

    first: None for as many bytes at the end as ``last`` says. last: None for all to the end.
    """

    first: int | None
    last: int | None

    def of(self, response: Response) -> Response:
        """Change the response to a 206 with the part. Raises a 416 if it has no such part.

        response: has its Content-Length.
        """
        length: int = response.content_length
        if self.first is None:
            start, stop = max(0, length - (self.last or 0)), length
        else:
            start = self.first
            stop = length if self.last is None else min(self.last + 1, length)
        if start >= stop:
            detail = f"The body has {length:,} bytes, and none where the requested range begins."
            raise problem(416, detail, headers={"Content-Range": f"bytes */{length}"})
        response.status_int = 206
        response.app_iter = response.app_iter_range(start, stop)
        response.content_range = (start, stop, length)
        response.content_length = stop - start
        return response


def wanted_part(request: Request, response: Response) -> Part | None:
    """Return the part of the response that the client wants; None if it gets the whole.

    It does if it asks for several parts, if Range is malformed, or if the response is not the one
    that If-Range names. response: a 200 with a strong entity tag.
    """
    response.accept_ranges = "bytes"
    found = _PART.fullmatch(request.headers.get("Range", "").strip())
    if found is None or request.method != "GET" or response not in request.if_range:
        return None
    first, last = (int(digits) if digits else None for digits in found.groups())
    is_nothing = first is None and last is None
    is_reversed = first is not None and last is not None and last < first
    return None if is_nothing or is_reversed else Part(first, last)
