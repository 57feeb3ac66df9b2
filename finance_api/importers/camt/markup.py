"""Reads the entries of a camt file, one piece of the file at a time.

expat parses the markup. Document types are refused, and so there are no entities; nothing is
downloaded; depth and size are limited.
"""

import codecs
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple
from xml.parsers import expat

from finance_api.importers.decoding import fits, utf_16_of
from finance_api.importers.interface import ANOTHER_FILE, HEAD_BYTES, ImportRefused, quoted
from finance_api.resources.currencies import current_code
from finance_api.values.text import count_text, one_line

#: Elements that are statements -> the kind of message that contains them.
STATEMENTS = {"Rpt": "camt.052", "Stmt": "camt.053", "Ntfctn": "camt.054"}
PIECE_BYTES = 1 << 16
MAX_DEPTH = 100
#: Maximum size of a text, tag or comment; banks write far smaller ones.
MAX_TEXT_BYTES = 1_000_000
#: Maximum memory for one entry together with everything outside of entries, in bytes.
MAX_HELD_BYTES = 100_000_000
#: Maximum number of different names: expat keeps them all in memory. camt messages have hundreds.
MAX_NAMES = 5_000
_MAX_NAME_LENGTH = 200
_ELEMENT_BYTES = 250
_TRANSACTION_BYTES = 1_000

#: The fault at the beginning of another document behind the first.
_ANOTHER = expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_DECLARED = re.compile(rb"<\?xml[^<>]*?\bencoding\s*=\s*[\"']([^\"'<>]*)[\"']")
#: Charsets that some banks declare although the file is Windows-1252.
_LATIN = frozenset({"utf-8", "utf8", "us-ascii", "iso-8859-1"})


class Element:
    """One element with its content.

    name: the name without a namespace prefix. text: the text of a leaf, stripped.
    currency: the attribute Ccy. line: where the element begins in the file, from 1.
    parts: what was read of an entry's transactions, which are not among its children.
    """

    __slots__ = ("children", "currency", "line", "name", "parts", "text")

    def __init__(self, name: str, line: int, currency: str | None = None) -> None:
        self.name = name
        self.line = line
        self.currency = currency
        self.text = ""
        self.children: list[Element] = []
        self.parts: list[Any] = []

    def all(self, *path: str) -> "Iterator[Element]":
        """Yield the non-empty elements at a path of names below this element, in order."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                elif child.text or child.children:
                    yield child

    def first(self, *paths: str) -> "Element | None":
        """Return the first element at the first path (such as ``A/B``) that leads to one."""
        found = (self.at(path.split("/"), 0) for path in paths)
        return next((element for element in found if element is not None), None)

    def at(self, path: Sequence[str], place: int) -> "Element | None":
        """Return the first element at a path of names, of which those before ``place`` led here."""
        name, is_last = path[place], place + 1 == len(path)
        for child in self.children:
            if child.name == name:
                found = child if is_last else child.at(path, place + 1)
                if found is not None and (found.text or found.children):
                    return found
        return None

    def only(self, name: str) -> "Element":
        """Return the only child with this name. Raises ImportRefused for none or several."""
        found = [child for child in self.children if child.name == name]
        if len(found) != 1:
            raise self.refused(f"has {len(found) or 'no'} <{name}>")
        return found[0]

    def text_of(self, *paths: str) -> str | None:
        """Return the text of the element that `first` returns, on one line."""
        found = self.first(*paths)
        return None if found is None else one_line(found.text)

    def refused(self, reason: str) -> ImportRefused:
        """Return a refusal of the file that names this element, its text and the reason."""
        value = f"{quoted(self.text)} " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}; {ANOTHER_FILE}", self.line)


class Found(NamedTuple):
    """An entry (``Ntry``), and the statement and message that contain it.

    entry: the complete entry, with its transactions in ``parts``, not among its children. None
        marks the end of a statement, which is then complete except for its entries.
    """

    message: Element
    statement: Element
    entry: Element | None


def entries_in(stream: BinaryIO, read_part: Callable[[Element], Any]) -> Iterator[Found]:
    """Yield each entry, and each statement after its entries. Raises ImportRefused.

    read_part: reads a transaction, whose element is then forgotten.
    Some banks write several documents behind each other: they are read one after the other.
    """
    charset = _charset_of(stream)
    stream.seek(0)
    builder = _Builder(charset, 0, read_part)
    start = read = 0
    piece = b""
    try:
        while piece := stream.read(PIECE_BYTES):
            size = builder.parse(piece)
            yield from builder.taken()
            if size is not None:
                start, read = stream.seek(start + size), 0
                builder = _Builder(charset, builder.line - 1, read_part)
                continue
            read += len(piece)
            # expat buffers incomplete tags and comments.
            if read - builder.parser.CurrentByteIndex > MAX_TEXT_BYTES:
                raise _too_long(builder.line)
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise builder.damaged(error, is_cut_off=not piece) from None
    yield from builder.taken()
    if start and not builder.has_statements:
        raise ImportRefused(
            "the last document of the file contains no statement: the file is damaged; download it "
            "again",
            builder.line,
        )


def _charset_of(stream: BinaryIO) -> str | None:
    """Return the charset that overrides the file's declaration; None: use the declared one."""
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    if charset := utf_16_of(head):
        # expat calls it utf-16le, without a second hyphen.
        return charset.replace("16-", "16")
    if fits(stream, "utf-8"):
        return "utf-8"
    found = _DECLARED.search(head)
    declared = found[1].decode("latin-1").lower() if found else "utf-8"
    if declared in _LATIN:
        return "windows-1252"
    try:
        # expat needs a table with the character of each byte.
        codecs.decode(bytes(range(256)), declared, "replace").encode()
    except (LookupError, ValueError, TypeError, AttributeError):
        raise ImportRefused(
            f"the charset {quoted(declared)} that the file declares is unknown"
        ) from None
    return None


def _too_long(line: int) -> ImportRefused:
    return ImportRefused(
        f"a tag or text has more than {count_text(MAX_TEXT_BYTES)} characters", line
    )


class _Builder:
    """Builds elements from a parser's events. before: the number of lines before the document."""

    def __init__(
        self, charset: str | None, before: int, read_part: Callable[[Element], Any]
    ) -> None:
        self.parser = parser = expat.ParserCreate(charset, intern={})
        self._before = before
        self._read_part = read_part
        self._open = [Element("", 1)]
        self._texts: list[str] = []
        self._text_size = 0
        # The approximate size of the elements in bytes: now, and before the entry or transaction.
        self._held = 0
        self._statement: Element | None = None
        self.has_statements = False
        self._entry: Element | None = None
        self._held_before_entry = 0
        self._transaction: Element | None = None
        self._held_before_transaction = 0
        self._found: list[Found] = []
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    @property
    def line(self) -> int:
        return self._before + self.parser.CurrentLineNumber

    def parse(self, piece: bytes) -> int | None:
        """Parse a piece. Returns the document's size in bytes if another thing follows it.

        A document without statements is the last one.
        """
        try:
            self.parser.Parse(piece)
        except expat.ExpatError as error:
            if error.code != _ANOTHER or not self.has_statements:
                raise
            return self.parser.ErrorByteIndex
        return None

    def taken(self) -> list[Found]:
        found, self._found = self._found, []
        return found

    def damaged(self, error: expat.ExpatError, *, is_cut_off: bool) -> ImportRefused:
        """Return a refusal that says why the markup cannot be read."""
        if is_cut_off:
            element = self._open[-1]
            where = f" inside <{element.name}>, which begins in line {element.line}"
            where = where if element.name else " before its root element begins"
            return ImportRefused(
                f"the file ends{where}: it is cut off; download it again",
                self._before + error.lineno,
            )
        return ImportRefused(
            f"the file is damaged: {expat.ErrorString(error.code)} in column {error.offset + 1}; "
            "download it again",
            self._before + error.lineno,
        )

    def _refuse_doctype(self, *_: object) -> None:
        raise ImportRefused(
            "the file has a document type (<!DOCTYPE>), which statements of banks never have",
            self.line,
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        line = self.line
        longest = max(map(len, (name, *attributes)))
        if len(self.parser.intern) > MAX_NAMES or longest > _MAX_NAME_LENGTH:
            raise ImportRefused("the element names are not those of a camt file", line)
        parent = self._open[-1]
        code = attributes.get("Ccy")
        currency = code and current_code(code)
        element = Element(sys.intern(name.rpartition(":")[2]), line, currency)
        parent.children.append(element)
        self._open.append(element)
        if len(self._open) > MAX_DEPTH:
            raise ImportRefused(f"elements are nested deeper than {MAX_DEPTH}", line)
        self._texts.clear()
        self._text_size = 0
        of = self._open[-3] if parent.name == "NtryDtls" else parent
        if element.name == "TxDtls" and of is self._entry:
            self._transaction, self._held_before_transaction = element, self._held
        # The bank's own data (SplmtryData) can have elements of any name.
        elif element.name == "Ntry" and all(e.name != "SplmtryData" for e in self._open):
            if parent is not self._statement:
                raise element.refused("is not inside a statement: the file is damaged")
            self._entry, self._held_before_entry = element, self._held
        elif element.name in STATEMENTS and parent.name.startswith("BkToCstmr"):
            self._statement, self.has_statements = element, True
        self._hold(_ELEMENT_BYTES + len(currency or ""))

    def _characters(self, text: str) -> None:
        self._texts.append(text)
        self._text_size += len(text)
        if self._text_size > MAX_TEXT_BYTES:
            raise _too_long(self.line)

    def _end(self, name: str) -> None:
        element = self._open.pop()
        parent = self._open[-1]
        if not element.children:
            element.text = "".join(self._texts).strip()
            self._hold(2 * len(element.text))
        self._texts.clear()
        self._text_size = 0
        if element is self._transaction:
            parent.children.pop()
            assert self._entry is not None
            self._entry.parts.append(self._read_part(element))
            self._transaction, self._held = None, self._held_before_transaction
            self._hold(_TRANSACTION_BYTES)
        elif element is self._entry:
            parent.children.pop()
            self._found.append(Found(self._open[-2], parent, element))
            self._entry, self._held = None, self._held_before_entry
        elif element is self._statement:
            parent.children.pop()
            self._found.append(Found(parent, element, None))
            self._statement = None

    def _hold(self, size: int) -> None:
        self._held += size
        if self._held > MAX_HELD_BYTES:
            raise ImportRefused(
                f"over {MAX_HELD_BYTES // 1_000_000} MB are in one entry or outside of all entries",
                self.line,
            )
