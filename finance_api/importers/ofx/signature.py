"""The beginning of an OFX file."""

import re

from finance_api.importers.charsets import utf_16_of

#: OFX 1.x begins with ``OFXHEADER:100`` (some programs leave it out and begin with ``DATA:``),
#: OFX 2.x with ``<?OFX``, most often after ``<?xml?>``; some files have no header at all.
_SIGNATURE = re.compile(
    r"\ufeff?\s*+(?:<\?xml[^<>]*+>\s*+)?+"
    r"(?:OFXHEADER[ \t]*+:|DATA[ \t]*+:[ \t]*+OFXSGML|<\?OFX\b|<(?:\w++:)?+OFX[\s>])",
    re.IGNORECASE | re.ASCII,
)


def looks_like_ofx(head: bytes) -> bool:
    """Whether the first bytes of a file (4 KiB are plenty) are those of an OFX file."""
    charset = utf_16_of(head) or "utf-8"
    return _SIGNATURE.match(head.decode(charset, errors="replace")) is not None
