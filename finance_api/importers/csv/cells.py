"""Reads the cells of a row by the roles of their columns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.csv.amounts import Amount, AmountReader
from finance_api.importers.csv.dates import DateReader
from finance_api.importers.csv.mapping import Columns
from finance_api.importers.csv.vocabulary import DIRECTIONS, folded
from finance_api.importers.interface import ImportRefused, quoted, stated_code, wrong_value
from finance_api.resources import RECORDS
from finance_api.resources.common import PAYMENT_TYPES
from finance_api.resources.field import Kind as FieldKind
from finance_api.resources.records import RECORD_STATES, STATED
from finance_api.values.text import clean_or_none
from finance_api.values.time import DAY_SECONDS

#: Where an amount stands: in the amount column, or on the side of money going out or coming in.
AMOUNT, OUT, IN = 0, -1, 1
_ONE, _SIDES = ((AMOUNT, "amount"),), ((OUT, "debit"), (IN, "credit"))
#: (place, sign): the sign that `AmountColumns.add` returns.
Kind = tuple[int, int]
#: Fields with one of several words -> what a word is, and the words.
_WORDS = {"paymentType": ("payment type", PAYMENT_TYPES), "recordState": ("state", RECORD_STATES)}
_OTHERS = frozenset(("valueDate", "counterpartyAccount", "originalAmount", "labels", *_WORDS))
#: Fields with any text -> attributes of an entry.
_TEXTS = {"id": "bank_id", "payee": "payee", "note": "note", "category": "category"}
_TEXTS |= {
    n: a for n, a in STATED.items() if RECORDS[n].kind is FieldKind.TEXT and n not in _OTHERS
}
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
        """Raises ImportRefused if ``named`` has a word for both directions."""
        sides = re.split(r"(?<!\\)\|", named or "", maxsplit=1)
        self.named: dict[str, int] = {}
        self.ways: dict[str, int] = {}
        for way, words in zip((OUT, IN), sides, strict=False):
            for written in filter(str.strip, re.split(r"(?<!\\),", words)):
                word = re.sub(r"\\([,|])", r"\1", written.strip())
                if self.ways.setdefault(word_of(word), way) != way:
                    raise wrong_value("sign", word, "stands for both directions")
                self.named[word] = way
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


@dataclass(frozen=True)
class Signs:
    """What the signs of amounts mean.

    rules: place of an amount -> sign (as `AmountColumns.add` returns it) -> 1 for money coming in,
    -1 for money going out. by_line: line -> 1 or -1, if the balances show it.
    """

    rules: Mapping[int, Mapping[int, int]]
    by_line: Mapping[int, int] = field(default_factory=dict)

    def units(self, amount: Amount, place: int, line: int) -> int:
        """Return the amount in ten-thousandths, negative for money going out."""
        if self.by_line and line in self.by_line:
            return self.by_line[line] * abs(amount.units)
        sign = 2 * amount.side or (1 if amount.units > 0 else -1)
        return self.rules[place][sign] * abs(amount.units)

    def direction(self, kind: Kind) -> int:
        """Return 1 for money coming in, -1 for money going out, 0 for an amount of zero."""
        place, sign = kind
        return self.rules[place][sign] if sign else 0


@dataclass(frozen=True)
class RowReader:
    """Reads the cells of a row, following the decisions made for the whole file.

    label_separators: each of these characters ends a label.
    """

    columns: Columns
    signs: Signs
    words: SignWords | None
    dates: DateReader
    value_dates: DateReader
    amounts: AmountReader
    fees_signed: Sequence[bool]
    label_separators: str

    def text(self, name: str, cells: Sequence[str]) -> str | None:
        indexes = self.columns.get(name)
        return None if indexes is None else clean_text(cells, indexes)

    def money(self, line: int, cells: Sequence[str]) -> tuple[int, Amount]:
        """Return the amount in ten-thousandths, negative for money going out, and as written."""
        found: tuple[int, Amount] | None = None
        for place, text in amount_cell(self.columns, cells, self.words, line):
            amount = self.amounts.read(text, line)
            if found is not None and found[0] and amount.units:
                raise ImportRefused(clause(Topic.BOTH_SIDES), line)
            if found is None or amount.units:
                found = (self.signs.units(amount, place, line), amount)
        assert found is not None
        return found

    def amount(self, name: str, line: int, cells: Sequence[str]) -> Amount | None:
        indexes = self.columns.get(name)
        text = money_text(cells[indexes[0]]) if indexes is not None else ""
        return self.amounts.read(text, line) if text else None

    def balance(self, line: int, cells: Sequence[str]) -> int | None:
        """Return the row's balance in ten-thousandths; None if its cell is empty."""
        amount = self.amount("balance", line, cells)
        if amount is None or "balanceSign" not in self.columns:
            return None if amount is None else amount.units
        way = DIRECTIONS.get(folded(text_of(cells, self.columns["balanceSign"])))
        return amount.units if way is None else way * abs(amount.units)

    def any_balance(self, line: int, cells: Sequence[str], *, is_debt: bool) -> int | None:
        """Return the balance in its column, or else in the columns of the amounts.

        is_debt: whether the column has what is owed.
        """
        if (units := self.balance(line, cells)) is not None:
            return -units if is_debt else units
        for place, text in amount_cell(self.columns, cells, self.words, line):
            units = self.amounts.read(text, line).units
            return place * abs(units) if place else units * self.signs.rules[place].get(1, 1)
        return None

    def date(self, line: int, cells: Sequence[str]) -> tuple[int, int | None]:
        """Return the date, in seconds, and its offset from UTC, if it states one."""
        text = text_of(cells, self.columns["recordDate"])
        return self.dates.read_with_offset(text, line)

    def day(self, cells: Sequence[str]) -> int | None:
        """Return the row's day, in seconds; None if it has no valid date."""
        with suppress(ImportRefused):
            day, _ = self.date(0, cells)
            return day - day % DAY_SECONDS
        return None

    def account(self, cells: Sequence[str]) -> tuple[str | None, str | None]:
        """Return the name of the row's account, and the bank's number for it."""
        return account_of(self.columns, cells)

    def is_opening(self, cells: Sequence[str]) -> bool:
        """Return whether the row's amount is a part of the opening balance."""
        indexes = self.columns.get("opening")
        return indexes is not None and bool(cells[indexes[0]])

    def fee(self, line: int, cells: Sequence[str]) -> int:
        """Return the fee in ten-thousandths, negative for money going out."""
        fees = 0
        for index, signed in zip(self.columns.get("fee", ()), self.fees_signed, strict=True):
            if text := money_text(cells[index]):
                units = self.amounts.read(text, line).units
                if not signed and units < 0:
                    raise ImportRefused(clause(Topic.FEE_IS_SIGNED), line)
                fees += units if signed else -units
        return fees

    def original(self, line: int, cells: Sequence[str]) -> tuple[int | None, str | None]:
        """Return the amount before conversion and its currency; both None if either is missing."""
        amount = self.amount("originalAmount", line, cells)
        if amount is None:
            return None, None
        text = self.text("originalCurrencyCode", cells)
        if text is not None:
            return amount.units, stated_code(text, "the original currency", line)
        code = amount.mark.currency if amount.mark is not None else None
        return (None, None) if code is None else (amount.units, code)

    def values(self, line: int, cells: Sequence[str]) -> dict[str, Any]:
        """Return the fields of an entry except its date, amount and fee."""
        values: dict[str, Any] = {name: clean_text(cells, i) for name, i in self._texts}
        return values | self._others(line, cells) if self._has_others else values

    @cached_property
    def _texts(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(a, self.columns[name]) for name, a in _TEXTS.items() if name in self.columns]

    @cached_property
    def _has_others(self) -> bool:
        return not _OTHERS.isdisjoint(self.columns)

    def _others(self, line: int, cells: Sequence[str]) -> dict[str, Any]:
        """Read the fields of an entry for which most files have no columns."""
        columns = self.columns
        values: dict[str, Any] = {}
        if "labels" in columns:
            values["labels"] = _labels(self.label_separators, self.text("labels", cells))
        if "paymentType" in columns:
            values["payment_type"] = self._word("paymentType", line, cells)
        if "recordState" in columns:
            values["record_state"] = self._word("recordState", line, cells) or ""
        if "valueDate" in columns and (day := self.text("valueDate", cells)):
            date = self.value_dates.read(day, line)
            values["value_date"] = date - date % DAY_SECONDS
        if other_account := self.text("counterpartyAccount", cells):
            values["counterparty_account"] = "".join(other_account.split())
        if "originalAmount" in columns:
            original = self.original(line, cells)
            values["original_amount"], values["original_currency"] = original
        return values

    def _word(self, field: str, line: int, cells: Sequence[str]) -> str | None:
        text, (what, words) = self.text(field, cells), _WORDS[field]
        if text is not None and text.lower() not in words:
            fault = f"the {what} {quoted(text)} is not one of {', '.join(words)}"
            raise ImportRefused(fault, line)
        return text and text.lower()


@lru_cache(_MOST_WORDS)
def _labels(separators: str, text: str | None) -> tuple[str, ...]:
    """Return the different names in a text, each once, in their order."""
    between = str.maketrans(dict.fromkeys(separators[1:], separators[0]))
    names = map(str.strip, (text or "").translate(between).split(separators[0]))
    return tuple(dict.fromkeys(filter(None, names)))
