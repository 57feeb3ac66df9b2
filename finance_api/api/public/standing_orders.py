"""Standing orders: GET /v1/api/standing-orders, one of them, and their export"""

from functools import partial

from pyramid.response import Response

from finance_api.api import freshness, listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, ID, Service
from finance_api.api.openapi import responses, schemas
from finance_api.auth.authentication import require_scopes
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import Answer, ParametersRefused, Reading
from finance_api.planning.forecast.payments import ExpectedPayments
from finance_api.planning.upcoming import MAX_DUE_DAYS, DueDays, TooManyDueDays, list_orders
from finance_api.resources import ACCOUNTS, CATEGORIES, STANDING_ORDERS, tables
from finance_api.serialization.rows import Rows
from finance_api.values.time import DAY_SECONDS, date_text

standing_orders = Service(
    "api.standing-orders", "/v1/api/standing-orders" + FORMATS, STANDING_ORDERS.meaning
)
standing_order = Service(
    "api.standing-orders.one", "/v1/api/standing-orders/" + ID, "Get one standing order."
)
standing_orders_export = Service(
    "api.export.standing-orders",
    "/v1/api/export/standing-orders" + FORMATS,
    "Export all standing orders.",
)
upcoming = Service(
    "api.standing-orders.upcoming",
    "/v1/api/standing-orders/upcoming" + FORMATS,
    "Upcoming occurrences of standing orders.",
)


@standing_orders.get(
    schema=parameters.ListSchema(STANDING_ORDERS),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(listing.list_page, STANDING_ORDERS),
    response=responses.list_response(STANDING_ORDERS),
)
@standing_order.get(
    schema=parameters.ObjectSchema(STANDING_ORDERS),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(listing.get_object, STANDING_ORDERS),
    response=responses.object_response(STANDING_ORDERS),
)
@standing_orders_export.get(
    schema=parameters.ExportSchema(STANDING_ORDERS),
    permission=Permission.STANDING_ORDERS_READ,
    answer=partial(listing.export, STANDING_ORDERS),
    response=responses.export_response(STANDING_ORDERS),
    savable=True,
)
def read_standing_orders(request: Request) -> Response:
    return responding.respond(request)


# -- upcoming occurrences -------------------------------------------------------------------------


class UpcomingSchema(parameters.DataSchema):
    days = parameters.integer(
        "days",
        low=1,
        high=366,
        missing=30,
        meaning="Number of days from today on, including today. A request that would return more "
        f"than {MAX_DUE_DAYS:,} due days is refused.",
    )
    include = parameters.choice(
        "include",
        [tables.INCLUDE_EXPECTED, tables.INCLUDE_TRANSFERS],
        "expected: also return recurring payments that were found in the records and have no "
        "standing order. transfers: and recurring transfers, on both accounts. Payments that are "
        "stored already are left out, and late ones are due today. Then totals leave out "
        "transfers, and accounts excluded from statistics. It needs the scope records, too.",
    )
    limit, offset, revision = parameters.data_page(max_limit=1_000, default_limit=100)
    rows = parameters.instead("totals")


def occurrences(reading: Reading, values: validation.Parameters) -> Answer:
    """Return a page of upcoming occurrences, and the sums of all pages."""
    today, days, offset = reading.today, values["days"], values["offset"]
    state = reading.get_state()
    last = today + (days - 1) * DAY_SECONDS
    is_expected = values["include"] is not None
    due: DueDays | ExpectedPayments
    try:
        if is_expected:
            with_transfers = values["include"] == tables.INCLUDE_TRANSFERS
            due = ExpectedPayments(
                reading.storage, reading.user_id, today, last, with_transfers=with_transfers
            )
        else:
            accounts = reading.storage.data.scan_rows(reading.user_id, ACCOUNTS)
            orders = list_orders(reading.storage, reading.user_id, accounts)
            due = DueDays(orders, today, last + DAY_SECONDS)
    except TooManyDueDays as error:
        raise ParametersRefused([("days", f"{error}: ask for fewer days")]) from None
    members = {
        "totals": Rows(tables.UPCOMING_TOTALS, due.totals()),
        "from": date_text(today),
        "to": date_text(last),
    }
    names = listing.names_by_id(reading, ACCOUNTS, CATEGORIES)
    rows = [
        {
            **order,
            "date": day,
            "account": names.get(order["accountId"]),
            "category": names.get(order["categoryId"]),
        }
        for day, order in due.page(values["limit"], offset)
    ]
    columns = (*tables.UPCOMING, tables.IS_EXPECTED) if is_expected else tables.UPCOMING
    answer = listing.table(
        reading, state, "upcoming", columns, rows, members, instead=values["rows"]
    )
    has_more = due.number > offset + values["limit"]
    return listing.paged(reading, answer, values, has_more=has_more, total=due.number)


@upcoming.get(
    schema=UpcomingSchema(),
    permission=Permission.STANDING_ORDERS_READ,
    answer=occurrences,
    response=responses.table_response(
        "Occurrence",
        "upcoming",
        tables.UPCOMING,
        {
            "totals": schemas.array_of(schemas.of_fields("UpcomingTotal", tables.UPCOMING_TOTALS)),
            "from": schemas.value("Today.", "2026-01-31", format="date"),
            "to": schemas.value("Last day of the period.", "2026-03-01", format="date"),
        },
        sometimes=(tables.IS_EXPECTED,),
        is_paged=True,
    ),
    varies_with=(freshness.DAY,),
    savable=True,
)
def list_upcoming(request: Request) -> Response:
    if request.validated["include"] is not None:
        require_scopes(request, ("standing-orders", "records"))
    return responding.respond(request)
