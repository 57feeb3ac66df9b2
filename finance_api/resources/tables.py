"""The columns of tables that are computed for a request, each declared once.

The API writes and describes its tables by them, and the tools of agents are described by them.
"""

from dataclasses import replace
from enum import StrEnum

from finance_api.resources import PUBLIC_RESOURCES, RECORDS, STANDING_ORDERS
from finance_api.resources.common import (
    EXAMPLE_ID,
    ID,
    amount_field,
    choice_field,
    currency_field,
    date_field,
    flag_field,
    text_field,
)
from finance_api.resources.field import Field, Kind
from finance_api.values.time import Period

# -- balances and forecasts -----------------------------------------------------------------------

_POINT = (
    Field("period", Kind.TEXT, "The interval.", "2026-01", nullable=False),
    Field("periodStart", Kind.DATE, "First day of the interval.", "2026-01-01", nullable=False),
    date_field(
        "date",
        "Last day of the interval; the balance is as of the end of this day.",
        nullable=False,
    ),
)
_ACCOUNT_NAME = text_field("account", "Name of the account.", "Current account")
_CURRENCY = currency_field("Currency of the account.", nullable=False)
_ACCOUNT = (_ACCOUNT_NAME, RECORDS["accountId"], _CURRENCY)
_BALANCE = amount_field("balance", "Balance at the end of the day.", 1234.56, 0)
BALANCES = (
    *_POINT,
    *_ACCOUNT,
    _BALANCE,
    Field("firstRecordDate", Kind.DATE, "Day of the account's first record.", "2025-11-03"),
)
BALANCE_POINT = _POINT
BALANCE_TOTALS = (*_POINT, _CURRENCY, _BALANCE)

#: The intervals of a forecast.
FORECAST_INTERVALS = (Period.DAY, Period.WEEK, Period.MONTH)
#: Asks for a forecast that covers usual income and spending.
TYPICAL = "typical"
FORECAST = (*_POINT, *_ACCOUNT)
FORECAST_TOTALS = (*_POINT, _CURRENCY)
#: The columns with predicted balances: without and with usual income and spending.
EXPECTED = (amount_field("balance", "Expected balance at the end of the day.", 1234.56, 0),)
EXPECTED_RANGE = (
    amount_field("lowBalance", "Balance at the 25th percentile.", 950, 0),
    amount_field("medianBalance", "The middle of the range.", 1020.5, 0),
    amount_field("highBalance", "Balance at the 75th percentile.", 1100, 0),
)
LOWEST = (
    *_ACCOUNT,
    date_field("date", "The first day with the lowest balance.", nullable=False),
    amount_field("balance", "The lowest balance, or low end of the range.", 812.3, 0),
)
BELOW_DATE = date_field("belowDate", "The first day below the asked balance; null: none.")

# -- payments to come -----------------------------------------------------------------------------

#: An occurrence: its day, then fields of its standing order, and names.
UPCOMING = (
    date_field("date", "Due date.", nullable=False),
    replace(STANDING_ORDERS["id"], meaning="Its standing order, if it has one.", nullable=True),
    *(STANDING_ORDERS[name] for name in ("name", "type")),
    _ACCOUNT_NAME,
    STANDING_ORDERS["accountId"],
    text_field("category", "Name of the category.", "Rent"),
    STANDING_ORDERS["categoryId"],
    *(STANDING_ORDERS[name] for name in ("amount", "currencyCode", "payee")),
)
#: Asks for expected payments, and for expected transfers, too; they have one more column.
INCLUDE_EXPECTED, INCLUDE_TRANSFERS = "expected", "transfers"
IS_EXPECTED = flag_field(
    "expected", "Whether it was found in the records and has no standing order.", example=True
)
UPCOMING_TOTALS = (
    currency_field("The currency.", nullable=False),
    Field("count", Kind.NUMBER, "Number of occurrences.", 1, nullable=False, decimals=0),
    amount_field("income", "Sum of the income.", 0, 0),
    amount_field("expense", "Sum of the expenses, negative.", -850, 0),
    amount_field("net", "income and expense together.", -850, 0),
)


class Status(StrEnum):
    """State of a recurring payment on the day of its account's newest record: later payments are
    not imported yet.
    """

    ACTIVE = "active"
    OVERDUE = "overdue"
    ENDED = "ended"


#: The time between recurring payments.
INTERVALS = (
    "week",
    "2 weeks",
    "4 weeks",
    "30 days",
    "month",
    "2 months",
    "3 months",
    "6 months",
    "year",
)
RECURRING = (
    text_field("payee", "Payee of the newest record, or its note.", "Streaming 4711"),
    _ACCOUNT_NAME,
    RECORDS["accountId"],
    RECORDS["category"],
    RECORDS["categoryId"],
    choice_field("interval", INTERVALS, "Time between payments.", "month", ""),
    text_field(
        "recurrenceRule",
        "The interval and the day, as in standing orders.",
        "FREQ=MONTHLY;BYMONTHDAY=5",
    ),
    choice_field(
        "status",
        tuple(Status),
        "active; overdue: one payment is missing; ended: two or more are missing. Judged by the "
        "date of the account's newest record.",
        Status.ACTIVE,
        "",
    ),
    _CURRENCY,
    amount_field("amount", "Usual amount: the median of the last three payments.", -12.99, 0),
    amount_field("lastAmount", "Amount of the last payment.", -12.99, 0),
    amount_field("smallestAmount", "Smallest amount.", -9.99, 0),
    amount_field("largestAmount", "Largest amount.", -12.99, 0),
    amount_field("earlierAmount", "Amount before the last price change; null: no change.", -9.99),
    date_field("changedDate", "Date of the first payment at the new price."),
    date_field("firstDate", "Date of the first payment in the last 800 days.", nullable=False),
    date_field("lastDate", "Last payment.", nullable=False),
    date_field("nextDate", "Day on which the next payment is expected.", nullable=False),
    amount_field("yearlyAmount", "Usual amount times the payments in a year.", -155.88, 0),
    text_field("standingOrder", "Name of its standing order.", "Streaming"),
    Field("standingOrderId", Kind.ID, "Id of its standing order; null: none.", EXAMPLE_ID),
    Field("recordIds", Kind.ID_LIST, "Ids of its records, oldest first.", [EXAMPLE_ID]),
)
RECURRING_TOTALS = (
    currency_field("Currency.", nullable=False),
    Field("count", Kind.NUMBER, "Number of payments.", 7, nullable=False, decimals=0),
    amount_field("yearlyIncome", "Income of a year.", 0, 0),
    amount_field("yearlyExpense", "Expenses of a year, negative.", -155.88, 0),
)

# -- duplicates -----------------------------------------------------------------------------------


def _side(side: str) -> tuple[Field, ...]:
    about = f"The record stored {side}"
    return (
        Field(f"{side}Id", Kind.ID, f"{about}: its id.", EXAMPLE_ID, nullable=False),
        date_field(f"{side}Date", f"{about}: its date.", nullable=False),
        text_field(
            f"{side}Name", f"{about}: date, payee or note, and amount.", "2026-01-31 Bakery -3 EUR"
        ),
    )


DUPLICATES = (
    RECORDS["accountName"],
    RECORDS["accountId"],
    amount_field("amount", "Amount of both.", -3, 0),
    RECORDS["currencyCode"],
    *_side("later"),
    *_side("earlier"),
)

# -- questions, changes and usage -----------------------------------------------------------------


def _moment(name: str, meaning: str, example: str = "2026-01-31T10:00:00.000Z") -> Field:
    return Field(name, Kind.DATETIME, meaning, example, nullable=False)


def _number(name: str, meaning: str, example: int) -> Field:
    return Field(name, Kind.NUMBER, meaning, example, nullable=False, decimals=0)


QUESTIONS = (
    ID,
    text_field("name", "Name.", "Groceries by month", nullable=False),
    Field(
        "address",
        Kind.TEXT,
        "The API request that answers it.",
        "/v1/api/records/summary?groupBy=month",
        nullable=False,
    ),
    Field("fault", Kind.TEXT, "Why the address is not valid; null if it is valid.", None),
    _moment("createdAt", "When it was saved."),
    _moment("updatedAt", "When it was last changed."),
)
#: The lists that have changes, by their paths, in the order of changes on a page.
CHANGED = {str(r.path): r for r in sorted(PUBLIC_RESOURCES, key=lambda r: r.name)}
#: A change, without the object's data.
CHANGES = (
    choice_field("type", tuple(CHANGED), "The list.", "records", ""),
    ID,
    choice_field("op", ("put", "delete"), "Whether the object was changed or deleted.", "put", ""),
    _number("revision", "Revision of the data at the object's last change.", 17),
)
#: The requests of an interval.
USAGE = (
    _moment("from", "Beginning, inclusive.", "2026-01-01T00:00:00Z"),
    _moment("to", "End, exclusive.", "2026-01-31T00:00:00Z"),
    _number("total", "Number of requests.", 42),
)
