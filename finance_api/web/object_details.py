"""The figures that the pages of accounts, budgets, goals and rules show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.balances import Compared, Gap, compare_balances
from finance_api.ledger.rule_matches import Matches, RuleSearch
from finance_api.ledger.session import UserRows
from finance_api.planning.categories import CategoryTree
from finance_api.resources import GOALS
from finance_api.resources.common import INCOME
from finance_api.resources.currencies import smallest_units
from finance_api.resources.plans import CUSTOM, MONTH, PERIODS, WEEK, YEAR
from finance_api.resources.records import FLOW, SPENT
from finance_api.values import Row
from finance_api.values.regions import Region
from finance_api.values.text import Message, edited
from finance_api.values.time import DAY_SECONDS, date_text
from finance_api.web.api_requests import BALANCES, RECORDS_PATH, ApiAnswers, ApiRequest
from finance_api.web.cells import Cells
from finance_api.web.plots import Label, MonthPoint, Plot, column_plot, month_line
from finance_api.web.rendering import amount, month_words
from finance_api.web.sentences import sentence_of
from finance_api.web.timespans import Timespan
from finance_api.web.todays_balances import TodaysBalances

NEWEST_RECORDS = "10"
#: For each gap, at most this many manual edits are named.
_MOST_EDITS = 3
#: At most this many gaps are shown: the newest ones.
_MOST_GAPS = 12
_LAST_PERIODS = 12
_THIS = {WEEK: "this week", MONTH: "this month", YEAR: "this year", CUSTOM: "in this time"}
_MONTH_DAYS = 30
#: Up to this many comparisons of a record with a keyword, the page of a rule counts its records.
_MOST_COMPARED = 400_000


class ObjectDetail:
    """The figures beside an object's form. row: the object, with its computed fields.

    template: the template that shows the figures.
    field: the field of records that names the object.
    """

    template: str
    field: str

    def __init__(self, answers: ApiAnswers, owned: UserRows, row: Row, region: Region) -> None:
        self.row = row
        self._region = region
        self._answers = answers
        self._owned = owned

    @property
    def cells(self) -> Cells:
        return Cells(self._owned, self._region)

    def question(self, listed: str, field: str, about: str) -> ApiRequest:
        """Return the request for one field alone. listed: the name of the API's list."""
        asked = {"id": f"eq.{self.row['id']}", "fields": f"name,{field},currencyCode"}
        return ApiRequest(PUBLIC_SURFACE + listed, asked, f"{about}: {self.row['name']}")

    @property
    def filters(self) -> Mapping[str, str]:
        """The parameters of the API that select the object's records."""
        return {self.field: f"eq.{self.row['id']}"}

    @cached_property
    def records(self) -> Sequence[Row]:
        """The newest records."""
        given = {**self.filters, "sortBy": "-recordDate", "limit": NEWEST_RECORDS}
        return self._answers.get(ApiRequest(RECORDS_PATH, given, about="Newest records")).rows


class AccountDetail(ObjectDetail):
    """Balance over time, newest records, and the bank's balance."""

    template = "object_account.jinja2"
    field = "accountId"

    @cached_property
    def balances(self) -> TodaysBalances:
        return TodaysBalances(self._answers, [self.row], self.filters)

    @property
    def question_today(self) -> ApiRequest:
        return replace(self.balances.request, about=f"Balance: {self.row['name']}")

    @cached_property
    def months(self) -> list[MonthPoint]:
        """The balances since the first record; before it they would only be the initial one."""
        given = {"interval": "month", "to": "today", **self.filters}
        course = ApiRequest(BALANCES, given, about="Balance over time")
        return [
            MonthPoint(
                row["date"], row["balance"], self.records_link(row["periodStart"], row["date"])
            )
            for row in self._answers.get(course).rows
            if (row["firstRecordDate"] or row["date"]) < row["date"] + DAY_SECONDS
        ]

    @property
    def plot(self) -> Plot:
        return month_line(self.months, self.row["currencyCode"], self._region)

    @cached_property
    def _compared(self) -> Compared:
        return compare_balances(self._owned, self.row["id"])

    @property
    def is_compared(self) -> bool:
        """Whether two stated balances were compared, so that the records may add up."""
        return len(self._compared.implied) > 1

    @property
    def computed(self) -> int | None:
        """What the records add up to where the bank's newest balance stands."""
        compared = self._compared
        if self.row["bankBalance"] is None or compared.deciding is None:
            return None
        by_hand = self.row["initialBalance"] - compared.initial(compared.deciding)
        return int(self.row["bankBalance"] + by_hand + compared.difference(compared.deciding))

    @cached_property
    def gaps(self) -> list[Gap]:
        return self._compared.gaps()[-_MOST_GAPS:]

    def edits_in(self, gap: Gap) -> list[tuple[int, int, Message]]:
        """Return a few manual edits that changed sums on a gap's days.

        Each has its number, the moment when it was made, and its sentence.
        """
        return [
            (entry.number, entry.at, edited(sentence_of(entry), lambda s: s.removesuffix(".")))
            for entry in self._owned.history
            if entry.undone_at is None
            for sums in [(entry.details.get("summary") or {}).get("sums", ())]
            if any(i == self.row["id"] and gap.first <= day <= gap.last for i, day, _ in sums)
        ][:_MOST_EDITS]

    def records_link(self, first: int, last: int) -> str:
        days = {"account": self.row["id"], "from": date_text(first), "to": date_text(last)}
        return ApiRequest("/records", days).target


@dataclass(frozen=True)
class Pace:
    """How fast a budget is spent. day: which day of the period today is, from 1. days: the number
    of days in the period. even: the amount spent by the end of today at an even pace.
    """

    day: int
    days: int
    even: int


class BudgetDetail(ObjectDetail):
    """The pace, and the last periods."""

    template = "object_budget.jinja2"

    @property
    def period_words(self) -> str:
        return _THIS[self.row["type"]]

    @property
    def is_over(self) -> bool:
        return self.row["remaining"] is not None and self.row["remaining"] < 0

    @cached_property
    def pace(self) -> Pace | None:
        """The pace; None if the budget has no limit, or its current period has no start or end."""
        row, today = self.row, self._answers.today
        first, last, limit = row["periodStart"], row["periodEnd"], row["periodLimit"]
        if None in (row["remaining"], first, last):
            return None
        days = (last - first) // DAY_SECONDS + 1
        day = (today - first) // DAY_SECONDS + 1
        smallest = smallest_units(row["currencyCode"])
        even = limit * day // days
        return Pace(day, days, even // smallest * smallest)

    @cached_property
    def periods(self) -> Sequence[Row]:
        """The last periods with their computed fields, oldest first."""
        path = f"{PUBLIC_SURFACE}budgets/{self.row['id']}/periods"
        asked = ApiRequest(path, {"last": str(_LAST_PERIODS)}, about="Last periods")
        return self._answers.get(asked).rows[::-1]

    def records_path(self, period: Row) -> str | None:
        """Return the path of the page with the records that count as spent in a period.

        Returns None if the page has no filter for these records: it filters by one category,
        account and label, but not by kind. A budget with a category counts all records of the
        category, whatever their sign, unless the kind is income.
        """
        days = period["periodStart"], period["periodEnd"]
        ids = {name: self.row[f"{name}Ids"] for name in ("category", "account", "label")}
        categories = CategoryTree(self._owned.categories.rows.values())
        below = categories.with_descendants(ids["category"])
        has_income = any(categories.rows[each]["kind"] == INCOME for each in below)
        if None in days or has_income or any(len(listed) > 1 for listed in ids.values()):
            return None
        first, last = map(date_text, days)
        given = {name: row_id for name, listed in ids.items() for row_id in listed}
        given |= {"from": first, "to": last, "currency": self.row["currencyCode"]}
        flow = {} if ids["category"] else {FLOW.name: SPENT}
        return ApiRequest("/records", {**given, **flow, "counted": "true"}).target

    def words(self, period: Row) -> str:
        first, last = period["periodStart"], period["periodEnd"]
        if self.row["type"] != CUSTOM:
            return Timespan.around(PERIODS[self.row["type"]], first).words(self._region)
        return " – ".join("" if day is None else self._region.day(day) for day in (first, last))

    @property
    def has_limits(self) -> bool:
        """Whether any of the periods has a limit."""
        return any(period["periodLimit"] is not None for period in self.periods)

    @property
    def plot(self) -> Plot:
        """What was spent in each period."""
        currency = self.row["currencyCode"]
        labels = [
            Label(
                [
                    self.words(period),
                    f"Spent {amount(period['spent'], self._region, currency)} {currency}",
                ],
                year="" if period["periodStart"] is None else date_text(period["periodStart"])[:4],
            )
            for period in self.periods
        ]
        short = [self._short(period) for period in self.periods]
        spent = {"expense": [period["spent"] for period in self.periods]}
        return column_plot(spent, short, labels, self._region)

    def _short(self, period: Row) -> str:
        first = period["periodStart"]
        if self.row["type"] == MONTH:
            return month_words(first)[:3]
        if first is None or self.row["type"] == YEAR:
            return "" if first is None else date_text(first)[:4]
        return self._region.day_of_year(first)


class GoalDetail(ObjectDetail):
    """The amount saved, and the expected date of reaching the goal."""

    template = "object_goal.jinja2"

    @property
    def currency(self) -> str | None:
        return self.cells.currency(GOALS["currentAmount"], self.row)

    @property
    def link(self) -> tuple[str, str] | None:
        """The name of the linked account or label, and the path of its records, if any."""
        for name, rows in (
            ("account", self._owned.accounts.rows),
            ("label", self._owned.labels.rows),
        ):
            row_id = self.row[f"{name}Id"]
            if row_id is not None:
                return str(rows[row_id]["name"]), f"/records?{name}={row_id}"
        return None

    @property
    def per_month(self) -> int | None:
        """The amount to save every 30 days to reach the goal in time.

        None if the goal has no future date, or nothing is left to save.
        """
        day: int | None = self.row["desiredDate"]
        left: int | None = self.row["remaining"]
        if day is None or not left or day <= self._answers.today:
            return None
        days = (day - self._answers.today) // DAY_SECONDS
        smallest = smallest_units(self.currency)
        # Round up, so that the amount is enough.
        return -(-left * min(_MONTH_DAYS, days) // (days * smallest)) * smallest


class RuleDetail(ObjectDetail):
    """The records that the rule matches, whatever other rules do."""

    template = "object_rule.jinja2"

    @cached_property
    def matches(self) -> Matches | None:
        """None if there is too much to search."""
        keywords = self.row["keywords"]
        records = sum(account["recordCount"] for account in self._owned.accounts.rows.values())
        if records * len(keywords) > _MOST_COMPARED:
            return None
        return self._search.find_matches(keywords, whole_payee=self._is_whole)

    @property
    def _search(self) -> RuleSearch:
        return RuleSearch(self._owned, self.row["accountId"])

    @property
    def _is_whole(self) -> bool:
        return bool(self.row["wholePayee"])

    @cached_property
    def records(self) -> Sequence[Row]:
        if not self.matches or not self.matches.count:
            return ()
        # Rules ignore case.
        words = self.matches.texts if self._is_whole else self.row["keywords"]
        return self._search.newest(words, int(NEWEST_RECORDS), whole_payee=self._is_whole)
