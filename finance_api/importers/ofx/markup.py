"""Decodes the text of an OFX file, and splits it into tags and the text between them.

Headers are unreliable: nearly every bank writes ``ENCODING:USASCII``, even for Windows-1252 and
UTF-8. Text in another charset is practically never valid UTF-8 by chance, so UTF-8 is tried first
and the declared charset after it.

No XML parser is used, so there are no external entities, no document types and nothing that
expands. The regular expressions are possessive, so that no input makes them backtrack.
"""

import codecs
import re
import sys
from collections.abc import Iterator
from enum import Enum
from html.entities import html5
from typing import BinaryIO

from finance_api.importers.decoding import utf_16_of
from finance_api.importers.interface import HEAD_BYTES, ImportRefused, quoted

_BODY = re.compile(rb"<(?:\w++:)?+OFX[\s>]", re.IGNORECASE)
_XML = re.compile(rb"<\?(?:xml|OFX)\b", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"<\?xml[^<>]*?\bencoding\s*=\s*[\"']([^\"'<>]*)[\"']", re.IGNORECASE)
# If a header has lost its line breaks, the next key follows the value directly.
_HEADER_FIELD = rb"%s[ \t]*:[ \t]*([\w.-]*?)(?=CHARSET|COMPRESSION|OLDFILEUID|NEWFILEUID|[^\w.-]|$)"
_CHARSET = re.compile(_HEADER_FIELD % b"CHARSET", re.IGNORECASE)
_ENCODING = re.compile(_HEADER_FIELD % b"ENCODING", re.IGNORECASE)

#: Names in OFX headers that Python does not know or that mean another charset. In practice
#: ISO-8859-1 is Windows-1252 (as in https://encoding.spec.whatwg.org/#names-and-labels).
_ALIASES = {
    **dict.fromkeys(("", "none", "usascii", "us-ascii", "ascii")),
    **dict.fromkeys(("unicode", "csunicode"), "utf-8"),
    **dict.fromkeys(("ansi", "8859-1", "iso-8859-1", "iso8859-1", "latin1"), "cp1252"),
}
_NAME = re.compile(r"[a-z0-9_-]{1,30}")
#: The accepted charsets. Python also has codecs that are not charsets, such as for compression.
_CHARSETS = re.compile(
    r"utf-8|utf-16(?:-le|-be)?|iso8859-\d+|koi8-[ru]|mac-roman|big5|gb2312|gbk|gb18030"
    r"|euc_jp|euc_kr|shift_jis|cp(?:125\d|437|85\d|86\d|874|932|936|949|950)"
)


#: Maximum length of a tag, text or comment; banks write far shorter ones.
MAX_LEXEME_CHARACTERS = 1_000_000
#: A leaf with its closing tag; a leaf that ends at the next tag; any other tag; or the beginning of
#: a comment, CDATA section or declaration. Any other ``<`` is text: banks forget to escape it.
#: Namespace prefixes are skipped: OFX has one namespace.
#: Attributes (OFX has only namespaces) need a value, so that ``<JOHN SMITH>`` is not a tag.
_MARKUP = re.compile(
    r"<(?:([A-Z][A-Z0-9.]{0,63}+)>(?:([^<]*+)</\1>|((?u:\s*+[^<\s])[^<]*+)(?=</?[A-Z][A-Z0-9.]*+>))"
    r"|(/?+)(?:[A-Za-z][\w.-]*+:)?+([A-Za-z][\w.-]{0,63}+)"
    r"(?:\s++[\w.:-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'))*+\s*+(/?+)>"
    r"|(!--|(?i:!\[CDATA\[)|\?(?=[A-Za-z])|(?i:!(?:DOCTYPE|ENTITY))\b))",
    re.ASCII,
)
#: How a span that is not a tag begins -> its name, and its end.
_SPANS = {
    "!-": ("comment", "-->"),
    "![": ("CDATA section", "]]>"),
    **dict.fromkeys(("?", "!D", "!d", "!E", "!e"), ("declaration", ">")),
}
#: Tags of HTML, which some banks leave in texts: no tag of OFX has one of these names.
HTML_TAG = re.compile(
    r"</?+(?:BR|B|P|I|U|EM|STRONG|SPAN|FONT|DIV)(?:\s[^<>\n]*+)?+/?+>", re.IGNORECASE | re.ASCII
)
_REFERENCE = re.compile(r"&(?:#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z][A-Za-z0-9]{1,31}));")


def text_of(stream: BinaryIO) -> str:
    """Return the whole text of the stream, with ``\\n`` line ends, without a byte order mark.

    Raises ImportRefused for NUL characters before the end, an unknown charset, or bytes that do not
    fit the charset.
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
    # Some programs write the NUL at the end of a C string into the file.
    text = text.removeprefix("\ufeff").rstrip("\x00")
    if "\x00" in text:
        raise ImportRefused("the file contains NUL bytes; it is damaged or not an OFX file")
    # Free the bytes, so that memory holds only the text and its copy.
    del data
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared(head: bytes) -> list[str]:
    """Return the charsets to try, in order."""
    body = _BODY.search(head)
    head = head[: body.start()] if body else head
    fields = [field.search(head) for field in (_XML_ENCODING, _CHARSET, _ENCODING)]
    declared = [_charset_named(field[1].decode("ascii", "replace")) for field in fields if field]
    candidates = ["utf-8", *(charset for charset in declared if charset)]
    if len(candidates) == 1 and (declared or not _XML.search(head)):
        # The file declares ASCII or nothing. XML without a declaration is UTF-8; OFX 1.x is not.
        candidates.append("cp1252")
    return candidates


def _charset_named(declared: str) -> str | None:
    """Return Python's name of a charset; None for ASCII or UTF-16. Raises ImportRefused."""
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
            # The header could be read as ASCII, so the file is not UTF-16, even if it says so.
            return None if known.startswith("utf-16") else known
    raise ImportRefused(f"the charset {declared[:40]!r} that the file declares is unknown")


class LexemeKind(Enum):
    OPEN = "<A>, <A>text"
    CLOSE = "</A>"
    EMPTY = "<A/>"
    LEAF = "<A>text</A>"
    TEXT = "text"


#: The kind, the tag's name in upper case, the text, and the line in which it begins, from 1.
Lexeme = tuple[LexemeKind, str, str, int]


def tokens(text: str) -> Iterator[Lexeme]:
    """Yield the tags and texts in order, without comments and white space between tags.

    Raises ImportRefused for declarations of entities, comments without an end, and long texts.
    """
    text = HTML_TAG.sub(" ", text)
    position, line = 0, 1
    while markup := _MARKUP.search(text, position):
        start = markup.start()
        if start > position:
            between = text[position:start]
            _check_length(len(between), line)
            if not between.isspace():
                yield LexemeKind.TEXT, "", unescape(between, line), line
            line += between.count("\n")
        leaf, closed, unclosed, close, name, empty, span = markup.groups()
        position = markup.end()
        content = closed or unclosed or ""
        if leaf:
            _check_length(len(content), line)
            kind = LexemeKind.OPEN if unclosed else LexemeKind.LEAF
            yield kind, leaf, unescape(content, line), line
        elif name:
            kind = LexemeKind.CLOSE if close else LexemeKind.EMPTY if empty else LexemeKind.OPEN
            # A file has few different names: share one object for each.
            yield kind, sys.intern(name.upper()), "", line
        else:
            what, mark = _SPANS[span[:2]]
            end = text.find(mark, position)
            if end < 0:
                _check_length(len(text) - start, line)
                raise ImportRefused(f"the {what} that begins here never ends", line)
            if mark == "]]>":
                yield LexemeKind.TEXT, "", text[position:end], line
            elif mark == ">":
                _check_declaration(text[start : end + 1], line)
            position = end + len(mark)
        if not leaf:
            _check_length(position - start, line)
        line += text.count("\n", start, position)
    rest = text[position:]
    _check_length(len(rest), line)
    if rest and not rest.isspace():
        yield LexemeKind.TEXT, "", unescape(rest, line), line


def unescape(text: str, line: int) -> str:
    """Replace character references in ``text``, once; keep unknown ones. Raises ImportRefused."""
    if "&" not in text:
        return text

    def character(reference: re.Match[str]) -> str:
        decimal, hexadecimal, name = reference.groups()
        if name:
            return html5.get(f"{name};", reference[0])
        code = int(decimal) if decimal else int(hexadecimal, 16)
        if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            raise ImportRefused(f"the reference {reference[0]} is not a character", line)
        return chr(code)

    return _REFERENCE.sub(character, text)


def _check_length(length: int, line: int) -> None:
    if length > MAX_LEXEME_CHARACTERS:
        raise ImportRefused(f"a tag or text has more than {MAX_LEXEME_CHARACTERS} characters", line)


def _check_declaration(declaration: str, line: int) -> None:
    kind = declaration[:9].upper()
    if kind.startswith("<!ENTITY") or (kind == "<!DOCTYPE" and "[" in declaration):
        raise ImportRefused(f"entity declarations are not supported: {quoted(declaration)}", line)
