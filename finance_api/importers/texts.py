"""Detects charsets, strips the padding from banks' texts, and quotes texts in messages."""

import codecs
from collections.abc import Iterable
from typing import BinaryIO

from finance_api.values.text import clean, shown

_PIECE_BYTES = 1 << 17


#: A message quotes up to _QUOTED_LENGTH characters of a value, and up to _MOST names.
_QUOTED_LENGTH, _MOST = 60, 30
#: Advice for a fault that no option can work around.
ANOTHER_FILE = "download the file again, or in another format"


def fits(stream: BinaryIO, charset: str) -> bool:
    """Return whether all bytes of the stream are text in the charset; rewind the stream."""
    decoder = codecs.getincrementaldecoder(charset)()
    stream.seek(0)
    try:
        while piece := stream.read(_PIECE_BYTES):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        stream.seek(0)
    return True


def utf_16_of(data: bytes) -> str | None:
    """Return ``utf-16``, ``utf-16-le`` or ``utf-16-be`` if the data begins like it, else None."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Markup begins with two ASCII characters.
    if data[1:2] == data[3:4] == b"\0" != data[:1]:
        return "utf-16-le"
    if data[:1] == data[2:3] == b"\0" != data[1:2]:
        return "utf-16-be"
    return None


def opening_text(head: bytes) -> str:
    r"""Return the text of a file's first bytes, without leading blanks, with ``\n`` line ends."""
    text = head.decode(utf_16_of(head) or "utf-8", "replace").removeprefix("\ufeff").lstrip()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def one_line(*texts: str | None) -> str | None:
    """Join the texts with single spaces between all words; None if there are no words."""
    return " ".join(clean(" ".join(filter(None, texts))).split()) or None


def quoted(text: str) -> str:
    """Return ``text`` in quotes, on one line, cut if long, with unprintable characters escaped."""
    cut = text if len(text) <= _QUOTED_LENGTH else text[: _QUOTED_LENGTH - 1] + "…"
    return f"'{shown(cut)}'"


def listed(names: Iterable[str]) -> str:
    """Return the quoted names, separated by commas; beyond _MOST, only the number of the rest."""
    names = list(names)
    text = ", ".join(quoted(name) for name in names[:_MOST])
    return f"{text} and {len(names) - _MOST} more" if len(names) > _MOST else text
