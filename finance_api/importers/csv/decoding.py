"""From the bytes of a file to its text."""

import codecs
import re

from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused

#: Byte order marks, the longer before those that they begin with: the codec that reads the
#: file, and the names under which the user may ask for the same.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", ("utf-32", "utf-32-le")),
    (codecs.BOM_UTF32_BE, "utf-32", ("utf-32", "utf-32-be")),
    (codecs.BOM_UTF8, "utf-8-sig", ("utf-8", "utf-8-sig")),
    (codecs.BOM_UTF16_LE, "utf-16", ("utf-16", "utf-16-le")),
    (codecs.BOM_UTF16_BE, "utf-16", ("utf-16", "utf-16-be")),
)
#: Codecs of Python that no file is written in; some take quadratic time.
_NOT_OF_FILES = frozenset(
    ("idna", "punycode", "undefined", "unicode-escape", "unicode_escape", "raw-unicode-escape")
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def decode(data: bytes, encoding: str | None) -> str:
    """The text, without a byte order mark.

    A byte order mark decides; then ``encoding``; then it must be UTF-8. NUL is refused here,
    because no cell can hold it and it betrays UTF-16. Raises ImportRefused.
    """
    text = _decode(data, _codec(data, encoding))
    text = text.removeprefix("\ufeff")
    unstorable = _UNSTORABLE.search(text)
    if unstorable:
        raise ImportRefused(
            "a NUL character; UTF-16 without a byte order mark needs --encoding utf-16-le or "
            "utf-16-be"
            if unstorable[0] == "\x00"
            else "half of a surrogate pair; the file has another encoding, named with --encoding",
            _line_at(text, unstorable.start()),
        )
    return text


def _codec(data: bytes, encoding: str | None) -> str:
    asked = None if encoding is None else _known(encoding)
    for mark, codec, names in _MARKS:
        if data.startswith(mark):
            if asked is not None and asked not in names:
                raise ImportRefused(
                    f"the file begins with the byte order mark of {names[0].upper()}, but "
                    f"--encoding is {quoted(encoding or '')}",
                    1,
                )
            return codec
    if asked in ("utf-16", "utf-32"):
        raise ImportRefused(
            f"the file has no byte order mark: name the order with --encoding {asked}-le or "
            f"{asked}-be"
        )
    return asked or "utf-8"


def _known(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        # Not every codec gives text (base64); it says so only when it has bytes to decode.
        b"a".decode(name, "ignore")
    except (LookupError, ValueError):
        name = ""
    if not name or name in _NOT_OF_FILES:
        raise ImportRefused(
            f"--encoding {quoted(encoding)} is not known; common ones are utf-8, cp1252, "
            "iso-8859-1 and utf-16"
        )
    return name


def _decode(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(codec, "replace")
        byte = f"byte 0x{data[error.start]:02X}" if error.start < len(data) else "its end"
        raise ImportRefused(
            f"{byte} is not {codec.removesuffix('-sig')}; name the encoding of the file with "
            "--encoding, for example cp1252",
            _line_at(before, len(before)),
        ) from None
    except ValueError:
        raise ImportRefused(f"the file is not {codec}; name its encoding with --encoding") from None


def _line_at(text: str, end: int) -> int:
    """The physical line, from 1, on which ``text[end]`` stands; CR, LF and CRLF end a line."""
    return 1 + text.count("\n", 0, end) + text.count("\r", 0, end) - text.count("\r\n", 0, end)
