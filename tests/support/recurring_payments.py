"""Households with payments that recur, among others that do not, and the truth about them."""

import random
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from finance_api.planning.recurring.series import Payment
from finance_api.values.time import from_date

TODAY = date(2026, 3, 18)
DAYS = 780
CENT = 100


@dataclass(frozen=True)
class Truth:
    """days: the interval, in days."""

    payee: str
    days: float
    ids: frozenset[str]


class Payments:
    """One household's payments of the last two years. truths: the recurring ones.

    noise: 2 for twice as many gaps, twice as large shifts of days and variations of amounts.
    """

    def __init__(self, seed: int, noise: int = 1) -> None:
        self._chance = random.Random(seed)
        self._noise = noise
        self.payments: list[Payment] = []
        self.truths: list[Truth] = []
        self._begin = TODAY - timedelta(days=DAYS)
        self._recurring()
        self._others()

    def _pay(self, payee: str, day: date, cents: float, account: str = "current") -> str | None:
        if not self._begin <= day <= TODAY:
            return None
        record_id = f"{len(self.payments):08}"
        amount = round(cents) * CENT
        made = Payment(record_id, account, "EUR", payee, None, from_date(day), amount)
        self.payments.append(made)
        return record_id

    def _recur(
        self,
        payee: Callable[[int], str],
        interval: float,
        days: Iterator[date],
        cents: Callable[[int], float],
        *,
        shift: int = 0,
        missing: float = 0.0,
    ) -> None:
        """shift: days that a payment may be early or late. missing: the share of gaps."""
        chance, ids = self._chance, set()
        shift, missing = shift * self._noise, missing * self._noise
        for number, due in enumerate(days):
            if chance.random() < missing:
                continue
            day = due + timedelta(days=chance.randint(-shift, shift))
            if found := self._pay(payee(number), day, cents(number)):
                ids.add(found)
        self.truths.append(Truth(payee(0), interval, frozenset(ids)))

    def _months(self, every: int, of_month: int) -> Iterator[date]:
        """Yield days on this day of the month, moved from weekends to Monday."""
        month = self._begin.year * 12 + self._begin.month - 1 + self._chance.randrange(every)
        start = self._begin
        if every <= 3 and self._chance.random() < 0.3:
            start = self._begin + timedelta(days=self._chance.randrange(400))
        end = TODAY
        if every <= 3 and self._chance.random() < 0.2:
            end = TODAY - timedelta(days=self._chance.randrange(300))
        while True:
            year, number = divmod(month, 12)
            day = date(year, number + 1, min(of_month, monthrange(year, number + 1)[1]))
            day += timedelta(days={5: 2, 6: 1}.get(day.weekday(), 0))
            if day > end:
                return
            if day >= start:
                yield day
            month += every

    def _every(self, step: int) -> Iterator[date]:
        day = self._begin + timedelta(days=self._chance.randrange(step))
        while day <= TODAY:
            yield day
            day += timedelta(days=step)

    def _fixed(self, low: int, high: int, rise: float = 0.5) -> Callable[[int], float]:
        """An expense that may rise once."""
        chance = self._chance
        usual = -chance.randrange(low, high)
        rises_at = chance.randrange(4, 20) if chance.random() < rise else 10_000
        share = chance.uniform(1.05, 1.25)
        return lambda number: usual * (share if number >= rises_at else 1)

    def _varied(self, low: int, high: int, by: float) -> Callable[[int], float]:
        usual, by = -self._chance.randrange(low, high), by * self._noise
        return lambda _: usual * self._chance.uniform(1 - by, 1 + by)

    def _recurring(self) -> None:
        chance, month = self._chance, 30.44

        def a_day() -> int:
            return chance.randint(1, 28)

        wage = chance.randrange(180_000, 420_000)
        pay = lambda n: wage * (2 if n % 12 == 10 else 1 + n * 0.001)  # noqa: E731
        self._recur(lambda _: "Employer Ltd", month, self._months(1, 31), pay)
        rent = self._fixed(60_000, 140_000, rise=0.3)
        self._recur(lambda n: f"Landlord rent {n % 12 + 1:02}/25", month, self._months(1, 1), rent)
        for name in ("Streaming", "Music", "Gym", "Newspaper"):
            bill = self._fixed(499, 3_999)
            self._recur(
                lambda n, name=name: f"{name} {7_000 + n * 13}",
                month,
                self._months(1, a_day()),
                bill,
                missing=0.04,
            )
        for name, by in (("Electricity", 0.25), ("Mobile", 0.35), ("Water", 0.15)):
            bill = self._varied(2_500, 12_000, by)
            self._recur(
                lambda _, name=name: name,
                month,
                self._months(1, a_day()),
                bill,
                shift=2,
                missing=0.05,
            )
        self._recur(lambda _: "Cleaner", 7, self._every(7), self._fixed(4_000, 7_000), missing=0.1)
        self._recur(
            lambda _: "Piano lessons", 14, self._every(14), self._fixed(3_000, 5_000), missing=0.08
        )
        self._recur(lambda _: "Prepaid", 28, self._every(28), self._fixed(999, 2_000, rise=0))
        for name, every in (("Broadcasting fee", 3), ("Car insurance", 6), ("Liability", 12)):
            bill = self._fixed(2_000, 30_000, rise=0.2 if every < 12 else 0)
            self._recur(
                lambda _, name=name: name,
                month * every,
                self._months(every, a_day()),
                bill,
                shift=1,
            )
        # A shop with a membership, among other purchases there.
        self._recur(lambda n: f"Shop online {n}", month, self._months(1, a_day()), lambda _: -899)
        for n in range(40):
            day = self._begin + timedelta(days=chance.randrange(DAYS))
            self._pay(f"Shop online {900 + n}", day, -chance.randrange(1_000, 30_000))

    def _others(self) -> None:
        chance = self._chance
        for payee, gap, low, high in (
            ("Supermarket", 3, 800, 12_000),
            ("Discounter", 5, 500, 6_000),
            ("Bakery", 4, 250, 1_400),
            ("Petrol station", 12, 4_000, 8_000),
            ("Trattoria", 25, 2_500, 9_000),
            ("Pharmacy", 35, 500, 6_000),
            ("Bookshop", 45, 900, 4_500),
            ("Cinema", 40, 1_100, 2_400),
            ("Hairdresser", 48, 3_500, 3_900),
            ("Railway", 20, 900, 9_000),
            ("Clothes", 60, 2_000, 20_000),
            ("Garden centre", 100, 1_000, 15_000),
        ):
            day = self._begin
            while (day := day + timedelta(days=1 + round(chance.expovariate(1 / gap)))) <= TODAY:
                self._pay(payee, day, -chance.randrange(low, high))
        for payee, gap, amounts in (
            ("Cash machine", 9, (5_000, 10_000, 20_000)),
            ("Canteen", 3, (350, 420, 650)),
            ("Parking", 8, (200, 400)),
            ("Swimming pool", 11, (450,)),
        ):
            day = self._begin
            while (day := day + timedelta(days=1 + round(chance.expovariate(1 / gap)))) <= TODAY:
                self._pay(payee, day, -chance.choice(amounts))
        for n in range(60):
            day = self._begin + timedelta(days=chance.randrange(DAYS))
            self._pay(
                f"Visitor {chr(97 + n % 26)}{chr(97 + n // 26)}", day, -chance.randrange(9_000)
            )
