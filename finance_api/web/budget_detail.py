"""The figures on a budget's page: what is left for each day, its pace, and its last periods."""

from dataclasses import dataclass
from functools import cached_property

from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.session import UserRows
from finance_api.planning.categories import CategoryTree
from finance_api.resources.common import INCOME
from finance_api.resources.currencies import smallest_units
from finance_api.resources.plans import CUSTOM, MONTH, WEEK, YEAR
from finance_api.resources.records import FLOW, SPENT
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, date_text
from finance_api.web.api_results import ApiRequest, ApiResults
from finance_api.web.plots import Label, Plot, column_plot
from finance_api.web.regions import current_region
from finance_api.web.rendering import amount, day_words, month_words

_LAST_PERIODS = 12
_THIS = {WEEK: "this week", MONTH: "this month", YEAR: "this year", CUSTOM: "in this time"}


@dataclass(frozen=True)
class Pace:
    """day, days: today's number in the period, and the period's days. even: what an even pace
    would have spent by today's end. per_day: what is left for each day, today included.
    """

    day: int
    days: int
    even: int
    per_day: int


class BudgetDetail:
    """The figures beside a budget's form. row: with its computed fields."""

    template = "object_budget.jinja2"

    def __init__(self, results: ApiResults, owned: UserRows, row: Row) -> None:
        self.row = row
        self._results = results
        self._categories = CategoryTree(owned.categories.rows.values())

    @property
    def requests(self) -> list[ApiRequest]:
        return [self._periods_request]

    @property
    def _periods_request(self) -> ApiRequest:
        path = f"{PUBLIC_SURFACE}budgets/{self.row['id']}/periods"
        return ApiRequest(path, {"last": str(_LAST_PERIODS)}, about="Last periods")

    @property
    def period_words(self) -> str:
        return _THIS[self.row["type"]]

    @property
    def is_over(self) -> bool:
        return self.row["remaining"] is not None and self.row["remaining"] < 0

    @cached_property
    def pace(self) -> Pace | None:
        """Return None without a limit, or without a current period that ends."""
        row, today = self.row, self._results.today
        first, last, limit = row["periodStart"], row["periodEnd"], row["limitAmount"]
        if None in (row["remaining"], first, last):
            return None
        days = (last - first) // DAY_SECONDS + 1
        day = (today - first) // DAY_SECONDS + 1
        smallest = smallest_units(row["currencyCode"])
        left = max(0, row["remaining"]) // (days - day + 1)
        even = limit * day // days
        return Pace(day, days, even // smallest * smallest, left // smallest * smallest)

    @cached_property
    def periods(self) -> list[Row]:
        """The last periods with their computed fields, oldest first."""
        return self._results.periods(self.row, self._periods_request)[::-1]

    def records_path(self, period: Row) -> str | None:
        """Return the page of the records that a period counts as spent.

        Returns None if the page has no filter for them: it has one category, account and label.
        A budget of a category counts all of its records, whatever their sign, except income.
        """
        days = period["periodStart"], period["periodEnd"]
        ids = {name: self.row[f"{name}Ids"] for name in ("category", "account", "label")}
        below = self._categories.with_descendants(ids["category"])
        has_income = any(self._categories.rows[each]["kind"] == INCOME for each in below)
        if None in days or has_income or any(len(listed) > 1 for listed in ids.values()):
            return None
        first, last = map(date_text, days)
        given = {name: row_id for name, listed in ids.items() for row_id in listed}
        given |= {"from": first, "to": last, "currency": self.row["currencyCode"]}
        flow = {} if ids["category"] else {FLOW.name: SPENT}
        return ApiRequest("/records", {**given, **flow, "counted": "true"}).target

    def words(self, period: Row) -> str:
        first, last = period["periodStart"], period["periodEnd"]
        if self.row["type"] == MONTH:
            return month_words(first)
        if self.row["type"] == YEAR:
            return date_text(first)[:4]
        if self.row["type"] == WEEK:
            return f"Week from {day_words(first)}"
        return " – ".join("" if day is None else day_words(day) for day in (first, last))

    @property
    def plot(self) -> Plot:
        """What was spent in each period."""
        currency = self.row["currencyCode"]
        labels = [
            Label(
                [self.words(period), f"Spent {amount(period['spent'], currency)} {currency}"],
                year="" if period["periodStart"] is None else date_text(period["periodStart"])[:4],
            )
            for period in self.periods
        ]
        short = [self._short(period) for period in self.periods]
        return column_plot({"expense": [p["spent"] for p in self.periods]}, short, labels)

    def _short(self, period: Row) -> str:
        first = period["periodStart"]
        if self.row["type"] == MONTH:
            return month_words(first)[:3]
        if first is None or self.row["type"] == YEAR:
            return "" if first is None else date_text(first)[:4]
        return current_region().day_of_year(first)
