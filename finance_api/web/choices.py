"""Long lists to choose from, in groups: currencies and time zones."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from zoneinfo import available_timezones

from finance_api.resources.currencies import IN_USE

#: A value and its label, or the title of a group and its options.
Option = tuple[str, str]
Options = Sequence[Option | tuple[str, Sequence[Option]]]

_COMMON = "EUR USD GBP CHF JPY AUD CAD CNY CZK DKK HUF INR NOK PLN SEK".split()


def flat(options: Options) -> Iterator[Option]:
    """Yield the options without their groups."""
    for value, label in options:
        if isinstance(label, str):
            yield value, label
        else:
            yield from label


def currency_options(own: Iterable[str], among: Iterable[str] = IN_USE) -> Options:
    """Return the currencies in use: first the user's own, then the common ones, then all others.

    own: the user's currencies, offered even if withdrawn. among: the other currencies to offer.
    """
    yours, others = sorted(set(own)), set(among) & IN_USE.keys()
    groups = {
        "Yours": yours,
        "Common": [code for code in _COMMON if code in others and code not in yours],
        "All others": sorted(others - {*yours, *_COMMON}),
    }
    return [(title, [_named(code) for code in codes]) for title, codes in groups.items() if codes]


def _named(code: str) -> Option:
    return code, f"{code} {IN_USE.get(code, '')}".strip()


@cache
def time_zone_options() -> Options:
    """Return the time zones by part of the world; zones that name no such part come last."""
    named = sorted(available_timezones() - {"UTC"}, key=lambda zone: ("/" not in zone, zone))
    groups = groupby(named, lambda zone: zone.partition("/")[0] if "/" in zone else "Others")
    return [
        ("UTC", "UTC"),
        *((part, [(zone, _place(zone)) for zone in zones]) for part, zones in groups),
    ]


def _place(zone: str) -> str:
    """``America/Argentina/Buenos_Aires`` -> ``Argentina, Buenos Aires``."""
    return (zone.partition("/")[2] or zone).replace("/", ", ").replace("_", " ")
