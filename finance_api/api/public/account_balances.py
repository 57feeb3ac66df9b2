"""GET /v1/api/accounts/balances and /v1/api/accounts/forecast"""

from collections.abc import Sequence
from typing import Any

from finance_api.api import parameters
from finance_api.api.data_request import Payload, Reading
from finance_api.api.listing import TableRequest
from finance_api.api.openapi.responses import HINTS_SCHEMA, table_response
from finance_api.api.openapi.schemas import array_of, of_fields, value
from finance_api.api.representation import HINTS
from finance_api.api.service import data_service, of_resource
from finance_api.http.errors import parameter_problem
from finance_api.http.requests import Request
from finance_api.planning import balances
from finance_api.planning.conversion import converted_fields
from finance_api.planning.forecast.reading import MAX_DAYS, list_forecast
from finance_api.query.model import RelativeDate, Span
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.common import amount_field, currency_field, date_field, text_field
from finance_api.resources.field import Field, Kind
from finance_api.serialization.rows import RowEncoder
from finance_api.values.time import Period, date_text, day_in

_POINT = (
    Field("period", Kind.TEXT, "The interval.", "2026-01", nullable=False),
    Field("periodStart", Kind.DATE, "First day of the interval.", "2026-01-01", nullable=False),
    date_field(
        "date",
        "Last day of the interval; the balance is as of the end of this day.",
        nullable=False,
    ),
)
_ACCOUNT = (
    text_field("account", "Name of the account.", "Current account"),
    RECORDS["accountId"],
    currency_field("Currency of the account.", nullable=False),
)
_COLUMNS = (
    *_POINT,
    *_ACCOUNT,
    amount_field("balance", "Balance at the end of the day.", 1234.56, 0),
    Field("firstRecordDate", Kind.DATE, "Day of the account's first record.", "2025-11-03"),
)
_CONVERTED = converted_fields("balance")
_TOTAL = (*_POINT, *(c for c in _COLUMNS if c.name in ("currencyCode", "balance")))
_CONVERTED_TOTAL = (*_POINT, *_CONVERTED)


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


def _interval(intervals: Sequence[Period]) -> parameters.Parameter:
    return parameters.choice(
        "interval",
        intervals,
        "Length of an interval; there is a balance at the end of each.",
        Period.MONTH,
        make=Period,
    )


_BALANCES_SCHEMA = parameters.ParameterSchema(
    _interval([*Period]),
    parameters.days("from", "A day of the first interval. Default: there are 12 intervals."),
    parameters.days(
        "to",
        "A day of the last interval. Default: the later of today and the day of the newest record.",
    ),
    parameters.conditions_on(RECORDS["accountId"]),
    parameters.conversion(parameters.CONVERT_TO),
)
_BALANCES_RESPONSE = table_response(
    "Balance",
    "balances",
    _COLUMNS,
    {
        "totals": array_of(of_fields("BalanceTotal", _TOTAL)),
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


class BalancesRequest(TableRequest):
    """A request for balances at the end of each interval, by account and summed by currency."""

    name = "balances"
    depends_on_today = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.convert_to = self.given[parameters.CONVERT_TO]

    def read(self, reading: Reading) -> Payload:
        storage, user_id, given = reading.storage, reading.user_id, self.given
        interval = given["interval"]
        (begin, _), (_, end) = (_days(given[name], reading) for name in ("from", "to"))
        query = balances.BalancesQuery(interval, begin, end, given["accountId"])
        state = storage.data.get_state(user_id)
        try:
            found = balances.list_balances(storage, user_id, query, reading.today)
        except balances.BalancesError as error:
            raise parameter_problem([(error.name, str(error))]) from None
        rows = balances.balance_rows(found, interval)
        columns: tuple[Field, ...] = _COLUMNS
        totals = RowEncoder(_TOTAL).documents(balances.balance_totals(found, interval))
        members: dict[str, Any] = {"totals": totals}
        if self.convert_to is not None:
            columns += _CONVERTED
            rows = balances.with_converted_balances(storage, rows, self.convert_to)
            converted = RowEncoder(_CONVERTED_TOTAL).documents(balances.converted_totals(rows))
            members["convertedTotals"] = converted
        members |= {
            "interval": interval.value,
            "from": date_text(found.points[0].start),
            "to": date_text(found.points[-1].last_day),
            **self.account_hints(reading, rows),
        }
        return self.table(state, columns, rows, members)


# -- forecast -------------------------------------------------------------------------------------

_INTERVALS = (Period.DAY, Period.WEEK, Period.MONTH)
TYPICAL = "typical"
_BALANCE = amount_field("balance", "Expected balance at the end of the day.", 1234.56, 0)
_RANGE = (
    amount_field("lowBalance", "Balance at the 25th percentile.", 950, 0),
    amount_field("medianBalance", "The middle of the range.", 1020.5, 0),
    amount_field("highBalance", "Balance at the 75th percentile.", 1100, 0),
)
_FORECAST = (*_POINT, *_ACCOUNT)
_FORECAST_TOTAL = (*_POINT, _ACCOUNT[-1])
_LOWEST = (
    *_ACCOUNT,
    date_field("date", "The first day with the lowest balance.", nullable=False),
    amount_field("balance", "The lowest balance, or low end of the range.", 812.3, 0),
)
#: The columns with balances: without and with usual income and spending.
_BALANCES = {False: (_BALANCE,), True: _RANGE}
_SOMETIMES = (_BALANCE, *_RANGE)
_FORECAST_SCHEMA = parameters.ParameterSchema(
    parameters.days(
        "to", f"The last day, up to {MAX_DAYS} days ahead. Default: the end of next month."
    ),
    _interval(_INTERVALS),
    parameters.choice(
        "include", [TYPICAL], "typical: also count usual income and spending, and return a range."
    ),
    parameters.conditions_on(RECORDS["accountId"]),
)
_FORECAST_RESPONSE = table_response(
    "ForecastBalance",
    "forecast",
    _FORECAST,
    {
        "totals": array_of(of_fields("ForecastTotal", _FORECAST_TOTAL, _SOMETIMES)),
        "lowest": array_of(of_fields("LowestBalance", _LOWEST)),
        "interval": value("As in the request.", "month", enum=[*_INTERVALS]),
        "from": value("Today.", "2026-01-31", format="date"),
        "to": value("The last day.", "2026-02-28", format="date"),
        "leftOut": value("Number of unused standing orders: without an account or an amount.", 0),
    },
    sometimes=_SOMETIMES,
    optional={HINTS: HINTS_SCHEMA},
)


class ForecastRequest(TableRequest):
    """A request for predicted balances, and for the lowest balance of each account."""

    name = "forecast"
    depends_on_today = True

    def read(self, reading: Reading) -> Payload:
        given, user_id = self.given, reading.user_id
        _, end = _days(given["to"], reading)
        is_typical, interval = given["include"] is not None, given["interval"]
        state = reading.storage.data.get_state(user_id)
        try:
            forecast = list_forecast(
                reading.storage,
                user_id,
                interval,
                end,
                given["accountId"],
                reading.today,
                is_typical=is_typical,
            )
        except balances.BalancesError as error:
            raise parameter_problem([(error.name, str(error))]) from None
        rows, columns = forecast.rows, _BALANCES[is_typical]
        members = {
            "totals": RowEncoder((*_FORECAST_TOTAL, *columns)).documents(forecast.totals),
            "lowest": RowEncoder(self.shown_columns(_LOWEST)).documents(forecast.lowest),
            "interval": interval.value,
            "from": date_text(reading.today),
            "to": date_text(forecast.last_day),
            "leftOut": forecast.left_out,
            **self.account_hints(reading, rows),
        }
        return self.table(state, (*_FORECAST, *columns), rows, members)


SERVICES = (
    data_service(
        "/v1/api/accounts/balances",
        BalancesRequest,
        is_savable=True,
        **of_resource(
            ACCOUNTS, _BALANCES_SCHEMA, _BALANCES_RESPONSE, "Balances of accounts over time."
        ),
    ),
    data_service(
        "/v1/api/accounts/forecast",
        ForecastRequest,
        is_savable=True,
        **of_resource(
            ACCOUNTS, _FORECAST_SCHEMA, _FORECAST_RESPONSE, "Predicted balances of accounts."
        ),
    ),
)
