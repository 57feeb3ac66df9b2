"""Content negotiation: the representation that a client prefers."""

from collections.abc import Sequence
from functools import lru_cache

from webob.acceptparse import create_accept_header

from finance_api.http.errors import problem
from finance_api.serialization.formats import OF_LISTS, Representation

#: A longer Accept header is not cached.
_MAX_CHARACTERS = 256


def negotiate(accept: str | None, offered: Sequence[Representation] = OF_LISTS) -> Representation:
    """Return the representation that the client prefers (RFC 9110, section 12.5.1).

    accept: the header. Parameters of a media range other than q are ignored: clients name the
    charset, though it is always UTF-8. Raises a 406.
    """
    if accept is None:
        return offered[0]
    known = _negotiated if len(accept) <= _MAX_CHARACTERS else _negotiated.__wrapped__
    best = known(accept, offered)
    if best is None:
        types = ", ".join(r.media_type for r in offered)
        raise problem(406, f"This is available as {types}; the Accept header excludes them.")
    return best


@lru_cache(maxsize=1_024)
def _negotiated(accept: str, offered: Sequence[Representation]) -> Representation | None:
    # None for a malformed header; () for an empty one.
    parsed = create_accept_header(accept).parsed or ()
    ranges = [(text.partition(";")[0].lower(), q) for text, q, *_ in parsed]
    if not ranges:
        return offered[0]
    best = max(offered, key=lambda r: _quality(r.media_type, ranges))
    return best if _quality(best.media_type, ranges) else None


def _quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """Return the q of the most specific media range that the type matches; 0 if none matches."""
    for wanted in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        found = [q for text, q in ranges if text == wanted]
        if found:
            return max(found)
    return 0
