"""The query string as names and values, decoded strictly.

WebOb's own parsing accepts malformed text, and is slow with many parameters.
"""

import re
from urllib.parse import unquote_to_bytes

_MALFORMED = re.compile("%(?![0-9A-Fa-f]{2})")
#: Replaces bytes that cannot be decoded, in names in error messages.
_REPLACEMENT = "�"


def split_query(query_string: str) -> list[tuple[str, str | None]]:
    """Return names and values in order; None for a value that is not percent-encoded UTF-8.

    A name that is not percent-encoded UTF-8 gets replacement characters.
    """
    pairs: list[tuple[str, str | None]] = []
    for part in query_string.split("&"):
        if part:
            name, _, value = part.partition("=")
            decoded = _decode(name)
            if decoded is None:
                shown = unquote_to_bytes(name.replace("+", " ")).decode("utf-8", "replace")
                pairs.append((shown if _REPLACEMENT in shown else shown + _REPLACEMENT, None))
            else:
                pairs.append((decoded, _decode(value)))
    return pairs


def _decode(text: str) -> str | None:
    if not text.isascii():
        # Bytes that should have been percent-encoded; servers differ in how they pass them on.
        return None
    if "%" not in text:
        return text.replace("+", " ")
    if _MALFORMED.search(text):
        return None
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode("utf-8")
    except UnicodeError:
        return None
