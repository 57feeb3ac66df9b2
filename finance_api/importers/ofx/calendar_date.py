"""Dates as banks write them: ``YYYYMMDD[HHMMSS[.XXX][[offset:name]]]`` (OFX 1.6, 3.2.8.2).

The date is the one that the bank wrote. Its time and zone are left aside: taken seriously, they
would move a booking to the day before or after the one on the statement.
"""

import re

from finance_api.importers.ofx.element import Element
from finance_api.values.time import TimeError, parse_date

_DATE = re.compile(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})")
_CLOCK = re.compile(
    r"T?([01][0-9]|2[0-3]):?([0-5][0-9]):?([0-5][0-9])(?:\.[0-9]*)?"
    r"(?:\s*\[([+-]?[0-9]{1,2}(?:\.[0-9]{1,2})?)(?::[^]]*)?\])?"
)
#: Some banks write a date of zeros where they have none.
_NO_DATE = re.compile("0++(?![0-9])")


def date_of(leaf: Element) -> int:
    """The seconds of the midnight of the leaf's date; else refused."""
    date = _DATE.match(leaf.text)
    if not date:
        raise leaf.refused("is not a date in the form YYYYMMDD")
    try:
        return parse_date(f"{date[1]}-{date[3]}-{date[4]}")
    except TimeError as error:
        raise leaf.refused(str(error)) from None


def date_or_none_of(leaf: Element | None) -> int | None:
    """As `date_of`; None for no date."""
    return None if leaf is None or _NO_DATE.match(leaf.text) else date_of(leaf)


def moment_of(leaf: Element | None) -> int | None:
    """The leaf's date with its time and zone, in seconds, to tell which of two is later."""
    day = date_or_none_of(leaf)
    if leaf is None or day is None:
        return None
    date = _DATE.match(leaf.text)
    clock = _CLOCK.match(leaf.text, date.end()) if date else None
    if clock is None:
        return day
    seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])
    return day + seconds - round(float(clock[4] or 0) * 3600)
