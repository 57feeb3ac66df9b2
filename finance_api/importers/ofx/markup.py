"""Tags and the text between them, while the file comes in pieces.

No XML parser takes part: there are no external entities, no document types and nothing that
expands. The expressions are possessive, so that no input makes them backtrack.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from html.entities import html5

from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted

#: Of one tag, text or comment. Nothing that a bank writes comes near it.
MAX_LEXEME_CHARACTERS = 1_000_000
_KNOWN_NAMES = 1_000

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


def tokens(pieces: Iterable[str]) -> Iterator[Lexeme]:
    """The tags and texts in order; comments are left out, white space between tags as well.

    Where one piece ends and the next begins makes no difference.
    Refused: declarations of entities, comments and such that never end, what is too long.
    """
    reader = _Reader()
    for piece in pieces:
        yield from reader.read(piece)
    yield from reader.read("", last=True)


class _Reader:
    """Holds back what the next piece may change.

    A tag holds no other ``<``: up to the last one without its ``>``, it is certain what is markup.
    """

    def __init__(self) -> None:
        self._buffer = ""
        # Up to here the buffer is text.
        self._searched = 0
        self._line = 1
        self._names: dict[str, str] = {}

    def read(self, piece: str, *, last: bool = False) -> Iterator[Lexeme]:
        """The lexemes that are complete now."""
        buffer = self._buffer + piece
        end = buffer.rfind("<", self._searched)
        if last or end < 0 or buffer.find(">", end) >= 0:
            end = len(buffer)
        position, searched, line = 0, self._searched, self._line
        search = _MARKUP.search
        while markup := search(buffer, searched, end):
            start = markup.start()
            if start > position:
                _check_length(start - position, line)
                between = buffer[position:start]
                if not between.isspace():
                    yield LexemeKind.TEXT, "", unescape(between, line), line
                line += between.count("\n")
            leaf, closed, unclosed, close, name, empty, span = markup.groups()
            position = markup.end()
            text = closed or unclosed or ""
            if leaf and ("&" in text or len(text) > MAX_LEXEME_CHARACTERS):
                # Its text may be refused, though not before what the tag alone ends.
                position = start + len(leaf) + 2
                yield LexemeKind.OPEN, leaf, "", line
            elif leaf:
                yield LexemeKind.OPEN if unclosed else LexemeKind.LEAF, leaf, text, line
            elif name:
                kind = LexemeKind.CLOSE if close else LexemeKind.EMPTY if empty else LexemeKind.OPEN
                yield kind, self._known(name), "", line
            else:
                what, mark = _SPANS[span[:2]]
                found = buffer.find(mark, position)
                if found < 0:
                    if last:
                        raise ImportRefused(f"the {what} that begins here never ends", line)
                    position = searched = start
                    break
                if mark == "]]>":
                    yield LexemeKind.TEXT, "", buffer[position:found], line
                elif mark == ">":
                    _check_declaration(buffer[start : found + 1], line)
                position = found + len(mark)
            if not leaf:
                _check_length(position - start, line)
            line += buffer.count("\n", start, position)
            searched = position
        else:
            searched = max(searched, end)
        rest = buffer[position:]
        searched -= position
        if last:
            searched = len(rest)
        _check_length(searched, line)
        _check_length(len(rest) - searched, line + rest.count("\n", 0, searched))
        if last and rest and not rest.isspace():
            yield LexemeKind.TEXT, "", unescape(rest, line), line
        self._buffer, self._searched, self._line = rest, searched, line

    def _known(self, name: str) -> str:
        """The name in upper case; the same object each time, for a file has few."""
        known = self._names.get(name)
        if known is None:
            if len(self._names) >= _KNOWN_NAMES:
                self._names.clear()
            known = self._names[name] = sys.intern(name.upper())
        return known


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
