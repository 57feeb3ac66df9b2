"""Parses amounts, and reads columns of amounts with the decimal mark that an option names, or else
with the only decimal mark that fits all of them.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, cast

from finance_api.importers.clauses import Clause, Option, Says, Topic, clause
from finance_api.importers.interface import Choice, ImportRefused, Questions, quoted, wrong_value
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import Mark, mark_of
from finance_api.values.number import NumberError, decimal_text, parse_decimal, to_units

DECIMAL_MARKS = (".", ",")
_MINUS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
#: Digits of other scripts -> ASCII digits.
DIGITS = {ord(zero) + n: str(n) for zero in "٠۰०০੦૦௦౦೦๐០၀０" for n in range(10)}
#: Characters that group digits like a space (no-break, figure, thin and narrow no-break spaces), or
#: like a straight apostrophe (typographic apostrophe, Arabic thousands mark).
_GROUPING = {0xA0: " ", 0x2007: " ", 0x2009: " ", 0x202F: " ", 0x2019: "'", 0x66C: "'"}
_ARABIC_DECIMAL = {0x66B: "."}
_NUMERALS = _MINUS | _GROUPING | _ARABIC_DECIMAL | DIGITS

#: Short names of currencies that end in a full stop, which is not a decimal mark.
_DOTTED = re.compile(r"(?<![^\W\d_])(s?fr|kr|rs|rp|руб|р|лв|грн)\.", re.IGNORECASE)
#: The text before the digits, the digits, the text after them.
_PARTS = re.compile(r"([^0-9.,]*)([.,]?[0-9](?:[0-9., ']*[0-9])?)([^0-9.,]*)")
_LEAD = re.compile(r"\(?[+-]?([^()+-]*)[+-]?\(?")
_TRAIL = re.compile(r"\)?[+-]?([^()+-]*)[+-]?\)?")
_SIDES = {"CR": 1, "DR": -1, "DB": -1}
#: Letters that say the same directly behind the digits of an amount with cents. K, S and H count
#: only in a column that has a letter for the other side, too.
_LETTERS = {"D": -1, "C": 1, "K": 1, "S": -1, "H": 1}
_CENTS = re.compile(r"[.,][0-9]{2}$")
#: Digits whose mark may divide thousands or be the decimal mark.
_THREE = re.compile(r"[1-9][0-9]{0,2}([.,])[0-9]{3}")

#: Longest text that is examined as an amount.
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Written:
    """The parts of an amount as written in a cell.

    side: -1 for DR or DB, 1 for CR, else 0. They give the direction, whatever a sign means. mark:
    the currency beside the digits, if any. digits: ASCII digits with . , ' and space between them.
    is_doubled: whether it begins with two minus signs, so that it may be positive.
    """

    negative: bool
    side: int
    mark: Mark | None
    digits: str
    is_doubled: bool = False


def shape_of(text: str) -> Written | None:
    """Split a text into the parts of an amount; return None if it cannot be an amount.

    An amount may have one of these: a sign before or after it, parentheses for negative, CR, DR,
    DB. It may also have one currency code or symbol, on either side.
    """
    if len(text) > _LONGEST:
        return None
    text = _DOTTED.sub(r"\1", text.translate(_NUMERALS).strip())
    is_doubled = text.startswith("--")
    match = _PARTS.fullmatch(text.removeprefix("-") if is_doubled else text)
    if match is None:
        return None
    lead, trail = ("".join(match[i].split()) for i in (1, 3))
    if not lead and not trail:
        return Written(False, 0, None, match[2])
    before, after = _LEAD.fullmatch(lead), _TRAIL.fullmatch(trail)
    if before is None or after is None:
        return None
    outside = lead + trail
    brackets = lead.count("("), trail.count(")")
    signs = outside.count("+") + outside.count("-")
    first, first_side = _without_side(before[1])
    last, last_side = _without_side(after[1])
    if match[3].removeprefix(" ") in _LETTERS and _CENTS.search(match[2]):
        last, last_side = "", _LETTERS[last]
    if (
        (first and last)
        or (first_side and last_side)
        or brackets not in ((0, 0), (1, 1))
        or signs + brackets[0] + abs(first_side + last_side) > 1
    ):
        return None
    mark = _mark(first or last) if first or last else None
    if mark is None and (first or last):
        return None
    side = first_side or last_side
    negative = "-" in outside or brackets[0] == 1 or side < 0
    return Written(negative, side, mark, match[2], is_doubled)


def _without_side(text: str) -> tuple[str, int]:
    """Return the text without CR, DR or DB, and its side: 1 for CR, -1 for DR or DB, else 0."""
    for rest, side in ((text[:-2], text[-2:]), (text[2:], text[:2])):
        if side.upper() in _SIDES and (not rest or _mark(rest)):
            return rest, _SIDES[side.upper()]
    return text, 0


def _mark(text: str) -> Mark | None:
    known = mark_of(text)
    if known is None and len(text) == 1 and unicodedata.category(text) == "Sc":
        return Mark(text, None, ())
    return known


@cache
def number_pattern(decimal: str, thousands: str | None) -> re.Pattern[str]:
    """Return a pattern for numbers with this decimal mark; its groups are ``whole``, ``fraction``.

    decimal: "." or ",". thousands: the only character that may separate digits; None for any.
    Digits may be in threes, with one separator throughout, or in Indian form (2-2-3) with commas.
    """
    grouping = "".join(c for c in (thousands or ".,' ") if c != decimal)
    shapes = ["[0-9]+"]
    if grouping:
        shapes.append(rf"[1-9][0-9]{{0,2}}(?P<by>[{grouping}])[0-9]{{3}}(?:(?P=by)[0-9]{{3}})*")
    if "," in grouping:
        shapes.append(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
    whole = "|".join(shapes)
    return re.compile(rf"(?P<whole>{whole}|(?=[{decimal}]))(?:[{decimal}](?P<fraction>[0-9]+))?")


def plain_number(digits: str, pattern: re.Pattern[str]) -> str | None:
    """Return ``digits`` as ``whole[.fraction]``, ungrouped; None if they do not fit the pattern."""
    match = pattern.fullmatch(digits)
    if match is None:
        return None
    whole = re.sub("[^0-9]", "", match["whole"]) or "0"
    return f"{whole}.{match['fraction']}" if match["fraction"] else whole


#: Values of --thousands -> separator. All apostrophes are equivalent, and so are all spaces.
_THOUSANDS = dict.fromkeys("'\u2019", "'") | dict.fromkeys(" \u00a0\u2007\u2009\u202f", " ")
_THOUSANDS |= {".": ".", ",": ","}

#: At most this many different texts are remembered at a time.
_REMEMBERED = 50_000
#: Matches amounts that can be read in only one way, as most can.
_PLAIN = re.compile(r"(-?)[0-9]+([.,])[0-9]{1,2}")


class Amount(NamedTuple):
    """An amount that was read. units: ten-thousandths. side: -1 for DR or DB, 1 for CR, else 0.

    mark: the currency written beside the number, if any.
    """

    units: int
    side: int
    mark: Mark | None


class AmountColumns:
    """Takes the texts of a file's amount columns one by one, then decides their decimal mark.

    If ``decimal`` is None, it takes the only mark that fits all texts, or either mark if both give
    the same numbers; otherwise it asks. Memory does not grow with the number of texts.
    """

    def __init__(self, decimal: str | None, thousands: str | None) -> None:
        self._readings = _readings(decimal, thousands)
        self._thousands = thousands
        options: ImportOptions = {"decimal": decimal, "thousands": thousands}
        marks = cast("ImportOptions", {name: None for name, mark in options.items() if mark})
        self._without_marks = (Choice(marks),) if marks else ()
        # For the account's own money (True) and other money (False): text -> its sign.
        self._seen: dict[bool, dict[str, int]] = {True: {}, False: {}}
        self._mark_of: dict[str, Mark] = {}
        #: Currency beside amounts of the account's own money -> its first line.
        self.marks: dict[Mark, int] = {}
        self.has_bare = False
        self._is_given = decimal is not None or thousands is not None
        # Mark -> the first text such as 1.234, whose mark may divide thousands, and its line.
        self._doubtful: dict[str, tuple[str, int]] = {}
        self._has_many_decimals = False
        # Letter behind amounts of the account's own money -> the first such text, and its line.
        self._letters: dict[str, tuple[str, int]] = {}
        self._has_minus = False
        #: Amounts of the account's own money with two minus signs -> their first lines.
        self.doubled: dict[str, int] = {}

    def add(self, text: str, line: int, own: bool = True) -> int:
        """Add a trimmed text; return its sign: 1, -1, 0 for zero, 2 for CR, -2 for DR.

        own: whether it is the account's own money. Raises ImportRefused if it is not an amount.
        """
        known = self._seen[own]
        sign = known.get(text)
        if sign is not None:
            return sign
        plain = _PLAIN.fullmatch(text)
        if plain is not None and len(self._readings) == 1 and plain[2] in self._readings:
            sign = (-1 if plain[1] else 1) if text.strip("-0.,") else 0
            self.has_bare |= own and sign != 0
        else:
            sign = self._add(text, line, own)
        self._has_minus |= own and sign == -1
        if len(known) >= _REMEMBERED:
            known.clear()
            if own:
                self._mark_of.clear()
        known[text] = sign
        return sign

    def currency_of(self, text: str) -> str | None:
        """Return the currency in ``text``, the text added last; None if it is not certain."""
        mark = self._mark_of.get(text)
        return None if mark is None else mark.currency

    def _add(self, text: str, line: int, own: bool) -> int:
        parts = shape_of(text)
        if parts is None or (parts.is_doubled and not own):
            raise ImportRefused(f"{quoted(text)} is not an amount", line)
        if parts.is_doubled:
            self.doubled.setdefault(text, line)
        read = {mark: plain_number(parts.digits, p) for mark, p in self._readings.items()}
        numbers = {mark: number for mark, number in read.items() if number is not None}
        if not numbers:
            reason = _misfit(text, parts, list(self._readings), self._thousands)
            raise ImportRefused(reason, line, choices=self._without_marks)
        if len(numbers) < len(self._readings):
            self._readings = {mark: self._readings[mark] for mark in numbers}
        if three := _THREE.fullmatch(parts.digits):
            self._doubtful.setdefault(three[1], (text, line))
        else:
            decimals = (len(number.partition(".")[2]) for number in numbers.values())
            self._has_many_decimals |= max(decimals) > 2
        if own and parts.mark is not None:
            self.marks.setdefault(parts.mark, line)
            self._mark_of[text] = parts.mark
        if not parts.digits.strip("0.,' "):
            return 0
        self.has_bare |= own and parts.mark is None
        if parts.side:
            if own and text[-1] in _LETTERS:
                self._letters.setdefault(text[-1], (text, line))
            return 2 * parts.side
        return -1 if parts.negative else 1

    def decide(
        self,
        questions: Questions,
        fits: Callable[["AmountReader"], bool] = lambda reader: False,
        *,
        are_whole: bool = False,
        minor: bool = False,
    ) -> "AmountReader":
        """Return the reader that fits; ask for --decimal if two fit and give different numbers.

        fits: whether totals or balances fit the numbers of a reader. are_whole: whether the
        currency has no decimals. minor: as in `AmountReader`.
        """
        sides = {_LETTERS[letter] for letter in self._letters}
        is_unit = len(sides) == 1 and {"C", "D"}.isdisjoint(self._letters)
        if is_unit or (sides and self._has_minus):
            text, line = next(iter(self._letters.values()))
            raise ImportRefused(f"{quoted(text)} is not an amount", line)
        mark, doubtful = next(iter(self._readings)), self._doubtful
        if len(self._readings) == 1:
            # Beside amounts with one or two decimals, 1.234 may be from a file of another country.
            is_sure = self._is_given or self._has_many_decimals
            doubtful = {} if is_sure else {m: each for m, each in doubtful.items() if m == mark}
        if doubtful:
            text, line = next(iter(doubtful.values()))
            digits = cast("Written", shape_of(text)).digits
            point, comma = (digits.replace(m, "").replace(",", ".") for m in (",", "."))
            if len(self._readings) == 2 and are_whole and ("." in point) != ("." in comma):
                mark = "," if "." in point else "."
                return AmountReader(mark, self._readings[mark], minor=minor)
            readers = [AmountReader(m, p, minor=minor) for m, p in self._readings.items()]
            fitting = [reader for reader in readers if fits(reader)]
            if len(fitting) == 1:
                shown = quoted(_shown(point if fitting[0].decimal == "." else comma))
                why = "only so do totals or balances fit"
                questions.remarks.append(f"{quoted(text)} is {shown}: {why}")
                return fitting[0]
            amounts = {".": _shown(point), ",": _shown(comma)}
            choices = (
                Choice({"decimal": each}, clause(Says.AMOUNT_IS, text=text, amount=amounts[each]))
                # Hardly any currency has three decimals.
                for each in sorted(self._readings, key=digits.__contains__)
            )
            fact: Clause | str
            fact = clause(Topic.DECIMAL, text=text, point=amounts["."], comma=amounts[","])
            if len(self._readings) == 1:
                both = " or ".join(amounts.values())
                fact = (
                    f"the amount {quoted(text)} may be {both}; {quoted(mark)} is the decimal mark "
                )
                fact += "of other rows: if it divides thousands here, correct the file"
            questions.ask(fact, *choices, line=line)
        return AmountReader(mark, self._readings[mark], minor=minor)


class AmountReader:
    """Reads amounts that use one decimal mark. pattern: the form of their numbers.

    minor: whether numbers are hundredths of the currency. doubled: the sign of amounts with two
    minus signs; 0: they are refused.
    """

    def __init__(
        self, decimal: str, pattern: re.Pattern[str], *, minor: bool = False, doubled: int = 0
    ) -> None:
        self._divisor = 100 if minor else 1
        self._minor, self._doubled = minor, doubled
        self.decimal = decimal
        self._pattern = pattern
        self._plain = re.compile(rf"(-?)([0-9]{{1,12}})(?:[{decimal}]([0-9]{{1,4}}))?")
        self._known: dict[str, Amount] = {}

    def with_doubled(self, sign: int) -> "AmountReader":
        return AmountReader(self.decimal, self._pattern, minor=self._minor, doubled=sign)

    def read(self, text: str, line: int) -> Amount:
        """Read a trimmed text. Raises ImportRefused if it is not an amount."""
        amount = self._known.get(text)
        if amount is not None:
            return amount
        plain = self._plain.fullmatch(text)
        if plain is not None:
            minus, whole, fraction = plain.groups("")
            units = int(f"{whole}{fraction:0<4}")
            amount = Amount(-units if minus else units, 0, None)
        else:
            amount = self._read(text, line)
        if self._divisor > 1:
            units, rest = divmod(abs(amount.units), self._divisor)
            if rest:
                fault = f"{quoted(text)} has too many decimals for an amount in hundredths"
                raise ImportRefused(fault, line)
            amount = amount._replace(units=units if amount.units > 0 else -units)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[text] = amount
        return amount

    def _read(self, text: str, line: int) -> Amount:
        parts = shape_of(text)
        number = None if parts is None else plain_number(parts.digits, self._pattern)
        if parts is None or number is None or (parts.is_doubled and not self._doubled):
            raise ImportRefused(f"{quoted(text)} is not an amount", line)
        try:
            units = to_units(parse_decimal(number))
        except NumberError as error:
            raise ImportRefused(f"the amount {quoted(text)} {error}", line) from None
        is_out = self._doubled < 0 if parts.is_doubled else parts.negative
        return Amount(-units if is_out else units, parts.side, parts.mark)


def _readings(decimal: str | None, thousands: str | None) -> dict[str, re.Pattern[str]]:
    """Return decimal mark -> the pattern of numbers with this mark."""
    group = None if thousands is None else _THOUSANDS.get(thousands)
    if thousands is not None and group is None:
        raise wrong_value("thousands", thousands, "is not one of . , ' and a space")
    if decimal is not None and decimal not in DECIMAL_MARKS:
        raise wrong_value("decimal", decimal, "is neither . nor ,")
    if decimal is not None and decimal == group:
        first, second = Option("decimal"), Option("thousands")
        raise ImportRefused(clause(Topic.SAME_VALUE, first=first, second=second, value=decimal))
    marks = DECIMAL_MARKS if decimal is None else (decimal,)
    return {mark: number_pattern(mark, group) for mark in marks if mark != group}


def _misfit(text: str, parts: Written, left: list[str], thousands: str | None) -> Clause | str:
    mark = left[0]
    patterns = (number_pattern(other, None) for other in DECIMAL_MARKS)
    if len(left) == 1 and any(plain_number(parts.digits, pattern) for pattern in patterns):
        grouped = "" if thousands is None else clause(Says.THOUSANDS, thousands=thousands)
        return clause(Topic.NOT_OF_DECIMAL, text=text, mark=mark, grouped=grouped)
    return f"{quoted(text)} is not an amount: its digits are not in groups of three"


def _shown(number: str) -> str:
    try:
        return decimal_text(to_units(parse_decimal(number)))
    except NumberError:
        return number
