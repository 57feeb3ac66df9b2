"""Standing orders: GET /v1/api/standing-orders, one of them, and their export"""

from functools import partial

from pyramid.response import Response

from finance_api.api import parameters, validation
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.freshness import DAY
from finance_api.api.listing import export, get_object, list_page, names_by_id, paged, table
from finance_api.api.openapi import responses
from finance_api.api.openapi.schemas import array_of, of_fields, value
from finance_api.api.responding import respond, respond_with_export
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import Answer, ParametersRefused, Reading, Rows
from finance_api.planning.upcoming import MAX_DUE_DAYS, TooManyDueDays, upcoming_days, upcoming_page
from finance_api.resources import ACCOUNTS, CATEGORIES, STANDING_ORDERS
from finance_api.resources.tables import UPCOMING, UPCOMING_TOTALS
from finance_api.values.time import DAY_SECONDS, date_text

standing_orders = Service(
    "api.standing-orders", "/v1/api/standing-orders" + FORMATS, STANDING_ORDERS.meaning
)


@standing_orders.get(
    schema=parameters.ListSchema(STANDING_ORDERS),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(list_page, STANDING_ORDERS),
    response=responses.list_response(STANDING_ORDERS),
    varies_with=(DAY,),
)
def list_standing_orders(request: Request) -> Response:
    return respond(request)


standing_order = Service(
    "api.standing-orders.one", "/v1/api/standing-orders/" + ID, "Get one standing order."
)


@standing_order.get(
    schema=parameters.ObjectSchema(STANDING_ORDERS),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(get_object, STANDING_ORDERS),
    response=responses.object_response(STANDING_ORDERS),
    varies_with=(DAY,),
)
def get_standing_order(request: Request) -> Response:
    return respond(request)


standing_orders_export = Service(
    "api.export.standing-orders",
    "/v1/api/export/standing-orders" + FORMATS,
    "Export all standing orders.",
)


@standing_orders_export.get(
    schema=parameters.ExportSchema(STANDING_ORDERS),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(export, STANDING_ORDERS),
    response=responses.export_response(STANDING_ORDERS),
    varies_with=(DAY,),
)
def export_standing_orders(request: Request) -> Response:
    return respond_with_export(request)


# -- upcoming occurrences -------------------------------------------------------------------------

MAX_DAYS = 366
DEFAULT_DAYS = 30
MAX_OCCURRENCES = 1_000
DEFAULT_OCCURRENCES = 100


class UpcomingSchema(parameters.DataSchema):
    days = parameters.integer(
        "days",
        1,
        MAX_DAYS,
        DEFAULT_DAYS,
        "Number of days from today on, including today. A request that would return more than "
        f"{MAX_DUE_DAYS:,} due days is refused.",
    )
    limit, offset, revision = parameters.data_page(MAX_OCCURRENCES, DEFAULT_OCCURRENCES)


_UPCOMING_RESPONSE = responses.table_response(
    "Occurrence",
    "upcoming",
    UPCOMING,
    {
        "totals": array_of(of_fields("UpcomingTotal", UPCOMING_TOTALS)),
        "from": value("Today.", "2026-01-31", format="date"),
        "to": value("Last day of the period.", "2026-03-01", format="date"),
    },
    is_paged=True,
)

upcoming = Service(
    "api.standing-orders.upcoming",
    "/v1/api/standing-orders/upcoming" + FORMATS,
    "Upcoming occurrences of standing orders.",
)


def occurrences(reading: Reading, values: validation.Parameters) -> Answer:
    """Return a page of upcoming occurrences, and the sums of all pages."""
    storage, user_id, today = reading.storage, reading.user_id, reading.today
    days, limit, offset = values["days"], values["limit"], values["offset"]
    state = reading.get_state()
    try:
        due = upcoming_days(storage, user_id, today, days)
    except TooManyDueDays as error:
        raise ParametersRefused([("days", f"{error}: ask for fewer days")]) from None
    members = {
        "totals": Rows(UPCOMING_TOTALS, due.totals()),
        "from": date_text(today),
        "to": date_text(today + (days - 1) * DAY_SECONDS),
    }
    names = names_by_id(reading, ACCOUNTS, CATEGORIES)
    rows = [
        {**row, "account": names.get(row["accountId"]), "category": names.get(row["categoryId"])}
        for row in upcoming_page(due, limit, offset)
    ]
    answer = table(reading, state, "upcoming", UPCOMING, rows, members)
    return paged(reading, answer, values, has_more=due.number > offset + limit)


@upcoming.get(
    schema=UpcomingSchema(),
    permission=Permission.STANDING_ORDERS_READ,
    answer=occurrences,
    response=_UPCOMING_RESPONSE,
    varies_with=(DAY,),
    savable=True,
)
def list_upcoming(request: Request) -> Response:
    return respond(request)
