"""The figures of a category, a label or a payee: sums by month with those of the year before."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from finance_api.planning.categories import CategoryTree
from finance_api.resources.records import RECEIVED, SPENT
from finance_api.values import Row
from finance_api.values.time import Period, date_text, months_before
from finance_api.web.api_requests import SUMMARY, ApiAnswers, ApiRequest
from finance_api.web.cells import WHOLE, percent
from finance_api.web.object_details import ObjectDetail
from finance_api.web.plots import MonthPoint, Plot, month_columns
from finance_api.web.timespans import Timespan

_MONTHS = 12
_COLUMNS = f"count,{SPENT},{RECEIVED}"


def twelve_months(today: int, years_ago: int = 0) -> Timespan:
    """Return the twelve months that end with this one, or as many years earlier."""
    return Timespan.around(Period.MONTH, months_before(today, _MONTHS * years_ago)).year()


class DevelopmentDetail(ObjectDetail):
    """Sums by month, the share of all, and the newest records.

    Sums are in the currency with the most records in the twelve months, and are what was spent or
    received in them, whichever is more.
    """

    template = "object_development.jinja2"
    #: The filter of the page with records.
    parameter: str

    @property
    def list_filters(self) -> Mapping[str, str]:
        """The parameter of the page with records that selects the same records."""
        return {self.parameter: self.row["id"]}

    @property
    def span(self) -> Timespan:
        return twelve_months(self._answers.today)

    @cached_property
    def sums(self) -> Sequence[Row] | None:
        """The sums by month and currency; None if there are too many records to add up."""
        both = Timespan(twelve_months(self._answers.today, 1).first, self.span.last)
        given = {"groupBy": "month", "columns": _COLUMNS, "recordDate": both.filter}
        asked = ApiRequest(SUMMARY, {**given, **self.filters}, about="Sums by month")
        found = self._answers.sums(asked)
        return None if found is None else found.rows

    @cached_property
    def _deciding(self) -> Sequence[Row]:
        """The sums of the twelve months; those of the year before if the months have no records."""
        both = self.sums or ()
        return [row for row in both if row["periodStart"] >= self.span.first] or both

    @cached_property
    def currencies(self) -> list[str]:
        """The currencies of the last two years, the one with the most records first."""
        counts = Counter({row["currencyCode"]: 0 for row in self.sums or ()})
        for row in self._deciding:
            counts[row["currencyCode"]] += row["count"]
        return sorted(counts, key=lambda currency: (-counts[currency], currency))

    @property
    def currency(self) -> str | None:
        return self.currencies[0] if self.currencies else None

    @cached_property
    def flow(self) -> str:
        """Whether sums are what was spent or what was received."""
        own = [row for row in self._deciding if row["currencyCode"] == self.currency]
        spent, received = (sum(row[name] for row in own) for name in (SPENT, RECEIVED))
        return RECEIVED if received > spent else SPENT

    @cached_property
    def months(self) -> list[MonthPoint]:
        by_month = {
            row["periodStart"]: row[self.flow]
            for row in self.sums or ()
            if row["currencyCode"] == self.currency
        }
        return [
            MonthPoint(
                span.first,
                by_month.get(span.first, 0),
                self.records_link(span),
                by_month.get(months_before(span.first, _MONTHS), 0),
            )
            for span in self.span.months()
        ]

    @property
    def total(self) -> int:
        return sum(month.amount or 0 for month in self.months)

    @property
    def share_question(self) -> ApiRequest:
        """Return the request for the share of all that was spent or received in these months."""
        return self._question(
            f"{self.flow}Share",
            f"Share of all {self.flow} {self.span.words(self._region)}",
            self.span.filter,
        )

    @property
    def share(self) -> str | None:
        """The share of all that was spent or received; None if it is not between 0 and 100%."""
        found = self._answers.sums(self.share_question)
        units = found.rows[0][f"{self.flow}Share"] if found is not None else None
        return None if units is None or not 0 <= units <= WHOLE else percent(units, self._region)

    @property
    def plot(self) -> Plot:
        flow = "expense" if self.flow == SPENT else "income"
        series = {
            "before": [month.before for month in self.months],
            flow: [month.amount or 0 for month in self.months],
        }
        words = {flow: f"{{}} {self.currency}", "before": "{} the year before"}
        months = [(month.label, month.link) for month in self.months]
        return month_columns(months, series, words, self.currency, self._region)

    def sum_question(self, words: str, days: str) -> ApiRequest:
        """Return the request for what was spent, or received, on these days alone."""
        return self._question(self.flow, f"{self.flow.capitalize()} {words}", days)

    def _question(self, column: str, words: str, days: str) -> ApiRequest:
        given = {"columns": column, "recordDate": days, "fill": "true", **self.filters}
        name = f"{words}, in {self.currency}: {self.row['name']}"
        return ApiRequest(SUMMARY, {**given, "currencyCode": f"eq.{self.currency}"}, name)

    def records_link(self, span: Timespan) -> str:
        """Return the path of the page with the records that a sum counts."""
        days = {"from": date_text(span.first), "to": date_text(span.last)}
        counted = {"currency": self.currency or "", "flow": self.flow, "counted": "true"}
        return ApiRequest("/records", {**self.list_filters, **days, **counted}).target

    @property
    def list_link(self) -> str:
        return ApiRequest("/records", self.list_filters).target


class CategoryDetail(DevelopmentDetail):
    """The figures of a category with those below it."""

    parameter, field = "category", "categoryId"

    @property
    def filters(self) -> Mapping[str, str]:
        return {**super().filters, "withSubcategories": "true"}


class LabelDetail(DevelopmentDetail):
    parameter = "label"
    field = "labelIds"


class PayeeDetail(DevelopmentDetail):
    """The figures of a payee, which is its own id."""

    parameter = field = "payee"


def group_sums(
    answers: ApiAnswers, dimension: str, tree: CategoryTree
) -> Mapping[str, Mapping[str, int]] | None:
    """Return the sums of the last twelve months of each category or label, by currency.

    Sums include those of categories below. None if there are too many records to add up.
    """
    days = twelve_months(answers.today).filter
    given = {"groupBy": dimension, "columns": "net", "recordDate": days}
    found = answers.sums(ApiRequest(SUMMARY, given, about="Last 12 months"))
    if found is None:
        return None
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in found.rows:
        row_id = group[f"{dimension}Id"]
        for each in {row_id, *(row["id"] for row in tree.upwards(row_id))} - {None}:
            sums[each][group["currencyCode"]] += group["net"]
    return sums
