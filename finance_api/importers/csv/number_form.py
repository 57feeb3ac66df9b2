"""The form of one amount: its sign, currency, digits and separators."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from finance_api.importers.marks import Mark, mark_of

_MINUS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
#: No-break, figure, thin and narrow no-break space group digits as a space does; a typographic
#: apostrophe as a straight one.
_GROUPING = {0xA0: " ", 0x2007: " ", 0x2009: " ", 0x202F: " ", 0x2019: "'"}

#: Short names of currencies whose full stop is no decimal mark.
_DOTTED = re.compile(r"\b(s?fr|kr|rs)\.", re.IGNORECASE)
#: The text before the digits, the digits, the text after them.
_PARTS = re.compile(r"([^0-9.,]*)([.,]?[0-9](?:[0-9., ']*[0-9])?)([^0-9.,]*)")
_LEAD = re.compile(r"\(?[+-]?([^()+-]*)[+-]?\(?")
_TRAIL = re.compile(r"\)?[+-]?([^()+-]*)[+-]?\)?")
_SIDES = {"CR": 1, "DR": -1}

#: Longest text that is looked at as an amount.
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Written:
    """An amount taken apart.

    side: -1 for DR, 1 for CR, else 0: those say which way the money goes, whatever a sign means.
    mark: its currency as the cell has it, None without one.
    digits: ASCII digits with . , ' and space between them.
    """

    negative: bool
    side: int
    mark: Mark | None
    digits: str


def shape_of(text: str) -> Written | None:
    """None if the text is not an amount under any reading.

    Understood are one sign before or after, parentheses for negative, CR or DR, and one currency
    code or symbol on either side.
    """
    if len(text) > _LONGEST:
        return None
    text = _DOTTED.sub(r"\1", text.translate(_MINUS).translate(_GROUPING).strip())
    match = _PARTS.fullmatch(text)
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
    if (
        (first and last)
        or (first_side and last_side)
        or brackets not in ((0, 0), (1, 1))
        or signs + brackets[0] + abs(first_side + last_side) > 1
    ):
        return None
    mark = None
    if first or last:
        mark = _mark(first or last)
        if mark is None:
            return None
    side = first_side or last_side
    return Written("-" in outside or brackets[0] == 1 or side < 0, side, mark, match[2])


def _without_side(text: str) -> tuple[str, int]:
    """Without the CR or DR that stands alone or beside a currency: the rest, and which it was."""
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
