"""Standing orders below /wallet."""

from typing import Any

from finance_api.api.openapi.schemas import date_time, of_given, value
from finance_api.planning.recurrence import next_due
from finance_api.resources import STANDING_ORDERS
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.wallet.members import TIMES, Context, Shape, decimal, member, members, moment
from finance_api.wallet.names import labels, parties


@member("type", of_given(STANDING_ORDERS["type"]))
def _type(row: Row, context: Context) -> Any:
    if row["type"] is not None or row["amount"] is None:
        return row["type"]
    return record_type(row["amount"])


@member("amount", value("Positive amount.", 850, type="number"))
def _size(row: Row, context: Context) -> Any:
    return None if row["amount"] is None else decimal(abs(row["amount"]))


@member("dueDate", date_time("First occurrence on or after today.", "2026-02-01T00:00:00.000Z"))
def _due(row: Row, context: Context) -> Any:
    return moment(next_due(row["recurrenceRule"], row["startDate"], context.reading.today))


STANDING_ORDER = Shape(
    "StandingOrder",
    members(
        STANDING_ORDERS,
        "id name note accountId categoryId currencyCode recurrenceRule type amount "
        "counterParty=payee labels dueDate generateFromDate=startDate manualPayment reminder "
        f"dueDateNotificationEnabled threeDaysBeforeNotificationEnabled {TIMES}",
        *(_type, _size, labels, _due),
        always={
            "reminder": "none",
            "dueDateNotificationEnabled": False,
            "threeDaysBeforeNotificationEnabled": False,
        },
    ),
    members(STANDING_ORDERS, "payee payer paymentType", *parties(_type.write)),
)
