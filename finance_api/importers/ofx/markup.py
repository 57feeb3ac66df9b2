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
from finance_api.importers.ofx.element import quoted

#: A tag, or the beginning of what is no tag. Any other ``<`` is text: banks forget to escape it.
#: A namespace prefix is left out: OFX has one namespace.
#: Attributes (only namespaces, in OFX) must look like attributes, or ``<JOHN SMITH>`` was one.
_MARKUP = re.compile(
    r"<(?:(/?+)(?:[A-Za-z][\w.-]*+:)?+([A-Za-z][\w.-]*+)"
    r"(?:\s++[\w.:-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'))*+\s*+(/?+)>"
    r"|(!--)|(!\[CDATA\[)|(\?)(?=[A-Za-z])|!(DOCTYPE|ENTITY)\b)",
    re.ASCII | re.IGNORECASE,
)
_REFERENCE = re.compile(r"&(?:#([0-9]{1,8})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z][A-Za-z0-9]{1,31}));")


class LexemeKind(Enum):
    OPEN = "<A>"
    CLOSE = "</A>"
    EMPTY = "<A/>"
    TEXT = "text"


#: kind, the tag's name in upper case or the text, the line it begins in, from 1.
Lexeme = tuple[LexemeKind, str, int]


def tokens(text: str) -> Iterator[Lexeme]:
    """The tags and texts in order; comments are left out, white space between tags as well.

    Refused: declarations of entities, comments and such that never end.
    """
    names: dict[str, str] = {}
    position, line = 0, 1
    while markup := _MARKUP.search(text, position):
        start = markup.start()
        if start > position:
            between = text[position:start]
            if not between.isspace():
                yield LexemeKind.TEXT, unescape(between, line), line
            line += between.count("\n")
        close, name, empty, comment, cdata, _, _ = markup.groups()
        position = markup.end()
        if name:
            known = names.get(name)
            if known is None:
                known = names[name] = sys.intern(name.upper())
            kind = LexemeKind.CLOSE if close else LexemeKind.EMPTY if empty else LexemeKind.OPEN
            yield kind, known, line
        elif comment:
            position = _end(text, "-->", position, "comment", line)
        elif cdata:
            end = _end(text, "]]>", position, "CDATA section", line)
            yield LexemeKind.TEXT, text[position : end - 3], line
            position = end
        else:
            position = _end(text, ">", position, "declaration", line)
            _check_declaration(text[start:position], line)
        line += text.count("\n", start, position)
    rest = text[position:]
    if rest and not rest.isspace():
        yield LexemeKind.TEXT, unescape(rest, line), line


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


def _end(text: str, mark: str, position: int, what: str, line: int) -> int:
    end = text.find(mark, position)
    if end < 0:
        raise ImportRefused(f"the {what} that begins here never ends", line)
    return end + len(mark)


def _check_declaration(declaration: str, line: int) -> None:
    kind = declaration[:9].upper()
    if kind.startswith("<!ENTITY") or (kind == "<!DOCTYPE" and "[" in declaration):
        raise ImportRefused(f"declarations of entities are not read: {quoted(declaration)}", line)
