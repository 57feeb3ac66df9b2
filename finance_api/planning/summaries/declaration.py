"""The parameters of a summary, and its columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from finance_api.planning.conversion import CONVERSION_ERROR, CONVERTED_CURRENCY, converted_field
from finance_api.query.dimensions import DIMENSIONS, PERIOD_START, Dimension
from finance_api.query.model import Condition, SortKey, Span
from finance_api.query.sums import SUMS, USUAL_SUMS, Column, Compare
from finance_api.resources import RECORDS
from finance_api.resources.field import Field, Kind, Unit, names_of
from finance_api.values.time import Period


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
    name: _compared_fields(column.field)
    for name, column in SUMS.items()
    if column.field.kind is Kind.NUMBER
}
_CONVERTED_COUNT = replace(
    SUMS["count"].field, name="convertedCount", meaning="Number of records that could be converted."
)


@dataclass(frozen=True)
class SummaryQuery:
    """conditions: filters on the records. include: names in LEFT_OUT to keep. sort: columns to sort
    by; ties are in the default order. top: how many rows to keep for each value of all
    dimensions but the last, the first ones by ``sort``; 0 for all.

    convert_to: add sums converted to this currency. merges: have all sums in this currency instead,
    of all currencies together. today, base_currency: the user's day, currency.
    sums: columns in SUMS, in the order to show. having: conditions on columns. to_date: the period
    of which the dates are the first days, to compare with the same days of an earlier one. compare:
    the time to compare with; a Span is one that does not depend on the query's dates.
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
    sums: tuple[Column, ...] = USUAL_SUMS
    compare: Compare | Span | None = None
    having: tuple[Condition, ...] = ()
    to_date: Period | None = None
    merges: bool = False
    top: int = 0

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        of_dimensions = [field for dimension in self.group_by for field in dimension.fields]
        start = [PERIOD_START] if self.periods else []
        return (
            RECORDS["currencyCode"],
            *of_dimensions,
            *start,
            *(column.field for column in self.sums),
            *self._compared,
            *self._converted,
        )

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        return names_of(self.columns)

    @property
    def _compared(self) -> tuple[Field, ...]:
        if self.compare is None:
            return ()
        compared = [COMPARED[column.name] for column in self.sums if column.name in COMPARED]
        return tuple([field for fields in compared for field in fields])

    @property
    def _converted(self) -> tuple[Field, ...]:
        """Return the columns of converted sums, and of the number of records they cover."""
        if self.convert_to is None:
            return ()
        if self.merges:
            return (CONVERSION_ERROR,)
        sums = [converted_field(column.name) for column in self.sums if column.is_amount]
        return (CONVERTED_CURRENCY, _CONVERTED_COUNT, *sums, CONVERSION_ERROR)

    @property
    def merged_currency(self) -> str | None:
        """Return the currency of all sums, if all currencies are added up."""
        return self.convert_to if self.merges else None

    @property
    def by_flow(self) -> bool:
        """Whether any column depends on the kinds of categories."""
        return any(column.by_flow for column in self.sums)

    @property
    def by_amount(self) -> bool:
        """Whether any column needs the amount of every record."""
        return any(column.by_amount for column in self.sums)

    @property
    def needs_all(self) -> bool:
        """Whether a page needs all groups, for example to sort, fill or compare them."""
        has_further = any(column.by_amount or column.by_group for column in self.sums)
        return bool(has_further or self.sort or self.fill or self.compare or self.having)

    @property
    def needs_dates(self) -> bool:
        """Whether any group needs the dates of its first and last record."""
        dated = any(c.by_group or c.field.kind is Kind.DATE for c in self.sums)
        return bool(dated or self.fill or self.compare)

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
