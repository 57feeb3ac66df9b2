"""Tags and the text between them.

No XML parser takes part: there are no external entities, no document types and nothing that
expands. The expressions are possessive, so that no input makes them backtrack.
"""

import re
import sys
from collections.abc import Iterator
from enum import Enum
from html.entities import html5

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted

#: The longest tag, text or comment; no bank writes anything near it.
MAX_LEXEME_CHARACTERS = 1_000_000

#: A leaf with its closing tag; one that ends at the next tag; any other tag; or the beginning of
#: what is no tag. Any other ``<`` is text: banks forget to escape it.
#: A namespace prefix is left out: OFX has one namespace.
#: Attributes (only namespaces, in OFX) must look like attributes, or ``<JOHN SMITH>`` was one.
_MARKUP = re.compile(
    r"<(?:([A-Z][A-Z0-9.]{0,63}+)>(?:([^<]*+)</\1>|((?u:\s*+[^<\s])[^<]*+)(?=</?[A-Z][A-Z0-9.]*+>))"
    r"|(/?+)(?:[A-Za-z][\w.-]*+:)?+([A-Za-z][\w.-]{0,63}+)"
    r"(?:\s++[\w.:-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'))*+\s*+(/?+)>"
    r"|(!--|(?i:!\[CDATA\[)|\?(?=[A-Za-z])|(?i:!(?:DOCTYPE|ENTITY))\b))",
    re.ASCII,
)
#: How they begin -> what they are, and their end.
_SPANS = {
    "!-": ("comment", "-->"),
    "![": ("CDATA section", "]]>"),
    **dict.fromkeys(("?", "!D", "!d", "!E", "!e"), ("declaration", ">")),
}
_REFERENCE = re.compile(r"&(?:#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z][A-Za-z0-9]{1,31}));")


class LexemeKind(Enum):
    OPEN = "<A>, <A>text"
    CLOSE = "</A>"
    EMPTY = "<A/>"
    LEAF = "<A>text</A>"
    TEXT = "text"


#: kind, the tag's name in upper case, the text, the line it begins in, from 1.
Lexeme = tuple[LexemeKind, str, str, int]


def tokens(text: str) -> Iterator[Lexeme]:
    """The tags and texts in order; comments are left out, white space between tags as well.

    Refused: declarations of entities, comments and such that never end, what is too long.
    """
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
        if leaf and ("&" in content or len(content) > MAX_LEXEME_CHARACTERS):
            # Its text may be refused, though not before what the tag alone ends.
            position = start + len(leaf) + 2
            yield LexemeKind.OPEN, leaf, "", line
        elif leaf:
            yield LexemeKind.OPEN if unclosed else LexemeKind.LEAF, leaf, content, line
        elif name:
            kind = LexemeKind.CLOSE if close else LexemeKind.EMPTY if empty else LexemeKind.OPEN
            # The same object each time, for a file has few.
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
    """``text`` with character references replaced, once; unknown ones stay as they are."""
    if "&" not in text:
        return text

    def character(reference: re.Match[str]) -> str:
        decimal, hexadecimal, name = reference.groups()
        if name:
            return html5.get(f"{name};", reference[0])
        code = int(decimal) if decimal else int(hexadecimal, 16)
        if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            raise ImportRefused(f"the reference {reference[0]} stands for no character", line)
        return chr(code)

    return _REFERENCE.sub(character, text)


def _check_length(length: int, line: int) -> None:
    if length > MAX_LEXEME_CHARACTERS:
        raise ImportRefused(f"a tag or text has more than {MAX_LEXEME_CHARACTERS} characters", line)


def _check_declaration(declaration: str, line: int) -> None:
    kind = declaration[:9].upper()
    if kind.startswith("<!ENTITY") or (kind == "<!DOCTYPE" and "[" in declaration):
        raise ImportRefused(f"declarations of entities are not read: {quoted(declaration)}", line)
