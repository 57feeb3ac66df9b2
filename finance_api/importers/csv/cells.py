"""Reads the cells of a row by the roles of their columns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from finance_api.importers.csv.mapping import Columns
from finance_api.importers.csv.vocabulary import DIRECTIONS, folded
from finance_api.values.text import clean_or_none

#: Where an amount stands: in the amount column, or on the side of money going out or coming in.
AMOUNT, OUT, IN = 0, -1, 1
_ONE, _SIDES = ((AMOUNT, "amount"),), ((OUT, "debit"), (IN, "credit"))
#: At most this many different words of a column are kept.
_MOST_WORDS = 50


#: What stands in place of a missing amount, beside any number of dashes.
_DASHES = "-\u2013\u2014"
_MISSING = frozenset({"", "n/a"})
_NO_DIGIT = frozenset(f"{_DASHES}aA")

#: How --sign names a blank cell.
BLANK = "(blank)"


def word_of(text: str) -> str:
    """Return the folded text; "" for the name of a blank cell."""
    return "" if text == BLANK else folded(text)


class SignWords:
    """The words of a column that says which way the money goes.

    named: the words that --sign names -> OUT or IN; ``\\,`` and ``\\|`` are part of a word.
    ways: the same words, folded. All other words have their usual meaning.
    seen: the first words of the column -> OUT or IN. unknown: words without a meaning -> their
    first lines.
    """

    def __init__(self, column: int, named: str | None) -> None:
        self.column = column
        sides = re.split(r"(?<!\\)\|", named or "", maxsplit=1)
        self.named = {
            re.sub(r"\\([,|])", r"\1", word.strip()): way
            for way, words in zip((OUT, IN), sides, strict=False)
            for word in re.split(r"(?<!\\),", words)
            if word.strip()
        }
        self.ways = {word_of(word): way for word, way in self.named.items()}
        self.seen: dict[str, int] = {}
        self.unknown: dict[str, int] = {}

    def direction(self, cells: Sequence[str], line: int) -> int:
        """Return OUT or IN; IN for an unknown word, which is noted."""
        text = cells[self.column].strip()
        way = self.seen.get(text)
        if way is None:
            word = word_of(text)
            way = self.ways.get(word) or DIRECTIONS.get(word)
            if way is None:
                way = IN
                self.unknown.setdefault(text, line)
            if len(self.seen) < _MOST_WORDS:
                self.seen[text] = way
        return way

    def turned(self, name: str) -> str:
        """Return the value of --sign by which the words seen mean the opposite. name: the column's
        name.
        """
        words = {word_of(text): text for text in self.seen}
        ways = {word: -(self.ways.get(word) or DIRECTIONS.get(word, 0)) for word in words}
        return sign_option(name, words.values(), ways)


def sign_option(name: str, texts: Iterable[str], ways: Mapping[str, int]) -> str:
    """Return the value of --sign. ways: folded word -> OUT or IN; other words are not named."""
    named = [(word_of(text), re.sub("[,|]", r"\\\g<0>", text.strip() or BLANK)) for text in texts]
    sides = (",".join(text for word, text in named if ways.get(word) == way) for way in (OUT, IN))
    return f"{name}={'|'.join(sides)}"


def text_of(cells: Sequence[str], indexes: Sequence[int]) -> str:
    """Return the trimmed cell; for several columns, their non-blank cells joined by spaces."""
    if len(indexes) == 1:
        return cells[indexes[0]].strip()
    return " ".join(text for index in indexes if (text := cells[index].strip()))


def clean_text(cells: Sequence[str], indexes: tuple[int, ...]) -> str | None:
    """Return the text like `text_of`, in the form to store; None if it is blank."""
    text = cells[indexes[0]].strip() if len(indexes) == 1 else text_of(cells, indexes)
    if text.isascii() and text.isprintable():
        return text or None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # White space may be left where a control character was dropped: trim again.
    return clean_or_none((clean_or_none(text) or "").strip())


def account_of(columns: Columns, cells: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the name of the row's account, and the bank's number for it."""
    indexes = columns.get("account"), columns.get("accountNumber")
    name, number = (None if each is None else clean_text(cells, each) for each in indexes)
    return name, None if number is None else "".join(number.split())


def money_text(cell: str) -> str:
    """Return the trimmed cell; "" for what stands in place of a missing amount, such as "-"."""
    text = cell.strip()
    return "" if text[-1:] in _NO_DIGIT and text.lower().strip(_DASHES) in _MISSING else text


def amount_cell(
    columns: Columns, cells: Sequence[str], words: SignWords | None, line: int
) -> Iterator[tuple[int, str]]:
    """Yield the non-blank amounts of a row, each with its place."""
    for place, name in _ONE if "amount" in columns else _SIDES:
        if text := money_text(cells[columns[name][0]]):
            yield (place if words is None or place else words.direction(cells, line)), text
