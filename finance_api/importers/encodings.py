"""Guesses the encoding of a file from its words beyond ASCII."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

_PIECE_BYTES = 1 << 17
#: Encodings to propose if a file is not UTF-8, the usual ones first.
PROPOSED = tuple(
    """cp1252 iso8859-15 cp1250 iso8859-2 cp1251 cp1254 cp1253 iso8859-7 cp1257 cp1255 cp1256 cp932
    cp949 gb18030 big5 euc-jp koi8-u iso8859-5 cp874 mac-roman cp850""".split()
)
#: Those of them for the languages of western Europe.
WESTERN = ("cp1252", "iso8859-15", "mac-roman", "cp850")
#: Control and private characters and frames, which no file means, and what separates words;
#: apostrophes and the like do.
_CONTROLS = re.compile("[\x80-\x9f\u2500-\u259f\ue000-\uf8ff]")
_BETWEEN_WORDS = re.compile(
    r"(?:[\s\x00-@\[-`{-~‘’“”„…–—«»°€]|[£ªº²³®™](?![^\W\d_]))+"  # 5 m³, but not M³ller
)
#: Signs that do not stand inside a word.
_INSIDE = re.compile(r"(?<=[^\W\d_])[“”„…–—«»°€](?=[^\W\d_])")
_EASTERN = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH", "FULLWIDTH", "HANGUL", "IDEOGRAPHIC", "THAI")
)
_LETTERS = tomllib.loads(Path(__file__).with_name("alphabets.toml").read_text("utf-8"))
_ALPHABETS, _UNORDERED = (tuple(_LETTERS[name].values()) for name in ("ordered", "unordered"))
_ENGLISH = "etaoinshrdlcumwfgypbvkjxqz"
#: Logarithms of how often a letter is met: that of the first letter, and less by 1 for eight places
#: in the alphabet; of letters in no order and, twice, of the East; of signs between words; of
#: letters of another language, and other signs.
_FIRST, _PLACES, _EQUAL, _BETWEEN, _STRANGE = -2.1, 8, -4.0, -6.0, -12.0
#: What each odd word, and an old encoding, takes from a reading.
_ODD, _OLD = 10.0, {"cp850": 10.0, "mac-roman": 4.0}
#: One of several readings is sure if its logarithm is greater by this; those behind it by more than
#: twice as much are not offered.
_SURE = 6.0
#: At most this many letters of other words say which language the file has.
_MOST_LETTERS = 100
_BETWEEN_PIECES = re.compile(rb"[\x00-\x26\x28-\x2f:-?]+")
_LOWER = re.compile(rb"(?<![\x80-\xffA-Za-z])[A-Za-z]?[a-z]{2,}(?![\x80-\xffA-Za-z])")
#: Codec of an eastern script -> the bytes of its everyday characters: those of its first level.
_EVERYDAY = {
    "cp932": re.compile(b"[\x81-\x97]."),
    "gb18030": re.compile(b"[\xa1-\xd7][\xa1-\xfe]"),
    "euc-jp": re.compile(b"[\xa1-\xcf]."),
    "big5": re.compile(b"[\xa1-\xc6]."),
    "cp949": re.compile(b"[\xa1-\xc8][\xa1-\xfe]"),
}
#: Letters that are words.
_ALONE = frozenset("aeiouyæøœ")
#: A sigma in the wrong place.
_SIGMA = re.compile(r"ς\B|\Bσ\b")


class _Reading(NamedTuple):
    """A file's words beyond ASCII in an encoding.

    alone: the logarithm of how likely they are. total: the same with what other words say about the
    language. sure: how much more likely it has to be than any other; None if too few words and
    letters are those of one language.
    """

    codec: str
    alone: float
    total: float
    sure: float | None


def likely_encodings(stream: BinaryIO, codecs: Iterable[str]) -> tuple[list[str], bool]:
    """Return the encodings in which the words beyond ASCII of a file are likely, one for each text,
    the most likely first; and whether no other is nearly as likely as this one.
    """
    pieces, evidence = _foreign_pieces(stream), _evidence(stream)
    found: dict[tuple[str, ...], _Reading | None] = {}
    for codec in codecs:
        with suppress(UnicodeDecodeError):
            texts = tuple(piece.decode(codec) for piece in pieces)
            if texts not in found and not any(map(_CONTROLS.search, texts)):
                found[texts] = _reading(texts, codec, evidence)
    readings = sorted(filter(None, found.values()), key=lambda each: -each.total)
    if not readings:
        return [], False
    first, *others = readings
    near = max(2 * _SURE, first.sure or 0)
    offered = [each.codec for each in others if first.total - each.total <= near]
    is_sure = first.sure is not None and all(
        first.total - each.total >= first.sure and first.alone >= each.alone for each in others
    )
    return [first.codec, *offered], is_sure


def _foreign_pieces(stream: BinaryIO) -> list[bytes]:
    """Return the file's different texts with bytes beyond ASCII, between signs that are no part of
    a character in any encoding.
    """
    stream.seek(0)
    pieces: dict[bytes, None] = {}
    rest = b""
    while (read := stream.read(_PIECE_BYTES)) and sum(map(len, pieces)) < _PIECE_BYTES:
        *whole, rest = _BETWEEN_PIECES.split(rest + read)
        if len(rest) > _PIECE_BYTES:
            whole, rest = [*whole, rest], b""
        pieces |= dict.fromkeys(piece for piece in whole if not piece.isascii())
    return [*pieces, *([] if rest.isascii() else [rest])]


def _evidence(stream: BinaryIO) -> dict[str, float]:
    """Return how much more likely words of ASCII are in each language than in English, which
    programs and shops write everywhere.
    """
    stream.seek(0)
    words = {word.lower() for word in _LOWER.findall(stream.read(_PIECE_BYTES))}
    letters = Counter(b"".join(words).decode())
    weight = min(1, _MOST_LETTERS / max(letters.total(), 1))
    english = _weigh(letters, _ENGLISH)
    return {each: weight * max(0, _weigh(letters, each) - english) for each in _ALPHABETS}


def _reading(texts: Iterable[str], codec: str, evidence: Mapping[str, float]) -> _Reading | None:
    """Return how likely texts are in the language that fits best; None if they are noise."""
    words = {word for text in texts for word in _BETWEEN_WORDS.split(text) if not word.isascii()}
    odd = sum(map(_is_odd, words)) + sum(len(_INSIDE.findall(text)) for text in texts)
    if odd > len(words) // 2 + 1:
        return None
    letters = "".join(dict.fromkeys(text.lower() for text in texts)).replace("\u0307", "")
    count = Counter(
        each for each in letters if each.isalpha() or not (each.isascii() or each.isspace())
    )
    foreign = {each: n for each, n in count.items() if not each.isascii() and _is_letter(each)}
    less = _ODD * odd + _OLD.get(codec, 0)
    if codec in _EVERYDAY:
        fits = _EVERYDAY[codec].fullmatch
        east = {each: n for each, n in count.items() if not each.isascii()}
        strange = sum(n for each, n in east.items() if not fits(each.encode(codec, "ignore")))
        alone = total = _EQUAL * (count.total() + sum(east.values())) - strange
    else:
        weights = {each: _weigh(count, each) for each in (*_ALPHABETS, *_UNORDERED)}
        alone = max(weights.values())
        language = max(weights, key=lambda each: weights[each] + evidence.get(each, 0))
        total = weights[language] + evidence.get(language, 0)
        strange = sum(n for each, n in foreign.items() if each not in language)
    is_clean = 5 * odd <= len(words) and strange <= 1 + sum(foreign.values()) // 5
    sure = _SURE if codec in _EVERYDAY else _SURE * (1 + 2 * strange)
    return _Reading(codec, alone - less, total - less, sure if is_clean else None)


def _weigh(count: Mapping[str, int], alphabet: str) -> float:
    """Return the logarithm of how likely characters are in a language."""
    weights = _weights(alphabet)
    return sum(n * weights.get(each, _weight_of_other(each)) for each, n in count.items())


def _weight_of_other(character: str) -> float:
    return _BETWEEN if _BETWEEN_WORDS.fullmatch(character) else _STRANGE


@cache
def _weights(alphabet: str) -> Mapping[str, float]:
    if alphabet in _UNORDERED:
        return dict.fromkeys(alphabet, _EQUAL)
    return {letter: _FIRST - place / _PLACES for place, letter in enumerate(alphabet)}


def _is_letter(character: str) -> bool:
    is_between = _BETWEEN_WORDS.fullmatch(character) is not None
    return (character.isalpha() and not is_between) or _is_mark(character)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) == "Mn"


def _is_odd(word: str) -> bool:
    """Return whether a word with characters beyond ASCII is probably read in a wrong encoding."""
    if word.isascii() or not any(map(str.isalpha, word)):
        return False
    scripts = {unicodedata.name(each, "").partition(" ")[0].partition("-")[0] for each in word}
    if scripts & _EASTERN:
        return not scripts <= _EASTERN or _is_mark(word[0])
    if len(word) == 1 and scripts == {"LATIN"}:
        return unicodedata.normalize("NFD", word.lower())[0] not in _ALONE
    is_cased = word in (word.lower(), word.upper(), word[:1] + word[1:].lower())
    foreign = {each for each in word.lower() if not each.isascii()}
    is_foreign = scripts == {"LATIN"} and len(word) > 2 and 2 * len(foreign) > len(word)
    is_foreign = is_foreign and not any(map(foreign.issubset, _ALPHABETS))
    is_wrong = len(scripts) > 1 or _SIGMA.search(word) is not None
    return not word.isalpha() or is_wrong or not is_cased or is_foreign
