"""GET /v1/api/budgets/{id}/periods"""

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.openapi.responses import table_response
from finance_api.api.parameters import ParameterSchema
from finance_api.api.representation import Representation, negotiate
from finance_api.api.service import in_every_form, public
from finance_api.api.tables import TableResponse, write_table
from finance_api.auth.permissions import Permission
from finance_api.http.errors import NOT_FOUND, problem
from finance_api.http.requests import Request
from finance_api.planning.periods import last_periods
from finance_api.planning.tracking import track
from finance_api.resources import BUDGETS
from finance_api.storage.interface import Storage
from finance_api.values.ids import IdError, parse_id

MAX_PERIODS = 120
DEFAULT_PERIODS = 12


def _schema() -> ParameterSchema:
    schema = ParameterSchema()
    meaning = "How many periods, the current one included."
    schema.add_integer("last", 1, MAX_PERIODS, DEFAULT_PERIODS, meaning)
    return schema


class BudgetPeriodsRequest(DataRequest):
    """What the last periods of a budget have used of it, the newest first."""

    depends_on_today = True

    def __init__(
        self, budget_id: str, representation: Representation | None, target: RequestTarget
    ) -> None:
        """representation: None: the one that the client prefers."""
        self._representation = representation or negotiate(target.accept)
        self._budget_id = budget_id
        self._last = target.parameters["last"]
        self.text = f"periods\0{budget_id}\0{self._last}"
        self.content_type = self._representation.content_type
        self.key = (target.path, target.query_string, self.content_type)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state = storage.data.get_state(user_id)
        budget = storage.data.get_rows(user_id, BUDGETS, [self._budget_id]).get(self._budget_id)
        if budget is None:
            raise problem(404, NOT_FOUND)
        periods = last_periods(budget, today, self._last)
        rows = track(storage, user_id, [(budget, period) for period in periods])
        table = TableResponse("periods", BUDGETS.computed_fields, rows)
        body, headers = write_table(table, self._representation)
        return Payload(state, body, headers)


def get_periods(request: Request, form: Representation | None) -> Response:
    try:
        budget_id = parse_id(request.matchdict["id"])
    except IdError:
        raise problem(404, NOT_FOUND) from None
    return respond(request, BudgetPeriodsRequest, budget_id, form)


SERVICES = tuple(
    in_every_form(
        "/v1/api/budgets/{id}/periods",
        get_periods,
        **public(
            BUDGETS,
            Permission.BUDGETS_READ,
            _schema(),
            "What past periods of a budget used.",
            table_response("BudgetPeriod", "periods", BUDGETS.computed_fields, {}),
        ),
    )
)
