"""Detects the charset of a file, and decodes its bytes to text, in pieces."""

import codecs
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import BinaryIO

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.encodings import PROPOSED, likely_encodings
from finance_api.importers.interface import Choice, ImportRefused, Questions, wrong_value

_PIECE_BYTES = 1 << 17


def fits(stream: BinaryIO, charset: str) -> bool:
    """Return whether all bytes of the stream are text in the charset; rewind the stream."""
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
    """Return ``utf-16``, ``utf-16-le`` or ``utf-16-be`` if the data begins like such text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Markup begins with two ASCII characters.
    if data[1:2] == data[3:4] == b"\0" != data[:1]:
        return "utf-16-le"
    if data[:1] == data[2:3] == b"\0" != data[1:2]:
        return "utf-16-be"
    return None


def opening_text(head: bytes) -> str:
    r"""Return the text of a file's first bytes, without leading blanks, with ``\n`` line ends."""
    text = head.decode(utf_16_of(head) or "utf-8", "replace").removeprefix("\ufeff").lstrip()
    return text.replace("\r\n", "\n").replace("\r", "\n")


#: Byte order mark, the codec that reads the file, and the names by which the user may ask for it.
#: A mark that begins with a shorter mark comes before it.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", ("utf-32", "utf-32-le")),
    (codecs.BOM_UTF32_BE, "utf-32", ("utf-32", "utf-32-be")),
    (codecs.BOM_UTF8, "utf-8-sig", ("utf-8", "utf-8-sig")),
    (codecs.BOM_UTF16_LE, "utf-16", ("utf-16", "utf-16-le")),
    (codecs.BOM_UTF16_BE, "utf-16", ("utf-16", "utf-16-be")),
)
#: Python's codecs that are not used for files; some take quadratic time.
_NOT_OF_FILES = frozenset(
    ("idna", "punycode", "undefined", "unicode-escape", "unicode_escape", "raw-unicode-escape")
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_NEWLINES = re.compile("\r\n|\r|\n")
_HEAD_BYTES = 1 << 12

#: Longest line, in characters: a line is held in memory as a whole.
MAX_LINE = 1 << 22
#: A line that differs is looked for among this many lines.
_COMPARED_LINES = 1_000


@dataclass(frozen=True)
class TextFile:
    """The text of a file, which can be read again and again, a line at a time.

    skip_rows: how many physical lines at the beginning are left out.
    is_sheet: whether the text was made from a spreadsheet. If so, each row is one line that ends in
        CRLF, with a comma between cells, and date cells are ISO 8601, whatever form text cells
        have.
    fractions: for a sheet: index of a column with decimal numbers -> the line of the last decimal
        number. thousands: the same for texts like 1.234.
    is_guessed: whether the codec was inferred from the file's words.
    start, end: the file's lines that this text has, counted from 0, without line ``end``, if the
        file has several tables.
    """

    stream: BinaryIO
    codec: str
    skip_rows: int = 0
    is_sheet: bool = False
    fractions: Mapping[int, int] = field(default_factory=dict)
    thousands: Mapping[int, int] = field(default_factory=dict)
    start: int = 0
    end: int | None = None
    is_guessed: bool = False

    @property
    def line_end(self) -> str:
        """What ends a line, as ``newline`` of `io.TextIOWrapper`: "" means CR, LF and CRLF."""
        return "\r\n" if self.is_sheet else ""

    def lines(self) -> Iterator[str]:
        """Yield the lines with their ends. Only one such iterator may be in use at a time."""
        self.stream.seek(0)
        text = io.TextIOWrapper(self.stream, self.codec, newline=self.line_end)
        try:
            for _ in range(self.skip_rows):
                if not text.readline():
                    return
            # Do not yield from the text itself: it would be closed, and the stream with it.
            count = None if self.end is None else max(self.end - self.skip_rows, 0)
            yield from islice(iter(text.readline, ""), count)
        finally:
            if not self.stream.closed:
                text.detach()


def open_text(
    stream: BinaryIO,
    encoding: str | None,
    *,
    force: bool,
    questions: Questions,
    known: Sequence[str] = (),
) -> TextFile:
    """Check all bytes of a file, and return its text without a byte order mark.

    A byte order mark decides the codec; in a file without a mark, ``encoding`` does, or else UTF-8.
    If the file is not UTF-8, the most likely encoding is taken; if another one is nearly as likely,
    it is asked about. known: the encodings in which the file's headings are known, if any.
    NUL is refused here: no cell can hold it, and it is a sign of UTF-16. Raises ImportRefused.
    """
    stream.seek(0)
    head = stream.read(_HEAD_BYTES)
    codec = _codec(head, encoding)
    if codec not in ("utf-8", "utf-8-sig", "utf-16", "utf-32") and not force:
        _refuse_utf_8(stream, codec)
    try:
        _check(stream, codec)
        return TextFile(stream, codec)
    except ImportRefused as refused:
        if encoding is not None or codec != "utf-8":
            raise
        order = utf_16_of(head)
        offered, is_sure = [order] if order else [], False
        if order is None:
            offered, is_sure = likely_encodings(stream, known or PROPOSED)
        if not offered:
            raise
        (question,) = refused.questions
    _check(stream, offered[0])
    if is_sure:
        why = "its words fit no other one"
        why = "its headings show it" if known else why
        questions.remarks.append(f"the file is read as {offered[0]}: {why}")
    else:
        lines = _differing_lines(stream, offered)
        meanings = {name: clause(Says.LINE_SAYS, text=line) for name, line in lines.items()}
        choices = tuple(Choice({"encoding": name}, meanings.get(name, "")) for name in offered)
        # Go on with the first one, so that all questions can be asked at once.
        questions.asked.append(question._replace(choices=choices))
    return TextFile(stream, offered[0], is_guessed=True)


def _differing_lines(stream: BinaryIO, codecs: Sequence[str]) -> dict[str, str]:
    """Return the first line that the encodings read differently, in each of several."""
    texts = []
    for codec in codecs if len(codecs) > 1 else ():
        foreign = (text for _, text in _numbered_lines(stream, codec) if not text.isascii())
        texts.append([line.strip() for line in islice(foreign, _COMPARED_LINES)])
    rows = (row for row in zip(*texts, strict=False) if len(set(row)) > 1)
    return dict(zip(codecs, next(rows, ()), strict=False))


def _codec(head: bytes, encoding: str | None) -> str:
    asked = None if encoding is None else known_encoding(encoding)
    for mark, codec, names in _MARKS:
        if head.startswith(mark):
            if asked is not None and asked not in names:
                raise ImportRefused(
                    clause(Topic.MARK_OF_ANOTHER, mark=names[0].upper(), encoding=encoding or ""),
                    1,
                    choices=(Choice({"encoding": None}),),
                )
            return codec
    if asked in ("utf-16", "utf-32"):
        orders = [f"{asked}-le", f"{asked}-be"]
        raise ImportRefused(
            clause(Topic.BYTE_ORDER, little=orders[0], big=orders[1]),
            choices=tuple(
                Choice({"encoding": name}, clause(Says.ENCODING_IS, encoding=name))
                # A file without a NUL has neither encoding.
                for name in orders
                if b"\x00" in head
            )
            or (Choice({"encoding": None}),),
        )
    return asked or "utf-8"


def known_encoding(encoding: str) -> str:
    """Return Python's name for an encoding. Raises ImportRefused if there is none."""
    try:
        name = codecs.lookup(encoding).name
        # Some codecs (base64) do not decode to text, but raise only when there are bytes to decode.
        b"a".decode(name, "ignore")
    except (LookupError, ValueError):
        name = ""
    if not name or name in _NOT_OF_FILES:
        fault = "is not known; common ones are utf-8, cp1252, iso-8859-1 and utf-16"
        raise wrong_value("encoding", encoding, fault)
    return name


def _refuse_utf_8(stream: BinaryIO, codec: str) -> None:
    """Refuse the codec if the file is valid UTF-8: text in other codecs almost never is."""
    if not fits(stream, "utf-8"):
        return
    for line, text in _numbered_lines(stream, "utf-8"):
        if not text.isascii():
            character = next(each for each in text if not each.isascii())
            wrong = character.encode().decode(codec, "replace")
            raise ImportRefused(
                clause(Topic.IS_UTF_8, character=character, encoding=codec, wrong=wrong),
                line,
                choices=(Choice({"encoding": None}),),
            )


def _check(stream: BinaryIO, codec: str) -> None:
    """Raise ImportRefused for text that cannot be decoded or stored, and for an overlong line."""
    line = 0
    try:
        for line, text in _numbered_lines(stream, codec):
            if len(text) > MAX_LINE:
                raise ImportRefused(f"a line is longer than {MAX_LINE} characters")
            if not text.isascii() and _SURROGATES.search(text):
                raise ImportRefused(clause(Topic.SURROGATE), line, needs=("encoding",))
            if "\x00" in text:
                raise _nul(line)
    except UnicodeDecodeError as error:
        if codec == "utf-8" and b"\x00" in error.object:
            raise _nul(line + 1) from None
        at_end = error.start >= len(error.object)
        what = clause(Says.END)
        if not at_end:
            what = clause(Says.BYTE, byte=f"0x{error.object[error.start]:02X}")
        before = error.object[: error.start].decode(codec, "replace")
        raise ImportRefused(
            clause(Topic.NOT_DECODED, what=what, encoding=codec.removesuffix("-sig")),
            line + 1 + len(_NEWLINES.findall(before)),
            needs=("encoding",),
        ) from None
    except ValueError:
        raise ImportRefused(
            clause(Topic.NOT_OF_ENCODING, encoding=codec), needs=("encoding",)
        ) from None


def _nul(line: int) -> ImportRefused:
    return ImportRefused(clause(Topic.NUL), line, needs=("encoding",))


def _numbered_lines(stream: BinaryIO, codec: str) -> Iterator[tuple[int, str]]:
    """Yield the physical lines, numbered from 1. An overlong line is cut just after MAX_LINE."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, codec, newline="")
    try:
        yield from enumerate(iter(partial(text.readline, MAX_LINE + 1), ""), 1)
    finally:
        text.detach()
