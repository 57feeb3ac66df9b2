"""Forecasts made on past days, compared with what came and with two guesses."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from statistics import mean

from finance_api.planning.forecast.expected import History, expect
from finance_api.planning.forecast.reading import Typical, with_transfers
from finance_api.planning.recurring.series import Payment
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, from_date, to_date

Found = Sequence[tuple[str | None, Payment]]


def _ends(newest: int, months: int) -> Iterator[tuple[int, int]]:
    """Yield days of the last whole months, and the last day of each."""
    last = to_date(newest).replace(day=1) - timedelta(days=1)
    for _ in range(months):
        for day in (1, 10, 20):
            yield from_date(last.replace(day=day)), from_date(last)
        last = last.replace(day=1) - timedelta(days=1)


def _month_before(day: int) -> tuple[int, int]:
    """Return the same day of the month before, and the last day of that month."""
    last = to_date(day).replace(day=1) - timedelta(days=1)
    same = last.replace(day=min(to_date(day).day, last.day))
    return from_date(same), from_date(last)


class Backtest:
    """Errors of the balance at the end of the month, in whole units of the currency.

    today, last_month: errors of two guesses: the balance stays as it is today, or is as at the end
    of the month before. as_before: errors of the guess that it changes as on the same days of the
    month before. inside: how often the balance was in the forecast's range.
    """

    def __init__(self) -> None:
        self._errors: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, found: Found, orders: Sequence[Row], *, months: int) -> None:
        newest = max(payment.day for _, payment in found)
        accounts = {payment.account_id for _, payment in found}
        for today, end in _ends(newest, months):
            known = [each for each in found if each[1].day <= today]
            payments, arrivals = with_transfers(known)
            near = [payment for _, payment in known[-40:]]
            expected = expect(History(today, payments, arrivals, near, orders), end)
            for account in accounts:
                balances = self._balances(found, account, today, end)
                sure = sum(m.amount for m in expected.movements if m.account_id == account)
                rest = [(p.day, p.amount) for p in expected.rest if p.account_id == account]
                usual = Typical(rest, today).within((end - today) // DAY_SECONDS)
                self._compare(balances, sure, usual)

    @staticmethod
    def _balances(found: Found, account: str, today: int, end: int) -> Mapping[str, int]:
        same, last = _month_before(today)
        days = {"today": today, "end": end, "same": same, "last": last}
        return {
            name: sum(p.amount for _, p in found if p.account_id == account and p.day <= day)
            for name, day in days.items()
        }

    def _compare(self, balances: Mapping[str, int], sure: int, usual: tuple[int, ...]) -> None:
        low, middle, high = (balances["today"] + sure + each for each in usual)
        true, today = balances["end"], balances["today"]
        guesses = {
            "forecast": middle,
            "known": today + sure,
            "today": today,
            "last_month": balances["last"],
            "as_before": today + balances["last"] - balances["same"],
        }
        for name, guess in guesses.items():
            self._errors[name].append(abs(guess - true) / 10_000)
        self._errors["inside"].append(low <= true <= high)

    def mean(self, name: str) -> float:
        return mean(self._errors[name])

    def report(self, title: str) -> str:
        errors = " ".join(f"{n}={self.mean(n):.0f}" for n in self._errors if n != "inside")
        return f"{title}: {errors} inside={self.mean('inside'):.0%}"
