"""What records can be grouped by in a summary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID, text_field
from finance_api.resources.field import Field, Kind
from finance_api.values.time import Period, period_text

#: 2026-01-01
_EXAMPLE_DAY = 1_767_225_600


@dataclass(frozen=True)
class Dimension:
    """Something to group records by, such as the account.

    source: the name in `DataReader.sum_by` that the dimension's values are derived from. fields:
    the columns that show a value: its name, then its id. usual: its values in groups of zeros, if
    nothing matches.
    """

    name: str
    source: str
    fields: tuple[Field, ...]
    period: Period | None = None
    usual: Sequence[Any] = (None,)


WEEKDAY = "weekday"
#: The names of the weekdays, from Monday on.
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


HOUR = "hour"


def _dimensions() -> Iterator[Dimension]:
    for name, source, what, example in (
        ("account", "accountId", "account", "Current account"),
        ("category", "categoryId", "category", "Groceries"),
        ("topCategory", "categoryId", "top-level category above", "Living"),
        ("label", "labelIds", "label", "household"),
    ):
        name_field = text_field(name, f"Name of the {what}.", example)
        id_field = Field(f"{name}Id", Kind.ID, f"Id of the {what}.", EXAMPLE_ID)
        yield Dimension(name, source, (name_field, id_field))
    group = text_field("categoryGroup", "Group of the category.", "Living")
    yield Dimension("categoryGroup", "categoryId", (group,))
    for name in ("payee", "recordType", "paymentType", "recordState"):
        field = RECORDS[name]
        usual = (None,) if field.nullable else field.choices
        yield Dimension(name, name, (field,), usual=usual)
    for period in Period:
        source = "recordDate" if period in (Period.DAY, Period.WEEK) else "month"
        text = period_text(period, _EXAMPLE_DAY)
        field = Field(period.value, Kind.TEXT, f"The {period}.", text, nullable=False)
        yield Dimension(period.value, source, (field,), period)
    number = Field(
        WEEKDAY, Kind.NUMBER, "The day of the week; 1 is Monday.", 1, nullable=False, decimals=0
    )
    day_name = Field("weekdayName", Kind.TEXT, "Name of the day.", WEEKDAYS[0], nullable=False)
    weekdays = range(1, len(WEEKDAYS) + 1)
    yield Dimension(WEEKDAY, "recordDate", (number, day_name), usual=weekdays)
    hour = Field(
        HOUR, Kind.NUMBER, "The hour, 0 to 23; null: the records have no time.", 18, decimals=0
    )
    yield Dimension(HOUR, HOUR, (hour,))


#: The dimensions that records can be grouped by, by name.
DIMENSIONS: Mapping[str, Dimension] = {dimension.name: dimension for dimension in _dimensions()}
#: The first day of a group's period, if `DIMENSIONS` with a period are grouped by.
PERIOD_START = Field(
    "periodStart", Kind.DATE, "The period's first day.", "2026-01-01", nullable=False
)
