"""The figures on an account's page: balance over time, newest records, the bank's balance."""

from dataclasses import dataclass
from functools import cached_property

from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.ledger.derivation import Gap, list_gaps
from finance_api.ledger.session import UserRows
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.values.time import Period, date_text, months_before, start_of
from finance_api.web.api_results import BALANCES, ApiRequest, ApiResults
from finance_api.web.change_notice import sentence_of
from finance_api.web.plots import Label, Plot, line_plot
from finance_api.web.rendering import amount, month_words

_NEWEST_RECORDS = "10"
_MONTHS = 12
#: For each gap, up to this many manual edits are named, the first ones.
_MOST_EDITS = 3
#: Up to this many gaps are shown, the newest ones.
_MOST_GAPS = 12


@dataclass(frozen=True)
class Month:
    """balance: at the month's end. link: to its records."""

    label: str
    balance: int
    link: str


class AccountDetail:
    """The figures beside an account's form."""

    template = "object_account.jinja2"

    def __init__(self, results: ApiResults, owned: UserRows, row: Row) -> None:
        self.row = row
        self._results = results
        self._owned = owned
        self._own = {"accountId": f"eq.{row['id']}"}

    @property
    def requests(self) -> list[ApiRequest]:
        return [self._course_request, self._records_request]

    @property
    def _course_request(self) -> ApiRequest:
        first = months_before(start_of(Period.MONTH, self._results.today), _MONTHS - 1)
        given = {"interval": "month", "from": date_text(first), **self._own}
        return ApiRequest(BALANCES, given, about="Balance over time")

    @property
    def _records_request(self) -> ApiRequest:
        given = {**self._own, "sortBy": "-recordDate", "limit": _NEWEST_RECORDS}
        return ApiRequest(f"{PUBLIC_SURFACE}records", given, about="Newest records")

    @cached_property
    def records(self) -> list[Row]:
        return self._results.page(RECORDS, self._records_request).rows

    @cached_property
    def months(self) -> list[Month]:
        totals, _ = self._results.course(self._course_request)
        return [
            Month(
                month_words(row["periodStart"]),
                row["balance"],
                self.records_link(row["periodStart"], row["date"]),
            )
            for row in totals
        ]

    @property
    def plot(self) -> Plot:
        currency = self.row["currencyCode"]
        labels = [
            Label(
                [month.label, f"{amount(month.balance, currency)} {currency}"],
                month.link,
                month.label[-4:],
            )
            for month in self.months
        ]
        balances = [month.balance for month in self.months]
        return line_plot(balances, [month.label[:3] for month in self.months], labels)

    @cached_property
    def computed(self) -> int | None:
        """The balance that the records add up to on the day of the bank's newest balance."""
        day = self.row["bankBalanceDate"]
        if day is None:
            return None
        days = {"from": date_text(day), "to": date_text(day)}
        totals, _ = self._results.course(
            ApiRequest(BALANCES, {"interval": "day", **days, **self._own})
        )
        return int(totals[0]["balance"])

    @cached_property
    def gaps(self) -> list[Gap]:
        return list_gaps(self._owned, self.row["id"])[-_MOST_GAPS:]

    def edits_in(self, gap: Gap) -> list[tuple[int, str]]:
        """The manual edits that changed the sums of a gap's days: numbers and sentences."""
        return [
            (entry.number, sentence_of(entry))
            for entry in self._owned.history
            if entry.undone_at is None
            for sums in [(entry.details.get("summary") or {}).get("sums", ())]
            if any(i == self.row["id"] and gap.first <= day <= gap.last for i, day, _ in sums)
        ][:_MOST_EDITS]

    def records_link(self, first: int, last: int) -> str:
        days = {"account": self.row["id"], "from": date_text(first), "to": date_text(last)}
        return ApiRequest("/records", days).target
