"""GET /v1/api/accounts/forecast"""

from finance_api.api.data_request import Payload, Reading
from finance_api.api.listing import TableRequest
from finance_api.api.openapi.responses import HINTS_SCHEMA, table_response
from finance_api.api.openapi.schemas import array_of, of_fields, value
from finance_api.api.parameters import ParameterSchema, choice, conditions_on, days
from finance_api.api.public.account_balances import ACCOUNT_COLUMNS, POINT_COLUMNS, interval
from finance_api.api.representation import HINTS
from finance_api.api.service import data_service, of_resource
from finance_api.http.errors import parameter_problem
from finance_api.planning.balances import BalancesError
from finance_api.planning.forecast.reading import MAX_DAYS, ForecastQuery, list_forecast
from finance_api.query.model import Query
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.common import amount_field, date_field
from finance_api.resources.wire import RowEncoder
from finance_api.values.time import Period, date_text

_INTERVALS = (Period.DAY, Period.WEEK, Period.MONTH)
TYPICAL = "typical"
_BALANCE = amount_field("balance", "Expected balance at the end of the day.", 1234.56, 0)
_RANGE = (
    amount_field("lowBalance", "Balance at the 25th percentile.", 950, 0),
    amount_field("medianBalance", "The middle of the range.", 1020.5, 0),
    amount_field("highBalance", "Balance at the 75th percentile.", 1100, 0),
)
_COLUMNS = (*POINT_COLUMNS, *ACCOUNT_COLUMNS)
_TOTAL = (*POINT_COLUMNS, ACCOUNT_COLUMNS[-1])
_LOWEST = (
    *ACCOUNT_COLUMNS,
    date_field("date", "The first day with the lowest balance.", nullable=False),
    amount_field("balance", "The lowest balance, or low end of the range.", 812.3, 0),
)
_LOWEST_ENCODER = RowEncoder(_LOWEST)
#: The balances of a row: without and with usual income and spending.
_BALANCES = {False: (_BALANCE,), True: _RANGE}
_TOTAL_ENCODERS = {each: RowEncoder((*_TOTAL, *more)) for each, more in _BALANCES.items()}


_SOMETIMES = (_BALANCE, *_RANGE)
_SCHEMA = ParameterSchema(
    days("to", f"The last day, up to {MAX_DAYS} days ahead. Default: the end of next month."),
    interval(_INTERVALS),
    choice(
        "include",
        [TYPICAL],
        "typical: also count usual income and spending besides these payments, and return a range.",
    ),
    conditions_on(RECORDS["accountId"]),
)
_RESPONSE = table_response(
    "ForecastBalance",
    "forecast",
    _COLUMNS,
    {
        "totals": array_of(of_fields("ForecastTotal", _TOTAL, _SOMETIMES)),
        "lowest": array_of(of_fields("LowestBalance", _LOWEST)),
        "interval": value("As in the request.", "month", enum=[*_INTERVALS]),
        "from": value("Today.", "2026-01-31", format="date"),
        "to": value("The last day.", "2026-02-28", format="date"),
        "leftOut": value("Standing orders without an account or an amount, which are not used.", 0),
    },
    sometimes=_SOMETIMES,
    optional={HINTS: HINTS_SCHEMA},
)


class ForecastRequest(TableRequest):
    """Predicted balances by account and added up by currency, and the lowest of each account."""

    name = "forecast"
    depends_on_today = True

    def read(self, reading: Reading) -> Payload:
        given, user_id = self.given, reading.user_id
        end = given["to"] and given["to"].on(reading.today)
        is_typical = given["include"] is not None
        query = ForecastQuery(
            given["interval"], end and end.last_day, given["accountId"], is_typical
        )
        state = reading.storage.data.get_state(user_id)
        try:
            forecast = list_forecast(reading.storage, user_id, query, reading.today)
        except BalancesError as error:
            raise parameter_problem([(error.name, str(error))]) from None
        rows = forecast.rows
        asked = Query(RECORDS, given["accountId"])
        hints = self.hint_member(asked, reading, has_rows=bool(rows))
        members = {
            "totals": _TOTAL_ENCODERS[is_typical].documents(forecast.totals),
            "lowest": _LOWEST_ENCODER.documents(forecast.lowest),
            "interval": query.interval.value,
            "from": date_text(reading.today),
            "to": date_text(forecast.points[-1].last_day),
            "leftOut": forecast.left_out,
            **hints,
        }
        return self.table(state, (*_COLUMNS, *_BALANCES[is_typical]), rows, members)


SERVICES = (
    data_service(
        "/v1/api/accounts/forecast",
        ForecastRequest,
        is_savable=True,
        **of_resource(ACCOUNTS, _SCHEMA, _RESPONSE, "Predicted balances of accounts."),
    ),
)
