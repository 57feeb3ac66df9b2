"""Random households with a plain list of what is due: worked out without the program's own code."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple

from support.native_rows import Native, account, record, standing_order, uid

WORDS = "Alpha Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima".split()
KINDS = ("found", "order", "both", "open amount", "paid ahead", "incomplete")
#: Number of account -> name, currency; the second one is excluded from statistics.
ACCOUNTS = {1: ("Giro", "EUR"), 2: ("Hidden", "EUR"), 3: ("Francs", "CHF"), 4: ("Savings", "EUR")}
EXCLUDED = 2


class Due(NamedTuple):
    """A payment that is due. counts: whether it counts in sums."""

    day: date
    name: str
    account: str | None
    amount: Decimal | None
    currency: str | None
    expected: bool
    counts: bool


def add_months(first: date, months: int) -> date:
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    return date(year, month + 1, first.day)


class DueHousehold:
    """rows: objects of the native format. due: the payments due from today until the last day.

    with_transfers: the same, and the transfers without a standing order.
    """

    def __init__(self, seed: int, today: date, last: date) -> None:
        self.today, self.last = today, last
        self.rows: list[Native] = []
        self.due: list[Due] = []
        self.with_transfers: list[Due] = []
        self._random = random = Random(seed)
        self._records = 0
        for number, (name, currency) in ACCOUNTS.items():
            excluded = number == EXCLUDED
            self.rows.append(
                account(number, name=name, currencyCode=currency, excludeFromStats=excluded)
            )
            self._record(number, "Kiosk", today, Decimal("-1.11"))
        words = random.sample(WORDS, random.randint(3, len(WORDS)))
        for number, word in enumerate(words):
            amount = random.choice((-1, -1, 1)) * round(10 * Decimal("1.3") ** number, 2)
            self._add(random.choice(KINDS), number + 1, word, amount)
        if random.random() < 0.5:
            self._add_transfer()
        self.with_transfers += self.due
        for listed in (self.due, self.with_transfers):
            listed.sort(key=lambda due: (due.day, due.name))

    def totals(self) -> dict[str, tuple[int, Decimal, Decimal]]:
        """Return count, income and expense by currency."""
        found: defaultdict[str, list[Decimal]] = defaultdict(list)
        for due in self.due:
            if due.counts and due.amount is not None and due.currency is not None:
                found[due.currency].append(due.amount)
        return {
            currency: (
                len(amounts),
                sum((each for each in amounts if each > 0), Decimal()),
                sum((each for each in amounts if each < 0), Decimal()),
            )
            for currency, amounts in found.items()
        }

    def net(self, first: date, last: date) -> dict[str, Decimal]:
        """Return received minus spent by currency, without transfers and the excluded account."""
        found: defaultdict[str, Decimal] = defaultdict(Decimal)
        for row in self.rows:
            counts = row.get("transferId") is None and row.get("accountId") != uid("Account", 2)
            if "recordDate" in row and counts and f"{first}" <= row["recordDate"] <= f"{last}":
                numbers = {uid("Account", number): number for number in ACCOUNTS}
                found[ACCOUNTS[numbers[row["accountId"]]][1]] += row["amount"]
        return dict(found)

    def _record(self, number: int, payee: str, day: date, amount: Decimal, **more: Any) -> None:
        self._records += 1
        at = {"accountId": uid("Account", number), "recordDate": f"{day}"}
        self.rows.append(record(self._records, payee=payee, amount=amount, **at, **more))

    def _days(self, first: date, begin: date) -> Iterator[date]:
        """Yield the same day of each month, from ``begin`` until the last day."""
        for months in range(40):
            day = add_months(first, months)
            if begin <= day <= self.last:
                yield day

    def _add(self, kind: str, number: int, name: str, amount: Decimal) -> None:
        random, today = self._random, self.today
        first = add_months(today.replace(day=random.randint(1, 28)), -7)
        of_account = random.randint(1, 3)
        account_name, currency = ACCOUNTS[of_account]
        begin = today
        if kind == "paid ahead":
            ahead, ago = random.choice([(k, j) for k in range(5) for j in range(5 - k)])
            due_day = today + timedelta(ahead)
            if due_day.day > 28:
                kind = "order"
            else:
                first = add_months(due_day, -7)
                self._record(of_account, name, today - timedelta(ago), amount)
                begin = due_day + timedelta(1)
        is_late = False
        if kind in ("found", "both", "open amount"):
            paid = [add_months(first, months) for months in range(9)]
            paid = [day for day in paid if day < today or (day == today and random.random() < 0.5)]
            is_late = 0 < (today - paid[-1]).days <= 5 and random.random() < 0.7
            if is_late:
                paid.pop()
            for day in paid:
                self._record(of_account, name, day, amount)
            begin = today + timedelta(paid[-1] == today)
        order: dict[str, Any] = {"amount": amount, "currencyCode": currency}
        order["accountId"] = uid("Account", of_account)
        due_amount: Decimal | None = amount
        due_account, due_currency = account_name, currency
        if kind == "open amount":
            order["amount"] = order["currencyCode"] = None
        elif kind == "incomplete":
            gone = random.choice(("amount", "accountId"))
            order[gone] = None
            due_amount = order["amount"]
            due_account = None if gone == "accountId" else account_name
        if kind != "found":
            rule = {"recurrenceRule": "FREQ=MONTHLY", "startDate": f"{first}"}
            self.rows.append(standing_order(number, name=name, **order, **rule))
        counts = due_account != "Hidden"
        for day in [today] * is_late + [*self._days(first, begin)]:
            self.due.append(
                Due(day, name, due_account, due_amount, due_currency, kind == "found", counts)
            )

    def _add_transfer(self) -> None:
        """Add a monthly transfer to the savings, perhaps with a standing order on either side."""
        random, today, amount = self._random, self.today, Decimal(5_000)
        first = add_months(today.replace(day=random.randint(1, 28)), -7)
        paid = [add_months(first, months) for months in range(9)]
        paid = [day for day in paid if day <= today]
        for number, day in enumerate(paid):
            both = uid("Record", 1_000 + number)
            self._record(1, "Me", day, -amount, transferId=both)
            self._record(4, "Me", day, amount, transferId=both)
        side = random.choice((None, 1, 4))
        begin = today + timedelta(paid[-1] == today)
        for day in self._days(first, begin):
            for number, signed in ((1, -amount), (4, amount)):
                if number != side:
                    name, currency = ACCOUNTS[number]
                    due = Due(day, "Transfer", name, signed, currency, True, False)
                    self.with_transfers.append(due)
        if side is not None:
            name, currency = ACCOUNTS[side]
            signed = amount if side == 4 else -amount
            self.rows.append(
                standing_order(
                    100,
                    name="Saving",
                    amount=signed,
                    currencyCode=currency,
                    accountId=uid("Account", side),
                    recurrenceRule="FREQ=MONTHLY",
                    startDate=f"{first}",
                )
            )
            for day in self._days(first, begin):
                self.due.append(Due(day, "Saving", name, signed, currency, False, False))
