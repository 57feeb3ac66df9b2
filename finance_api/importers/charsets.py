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
