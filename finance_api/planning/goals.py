"""Goals: how much is saved, and when they are reached at the rate of the last months."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from finance_api.query.model import Span, any_of, dated
from finance_api.resources import ACCOUNTS
from finance_api.storage.interface import RecordSum, Storage
from finance_api.values import Row
from finance_api.values.number import ratio_units
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

#: The rate is measured over this many days before today, or since the first record.
RATE_DAYS = 180
#: With fewer days of records there is no rate.
LEAST_DAYS = 30

#: Sums of records, by the account or label and the currency.
_Sums = dict[tuple[str, str], RecordSum]


class Saved(NamedTuple):
    """amount: what is saved. change: of the last ``days`` days; 0 days if there is no rate."""

    amount: int
    change: int = 0
    days: int = 0


def tracked_goals(storage: Storage, user_id: int, today: int, goals: Sequence[Row]) -> list[Row]:
    """Return the goals with their computed fields."""
    links = {
        name: _Link(storage, user_id, today, field, {goal[name] for goal in goals} - {None})
        for name, field in (("accountId", "accountId"), ("labelId", "labelIds"))
    }
    return [{**goal, **_tracked(goal, _saved(goal, links), today)} for goal in goals]


def _tracked(goal: Row, saved: Saved | None, today: int) -> Row:
    target = goal["targetAmount"]
    if saved is None:
        return {"currentAmount": None, "progress": None, "expectedDate": None}
    return {
        "currentAmount": saved.amount,
        "progress": None if target is None else ratio_units(saved.amount, target),
        "expectedDate": None if target is None else _expected(saved, target, today),
    }


def _expected(saved: Saved, target: int, today: int) -> int | None:
    """Return the day on which the target is reached; None if it is already, or never will be."""
    left = target - saved.amount
    if left <= 0 or saved.change <= 0 or not saved.days:
        return None
    day = today - -left * saved.days // saved.change * DAY_SECONDS
    return day if day <= MAX_SECONDS else None


def _saved(goal: Row, links: Mapping[str, "_Link"]) -> Saved | None:
    """Return None if the linked account or label has no sum in the goal's currency."""
    if goal["accountId"] is not None:
        return links["accountId"].of_account(goal["accountId"], goal["currencyCode"])
    if goal["labelId"] is not None:
        return links["labelId"].of_label(goal["labelId"], goal["currencyCode"])
    return Saved(goal["savedAmount"])


class _Link:
    """The sums of accounts or labels that goals are linked to. field: of records."""

    def __init__(
        self, storage: Storage, user_id: int, today: int, field: str, ids: Collection[str]
    ) -> None:
        since = max(MIN_SECONDS, today - RATE_DAYS * DAY_SECONDS)
        self._today = today
        self._ids = ids
        self._accounts: dict[str, Row] = {}
        self._before: _Sums = {}
        self._within: _Sums = {}
        if ids:
            read = storage.data
            if field == "accountId":
                self._accounts = read.get_rows(user_id, ACCOUNTS, ids)
            names, linked = (field, "currencyCode"), any_of(field, ids)
            for sums, span in (
                (self._before, Span(MIN_SECONDS, since)),
                (self._within, Span(since, today + DAY_SECONDS)),
            ):
                found = read.sum_by(user_id, names, [linked, dated(span.first, span.end)])
                for (value, currency), part in found.items():
                    self._add(sums, (value,) if isinstance(value, str) else value, currency, part)

    def _add(self, sums: _Sums, values: Sequence[str], currency: str, part: RecordSum) -> None:
        for value in values:
            if value in self._ids:
                key = value, currency
                sums[key] = sums[key].joined(part) if key in sums else part

    def of_account(self, account_id: str, currency: str | None) -> Saved | None:
        """The account's balance."""
        account = self._accounts[account_id]
        if currency not in (None, account["currencyCode"]):
            return None
        return self._with_rate((account_id, account["currencyCode"]), account["balance"])

    def of_label(self, label_id: str, currency: str | None) -> Saved | None:
        """The sum of the label's records until today; 0 without records."""
        keys = [key for key in {**self._before, **self._within} if key[0] == label_id]
        if currency is None and len(keys) == 1:
            currency = keys[0][1]
        if currency is None:
            return None if keys else Saved(0)
        key = label_id, currency
        parts = [sums[key].amount for sums in (self._before, self._within) if key in sums]
        return self._with_rate(key, sum(parts))

    def _with_rate(self, key: tuple[str, str], amount: int) -> Saved:
        within = self._within.get(key)
        if within is None:
            return Saved(amount)
        days = RATE_DAYS
        if key not in self._before:
            days = (self._today - within.first) // DAY_SECONDS + 1
        return Saved(amount, within.amount, days) if days >= LEAST_DAYS else Saved(amount)
