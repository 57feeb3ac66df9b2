"""Budgets: GET /v1/api/budgets, /v1/api/budgets/<id>, /v1/api/export/budgets"""

from functools import partial

from pyramid.response import Response

from finance_api.api import freshness, listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import Answer, Reading
from finance_api.planning.tracking import last_periods, track
from finance_api.resources import BUDGETS

budgets = Service("api.budgets", "/v1/api/budgets" + FORMATS, BUDGETS.meaning)
budget = Service("api.budgets.one", "/v1/api/budgets/" + ID, "Get one budget.")
periods = Service(
    "api.budgets.periods",
    "/v1/api/budgets/" + ID + "/periods" + FORMATS,
    "Use of a budget in the current and past periods.",
)
budgets_export = Service(
    "api.export.budgets", "/v1/api/export/budgets" + FORMATS, "Export all budgets."
)


class PeriodsSchema(parameters.DataSchema):
    last = parameters.integer(
        "last", low=1, high=120, missing=12, meaning="Number of periods, including the current one."
    )


def budget_periods(reading: Reading, values: validation.Parameters, row_id: str) -> Answer:
    """Return the last periods of a budget and their spending, newest first."""
    storage, user_id = reading.storage, reading.user_id
    state = reading.get_state()
    budget = storage.data.get_rows(user_id, BUDGETS, [row_id]).get(row_id)
    if budget is None:
        raise listing.no_object(BUDGETS)
    found = last_periods(budget, reading.today, values["last"])
    rows = track(storage, user_id, reading.today, [(budget, period) for period in found])
    return listing.table(reading, state, "periods", BUDGETS.computed_fields, rows, {})


@budgets.get(
    schema=parameters.ListSchema(BUDGETS),
    permission=Permission.BUDGETS_READ,
    answer=partial(listing.list_page, BUDGETS),
    response=responses.list_response(BUDGETS),
    savable=True,
)
@budget.get(
    schema=parameters.ObjectSchema(BUDGETS),
    permission=Permission.BUDGETS_READ,
    answer=partial(listing.get_object, BUDGETS),
    response=responses.object_response(BUDGETS),
)
@periods.get(
    schema=PeriodsSchema(),
    permission=Permission.BUDGETS_READ,
    answer=budget_periods,
    response=responses.table_response("BudgetPeriod", "periods", BUDGETS.computed_fields, {}),
    varies_with=(freshness.DAY,),
)
@budgets_export.get(
    schema=parameters.ExportSchema(BUDGETS),
    permission=Permission.BUDGETS_READ,
    answer=partial(listing.export, BUDGETS),
    response=responses.export_response(BUDGETS),
    savable=True,
)
def read_budgets(request: Request) -> Response:
    return responding.respond(request)
