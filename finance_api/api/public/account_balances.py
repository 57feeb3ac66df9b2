"""GET /v1/api/accounts/balances"""

from collections.abc import Sequence
from typing import Any

from finance_api.api.data_request import Payload, Reading
from finance_api.api.listing import TableRequest
from finance_api.api.openapi.responses import HINTS_SCHEMA, table_response
from finance_api.api.openapi.schemas import array_of, of_fields, value
from finance_api.api.parameters import (
    CONVERT_TO,
    Parameter,
    ParameterSchema,
    choice,
    conditions_on,
    conversion,
    days,
)
from finance_api.api.representation import HINTS
from finance_api.api.service import data_service, of_resource
from finance_api.http.errors import parameter_problem
from finance_api.http.requests import Request
from finance_api.planning.balances import (
    BalancesError,
    BalancesQuery,
    balance_rows,
    balance_totals,
    converted_totals,
    list_balances,
    with_converted_balances,
)
from finance_api.planning.conversion import converted_fields
from finance_api.query.model import Query
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.common import amount_field, currency_field, date_field, text_field
from finance_api.resources.field import Field, Kind
from finance_api.resources.wire import RowEncoder
from finance_api.values.time import Period, date_text

POINT_COLUMNS = (
    Field("period", Kind.TEXT, "The interval.", "2026-01", nullable=False),
    Field("periodStart", Kind.DATE, "First day of the interval.", "2026-01-01", nullable=False),
    date_field(
        "date",
        "Last day of the interval; the balance is that of the end of this day.",
        nullable=False,
    ),
)
ACCOUNT_COLUMNS = (
    text_field("account", "Name of the account.", "Current account"),
    RECORDS["accountId"],
    currency_field("Currency of the account.", nullable=False),
)
_COLUMNS = (
    *POINT_COLUMNS,
    *ACCOUNT_COLUMNS,
    amount_field("balance", "Balance at the end of the day.", 1234.56, 0),
    Field("firstRecordDate", Kind.DATE, "Day of the account's first record.", "2025-11-03"),
)
_CONVERTED = converted_fields("balance")
_TOTAL = (*POINT_COLUMNS, *(c for c in _COLUMNS if c.name in ("currencyCode", "balance")))
_CONVERTED_TOTAL = (*POINT_COLUMNS, *_CONVERTED)
_TOTAL_ENCODER = RowEncoder(_TOTAL)
_CONVERTED_TOTAL_ENCODER = RowEncoder(_CONVERTED_TOTAL)


def interval(intervals: Sequence[Period]) -> Parameter:
    return choice(
        "interval",
        intervals,
        "Length of an interval; there is a balance at the end of each.",
        Period.MONTH,
        make=Period,
    )


_SCHEMA = ParameterSchema(
    interval([*Period]),
    days("from", "A day of the first interval. Default: the day of the oldest record."),
    days(
        "to",
        "A day of the last interval. Default: the later of today and the day of the newest record.",
    ),
    conditions_on(RECORDS["accountId"]),
    conversion(CONVERT_TO),
)
_RESPONSE = table_response(
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
    """The balances at the end of each interval, by account and added up by currency."""

    name = "balances"
    depends_on_today = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.convert_to = self.given[CONVERT_TO]

    def read(self, reading: Reading) -> Payload:
        storage, user_id, given = reading.storage, reading.user_id, self.given
        interval = given["interval"]
        begin, end = (given[name] and given[name].on(reading.today) for name in ("from", "to"))
        query = BalancesQuery(
            interval, begin and begin.first, end and end.last_day, given["accountId"]
        )
        state = storage.data.get_state(user_id)
        try:
            balances = list_balances(storage, user_id, query, reading.today)
        except BalancesError as error:
            raise parameter_problem([(error.name, str(error))]) from None
        rows = balance_rows(balances, interval)
        asked = Query(RECORDS, given["accountId"])
        hints = self.hint_member(asked, reading, has_rows=bool(rows))
        columns: tuple[Field, ...] = _COLUMNS
        totals = _TOTAL_ENCODER.documents(balance_totals(balances, interval))
        members: dict[str, Any] = {"totals": totals}
        if self.convert_to is not None:
            columns += _CONVERTED
            rows = with_converted_balances(storage, rows, self.convert_to)
            converted = _CONVERTED_TOTAL_ENCODER.documents(converted_totals(rows))
            members["convertedTotals"] = converted
        members |= {
            "interval": interval.value,
            "from": date_text(balances.points[0].start),
            "to": date_text(balances.points[-1].last_day),
            **hints,
        }
        return self.table(state, columns, rows, members)


SERVICES = (
    data_service(
        "/v1/api/accounts/balances",
        BalancesRequest,
        is_savable=True,
        **of_resource(ACCOUNTS, _SCHEMA, _RESPONSE, "Balances of accounts over time."),
    ),
)
