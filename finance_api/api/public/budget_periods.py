"""GET /v1/api/budgets/{id}/periods"""

from finance_api.api.data_request import Payload, Reading
from finance_api.api.listing import TableRequest, no_object
from finance_api.api.openapi.responses import table_response
from finance_api.api.parameters import ParameterSchema, integer
from finance_api.api.service import data_service, of_resource
from finance_api.planning.tracking import last_periods, track
from finance_api.resources import BUDGETS
from finance_api.values.ids import FORM

MAX_PERIODS = 120
DEFAULT_PERIODS = 12
_LAST = integer(
    "last", 1, MAX_PERIODS, DEFAULT_PERIODS, "Number of periods, including the current one."
)


class BudgetPeriodsRequest(TableRequest):
    """The last periods of a budget and how much of it each used, newest first."""

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
