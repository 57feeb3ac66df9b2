"""The charset of a file, and texts of banks without their padding and in messages."""

import codecs
from collections.abc import Iterable
from typing import BinaryIO

from finance_api.values.text import clean, shown

_PIECE_BYTES = 1 << 17


#: How much of a value a message repeats, and how many names.
_QUOTED_LENGTH, _MOST = 60, 30
#: Advice about a file with a fault that no option works around.
ANOTHER_FILE = "download the file again, or in another format"


def fits(stream: BinaryIO, charset: str) -> bool:
    """Whether all bytes of the stream are text in the charset; it is at its start again."""
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
    """``utf-16``, ``utf-16-le`` or ``utf-16-be`` if the first bytes are such text, else None."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Markup begins with two ASCII characters.
    if data[1:2] == data[3:4] == b"\0" != data[:1]:
        return "utf-16-le"
    if data[:1] == data[2:3] == b"\0" != data[1:2]:
        return "utf-16-be"
    return None


def opening_text(head: bytes) -> str:
    r"""The text of a file's first bytes without blanks before it, with ``\n`` as the line end."""
    text = head.decode(utf_16_of(head) or "utf-8", "replace").removeprefix("\ufeff").lstrip()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def one_line(*texts: str | None) -> str | None:
    """The texts with single spaces between their words; None for nothing."""
    return " ".join(clean(" ".join(filter(None, texts))).split()) or None


def quoted(text: str) -> str:
    """``text`` in quotes, on one line, cut if it is long, what cannot be printed escaped."""
    cut = text if len(text) <= _QUOTED_LENGTH else text[: _QUOTED_LENGTH - 1] + "…"
    return f"'{shown(cut)}'"


def listed(names: Iterable[str]) -> str:
    """The names quoted, between commas; beyond so many only how many more there are."""
    names = list(names)
    text = ", ".join(quoted(name) for name in names[:_MOST])
    return f"{text} and {len(names) - _MOST} more" if len(names) > _MOST else text
