"""How people of a region write numbers and dates, from the Unicode CLDR."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.localedata import locale_identifiers

from finance_api.values.number import DECIMALS, decimal_text
from finance_api.values.time import to_date

MINUS = "\N{MINUS SIGN}"
#: Marks that people everywhere recognise. A region with other marks gets the default's marks.
USUAL_MARKS = ".,' \N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_ENGLISH = "en"
_THOUSANDS_DIGITS = 3
#: A territory of ISO 3166, not a part of the world such as 150.
_TERRITORY = re.compile("[A-Z]{2}")
#: The year in a pattern, with its separators.
_YEAR = re.compile("(?<![^dM])[^dMy]*+y[^dM]*+")


class RegionError(ValueError):
    """The text is not a region; the message says why."""


@dataclass(frozen=True)
class Region:
    """tag: the region's tag in BCP 47; "" for the default.

    point, group: the marks before the decimals and between groups of digits.
    last_group, other_groups: the numbers of digits in these groups, which differ in India.
    day_pattern: the pattern of a date, in the CLDR's letters. first_weekday: 0 is Monday.
    """

    tag: str = ""
    point: str = "."
    group: str = ","
    last_group: int = 3
    other_groups: int = 3
    day_pattern: str = "d MMM y"
    first_weekday: int = 0

    def amount(self, units: int, least_decimals: int = 2) -> str:
        """Return ten-thousandths as ``−1,234.50``: grouped, with all decimals, but at least
        ``least_decimals``."""
        sign = MINUS if units < 0 else ""
        whole, _, decimals = decimal_text(abs(units), DECIMALS).partition(".")
        decimals = decimals.ljust(least_decimals, "0")
        return f"{sign}{self._grouped(whole)}{self.point if decimals else ''}{decimals}"

    def count(self, number: int) -> str:
        sign = MINUS if number < 0 else ""
        return f"{sign}{self._grouped(str(abs(number)))}"

    def decimal(self, plain: str) -> str:
        """Return ``1234.5`` with the region's decimal mark, not grouped."""
        return plain.replace(".", self.point)

    def written(self, units: int, least_decimals: int = 2) -> str:
        """Return ten-thousandths in a form that `parse_amount` accepts: ``-1234.50``."""
        whole, _, decimals = decimal_text(units, DECIMALS).partition(".")
        decimals = decimals.ljust(least_decimals, "0")
        if len(decimals) == _THOUSANDS_DIGITS:
            # Three digits after a mark could also be thousands.
            decimals += "0"
        return f"{whole}{self.point if decimals else ''}{decimals}"

    def day(self, seconds: int) -> str:
        return _day_text(self.day_pattern, seconds)

    def day_of_year(self, seconds: int) -> str:
        """Return a date without its year: ``26 Nov``."""
        return _day_text(_YEAR.sub("", self.day_pattern), seconds)

    @property
    def day_order(self) -> str:
        """Return the order of day, month and year: ``dMy``, ``Mdy`` or ``yMd``."""
        return "".join(dict.fromkeys(letter for letter in self.day_pattern if letter in "dMy"))

    def _grouped(self, digits: str) -> str:
        if len(digits) <= self.last_group:
            return digits
        if self.last_group == self.other_groups == _THOUSANDS_DIGITS:
            return f"{int(digits):,}".replace(",", self.group)
        head, groups = digits[: -self.last_group], [digits[-self.last_group :]]
        while head:
            groups.insert(0, head[-self.other_groups :])
            head = head[: -self.other_groups]
        return self.group.join(groups)


DEFAULT = Region()


def parse_region(text: str) -> str:
    """Return the tag of a region in its usual spelling: ``de-AT``. Raises RegionError."""
    return _locale(text).replace("_", "-")


def _locale(text: str) -> str:
    try:
        return str(Locale.parse(text.strip().replace("-", "_")))
    except (ValueError, UnknownLocaleError):
        raise RegionError("is not a region such as de-AT, en-GB or en-US") from None


@lru_cache(maxsize=128)
def region_of(tag: str) -> Region:
    """Return the region with a tag, or the default if only an earlier CLDR had the tag."""
    try:
        locale = Locale.parse(tag, sep="-")
    except (ValueError, UnknownLocaleError):
        return DEFAULT
    symbols = locale.number_symbols
    symbols = symbols.get("latn", symbols)
    marks = (symbols["decimal"], symbols["group"])
    point, group = marks if set(marks) <= set(USUAL_MARKS) else (DEFAULT.point, DEFAULT.group)
    last_group, other_groups = locale.decimal_formats[None].grouping
    return Region(
        tag, point, group, last_group, other_groups, _day_pattern(locale), locale.first_week_day
    )


def _day_pattern(locale: Locale) -> str:
    """Return the usual pattern, or one in digits if the usual pattern has non-English names."""
    pattern = str(locale.date_formats["medium"].pattern)
    if locale.language != _ENGLISH and "MMM" in pattern:
        pattern = str(locale.datetime_skeletons["yMd"].pattern)
    # Drop marks of direction, which are for texts in other scripts.
    return "".join(c for c in pattern if unicodedata.category(c) != "Cf")


@lru_cache(maxsize=16_384)
def _day_text(pattern: str, seconds: int) -> str:
    return str(format_date(to_date(seconds), pattern, locale=_ENGLISH))


@cache
def region_names() -> dict[str, str]:
    """Return English names of the regions with a territory, by tag, in the order of the names."""
    english = Locale(_ENGLISH)
    names = {}
    for identifier in locale_identifiers():
        language, *parts = identifier.split("_")
        territory = parts[-1] if parts else ""
        if not _TERRITORY.fullmatch(territory) or territory not in english.territories:
            continue
        script = "".join(f", {english.scripts.get(part, part)}" for part in parts[:-1])
        spoken = english.languages.get(language, language)
        names[identifier.replace("_", "-")] = f"{english.territories[territory]} ({spoken}{script})"
    return dict(sorted(names.items(), key=lambda item: item[1]))
