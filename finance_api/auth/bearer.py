"""The Authorization header of a bearer token (RFC 6750, section 2.1)."""

import re

_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*) *", re.IGNORECASE)
_SCHEME = re.compile(r"bearer(?: |$)", re.IGNORECASE)

#: Longer ones cannot be valid.
MAX_TOKEN_CHARACTERS = 8_192


class MalformedHeader(ValueError):
    """The scheme is Bearer, but the rest is malformed."""


def bearer_token(header: str | None) -> str | None:
    """The token of the header; None without one. Raises MalformedHeader."""
    if header is None or not _SCHEME.match(header):
        return None
    match = _BEARER.fullmatch(header)
    if match is None or len(match[1]) > MAX_TOKEN_CHARACTERS:
        raise MalformedHeader
    return match[1]
