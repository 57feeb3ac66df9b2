"""The form of one amount: its sign, currency, digits and separators."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from finance_api.resources.currencies import CURRENCIES

_CODES = frozenset(CURRENCIES)
#: The only symbol that stands for one currency.
_SYMBOLS = {"€": "EUR"}

_MINUS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
#: No-break, figure, thin and narrow no-break space group digits as a space does; a typographic
#: apostrophe as a straight one.
_GROUPING = {0xA0: " ", 0x2007: " ", 0x2009: " ", 0x202F: " ", 0x2019: "'"}

#: What stands before the digits, the digits, what stands after.
_PARTS = re.compile(r"([^0-9.,]*)([.,]?[0-9](?:[0-9., ']*[0-9])?)([^0-9.,]*)")
_LEAD = re.compile(r"\(?[+-]?([^()+-]*)[+-]?\(?")
_TRAIL = re.compile(r"\)?[+-]?([^()+-]*)[+-]?\)?")

#: Longest text that is looked at as an amount.
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Written:
    """An amount taken apart.

    mark: its currency as the cell has it: a code, a symbol other than €, or "".
    digits: ASCII digits with . , ' and space between them.
    """

    negative: bool
    mark: str
    digits: str


def shape_of(text: str) -> Written | None:
    """None if the text is not an amount under any reading.

    Understood are one sign before or after, parentheses for negative, and one currency code
    or symbol on either side.
    """
    if len(text) > _LONGEST:
        return None
    match = _PARTS.fullmatch(text.translate(_MINUS).translate(_GROUPING).strip())
    if match is None:
        return None
    lead, trail = ("".join(match[i].split()) for i in (1, 3))
    if not lead and not trail:
        return Written(False, "", match[2])
    before, after = _LEAD.fullmatch(lead), _TRAIL.fullmatch(trail)
    if before is None or after is None:
        return None
    mark = _mark(before[1] or after[1])
    outside = lead + trail
    brackets = lead.count("("), trail.count(")")
    signs = outside.count("+") + outside.count("-")
    if (
        mark is None
        or (before[1] and after[1])
        or brackets not in ((0, 0), (1, 1))
        or signs + brackets[0] > 1
    ):
        return None
    return Written("-" in outside or brackets[0] == 1, mark, match[2])


def _mark(text: str) -> str | None:
    if not text:
        return ""
    if text.upper() in _CODES:
        return text.upper()
    if len(text) == 1 and unicodedata.category(text) == "Sc":
        return _SYMBOLS.get(text, text)
    return None


@cache
def number_pattern(decimal: str, thousands: str | None) -> re.Pattern[str]:
    """Digits under one reading: groups ``whole`` and ``fraction``.

    decimal: "." or ",". thousands: the only character that may group, None for any.
    Groups are of three digits, by one character throughout; or Indian (2-2-3) by a comma.
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
    """``digits`` as ``whole[.fraction]`` without grouping; None if the reading does not fit."""
    match = pattern.fullmatch(digits)
    if match is None:
        return None
    whole = re.sub("[^0-9]", "", match["whole"]) or "0"
    return f"{whole}.{match['fraction']}" if match["fraction"] else whole
