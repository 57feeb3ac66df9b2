"""The control that gives one period of a budget its own limit."""

from collections.abc import Mapping
from decimal import Decimal

from finance_api.resources import BUDGETS
from finance_api.resources.currencies import decimals_of
from finance_api.resources.plans import PERIODS
from finance_api.resources.typed import plain_text, too_exact
from finance_api.values import Row
from finance_api.values.number import to_units
from finance_api.values.period_limits import limit_texts, split_limits
from finance_api.values.regions import Region
from finance_api.values.time import date_text, end_of, parse_date, start_of
from finance_api.values.written import WrittenRefused
from finance_api.web.forms import Control, FormFaults
from finance_api.web.timespans import Timespan

#: The fields of the form: a period, by its first day, and the period's limit.
PERIOD, LIMIT = "limit-period", "period-limit"
#: The field with the limits of all periods.
OVERRIDES = "limitOverrides"
#: This many periods before and after the current one can be chosen, and each with its own limit.
_AROUND = 12


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
        words = Timespan.around(period, day).words(region)
        options.append((date_text(day), f"{words}: {written[day]}" if day in own else words))
    return Control(
        name=LIMIT,
        label=f"Limit of one {period}",
        hint="In place of the usual limit, which applies if this is empty.",
        kind="limit",
        text=texts.get(LIMIT, written.get(first, "")),
        optional=True,
        options=options,
        chosen=frozenset([texts.get(PERIOD, date_text(first))]),
    )


def changed_limits(budget: Row, texts: Mapping[str, str], region: Region) -> Row:
    """Return the budget's own limits as they are stored, if the form changes them.

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
        raise FormFaults({LIMIT: f"Limit of one {PERIODS[budget['type']]} {error}."}) from None
    if limit == own.pop(day, None):
        return {}
    if limit is not None:
        own[day] = limit
    return {OVERRIDES: limit_texts(own)}


def _own_limits(budget: Row) -> dict[int, int]:
    return {
        parse_date(day): to_units(Decimal(limit)) for day, limit in split_limits(budget[OVERRIDES])
    }
