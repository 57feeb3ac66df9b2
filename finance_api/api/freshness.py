"""What answers depend on besides the user's data and the request: the moment, and settings.

A parameter says what it makes an answer depend on (``varies_with``), and so does an endpoint for
everything else; an endpoint that says nothing depends on everything. Entity tags and the response
cache follow from these words, so a forgotten one costs time, but never shows an outdated answer.
"""

from collections.abc import Collection
from enum import StrEnum

from finance_api.planning.answers import Reading
from finance_api.values.time import date_text, instant_text


class Source(StrEnum):
    """Something that can change an answer while the user's data stays the same.

    DAY: the day in the user's time zone. RATES: the imported exchange rates.
    """

    DAY = "day"
    MINUTE = "minute"
    BASE_CURRENCY = "base currency"
    RATES = "rates"


DAY, MINUTE, BASE_CURRENCY, RATES = Source
EVERYTHING = frozenset(Source)
NOTHING: frozenset[Source] = frozenset()


def variant(reading: Reading, sources: Collection[Source]) -> str:
    """Return a text that differs whenever one of the sources has changed.

    The answer is read from the same snapshot as the state of the exchange rates.
    """
    user, now = reading.user, reading.now
    parts = ["link"] * reading.is_for_link
    if DAY in sources:
        parts += (date_text(reading.today), user.time_zone)
    if BASE_CURRENCY in sources:
        parts.append(str(user.base_currency))
    if MINUTE in sources:
        parts.append(instant_text(now - now % 60))
    if RATES in sources:
        parts.append(str(reading.storage.rates.get_state().tag))
    return " ".join(parts)
