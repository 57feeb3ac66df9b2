"""Which charset the bytes of a file are in."""

import codecs
from typing import BinaryIO

_PIECE_BYTES = 1 << 17


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
