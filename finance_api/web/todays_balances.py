"""Balances of today, and beside them the records of days to come, which they leave out."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from finance_api.resources.currencies import decimals_of
from finance_api.values import Row
from finance_api.values.text import amount_text, counted_text, message
from finance_api.values.time import DAY_SECONDS, date_text
from finance_api.web.api_requests import BALANCES, SUMMARY, ApiAnswers, ApiRequest


class TodaysBalances:
    """accounts: some of the user's accounts. filters: parameters that select them, unless all."""

    def __init__(
        self, answers: ApiAnswers, accounts: Iterable[Row], filters: Mapping[str, str] | None = None
    ) -> None:
        self._answers, self._filters = answers, filters or {}
        self._newest = max((row["lastRecordDate"] or 0 for row in accounts), default=0)

    @property
    def request(self) -> ApiRequest:
        given = {"interval": "day", "from": "today", "to": "today", **self._filters}
        return ApiRequest(BALANCES, given, "Balances today")

    @property
    def _to_come_request(self) -> ApiRequest:
        given = {"groupBy": "account", "columns": "count,net", "recordDate": "gt.today"}
        given |= {"include": "transfers,excluded", **self._filters}
        return ApiRequest(SUMMARY, given, "Records of days to come")

    @cached_property
    def by_account(self) -> Mapping[str, int]:
        """The balances by account id; empty if the API refuses so many accounts."""
        found = self._answers.get_if_possible(self.request)
        return {} if found is None else {row["accountId"]: row["balance"] for row in found.rows}

    @cached_property
    def _to_come(self) -> Mapping[str, Row]:
        """The number and the sum of the records of days to come, by account id."""
        has_some = self._newest > self._answers.today
        found = self._answers.sums(self._to_come_request) if has_some else None
        return {} if found is None else {row["accountId"]: row for row in found.rows}

    def to_come(self, *accounts: Row) -> str:
        """Return ``2 records of days to come: -90.00``; "" if there are none.

        accounts: accounts with the same currency.
        """
        found = [self._to_come[row["id"]] for row in accounts if row["id"] in self._to_come]
        if not found:
            return ""
        records = counted_text(sum(row["count"] for row in found), "record")
        net = amount_text(sum(row["net"] for row in found), decimals_of(found[0]["currencyCode"]))
        return message(f"{records} of days to come: {net}")

    def to_come_link(self, account: Row) -> str:
        days = {"account": account["id"], "from": date_text(self._answers.today + DAY_SECONDS)}
        return ApiRequest("/records", days).target
