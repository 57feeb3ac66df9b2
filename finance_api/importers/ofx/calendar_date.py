"""Dates as banks write them: ``YYYYMMDD[HHMMSS[.XXX][[offset:name]]]`` (OFX 1.6, 3.2.8.2).

The date is the one that the bank wrote. Its time and zone are left aside: taken seriously, they
would move a booking to the day before or after the one on the statement.
"""

import re

from finance_api.importers.ofx.element import Element
from finance_api.values.time import TimeError, parse_date

_DATE = re.compile(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})")


def date_of(leaf: Element) -> int:
    """The seconds of the midnight of the leaf's date; else refused."""
    date = _DATE.match(leaf.text)
    if not date:
        raise leaf.refused("is not a date in the form YYYYMMDD")
    try:
        return parse_date(f"{date[1]}-{date[3]}-{date[4]}")
    except TimeError as error:
        raise leaf.refused(str(error)) from None
