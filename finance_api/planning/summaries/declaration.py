"""The dimensions of summaries, their columns, and the parameters of a summary."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from finance_api.planning.conversion import CONVERSION_ERROR, CONVERTED_CURRENCY, converted_field
from finance_api.query.model import Condition, SortKey
from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID, text_field
from finance_api.resources.field import Field, Kind, Unit
from finance_api.resources.records import RECEIVED, SPENT
from finance_api.values.number import DECIMALS
from finance_api.values.time import Period, period_text

#: The kinds of records that a summary leaves out unless the query includes them.
LEFT_OUT = ("void", "transfers", "excluded")

#: 2026-01-01
_EXAMPLE_DAY = 1_767_225_600


@dataclass(frozen=True)
class Dimension:
    """Something to group records by, such as the account.

    source: the name in `DataReader.sum_by` that the dimension's values are derived from. fields:
    the columns that show a value: its name, then its id.
    """

    name: str
    source: str
    fields: tuple[Field, ...]
    period: Period | None = None


WEEKDAY = "weekday"
#: The names of the weekdays, from Monday on.
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
        yield Dimension(name, name, (RECORDS[name],))
    for period in Period:
        source = "recordDate" if period in (Period.DAY, Period.WEEK) else "month"
        text = period_text(period, _EXAMPLE_DAY)
        field = Field(period.value, Kind.TEXT, f"The {period}.", text, nullable=False)
        yield Dimension(period.value, source, (field,), period)
    number = Field(
        WEEKDAY, Kind.NUMBER, "The day of the week; 1 is Monday.", 1, nullable=False, decimals=0
    )
    day_name = Field("weekdayName", Kind.TEXT, "Name of the day.", WEEKDAYS[0], nullable=False)
    yield Dimension(WEEKDAY, "recordDate", (number, day_name))


#: The dimensions that records can be grouped by, by name.
DIMENSIONS: Mapping[str, Dimension] = {dimension.name: dimension for dimension in _dimensions()}


def _sum_field(
    name: str, meaning: str, example: float, decimals: int = DECIMALS, *, nullable: bool = False
) -> Field:
    return Field(name, Kind.NUMBER, meaning, example, nullable=nullable, decimals=decimals)


_PERIOD_START = Field(
    "periodStart", Kind.DATE, "The period's first day.", "2026-01-01", nullable=False
)
_BY_FLOW = (
    _sum_field(SPENT, "Sum of the amounts that count as spent; positive if money went out.", 412.5),
    _sum_field(RECEIVED, "Sum of the amounts that count as received.", 0),
)
_AMOUNTS = (
    _sum_field("income", "Sum of the amounts of income.", 0),
    _sum_field("expense", "Sum of the amounts of expenses, negative.", -412.5),
    _sum_field("net", "income and expense together.", -412.5),
    *_BY_FLOW,
)
SHARE, CUMULATIVE, PER_DAY, PER_MONTH = "share", "cumulative", "perDay", "perMonth"
#: The columns that need the amount of every record.
_OF_EACH_AMOUNT = (
    _sum_field("median", "The median amount of the records.", -32.4, nullable=True),
    _sum_field("min", "The smallest amount of the records.", -93.1, nullable=True),
    _sum_field("max", "The largest amount of the records.", -5.2, nullable=True),
)
#: The columns that depend on other groups or on the days of the period.
_OF_ALL_GROUPS = (
    Field(
        SHARE,
        Kind.NUMBER,
        "The group's part of all expense of its currency, from 0 to 1; null without expense.",
        0.2512,
        unit=Unit.SHARE,
    ),
    _sum_field(CUMULATIVE, "net of the periods so far. It needs a period in groupBy.", -1202.25),
    _sum_field(PER_DAY, "net per elapsed day of the period.", -13.31, nullable=True),
    _sum_field(PER_MONTH, "net per elapsed month of the period.", -405.13, nullable=True),
)
#: The columns that change from day to day.
BY_THE_DAY = (PER_DAY, PER_MONTH)
#: The columns of sums that a summary can have, by name.
SUMS: Mapping[str, Field] = {
    field.name: field
    for field in (
        _sum_field("count", "Number of records.", 12, decimals=0),
        *_AMOUNTS,
        _sum_field("avg", "The average amount of the records.", -34.38, nullable=True),
        *_OF_EACH_AMOUNT,
        *_OF_ALL_GROUPS,
        Field("firstDate", Kind.DATE, "Day of the first record.", "2026-01-02"),
        Field("lastDate", Kind.DATE, "Day of the last record.", "2026-01-30"),
    )
}
#: The columns of sums that a summary has by default.
USUAL_SUMS = tuple(
    [SUMS[name] for name in ("count", "income", "expense", "net", "firstDate", "lastDate")]
)


class Compare(StrEnum):
    """The earlier time that a summary is compared with."""

    PREVIOUS = "previous"
    YEAR = "year"


def _compared_fields(field: Field) -> tuple[Field, Field, Field]:
    """Return the columns of the earlier value, the difference and the percentage."""
    title = field.name[0].upper() + field.name[1:]
    previous, change, percent = f"previous{title}", f"change{title}", f"change{title}Percent"
    of_percent = f"{change} in percent of the absolute {previous}; null if that is 0."
    return (
        replace(field, name=previous, meaning=f"{field.name} of the earlier period."),
        replace(field, name=change, meaning=f"{field.name} minus {previous}."),
        Field(percent, Kind.NUMBER, of_percent, 12.5, decimals=2, unit=Unit.PERCENT),
    )


#: For each column that is compared: the names of its earlier value, difference and percentage.
COMPARED: Mapping[str, tuple[Field, Field, Field]] = {
    name: _compared_fields(field) for name, field in SUMS.items() if field.kind is Kind.NUMBER
}
_CONVERTED_COUNT = _sum_field(
    "convertedCount", "Number of records that could be converted.", 12, decimals=0
)


@dataclass(frozen=True)
class SummaryQuery:
    """conditions: filters on the records. include: names in LEFT_OUT to keep. sort: columns to sort
    by; ties are in the default order.

    convert_to: add sums converted to this currency. today, base_currency: the user's day, currency.
    sums: columns in SUMS, in their order there. having: conditions on columns. is_to_date: whether
    the dates are the first days of a month, to compare with the same days of an earlier month.
    """

    conditions: tuple[Condition, ...] = ()
    group_by: tuple[Dimension, ...] = ()
    include: frozenset[str] = frozenset()
    fill: bool = False
    sort: tuple[SortKey, ...] = ()
    limit: int = 100
    offset: int = 0
    convert_to: str | None = None
    today: int = 0
    base_currency: str | None = None
    sums: tuple[Field, ...] = USUAL_SUMS
    compare: Compare | None = None
    having: tuple[Condition, ...] = ()
    is_to_date: bool = False

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        of_dimensions = [field for dimension in self.group_by for field in dimension.fields]
        start = [_PERIOD_START] if self.periods else []
        return (
            RECORDS["currencyCode"],
            *of_dimensions,
            *start,
            *self.sums,
            *self._compared,
            *self._converted,
        )

    @property
    def _compared(self) -> tuple[Field, ...]:
        if self.compare is None:
            return ()
        compared = [COMPARED[field.name] for field in self.sums if field.name in COMPARED]
        return tuple([field for fields in compared for field in fields])

    @property
    def _converted(self) -> tuple[Field, ...]:
        """Return the columns of converted sums, and of the number of records they cover."""
        if self.convert_to is None:
            return ()
        sums = [converted_field(field.name) for field in self.sums if field in _AMOUNTS]
        return (CONVERTED_CURRENCY, _CONVERTED_COUNT, *sums, CONVERSION_ERROR)

    @property
    def by_flow(self) -> bool:
        """Whether any column depends on the kinds of categories."""
        return any(field in _BY_FLOW for field in self.sums)

    @property
    def by_amount(self) -> bool:
        """Whether any column needs the amount of every record."""
        return any(field in _OF_EACH_AMOUNT for field in self.sums)

    @property
    def needs_all(self) -> bool:
        """Whether a page needs all groups, for example to sort, fill or compare them."""
        has_further = any(field in (*_OF_EACH_AMOUNT, *_OF_ALL_GROUPS) for field in self.sums)
        return bool(has_further or self.sort or self.fill or self.compare or self.having)

    @property
    def shortest_period(self) -> Period | None:
        return min((period for _, period in self.periods), key=list(Period).index, default=None)

    @cached_property
    def periods(self) -> tuple[tuple[int, Period], ...]:
        """Return each dimension that is a period: its position in `group_by`, and the period."""
        return tuple((at, d.period) for at, d in enumerate(self.group_by) if d.period is not None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names that the storage groups sums by: currency, sources, record type."""
        of_flow = ["categoryId"] if self.by_flow else []
        return tuple(dict.fromkeys([*self.amount_names, *of_flow, "recordType"]))

    @cached_property
    def amount_names(self) -> tuple[str, ...]:
        """Return the names that the storage groups single amounts by."""
        sources = [dimension.source for dimension in self.group_by]
        return tuple(dict.fromkeys(["currencyCode", *sources]))


#: A query with every column that a summary can have.
WHOLE = SummaryQuery(
    group_by=tuple(DIMENSIONS.values()),
    convert_to="EUR",
    sums=tuple(SUMS.values()),
    compare=Compare.PREVIOUS,
)
