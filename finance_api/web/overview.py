"""The figures of the overview, each with the API request that returns it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.planning.answers import Answer
from finance_api.planning.recurring.reading import recurring_span
from finance_api.questions.building import ANY, NONE, NULL_TESTS
from finance_api.resources.records import RECEIVED, SPENT
from finance_api.resources.tables import INCLUDE_EXPECTED, INCLUDE_TRANSFERS
from finance_api.values import Row
from finance_api.values.regions import Region
from finance_api.values.time import DAY_SECONDS, Period, date_text, end_of, start_of
from finance_api.web import api_requests
from finance_api.web.plots import MonthPoint, Plot, month_columns, month_line
from finance_api.web.rendering import cents, month_words
from finance_api.web.timespans import Timespan
from finance_api.web.todays_balances import TodaysBalances

#: Up to this many top categories, budgets and due payments are shown; links or controls lead to
#: all of them.
MOST_ROWS = 12
MOST_PAYEES = 8
#: If there are more accounts, the overview shows those that were used last.
MOST_ACCOUNTS = 6
DUE_DAYS = 30
#: Accounts of these types are usually below zero.
_OWING = ("CreditCard", "Loan", "Mortgage", "Overdraft")
#: An account without a new record for this many days needs attention.
QUIET_DAYS = 45
_COLUMNS = f"count,net,{SPENT},{RECEIVED}"


@dataclass(frozen=True)
class Money:
    """Sums of one currency; 0 for sums that the request does not ask for.

    missing: the number of records that could not be converted.
    """

    income: int = 0
    expense: int = 0
    spent: int = 0
    received: int = 0
    net: int = 0
    count: int = 0
    missing: int = 0

    @classmethod
    def of(cls, groups: Sequence[Row], prefix: str) -> "Money":
        """Add up groups of a summary. prefix: ``converted`` or empty."""
        sums = {
            name: sum(group.get(_name(prefix, name)) or 0 for group in groups)
            for name in ("income", "expense", "spent", "received", "net")
        }
        count = sum(group["count"] for group in groups)
        counted = sum(group["convertedCount" if prefix else "count"] for group in groups)
        return cls(**sums, count=count, missing=count - counted)


def _name(prefix: str, name: str) -> str:
    return f"{prefix}{name[0].upper()}{name[1:]}" if prefix else name


@dataclass(frozen=True)
class Left:
    """What is left of a month in one currency. income, due: payments expected until its end."""

    received: int
    spent: int
    income: int
    due: int

    @property
    def amount(self) -> int:
        return self.received + self.income - self.spent - self.due


@dataclass(frozen=True)
class Line:
    """A row of a table. link: the path of the page with the records that the row counts.

    before: None if there are too many earlier records to add up.
    """

    label: str
    link: str
    now: Money
    before: Money | None = field(default_factory=Money)
    share: float = 0
    category_id: str | None = None


@dataclass(frozen=True)
class Chart:
    """A chart with its table. lines: the rows of the table."""

    lines: Sequence[Line] | Sequence[MonthPoint]
    plot: Plot


class Overview:
    """The figures of a timespan, in one currency.

    is_converted: whether they include amounts in other currencies, converted with the exchange
    rates. If not, such amounts are left out. Figures are None if they have too many records to
    add up or to convert.
    """

    #: Among more records, the page does not look for recurring payments, nor convert the amounts of
    #: each payee.
    most_searched = 7_500

    def __init__(
        self,
        answers: api_requests.ApiAnswers,
        span: Timespan,
        currency: str,
        region: Region,
        accounts: Iterable[Row],
        *,
        is_converted: bool,
    ) -> None:
        self._answers = answers
        self.today = answers.today
        self._region = region
        self._accounts = {row["id"]: row for row in accounts}
        self.balances = TodaysBalances(answers, self._accounts.values())
        self._searched = recurring_span(self._accounts.values(), answers.today)
        self.span = span
        self.currency = currency
        self.is_converted = is_converted
        self._prefix = "converted" if is_converted else ""
        self._one = {"convertTo": currency} if is_converted else {"currencyCode": f"eq.{currency}"}
        #: The timespan to compare this one with.
        self.compared = span.compared(answers.today)

    def _in_order(self, currencies: Iterable[str]) -> list[str]:
        """Return the currencies, the one that the page shows first."""
        return sorted(currencies, key=lambda code: (code != self.currency, code))

    # -- net worth

    @property
    def is_current(self) -> bool:
        """Whether net worth is that of the accounts today."""
        return self.span.first <= self.today <= self.span.last

    @property
    def _last_day(self) -> str:
        """The last day of net worth."""
        return "today" if self.is_current else date_text(self.span.last)

    @cached_property
    def worth_request(self) -> api_requests.ApiRequest:
        last = self.today if self.is_current else self.span.last
        year = self.span.year()
        # Before the first record, balances would only be the initial ones.
        begin = first_day(self._answers, sortBy="+recordDate") or year.first
        first = min(max(year.first, begin), self.span.first)
        # By default, there are twelve months: saved, they move on.
        is_usual = first == Timespan(last, last).year().first
        given = {"interval": "month", "from": "" if is_usual else date_text(first)}
        given |= {"to": self._last_day, "convertTo": self.currency if self.is_converted else ""}
        return api_requests.ApiRequest(api_requests.BALANCES, given, "Net worth by month")

    def worth_question(self, convert_to: str = "") -> api_requests.ApiRequest:
        """Return the request for the net worth alone, at the end of the timespan or today."""
        last = self._last_day
        # With totals in place of rows, a link shows no single account.
        given = {"interval": "day", "from": last, "to": last, "rows": "totals"}
        given |= {"convertTo": convert_to}
        about = f"Net worth{f' in {convert_to}' if convert_to else ''}"
        about = about if self.is_current else f"{about}, {last}"
        return api_requests.ApiRequest(api_requests.BALANCES, given, about)

    @cached_property
    def course(self) -> tuple[Sequence[Row], Sequence[Row]]:
        return self._answers.course(self.worth_request)

    @cached_property
    def worth_by_currency(self) -> dict[str, int]:
        """Net worth by currency at the end of the timespan or today."""
        found = {row["currencyCode"]: row["balance"] for row in self.course[0]}
        return {code: found[code] for code in self._in_order(found)}

    def to_come(self, currency: str) -> str:
        """Return what net worth leaves out in a currency; see `TodaysBalances.to_come`."""
        rows = self._accounts.values() if self.is_current else ()
        return self.balances.to_come(*(row for row in rows if row["currencyCode"] == currency))

    @cached_property
    def worth(self) -> Chart:
        totals, converted = self.course
        if self.is_converted:
            rows = [(row["date"], row["convertedBalance"]) for row in converted]
        else:
            own = [row for row in totals if row["currencyCode"] == self.currency]
            rows = [(row["date"], row["balance"]) for row in own]
        points = [
            MonthPoint(
                day,
                units and self._exact(units),
                self.records(Timespan(start_of(Period.MONTH, day), day)),
            )
            for day, units in rows
        ]
        return Chart(points, month_line(points, self.currency, self._region))

    def _exact(self, units: int) -> int:
        """Return an amount in the decimals of its currency."""
        return cents(units, self.currency) if self.is_converted else units

    # -- received and spent

    def question(self, name: str) -> api_requests.ApiRequest:
        """Return the request for one of the sums alone. This month's keeps up with time."""
        span, today = self.span, self.today
        relative = span.name(today) if span.first <= today <= span.last else None
        words = relative.replace("-", " ") if relative else span.words(self._region)
        alone = {"columns": name, "fill": "true"}
        alone |= {"mergeCurrencies": "true"} if self.is_converted else {}
        about = f"{name.capitalize()} {words}, in {self.currency}"
        asked = self._summary(about, "", span, **alone)
        return asked if relative else replace(asked, saved={})

    @cached_property
    def sums(self) -> Money | None:
        return self._money(self._summary("Received and spent", ""))

    @property
    def compared_words(self) -> str:
        """Return when `compared` was: ``in Oct``, or ``by 28 Oct`` for its first days."""
        words, last = self.compared.words(self._region), self.compared.last
        if self.span.period is None:
            return f"before ({words})"
        if self.compared.period is not None:
            return f"in {words[:3] if self.span.period is Period.MONTH else words}"
        is_year = self.span.period is Period.YEAR
        return f"by {self._region.day(last) if is_year else self._region.day_of_year(last)}"

    @cached_property
    def sums_before(self) -> Money | None:
        return self._money(self._summary("Received and spent before", "", self.compared))

    def _money(self, asked: api_requests.ApiRequest) -> Money | None:
        found = self._answers.sums(asked)
        return None if found is None else Money.of(found.rows, self._prefix)

    @cached_property
    def nearest(self) -> Timespan | None:
        """For a timespan without records: the nearest month that has some, if any."""
        shared = {"counted": "true"}
        if not self.is_converted:
            shared["currencyCode"] = f"eq.{self.currency}"
        around = (
            {"recordDate": f"lt.{date_text(self.span.first)}", "sortBy": "-recordDate"},
            {"recordDate": f"gt.{date_text(self.span.last)}", "sortBy": "+recordDate"},
        )
        found = [first_day(self._answers, **shared, **each) for each in around]
        days = [day for day in found if day is not None]
        if not days:
            return None
        day = min(days, key=lambda day: min(abs(day - self.span.first), abs(day - self.span.last)))
        return Timespan.around(Period.MONTH, day)

    @cached_property
    def months(self) -> Chart | None:
        page = {"fill": "true", "limit": api_requests.MOST_GROUPS}
        about, year = "Received and spent by month", self.span.year()
        found = self._answers.sums(self._summary(about, "month", year, **page))
        if found is None:
            return None
        by_month = _by(found, "periodStart", self._prefix)
        lines = [
            Line(month_words(span.first), self.records(span), by_month.get(span.first, Money()))
            for span in year.months()
        ]
        series = {
            "income": [self._exact(line.now.received) for line in lines],
            "expense": [self._exact(line.now.spent) for line in lines],
        }
        words = {
            "income": f"Received {{}} {self.currency}",
            "expense": f"Spent {{}} {self.currency}",
        }
        months = [(line.label, line.link) for line in lines]
        return Chart(lines, month_columns(months, series, words, self.currency, self._region))

    # -- categories

    @cached_property
    def categories(self) -> list[Line] | None:
        """The categories with spending, the largest first."""
        page = {"sortBy": f"-{_name(self._prefix, SPENT)}", "limit": api_requests.MOST_GROUPS}
        of_now, of_before = (
            self._answers.sums(self._summary(about, "topCategory", span, **page))
            for about, span in (
                ("Spending by category", self.span),
                ("Spending by category before", self.compared),
            )
        )
        if of_now is None:
            return None
        summaries = [of_now] if of_before is None else [of_now, of_before]
        now, *before = (_by(found, "topCategoryId", self._prefix) for found in summaries)
        earlier = before[0] if before else {}
        names = {
            group["topCategoryId"]: group["topCategory"] or ""
            for found in summaries
            for group in found.rows
        }
        spent = [(key, now.get(key, Money())) for key in {**now, **earlier}]
        spent = [each for each in spent if each[1].spent or earlier.get(each[0], Money()).spent]
        spent.sort(key=lambda each: (-each[1].spent, names[each[0]] or "~"))
        most = max((money.spent for _, money in spent), default=0) or 1
        return [
            Line(
                names[key] or "Without category",
                self.records(self.span, category=key or NONE, flow=SPENT),
                money,
                earlier.get(key, Money()) if before else None,
                max(0, round(100 * money.spent / most, 2)),
                key,
            )
            for key, money in spent
        ]

    # -- payees

    @cached_property
    def payees(self) -> list[Row] | None:
        """The payees who received most; None if there are too many to add up or to convert."""
        if self.is_converted and (self.sums is None or self.sums.count > self.most_searched):
            return None
        asked = {"columns": SPENT, "payee": NULL_TESTS[ANY], "sortBy": f"-{SPENT}"}
        # A payee who is paid in several currencies has its place by the sum of all of them.
        asked |= {"mergeCurrencies": "true"} if self.is_converted else {}
        asked |= {"limit": str(MOST_PAYEES)}
        top = self._summary("Top payees", "payee", self.span, **asked)
        found = self._answers.get_if_possible(top)
        return None if found is None else [row for row in found.rows if (row[SPENT] or 0) > 0]

    # -- what is left of the month that holds today

    @cached_property
    def left(self) -> Mapping[str, Left] | None:
        """What is left this month, by currency; None if there are too many records to find out."""
        given = {"columns": f"{RECEIVED},{SPENT}", "recordDate": "eq.this-month"}
        this_month = api_requests.ApiRequest(api_requests.SUMMARY, given, "This month")
        days = (end_of(Period.MONTH, self.today) - self.today) // DAY_SECONDS
        given = {"days": str(days), "include": INCLUDE_EXPECTED, "limit": "1"}
        to_come = api_requests.ApiRequest(api_requests.UPCOMING, given, "Due this month")
        sums = self._answers.sums(this_month) if self.has_expected else None
        due = self._answers.get_if_possible(to_come) if sums is not None else None
        if sums is None or due is None:
            return None
        so_far = {row["currencyCode"]: row for row in sums.rows}
        expected = {row["currencyCode"]: row for row in due.members["totals"].rows}
        nothing = {RECEIVED: 0, SPENT: 0, "income": 0, "expense": 0}
        found = {}
        for currency in self._in_order({*so_far, *expected} or {self.currency}):
            row = nothing | so_far.get(currency, {}) | expected.get(currency, {})
            found[currency] = Left(row[RECEIVED], row[SPENT], row["income"], -row["expense"])
        return found

    def left_question(self, currency: str) -> api_requests.ApiRequest:
        """Return the request for what is left this month alone."""
        given = {"columns": "left", "recordDate": "eq.this-month", "fill": "true"}
        given["currencyCode"] = f"eq.{currency}"
        return api_requests.ApiRequest(
            api_requests.SUMMARY, given, f"Left this month, in {currency}"
        )

    # -- budgets, what is due

    budgets_request = api_requests.ApiRequest(
        f"{PUBLIC_SURFACE}budgets",
        {"closed": "false", "sortBy": "+name", "limit": str(MOST_ROWS)},
        about="Budgets",
    )

    @cached_property
    def has_expected(self) -> bool:
        """Whether there are few enough records to find recurring payments among them."""
        if self._searched is None:
            return True
        first = f"gte.{date_text(self._searched[0])}"
        asked = {"columns": "count", "recordDate": first, "include": "transfers,excluded"}
        found = self._answers.sums(api_requests.ApiRequest(api_requests.SUMMARY, asked))
        return found is not None and sum(row["count"] for row in found.rows) <= self.most_searched

    @cached_property
    def upcoming(self) -> Answer | None:
        """What is due; None if that is too much to compute."""
        include = INCLUDE_TRANSFERS if self.has_expected else ""
        asked = {"days": str(DUE_DAYS), "include": include, "limit": api_requests.MOST_GROUPS}
        about = f"Due in {DUE_DAYS} days"
        return self._answers.get_if_possible(
            api_requests.ApiRequest(api_requests.UPCOMING, asked, about)
        )

    # -- the balances to come

    low_request = api_requests.ApiRequest(
        api_requests.FORECAST,
        {"to": f"+{DUE_DAYS - 1}d", "below": "0"},
        about=f"Lowest balances in {DUE_DAYS} days",
    )

    @cached_property
    def lowest(self) -> Sequence[Row]:
        """The lowest balance of each account; none if there are too many records to predict it."""
        found = self._answers.get_if_possible(self.low_request) if self.has_expected else None
        rows: Sequence[Row] = () if found is None else found.members["lowest"].rows
        return [row for row in rows if not self._accounts[row["accountId"]]["archived"]]

    @cached_property
    def accounts(self) -> list[Row]:
        """The accounts in use, those with the newest records first."""
        rows = [row for row in self._accounts.values() if not row["archived"]]
        rows.sort(key=lambda row: (row["name"], row["id"]))
        rows.sort(key=lambda row: row["recordCount"], reverse=True)
        rows.sort(key=lambda row: min(row["lastRecordDate"] or 0, self.today), reverse=True)
        return rows

    @property
    def accounts_shown(self) -> list[tuple[Row, Row | None]]:
        """The accounts used last, by name, each with its lowest balance to come, if predicted."""
        lowest = {row["accountId"]: row for row in self.lowest}
        rows = sorted(self.accounts[:MOST_ACCOUNTS], key=lambda row: (row["name"], row["id"]))
        return [(row, lowest.get(row["id"])) for row in rows]

    @property
    def below_zero(self) -> Sequence[Row]:
        """The lowest balances below zero, except of accounts that are usually below it."""
        return [
            row
            for row in self.lowest
            if row["belowDate"] is not None
            and self._accounts[row["accountId"]]["accountType"] not in _OWING
        ]

    # -- what needs attention

    uncategorised_request = api_requests.ApiRequest(
        api_requests.SUMMARY, {"categoryId": "is.null"}, about="Records without category"
    )
    unexplained_request = api_requests.ApiRequest(
        f"{PUBLIC_SURFACE}accounts",
        {"unexplained": "ne.0", "sortBy": "+name", "limit": "100"},
        about="Balances that don't match",
    )
    quiet_request = api_requests.ApiRequest(
        f"{PUBLIC_SURFACE}accounts",
        {
            "archived": "false",
            "lastRecordDate": f"lt.-{QUIET_DAYS}d",
            "sortBy": "+lastRecordDate",
            "limit": "100",
        },
        about="Accounts without new records",
    )

    @cached_property
    def uncategorised(self) -> int:
        found = self._answers.sums(self.uncategorised_request)
        return 0 if found is None else sum(group["count"] for group in found.rows)

    def rows(self, asked: api_requests.ApiRequest) -> Sequence[Row]:
        return self._answers.get(asked).rows

    # -- links

    #: The path of the page with all records without a category.
    uncategorised_link = f"/records?category={NONE}&counted=true"

    def records(self, span: Timespan, **filters: str) -> str:
        """Return the path of the page with the records that a figure counts."""
        days = {"from": date_text(span.first), "to": date_text(span.last)}
        currency = {"convertTo" if self.is_converted else "currency": self.currency}
        return f"/records?{urlencode({**filters, **days, **currency, 'counted': 'true'})}"

    def _summary(
        self, about: str, group_by: str, span: Timespan | None = None, **parameters: str
    ) -> api_requests.ApiRequest:
        """Return a request for sums. about: see `ApiRequest`. span: by default the overview's."""
        span = span or self.span
        given = {"groupBy": group_by, "columns": _COLUMNS, "recordDate": span.filter}
        name = span.name(self.today)
        saved = {"recordDate": f"eq.{name}"} if name else {}
        return api_requests.ApiRequest(
            api_requests.SUMMARY, {**given, **self._one, **parameters}, about, saved
        )


def first_day(answers: api_requests.ApiAnswers, **parameters: str) -> int | None:
    """Return the day of the first record of a list; None if the list is empty."""
    asked = {**parameters, "limit": "1"}
    rows = answers.get(api_requests.ApiRequest(api_requests.RECORDS_PATH, asked)).rows
    return start_of(Period.DAY, rows[0]["recordDate"]) if rows else None


def _by(found: Answer, name: str, prefix: str) -> Mapping[Any, Money]:
    """Return the sums by the values of one column."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for group in found.rows:
        groups[group[name]].append(group)
    return {value: Money.of(rows, prefix) for value, rows in groups.items()}
