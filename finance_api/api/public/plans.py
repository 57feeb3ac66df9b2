"""GET /v1/api/standing-orders/upcoming and /v1/api/budgets/{id}/periods"""

from typing import Any

import orjson

from finance_api.api.data_request import Payload, Reading
from finance_api.api.listing import TableRequest, names_by_id, no_object
from finance_api.api.openapi.responses import table_response
from finance_api.api.openapi.schemas import array_of, of_members, value
from finance_api.api.parameters import ParameterSchema, data_page, integer
from finance_api.api.service import data_service, of_resource
from finance_api.http.errors import parameter_problem
from finance_api.planning.tracking import last_periods, track
from finance_api.planning.upcoming import (
    MAX_DUE_DAYS,
    TooManyDueDays,
    Total,
    upcoming_days,
    upcoming_page,
)
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, STANDING_ORDERS
from finance_api.resources.common import date_field, text_field
from finance_api.values.ids import FORM
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS, date_text

MAX_DAYS = 366
DEFAULT_DAYS = 30
MAX_OCCURRENCES = 1_000
DEFAULT_OCCURRENCES = 100

#: The columns of an occurrence: its day, then fields of its standing order, and names.
_COLUMNS = (
    date_field("date", "Due date.", nullable=False),
    *(STANDING_ORDERS[name] for name in ("id", "name", "type")),
    text_field("account", "Name of the account.", "Current account"),
    STANDING_ORDERS["accountId"],
    text_field("category", "Name of the category.", "Rent"),
    STANDING_ORDERS["categoryId"],
    *(STANDING_ORDERS[name] for name in ("amount", "currencyCode", "payee")),
)


_SCHEMA = ParameterSchema(
    integer(
        "days",
        1,
        MAX_DAYS,
        DEFAULT_DAYS,
        "Number of days from today on, including today. A request that would return more than "
        f"{MAX_DUE_DAYS:,} due days is refused.",
    ),
    *data_page(MAX_OCCURRENCES, DEFAULT_OCCURRENCES),
)
_TOTAL = of_members(
    "UpcomingTotal",
    {
        "currencyCode": value("The currency.", "EUR"),
        "count": value("Number of occurrences.", 1),
        "income": value("Sum of the income.", 0, type="number"),
        "expense": value("Sum of the expenses, negative.", -850, type="number"),
        "net": value("income and expense together.", -850, type="number"),
    },
)
_RESPONSE = table_response(
    "Occurrence",
    "upcoming",
    _COLUMNS,
    {
        "totals": array_of(_TOTAL),
        "from": value("Today.", "2026-01-31", format="date"),
        "to": value("Last day of the period.", "2026-03-01", format="date"),
    },
    is_paged=True,
)


class UpcomingRequest(TableRequest):
    """A request for a page of upcoming occurrences, and for the sums of all pages."""

    name = "upcoming"
    depends_on_today = True

    def read(self, reading: Reading) -> Payload:
        storage, user_id, today = reading.storage, reading.user_id, reading.today
        days, limit, offset = (self.given[name] for name in ("days", "limit", "offset"))
        state = storage.data.get_state(user_id)
        try:
            due = upcoming_days(storage, user_id, today, days)
        except TooManyDueDays as error:
            raise parameter_problem([("days", f"{error}: ask for fewer days")]) from None
        members = {
            "totals": [_total(*each) for each in due.totals().items()],
            "from": date_text(today),
            "to": date_text(today + (days - 1) * DAY_SECONDS),
        }
        names = names_by_id(reading, ACCOUNTS, CATEGORIES)
        rows = [
            {
                **row,
                "account": names.get(row["accountId"]),
                "category": names.get(row["categoryId"]),
            }
            for row in upcoming_page(due, limit, offset)
        ]
        return self.table(state, _COLUMNS, rows, members, has_more=due.number > offset + limit)


def _total(currency: str, total: Total) -> dict[str, Any]:
    return {
        "currencyCode": currency,
        "count": total.count,
        "income": orjson.Fragment(decimal_text(total.income)),
        "expense": orjson.Fragment(decimal_text(total.expense)),
        "net": orjson.Fragment(decimal_text(total.income + total.expense)),
    }


MAX_PERIODS = 120
DEFAULT_PERIODS = 12
_LAST = integer(
    "last", 1, MAX_PERIODS, DEFAULT_PERIODS, "Number of periods, including the current one."
)


class BudgetPeriodsRequest(TableRequest):
    """A request for the last periods of a budget and their spending, newest first."""

    name = "periods"
    depends_on_today = True

    def read(self, reading: Reading) -> Payload:
        storage, user_id = reading.storage, reading.user_id
        budget_id = self.match["id"].lower()
        state = storage.data.get_state(user_id)
        budget = storage.data.get_rows(user_id, BUDGETS, [budget_id]).get(budget_id)
        if budget is None:
            raise no_object(BUDGETS)
        periods = last_periods(budget, reading.today, self.given["last"])
        rows = track(storage, user_id, [(budget, period) for period in periods])
        return self.table(state, BUDGETS.computed_fields, rows, {})


SERVICES = (
    data_service(
        "/v1/api/standing-orders/upcoming",
        UpcomingRequest,
        is_savable=True,
        **of_resource(
            STANDING_ORDERS, _SCHEMA, _RESPONSE, "Upcoming occurrences of standing orders."
        ),
    ),
    data_service(
        f"/v1/api/budgets/{{id:{FORM}}}/periods",
        BudgetPeriodsRequest,
        **of_resource(
            BUDGETS,
            ParameterSchema(_LAST),
            table_response("BudgetPeriod", "periods", BUDGETS.computed_fields, {}),
            "Use of a budget in the current and past periods.",
        ),
    ),
)
