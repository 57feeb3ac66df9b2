"""The beginning of an MT940 or MT942 file."""

import re

from finance_api.importers.charsets import utf_16_of

MT940, MT942 = "mt940", "mt942"

_FIELD = r":(?:[0-9]{2}[A-Z]?|NS):"
#: A field, or up to nine lines that some banks write before the first ``:20:``.
_BEGIN = re.compile(rf"(?:\{{[1-5]:|{_FIELD}|(?:[^\n]{{0,80}}\n){{1,9}}:20:)")
#: Only interim reports (MT942) have these fields; only statements have an opening balance.
_INTERIM = re.compile(r"\{2:[IO]942|^:(?:34F|90[CD]):", re.MULTILINE)
_OPENING = re.compile(r"^:60[FM]?:", re.MULTILINE)


def message_of(head: bytes) -> str | None:
    """MT940 or MT942, by the first bytes of a file (4 KiB are plenty); None: it is neither."""
    text = head.decode(utf_16_of(head) or "latin-1", "replace").removeprefix("ï»¿").lstrip()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _BEGIN.match(text):
        return None
    return MT942 if _INTERIM.search(text) and not _OPENING.search(text) else MT940
