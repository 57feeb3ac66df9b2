"""The text of an OFX file, by what it declares and by what it really is.

Headers lie: ``ENCODING:USASCII`` is what nearly every bank writes in front of Windows-1252 and
of UTF-8. Text that is valid UTF-8 and is not meant to be practically does not exist, so UTF-8 is
tried first and the declared charset after it.
"""

import codecs
import re
from typing import BinaryIO

from finance_api.importers.charsets import utf_16_of
from finance_api.importers.interface import HEAD_BYTES, ImportRefused

_BODY = re.compile(rb"<(?:\w++:)?+OFX[\s>]", re.IGNORECASE)
_XML = re.compile(rb"<\?(?:xml|OFX)\b", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"<\?xml[^<>]*?\bencoding\s*=\s*[\"']([^\"'<>]*)[\"']", re.IGNORECASE)
# A header may have lost its line breaks, and then the next key follows at once.
_HEADER_FIELD = rb"%s[ \t]*:[ \t]*([\w.-]*?)(?=CHARSET|COMPRESSION|OLDFILEUID|NEWFILEUID|[^\w.-]|$)"
_CHARSET = re.compile(_HEADER_FIELD % b"CHARSET", re.IGNORECASE)
_ENCODING = re.compile(_HEADER_FIELD % b"ENCODING", re.IGNORECASE)

#: Names that OFX headers use and Python does not know. ISO-8859-1 in practice is its superset
#: Windows-1252 (as in https://encoding.spec.whatwg.org/#names-and-labels).
_ALIASES = {
    "": None,
    "none": None,
    "usascii": None,
    "us-ascii": None,
    "ascii": None,
    "unicode": "utf-8",
    "csunicode": "utf-8",
    "ansi": "cp1252",
    "8859-1": "cp1252",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "latin1": "cp1252",
}
_NAME = re.compile(r"[a-z0-9_-]{1,30}")
#: Python's registry also has codecs that compress or execute escapes; only these are charsets.
_CHARSETS = re.compile(
    r"utf-8|utf-16(?:-le|-be)?|iso8859-\d+|koi8-[ru]|mac-roman|big5|gb2312|gbk|gb18030"
    r"|euc_jp|euc_kr|shift_jis|cp(?:125\d|437|85\d|86\d|874|932|936|949|950)"
)


def text_of(stream: BinaryIO) -> str:
    """The whole text of the stream, with ``\\n`` as the line end, without a byte order mark.

    Refused: NUL characters before its end, a charset that is not known, bytes that do not fit the
    charset.
    """
    stream.seek(0)
    data = stream.read()
    head = data[:HEAD_BYTES]
    charset = utf_16_of(head)
    candidates = [charset] if charset else _declared(head)
    for candidate in candidates:
        try:
            text = data.decode(candidate)
            break
        except UnicodeDecodeError:
            continue
    else:
        names = " or ".join(dict.fromkeys(candidates))
        raise ImportRefused(f"the bytes of the file do not fit its charset ({names})")
    # Programs in C have written their string's end into the file.
    text = text.removeprefix("\ufeff").rstrip("\x00")
    if "\x00" in text:
        raise ImportRefused("the file holds NUL bytes; it is damaged or not an OFX file")
    # Otherwise bytes and text would be in memory together with the copy.
    del data
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared(head: bytes) -> list[str]:
    """The charsets to try, in order."""
    body = _BODY.search(head)
    head = head[: body.start()] if body else head
    fields = [field.search(head) for field in (_XML_ENCODING, _CHARSET, _ENCODING)]
    declared = [_charset_named(field[1].decode("ascii", "replace")) for field in fields if field]
    candidates = ["utf-8", *(charset for charset in declared if charset)]
    if len(candidates) == 1 and (declared or not _XML.search(head)):
        # Nothing, or ASCII, is declared. Without a declaration XML is UTF-8; OFX 1.x is not.
        candidates.append("cp1252")
    return candidates


def _charset_named(declared: str) -> str | None:
    """Python's name of it; None for ASCII, which says nothing. Refused if there is none."""
    name = declared.strip().lower()
    if name in _ALIASES:
        return _ALIASES[name]
    if name.isdecimal():
        name = f"cp{name}"
    elif name.startswith("8859-"):
        name = f"iso{name}"
    if _NAME.fullmatch(name):
        try:
            known = codecs.lookup(name).name
        except LookupError:
            known = ""
        if _CHARSETS.fullmatch(known):
            # The header was read as ASCII, so the file is not UTF-16, whatever it says.
            return None if known.startswith("utf-16") else known
    raise ImportRefused(f"the charset {declared[:40]!r} that the file declares is not known")
