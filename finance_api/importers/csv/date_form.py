"""One form of dates: strptime's directives or a readable pattern, compiled once.

Not `datetime.strptime` itself: that reads month names in the language of the process, takes a
missing year for 1900, and a hundred thousand calls of it take seconds.
"""

import re
from dataclasses import dataclass
from datetime import date

from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused
from finance_api.values.time import from_date

#: Month names in English, as their first three letters, "sept", or in full.
_MONTH_NUMBERS = {
    "january": 1,
    "february": 2,
    "march": 3,
    "april": 4,
    "may": 5,
    "june": 6,
    "july": 7,
    "august": 8,
    "september": 9,
    "october": 10,
    "november": 11,
    "december": 12,
}
_MONTH_NUMBERS |= {name[:3]: i for name, i in _MONTH_NUMBERS.items()} | {"sept": 9}

#: Directive -> (the group it fills, or "" if it is read over; expression; expression where
#: a number stands directly beside it and its width has to be fixed).
_DIRECTIVES = {
    "Y": ("year", "[0-9]{4}", "[0-9]{4}"),
    "y": ("year", "[0-9]{2}", "[0-9]{2}"),
    "m": ("month", "1[0-2]|0?[1-9]", "[0-9]{2}"),
    "b": ("month", "[A-Za-z]{3,9}", ""),
    "B": ("month", "[A-Za-z]{3,9}", ""),
    "d": ("day", "3[01]|[12][0-9]|0?[1-9]", "[0-9]{2}"),
    "H": ("", "[0-9]{1,2}", "[0-9]{2}"),
    "I": ("", "[0-9]{1,2}", "[0-9]{2}"),
    "M": ("", "[0-9]{1,2}", "[0-9]{2}"),
    "S": ("", "[0-9]{1,2}", "[0-9]{2}"),
    "f": ("", "[0-9]{1,9}", "[0-9]{6}"),
    "p": ("", r"[AaPp]\.?[Mm]\.?", ""),
    "z": ("", "Z|[+-][0-9]{2}:?[0-9]{2}", ""),
    "Z": ("", "[A-Za-z]{1,5}", ""),
    "a": ("", "[A-Za-z]{2,9}", ""),
    "A": ("", "[A-Za-z]{2,9}", ""),
}
_READABLE = {
    "YYYY": "%Y",
    "YY": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "DD": "%d",
    "D": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
}
_READABLE_TOKEN = re.compile("YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|mm|ss|[A-SU-Za-su-z]+")
_TOKEN = re.compile(r"%(.?)|(\s+)|([^%\s]+)", re.DOTALL)

#: The time of day that may follow a form without one; it is dropped.
_TIME = (
    r"(?:(?:[Tt]|,?\s{1,2})[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"(?:\s?[AaPp][Mm])?(?:\s?(?:[Zz]|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?)?"
)

#: Longest text that is looked at as a date.
_LONGEST = 64


@dataclass(frozen=True)
class DateForm:
    """name: as the user wrote it, or may write it after --date-format."""

    name: str
    _pattern: re.Pattern[str]
    _short_year: bool

    @classmethod
    def compile(cls, name: str) -> "DateForm":
        """Raises ImportRefused naming --date-format."""
        expression, fills, used = _expression(name, name if "%" in name else _from_readable(name))
        if sorted(fills) != ["day", "month", "year"]:
            raise ImportRefused(
                f"--date-format {quoted(name)} needs the day, the month and the year, once each, "
                "as in %d/%m/%Y or DD/MM/YYYY"
            )
        time = "" if used & set("HIMS") else _TIME
        return cls(name, re.compile(expression + time), "y" in used)

    def read(self, text: str) -> int | None:
        """Seconds of the date's midnight; None if the text has another form or is no day.

        The calendar date as written: a time zone does not move it. Years of two digits are
        POSIX's (strptime): 69 to 99 are 19YY, 00 to 68 are 20YY.
        """
        if len(text) > _LONGEST:
            return None
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        year = int(match["year"])
        if self._short_year:
            year += 1900 if year >= 69 else 2000
        month = match["month"]
        number = int(month) if month.isdigit() else _MONTH_NUMBERS.get(month.lower(), 0)
        try:
            return from_date(date(year, number, int(match["day"])))
        except ValueError:
            return None


def _from_readable(name: str) -> str:
    # "yyyy-mm-dd" means the same as in capitals unless there are hours: then mm are minutes.
    text = name.upper() if name.islower() and "h" not in name else name

    def directive(match: re.Match[str]) -> str:
        if match[0] not in _READABLE:
            raise ImportRefused(
                f"--date-format {quoted(name)}: {quoted(match[0])} is not one of "
                + ", ".join(_READABLE)
            )
        return _READABLE[match[0]]

    return _READABLE_TOKEN.sub(directive, text)


def _expression(name: str, directives: str) -> tuple[str, list[str], set[str]]:
    """The regular expression, the groups it fills, and the directives in it.

    No directive comes twice, so that matching stays short whatever the form.
    """
    tokens = [match.groups() for match in _TOKEN.finditer(directives)]
    numeric = [
        bool(letter) and bool(_DIRECTIVES.get(letter, ("", "", ""))[2]) for letter, *_ in tokens
    ]
    parts: list[str] = []
    fills: list[str] = []
    used: set[str] = set()
    for index, (letter, space, literal) in enumerate(tokens):
        if letter is None:
            parts.append(r"\s+" if space else re.escape(literal))
        elif letter == "%":
            parts.append("%")
        elif letter not in _DIRECTIVES or letter in used:
            raise ImportRefused(
                f"--date-format {quoted(name)}: %{letter} is given twice"
                if letter in used
                else f"--date-format {quoted(name)}: {quoted('%' + letter)} is not one of "
                + ", ".join("%" + known for known in _DIRECTIVES)
            )
        else:
            used.add(letter)
            group, free, fixed = _DIRECTIVES[letter]
            beside = numeric[index - 1 : index] + numeric[index + 1 : index + 2]
            expression = fixed if numeric[index] and any(beside) else free
            if not group:
                parts.append(f"(?:{expression})")
                continue
            # A group filled twice (%m and %b) is refused by the caller, who sees it in `fills`.
            parts.append(f"(?P<{group}>{expression})" if group not in fills else "")
            fills.append(group)
    return "".join(parts), fills, used
