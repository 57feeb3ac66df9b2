"""Which format a file is in, by its first bytes."""

from typing import BinaryIO

from finance_api.importers.ofx import looks_like_ofx

HEAD_BYTES = 4_096

NATIVE = "native"
OFX = "ofx"
CSV = "csv"
FORMATS = (NATIVE, OFX, CSV)

_BOM = b"\xef\xbb\xbf"


def detect_format(stream: BinaryIO) -> str:
    """One of FORMATS: what is neither OFX nor JSON can only be CSV. The stream is at its start."""
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    if looks_like_ofx(head):
        return OFX
    begin = head.removeprefix(_BOM).lstrip()
    # Nothing at all is what the dump of a user without data looks like.
    if not begin or begin.startswith(b"{"):
        return NATIVE
    return CSV
