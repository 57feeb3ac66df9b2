"""Detects the charset of a file, and decodes its bytes to text, in pieces."""

import codecs
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import BinaryIO

from finance_api.importers.clauses import Says, Topic, clause
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
#: Encodings to propose if a file is not UTF-8, the usual ones first.
PROPOSED = tuple(
    """cp1252 iso8859-15 cp1250 iso8859-2 cp1251 cp1254 cp1253 iso8859-7 cp1257 cp1255 cp1256 cp932
    cp949 gb18030 big5 euc-jp koi8-u iso8859-5 cp874 mac-roman cp850""".split()
)
#: The encoding of DOS, in which most bytes are letters: it counts only if it is better.
_DOS = "cp850"
#: Control and private characters and frames, which no file means, and what separates words;
#: apostrophes and the like do.
_CONTROLS = re.compile("[\x80-\x9f\u2500-\u259f\ue000-\uf8ff]")
_BETWEEN_WORDS = re.compile(
    r"(?:[\s\x00-@\[-`{-~‘’“”„…–—«»°€]|[£ªº²³®™](?![^\W\d_]))+"  # 5 m³, but not M³ller
)
#: Words of up to this many lines are compared.
_COMPARED_LINES = 1_000
_EASTERN = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH", "FULLWIDTH", "HANGUL", "IDEOGRAPHIC", "THAI")
)
#: The letters beyond ASCII that one language uses.
_ALPHABETS = """
    äöüß àâæçèéêëîïôùûüÿœ áéíñóúü àáâãçéêíóôõú àèéìíòóùú àäèéëïöü åäöé æøåéò ąćęłńóśźż
    áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű âçğıîöşü âîăşţșț čćđšž äõöšüž āčēģīķļņšūž
    ąčęėįšųūž абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґ αβγδεζηθικλμνξοπρςστυφχψωάέήίόύώϊϋΐΰ
    абвгдђежзијклљмнњопрстћуфхцчџш กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลวศษสหฬอฮฯะัาำิีึืุูเแโใไๆ็่้๊๋์
    אבגדהוזחטיךכלםמןנסעףפץצקרשת ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءأإآؤئ
""".split()
#: Codec of an eastern script -> the bytes of its everyday characters: those of its first level.
_EVERYDAY = {
    "cp932": re.compile(b"[\x81-\x97]."),
    "gb18030": re.compile(b"[\xa1-\xd7][\xa1-\xfe]"),
    "euc-jp": re.compile(b"[\xa1-\xcf]."),
    "big5": re.compile(b"[\xa1-\xc6]."),
    "cp949": re.compile(b"[\xa1-\xc8][\xa1-\xfe]"),
}
#: A sigma in the wrong place.
_SIGMA = re.compile(r"ς\B|\Bσ\b")


@dataclass(frozen=True)
class TextFile:
    """The text of a file, which can be read again and again, a line at a time.

    skip_rows: how many physical lines at the beginning are left out.
    is_sheet: whether the text was made from a spreadsheet. If so, each row is one line that ends in
        CRLF, with a comma between cells, and date cells are ISO 8601, whatever form text cells
        have.
    fractions: for a sheet: index of a column with decimal numbers -> the line of the last decimal
        number. thousands: the same for texts like 1.234.
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
    stream: BinaryIO, encoding: str | None, *, force: bool, questions: Questions
) -> TextFile:
    """Check all bytes of a file, and return its text without a byte order mark.

    A byte order mark decides the codec; in a file without a mark, ``encoding`` does, or else UTF-8.
    NUL is refused here: no cell can hold it, and it is a sign of UTF-16. Raises ImportRefused.
    """
    stream.seek(0)
    head = stream.read(_HEAD_BYTES)
    codec = _codec(head, encoding)
    if codec not in ("utf-8", "utf-8-sig", "utf-16", "utf-32") and not force:
        _refuse_utf_8(stream, codec)
    try:
        _check(stream, codec)
    except ImportRefused as refused:
        likely = (order,) if (order := utf_16_of(head)) else PROPOSED
        readings = _readings(stream, likely) if encoding is None and codec == "utf-8" else {}
        if not readings:
            raise
        (question,) = refused.questions
        choices = [
            Choice(
                {"encoding": name}, clause(Says.LINE_SAYS, text=text) if len(readings) > 1 else ""
            )
            for name, text in readings.items()
        ]
        # Go on with the first one, so that all questions can be asked at once.
        questions.asked.append(question._replace(choices=tuple(choices)))
        return TextFile(stream, next(iter(readings)))
    return TextFile(stream, codec)


def _readings(stream: BinaryIO, likely: Iterable[str]) -> dict[str, str]:
    """Return the encodings in which the fewest words are odd, each with a line that differs. The
    encoding whose letters seem most familiar comes first.
    """
    found: dict[str, tuple[int, str, list[str]]] = {}
    for codec in likely:
        with suppress(ImportRefused):
            _check(stream, codec)
            foreign = (text for _, text in _numbered_lines(stream, codec) if not text.isascii())
            lines = list(islice(foreign, _COMPARED_LINES))
            text = "".join(lines)
            if not _CONTROLS.search(text):
                words = [word for word in _BETWEEN_WORDS.split(text) if not word.isascii()]
                odd = sum(map(_is_odd, words))
                # In noise, most words are odd.
                if odd <= len(words) // 2 + 1:
                    found.setdefault(text, (2 * odd + (codec == _DOS), codec, lines))
    least = min((odd for odd, *_ in found.values()), default=0)
    best = [(codec, lines) for odd, codec, lines in found.values() if odd == least]
    best.sort(key=lambda each: _count_unfamiliar("".join(each[1]), each[0]))
    rows = zip(*(lines for _, lines in best), strict=False)
    place = next((n for n, texts in enumerate(rows) if len(set(texts)) > 1), 0)
    return {codec: lines[place].strip() if lines else "" for codec, lines in best}


def possible_encodings(stream: BinaryIO, codecs: Iterable[str]) -> dict[str, bool]:
    """Return those of the codecs in which the whole file is text, one for each text, and whether
    all its letters are of one language.
    """
    found: dict[bytes, tuple[str, bool]] = {}
    for codec in codecs:
        digest, letters = sha256(), set[str]()
        with suppress(ImportRefused):
            _check(stream, codec)
            for _, line in _numbered_lines(stream, codec):
                if _CONTROLS.search(line):
                    break
                digest.update(line.encode())
                letters.update(_BETWEEN_WORDS.sub("", line))
            else:
                is_familiar = not _count_unfamiliar("".join(letters), codec)
                found.setdefault(digest.digest(), (codec, is_familiar))
    return dict(found.values())


def _count_unfamiliar(text: str, codec: str) -> int:
    """Return how many characters beyond ASCII are rare, or not of the language that has most."""
    letters = _BETWEEN_WORDS.sub("", text.lower())
    count = Counter(each for each in letters if not each.isascii())
    if codec in _EVERYDAY:
        fits = _EVERYDAY[codec].fullmatch
        return sum(n for each, n in count.items() if not fits(each.encode(codec, "ignore")))
    return min(sum(n for each, n in count.items() if each not in own) for own in _ALPHABETS)


def _is_odd(word: str) -> bool:
    """Return whether a word with characters beyond ASCII is probably read in a wrong encoding."""
    if word.isascii() or not any(map(str.isalpha, word)):
        return False
    scripts = {unicodedata.name(each, "").partition(" ")[0].partition("-")[0] for each in word}
    if scripts & _EASTERN:
        return not scripts <= _EASTERN
    is_cased = word in (word.lower(), word.upper(), word[:1] + word[1:].lower())
    foreign = [each for each in word.lower() if not each.isascii()]
    is_foreign = scripts == {"LATIN"} and len(word) > 2 and 2 * len(foreign) > len(word)
    is_foreign = is_foreign and not any(map(set(foreign).issubset, _ALPHABETS))
    is_wrong = len(scripts) > 1 or _SIGMA.search(word) is not None
    return not word.isalpha() or is_wrong or not is_cased or is_foreign


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
