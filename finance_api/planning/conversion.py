"""Amounts in another currency, by the exchange rates that were imported."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache

from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.common import amount_field, currency_field, text_field
from finance_api.resources.field import Field, Resource
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.number import rounded
from finance_api.values.time import DAY_SECONDS, Period, date_text, start_of

#: Maximum age of a rate: a day without a rate uses the last rate before it.
MAX_AGE_DAYS = 7
#: The preferred base if a conversion goes through a base.
_EUR = "EUR"

#: An exact rate: (numerator, denominator), denominator above 0.
Ratio = tuple[int, int]

#: The amount field that is converted, by resource.
CONVERTED: Mapping[Resource, str] = {RECORDS: "amount", ACCOUNTS: "balance"}


def no_rate(currency: str, target: str, day: str) -> str:
    """Return the message that there is no rate for the day, and how to import rates."""
    return (
        f"there is no exchange rate from {currency} to {target} for {day} or the {MAX_AGE_DAYS} "
        f"days before: import rates with 'finance-api rates import'"
    )


def no_rates(currencies: Iterable[str], target: str, share: str) -> str:
    """Return the message that a sum lacks records, and how to import rates. share: "2 of 3"."""
    return (
        f"{share} records could not be converted, because there are no exchange rates from "
        f"{' and '.join(sorted(currencies))} to {target} for their days or the {MAX_AGE_DAYS} days "
        f"before: import rates with 'finance-api rates import'"
    )


def converted_field(name: str) -> Field:
    """Return the column of a converted amount."""
    converted = f"converted{name[0].upper()}{name[1:]}"
    meaning = f"{name} in the currency of convertTo."
    return amount_field(converted, meaning, -49.9)


CONVERTED_CURRENCY = replace(
    currency_field("The currency of convertTo.", nullable=False),
    name="convertedCurrencyCode",
    example="USD",
)
CONVERSION_ERROR = text_field(
    "conversionError", "Why the amount was not converted.", no_rate("EUR", "USD", "2026-01-31")
)


@cache
def converted_fields(name: str) -> tuple[Field, ...]:
    """Return the columns of a converted amount: amount, currency, and why the amount is missing."""
    return converted_field(name), CONVERTED_CURRENCY, CONVERSION_ERROR


class Conversion:
    """Converts amounts into one currency, at the rates of some days.

    days: the first seconds of these days. Creating a conversion reads the rates, and can raise
    StorageUnavailable.
    """

    def __init__(self, storage: Storage, target: str, days: Collection[int]) -> None:
        self.target = target
        wanted = {day - age * DAY_SECONDS for day in days for age in range(MAX_AGE_DAYS + 1)}
        self._quoted: defaultdict[int, dict[str, Mapping[str, Decimal]]] = defaultdict(dict)
        for found_day, base, rates in storage.rates.list_days(wanted):
            self._quoted[found_day][base] = rates
        self.rate = cache(self._rate)

    def _rate(self, currency: str, day: int) -> Ratio | None:
        """Return the rate on the day, or the last rate before; None if that is too old."""
        for age in range(MAX_AGE_DAYS + 1):
            quoted = self._quoted.get(day - age * DAY_SECONDS)
            found = None if quoted is None else _cross_rate(quoted, currency, self.target)
            if found is not None:
                return found
        return None

    def convert(self, amount: int, currency: str, day: int) -> int | None:
        """Return the converted amount, rounded half away from zero; None if there is no rate."""
        found = self.convert_all([amount], currency, day)
        return None if found is None else found[0]

    def convert_all(self, amounts: Sequence[int], currency: str, day: int) -> list[int] | None:
        """Return each of the amounts converted; None if there is no rate."""
        rate = (1, 1) if currency == self.target else self.rate(currency, day)
        if rate is None:
            return None
        numerator, denominator = rate
        return [rounded(amount * numerator, denominator) for amount in amounts]

    def columns(self, name: str, amount: int, currency: str, day: int) -> Row:
        """Return the values of `converted_fields`."""
        converted = self.convert(amount, currency, day)
        error = None if converted is not None else no_rate(currency, self.target, date_text(day))
        values = converted, self.target, error
        return {f.name: value for f, value in zip(converted_fields(name), values, strict=True)}


def with_converted(
    storage: Storage, resource: Resource, rows: Sequence[Row], target: str, today: int
) -> list[Row]:
    """Return rows of a resource in `CONVERTED`, with the columns of the converted amount.

    Records are converted at the rate of their day, accounts at today's rate.
    """
    name = CONVERTED[resource]
    is_dated = resource is RECORDS
    days = [start_of(Period.DAY, row["recordDate"]) if is_dated else today for row in rows]
    conversion = Conversion(storage, target, days)
    return [
        row | conversion.columns(name, row[name], row["currencyCode"], day)
        for row, day in zip(rows, days, strict=True)
    ]


#: The rates of one day: for each base, the value of one unit in other currencies.
_Quoted = Mapping[str, Mapping[str, Decimal]]


def _cross_rate(quoted: _Quoted, source: str, target: str) -> Ratio | None:
    """Return the rate through as few quoted rates as possible; prefer EUR, then bases by code."""
    bases = sorted(quoted, key=lambda code: (code != _EUR, code))
    reached = {source: (1, 1)}
    while target not in reached:
        further: dict[str, Ratio] = {}
        for code, (numerator, denominator) in reached.items():
            for other in (target, *bases):
                step = None if other in reached else _rate_between(quoted, code, other)
                if step is not None:
                    further.setdefault(other, (numerator * step[0], denominator * step[1]))
        if not further:
            return None
        reached |= further
    return reached[target]


def _rate_between(quoted: _Quoted, code: str, other: str) -> Ratio | None:
    """Return the quoted rate, or the inverse of the rate in the opposite direction."""
    if other in quoted.get(code, ()):
        return quoted[code][other].as_integer_ratio()
    if code in quoted.get(other, ()):
        numerator, denominator = quoted[other][code].as_integer_ratio()
        return denominator, numerator
    return None
