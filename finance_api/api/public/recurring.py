"""GET /v1/api/records/recurring"""

from functools import partial

from pyramid.response import Response

from finance_api.api import freshness, listing, parameters, responding, validation
from finance_api.api.endpoint import FORMATS, Service
from finance_api.api.openapi import responses, schemas
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import HINTS, Answer, Reading
from finance_api.planning.conditions import WITH_SUBCATEGORIES, resolved
from finance_api.planning.recurring.orders import own_orders, paid_payees, yearly_totals
from finance_api.planning.recurring.reading import list_recurring
from finance_api.planning.recurring.series import Recurring
from finance_api.query.errors import all_or_faults
from finance_api.query.evaluate import matches
from finance_api.query.kinds import parse_one_of
from finance_api.query.model import Query
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS, STANDING_ORDERS
from finance_api.resources.tables import RECURRING, RECURRING_TOTALS, Status
from finance_api.serialization.rows import Rows
from finance_api.values import Row

_STATUSES = tuple(Status)


def _status(text: str) -> frozenset[str]:
    return frozenset(all_or_faults(partial(parse_one_of, _STATUSES), text.split(",")))


class RecurringSchema(parameters.DataSchema):
    status = parameters.parameter(
        "status",
        parameters.Listed(_status, schemas.of_names(_STATUSES, ["active"])),
        "Only payments of this status; several are separated by commas. Default: all.",
        frozenset(_STATUSES),
    )
    changed = parameters.flag("changed", "Whether to return only payments whose price changed.")
    account_id = parameters.conditions_on(RECORDS["accountId"])
    account_name = parameters.conditions_on(RECORDS["accountName"])
    category_id = parameters.conditions_on(RECORDS["categoryId"])
    category = parameters.conditions_on(RECORDS["category"])
    with_subcategories = parameters.flag(
        WITH_SUBCATEGORIES, "Whether a filter by category includes the categories below it."
    )
    rows = parameters.instead("totals")


recurring = Service(
    "api.records.recurring",
    "/v1/api/records/recurring" + FORMATS,
    "Recurring payments in the records.",
)


def recurring_payments(reading: Reading, values: validation.Parameters) -> Answer:
    """Return the recurring payments in the records, and their yearly sums."""
    data, user_id = reading.storage.data, reading.user_id
    state = reading.get_state()
    accounts, orders = (
        list(data.scan_rows(user_id, resource)) for resource in (ACCOUNTS, STANDING_ORDERS)
    )
    asked = resolved(Query(RECORDS, values.conditions), values, reading).conditions
    on_accounts = [each for each in asked if each.field.name in ("accountId", "accountName")]
    found = list_recurring(reading.storage, user_id, accounts, reading.today, on_accounts)
    names = listing.names_by_id(reading, ACCOUNTS, CATEGORIES)
    on_category = [each for each in asked if each not in on_accounts]
    shown = [
        each
        for each in found
        if each.status in values["status"]
        and (each.changed is not None or not values["changed"])
        and matches(_category(each, names), on_category)
    ]
    paid = paid_payees(each for each in found if each.status is not Status.ENDED)
    own = own_orders(found, orders, paid, reading.today)
    paired = {each: own[each] for each in shown}
    rows = [_row(each, order, names) for each, order in paired.items()]
    totals = Rows(RECURRING_TOTALS, yearly_totals(paired, reading.today))
    members = {"totals": totals, HINTS: listing.account_hints(reading, values, rows)}
    return listing.table(
        reading, state, "recurring", RECURRING, rows, members, instead=values["rows"]
    )


def _category(found: Recurring, names: dict[str, str | None]) -> Row:
    category = found.category_id
    return {"category": names.get(category) if category else None, "categoryId": category}


def _row(found: Recurring, order: Row | None, names: dict[str, str | None]) -> Row:
    return {
        "payee": found.payee,
        "account": names[found.account_id],
        "accountId": found.account_id,
        **_category(found, names),
        "interval": found.interval.name,
        "recurrenceRule": found.repetition.rule,
        "status": found.status,
        "currencyCode": found.currency,
        "amount": found.amount,
        "lastAmount": found.last_amount,
        "smallestAmount": found.least,
        "largestAmount": found.most,
        "earlierAmount": found.earlier_amount,
        "changedDate": found.changed,
        "firstDate": found.first,
        "lastDate": found.last,
        "nextDate": found.next,
        "yearlyAmount": found.yearly,
        "standingOrder": order and (order["name"] or order["payee"]),
        "standingOrderId": order and order["id"],
        "recordIds": found.record_ids,
    }


@recurring.get(
    schema=RecurringSchema(),
    permission=Permission.RECORDS_READ,
    answer=recurring_payments,
    response=responses.table_response(
        "RecurringPayment",
        "recurring",
        RECURRING,
        {"totals": schemas.array_of(schemas.of_fields("RecurringTotal", RECURRING_TOTALS))},
        optional={HINTS: responses.HINTS_SCHEMA},
    ),
    varies_with=(freshness.DAY,),
    savable=True,
)
def list_recurring_payments(request: Request) -> Response:
    return responding.respond(request)
