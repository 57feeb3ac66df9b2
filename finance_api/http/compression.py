"""Bodies compressed by gzip (RFC 9110, sections 8.4.1 and 12.5.3)."""

import gzip
import zlib
from collections.abc import Generator
from contextlib import closing
from functools import lru_cache

from pyramid.response import Response
from webob.acceptparse import create_accept_encoding_header

GZIP = "gzip"
#: A smaller body is sent uncompressed.
_SMALLEST_BYTES = 1_000
#: The next level takes three times as long for a page, and saves less than a tenth.
_LEVEL = 3
#: A longer header is not cached, and is treated as missing.
_MAX_CHARACTERS = 256


def takes_gzip(accept_encoding: str | None) -> bool:
    """Return whether the client prefers gzip to no compression. accept_encoding: the header."""
    if not accept_encoding or len(accept_encoding) > _MAX_CHARACTERS:
        return False
    return _prefers_gzip(accept_encoding)


@lru_cache(maxsize=1_024)
def _prefers_gzip(accept_encoding: str) -> bool:
    # None for a malformed header.
    parsed = create_accept_encoding_header(accept_encoding).parsed or ()
    weights: dict[str, float] = {coding.lower(): weight for coding, weight in parsed}
    # By default, "identity" (no compression) has the lowest preference.
    others = weights.get("*", 0)
    gzip_weight = weights.get(GZIP, others)
    return gzip_weight > 0 and gzip_weight >= weights.get("identity", others)


def gzipped(body: bytes) -> bytes | None:
    """Compress a body, always to the same bytes; return None if it is too small to be worth it."""
    if len(body) < _SMALLEST_BYTES:
        return None
    return gzip.compress(body, _LEVEL, mtime=0)


def gzip_chunks(chunks: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
    """Compress a body that is made while it is sent. Closing the result closes ``chunks``."""
    with closing(chunks):
        compressor = zlib.compressobj(_LEVEL, wbits=zlib.MAX_WBITS | 16)
        for chunk in chunks:
            if compressed := compressor.compress(chunk):
                yield compressed
        yield compressor.flush()


def compress(response: Response, accept_encoding: str | None) -> None:
    """Compress the body of a response without an entity tag, if the client accepts gzip.

    accept_encoding: the header, which ``Vary`` must name.
    """
    body = gzipped(response.body) if takes_gzip(accept_encoding) else None
    if body is not None:
        response.body = body
        response.headers["Content-Encoding"] = GZIP
