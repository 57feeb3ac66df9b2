"""The beginning of a QIF file."""

import re

from finance_api.importers.charsets import as_utf_8

#: Comments may stand above.
_BEGIN = re.compile(rb"(?i:(?:#[^\r\n]*+\s++)*+!(?:Type:|Account\b|Option:|Clear:))")


def looks_like_qif(head: bytes) -> bool:
    return _BEGIN.match(as_utf_8(head)) is not None
