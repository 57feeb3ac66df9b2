"""The control that gives one period of a budget its own limit."""

from collections.abc import Mapping
from decimal import Decimal

from finance_api.ledger.edits.naming import joined
from finance_api.resources import BUDGETS
from finance_api.resources.currencies import decimals_of
from finance_api.resources.plans import MONTH, PERIODS, WEEK, YEAR
from finance_api.resources.typed import plain_text, too_exact
from finance_api.values import Row
from finance_api.values.number import to_units
from finance_api.values.period_limits import limit_texts, split_limits
from finance_api.values.regions import Region
from finance_api.values.time import date_text, end_of, parse_date, start_of
from finance_api.values.written import WrittenRefused
from finance_api.web.forms import Control, FormFaults
from finance_api.web.rendering import month_words

#: The fields of the form: a period, by its first day, and the period's limit.
PERIOD, LIMIT = "limit-period", "period-limit"
#: The field with the limits of all periods.
OVERRIDES = "limitOverrides"
#: This many periods before and after the current one can be chosen, and each with its own limit.
_AROUND = 12
_LABELS = {WEEK: "Limit of one week", MONTH: "Limit of one month", YEAR: "Limit of one year"}


def period_words(budget: Row, first: int, region: Region) -> str:
    """Return ``March 2026``. first: the first second of a week, month or year."""
    if budget["type"] == MONTH:
        return month_words(first)
    if budget["type"] == YEAR:
        return date_text(first)[:4]
    return f"Week from {region.day(first)}"


def limit_control(budget: Row, texts: Mapping[str, str], today: int, region: Region) -> Control:
    """Return the control. texts: of a form that was sent, else it shows the current period."""
    period, own = PERIODS[budget["type"]], _own_limits(budget)
    first = before = after = start_of(period, today)
    days = {first, *own}
    for _ in range(_AROUND):
        before, after = start_of(period, before - 1), end_of(period, after)
        days |= {before, after}
    written = {day: region.written(own[day], decimals_of(budget["currencyCode"])) for day in own}
    options = []
    for day in sorted(days):
        words = period_words(budget, day, region)
        options.append((date_text(day), f"{words}: {written[day]}" if day in own else words))
    return Control(
        name=LIMIT,
        label=_LABELS[budget["type"]],
        hint="In place of the usual limit, which applies if this is empty.",
        kind="limit",
        text=texts.get(LIMIT, written.get(first, "")),
        optional=True,
        options=options,
        chosen=frozenset([texts.get(PERIOD, date_text(first))]),
    )


def changed_limits(budget: Row, texts: Mapping[str, str], region: Region) -> dict[str, str]:
    """Return the budget's own limits as commands take them, if the form changes them.

    texts: of the form that was sent. Raises FormFaults.
    """
    own, currency = _own_limits(budget), budget["currencyCode"]
    try:
        day, limit = parse_date(texts[PERIOD]), None
        if texts[LIMIT].strip():
            number = plain_text(BUDGETS["limitAmount"], texts[LIMIT], None, region, currency)
            limit = to_units(Decimal(number))
            fault = too_exact(limit, currency, region) if currency else None
            if limit < 0 or fault:
                raise WrittenRefused(fault or "must not be below 0")
    except ValueError as error:
        raise FormFaults({LIMIT: f"{_LABELS[budget['type']]} {error}."}) from None
    if limit == own.pop(day, None):
        return {}
    if limit is not None:
        own[day] = limit
    return {OVERRIDES: joined(limit_texts(own))}


def _own_limits(budget: Row) -> dict[int, int]:
    return {
        parse_date(day): to_units(Decimal(limit)) for day, limit in split_limits(budget[OVERRIDES])
    }
