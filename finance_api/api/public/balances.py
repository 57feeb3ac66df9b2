"""Balances over time: GET /v1/api/accounts/balances and /v1/api/accounts/forecast"""

from collections.abc import Sequence
from typing import Any

from pyramid.response import Response

from finance_api.api import freshness, listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, Service
from finance_api.api.openapi.conditions import DECIMAL_PATTERN
from finance_api.api.openapi.responses import HINTS_SCHEMA, table_response
from finance_api.api.openapi.schemas import array_of, of_fields, value
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning import balances as planned
from finance_api.planning.answers import HINTS, Answer, Reading
from finance_api.planning.conversion import converted_fields
from finance_api.planning.forecast.reading import MAX_DAYS, list_forecast
from finance_api.query.kinds import decimal_operand
from finance_api.query.model import RelativeDate, Span
from finance_api.resources import RECORDS, tables
from finance_api.resources.field import Field
from finance_api.serialization.rows import Rows
from finance_api.values.number import unit_interval
from finance_api.values.time import Period, date_text, day_in

balances = Service(
    "api.accounts.balances",
    "/v1/api/accounts/balances" + FORMATS,
    "Balances of accounts over time.",
)
forecast = Service(
    "api.accounts.forecast",
    "/v1/api/accounts/forecast" + FORMATS,
    "Predicted balances of accounts.",
)

_CONVERTED = converted_fields("balance")
_CONVERTED_TOTAL = (*tables.BALANCE_POINT, *_CONVERTED)


def _days(given: Span | RelativeDate | None, reading: Reading) -> tuple[int | None, int | None]:
    """Return the first and the last day that ``from`` or ``to`` means.

    A date-time, whose span is one second, means its day in the user's time zone.
    """
    if given is None:
        return None, None
    span = given.on(reading.today)
    if span.end - span.first == 1:
        return (day_in(reading.user.time_zone, span.first),) * 2
    return span.first, span.last_day


def _interval(intervals: Sequence[Period]) -> validation.Parameter:
    return parameters.choice(
        "interval",
        intervals,
        "Length of an interval; there is a balance at the end of each.",
        Period.MONTH,
        make=Period,
    )


class BalancesSchema(parameters.DataSchema):
    interval = _interval([*Period])
    first = parameters.days("from", "A day of the first interval. Default: there are 12 intervals.")
    last = parameters.days(
        "to",
        "A day of the last interval. Default: the later of today and the day of the newest record.",
    )
    account_id = parameters.conditions_on(RECORDS["accountId"])
    account_name = parameters.conditions_on(RECORDS["accountName"])
    convert_to = parameters.conversion()
    rows = parameters.instead("totals")


_BALANCES_RESPONSE = table_response(
    "Balance",
    "balances",
    tables.BALANCES,
    {
        "totals": array_of(of_fields("BalanceTotal", tables.BALANCE_TOTALS)),
        "interval": value("As in the request.", "month", enum=[*Period]),
        "from": value("First day of the first interval.", "2026-01-01", format="date"),
        "to": value("Last day of the last interval.", "2026-01-31", format="date"),
    },
    sometimes=_CONVERTED,
    optional={
        "convertedTotals": array_of(of_fields("ConvertedBalanceTotal", _CONVERTED_TOTAL)),
        HINTS: HINTS_SCHEMA,
    },
)


def balances_over_time(reading: Reading, values: validation.Parameters) -> Answer:
    """Return balances at the end of each interval, by account and summed by currency."""
    storage, interval, target = reading.storage, values["interval"], values[parameters.CONVERT_TO]
    (begin, _), (_, end) = (_days(values[name], reading) for name in ("from", "to"))
    query = planned.BalancesQuery(interval, begin, end, values.conditions)
    state = reading.get_state()
    found = planned.list_balances(storage, reading.user_id, query, reading.today)
    rows = planned.balance_rows(found, interval)
    columns: tuple[Field, ...] = tables.BALANCES
    totals = Rows(tables.BALANCE_TOTALS, planned.balance_totals(found, interval))
    members: dict[str, Any] = {"totals": totals}
    instead = values["rows"]
    if target is not None:
        instead = instead and "convertedTotals"
        columns += _CONVERTED
        rows = planned.with_converted_balances(storage, rows, target)
        members["convertedTotals"] = Rows(_CONVERTED_TOTAL, planned.converted_totals(rows))
    members |= {
        "interval": interval.value,
        "from": date_text(found.points[0].start),
        "to": date_text(found.points[-1].last_day),
        HINTS: listing.account_hints(reading, values, rows),
    }
    return listing.table(reading, state, "balances", columns, rows, members, instead=instead)


# -- forecast -------------------------------------------------------------------------------------

#: The columns with balances: without and with usual income and spending.
_BALANCES = {False: tables.EXPECTED, True: tables.EXPECTED_RANGE}
_SOMETIMES = (*tables.EXPECTED, *tables.EXPECTED_RANGE)


def _units(text: str) -> int:
    """Return the smallest stored amount that is not below the number."""
    return unit_interval(decimal_operand(text))[0]


class ForecastSchema(parameters.DataSchema):
    last = parameters.days(
        "to", f"The last day, up to {MAX_DAYS} days ahead. Default: the end of next month."
    )
    interval = _interval(tables.FORECAST_INTERVALS)
    include = parameters.choice(
        "include",
        [tables.TYPICAL],
        "typical: also count usual income and spending, and return a range.",
    )
    below = parameters.parameter(
        "below",
        parameters.Scalar(
            _units, {"type": "string", "pattern": DECIMAL_PATTERN, "examples": ["100"]}
        ),
        "A balance: lowest then also has the first day on which each account is below it.",
        None,
    )
    account_id = parameters.conditions_on(RECORDS["accountId"])
    account_name = parameters.conditions_on(RECORDS["accountName"])
    rows = parameters.instead("totals", "lowest")


_FORECAST_RESPONSE = table_response(
    "ForecastBalance",
    "forecast",
    tables.FORECAST,
    {
        "totals": array_of(of_fields("ForecastTotal", tables.FORECAST_TOTALS, _SOMETIMES)),
        "lowest": array_of(of_fields("LowestBalance", tables.LOWEST, [tables.BELOW_DATE])),
        "interval": value("As in the request.", "month", enum=[*tables.FORECAST_INTERVALS]),
        "from": value("Today.", "2026-01-31", format="date"),
        "to": value("The last day.", "2026-02-28", format="date"),
        "leftOut": value("Number of unused standing orders: without an account or an amount.", 0),
    },
    sometimes=_SOMETIMES,
    optional={HINTS: HINTS_SCHEMA},
)


def predicted_balances(reading: Reading, values: validation.Parameters) -> Answer:
    """Return predicted balances, and the lowest balance of each account."""
    _, end = _days(values["to"], reading)
    is_typical, interval = values["include"] is not None, values["interval"]
    state = reading.get_state()
    found = list_forecast(
        reading.storage,
        reading.user_id,
        interval,
        end,
        values.conditions,
        reading.today,
        is_typical=is_typical,
        below=values["below"],
    )
    columns = _BALANCES[is_typical]
    lowest = tables.LOWEST if values["below"] is None else (*tables.LOWEST, tables.BELOW_DATE)
    members = {
        "totals": Rows((*tables.FORECAST_TOTALS, *columns), found.totals),
        "lowest": Rows(listing.shared_columns(reading, lowest), found.lowest),
        "interval": interval.value,
        "from": date_text(reading.today),
        "to": date_text(found.last_day),
        "leftOut": found.left_out,
        HINTS: listing.account_hints(reading, values, found.rows),
    }
    columns = (*tables.FORECAST, *columns)
    return listing.table(
        reading, state, "forecast", columns, found.rows, members, instead=values["rows"]
    )


@balances.get(
    schema=BalancesSchema(),
    permission=Permission.ACCOUNTS_READ,
    answer=balances_over_time,
    response=_BALANCES_RESPONSE,
    varies_with=(freshness.DAY,),
    savable=True,
)
@forecast.get(
    schema=ForecastSchema(),
    permission=Permission.ACCOUNTS_READ,
    answer=predicted_balances,
    response=_FORECAST_RESPONSE,
    varies_with=(freshness.DAY,),
    savable=True,
)
def read_balances(request: Request) -> Response:
    return responding.respond(request)
