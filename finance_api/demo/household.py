"""A household's data: accounts, categories, plans, and any number of records."""

import random
import re
import uuid
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from finance_api import resources
from finance_api.importers.native import NativeRow
from finance_api.resources.currencies import DayRates
from finance_api.resources.field import Resource
from finance_api.values.period_limits import limit_texts
from finance_api.values.time import DAY_SECONDS, from_date, to_date


class Spending(NamedTuple):
    """One kind of payment. low, high: in cents. weight: how often, relative to other kinds."""

    category: str
    payees: tuple[str, ...]
    notes: tuple[str | None, ...]
    low: int
    high: int
    weight: int
    payment_type: str


#: One euro in currencies that it has replaced (Council Regulation (EC) No 2866/98).
FIXED_RATES = {
    "ATS": Decimal("13.7603"),
    "DEM": Decimal("1.95583"),
    "FRF": Decimal("6.55957"),
    "ITL": Decimal("1936.27"),
}

#: Group -> category -> the categories below it.
CATEGORIES: dict[str, dict[str, tuple[str, ...]]] = {
    "Food & drinks": {"Groceries": (), "Eating out": ("Cafés", "Restaurants")},
    "Housing": {"Rent": (), "Energy": (), "Internet & phone": ()},
    "Transport": {"Public transport": (), "Fuel": (), "Bicycle": ()},
    "Leisure": {"Books": (), "Cinema": (), "Holidays": (), "Sport": ()},
    "Shopping": {"Clothes": (), "Household": (), "Electronics": ()},
    "Health": {"Pharmacy": (), "Doctor": ()},
    "Income": {"Salary": (), "Refunds": ()},
}

#: Top-level categories that money is spent on.
SPENDING_CATEGORIES = tuple(
    category for group, found in CATEGORIES.items() if group != "Income" for category in found
)

LABELS = ("household", "shared", "tax", "work", "école")

#: Three lines each: category, cents, weight, payment type; payees; notes (- means no note).
_SPENDINGS = """
Groceries         180..4500   40  debit_card
    Corner Shop, Marché Vert, Bäckerei Groß, Supermarket 24, Zöldséges
    weekly shopping, fruit and vegetables, -, bread, for the weekend
Cafés             250..1800   14  mobile_payment
    Café Müller, Kávéház, Blue Cup
    with Anna, -, coffee, breakfast
Restaurants       1200..8900  10  credit_card
    Trattoria Da Rosa, 寿司 Sakura, Zum Straßenwirt
    dinner, lunch with the team, -, birthday of Zoë
Public transport  240..880     9  cash
    City Transit
    ticket, day pass, -
Fuel              2500..9800   4  debit_card
    Petrol & Co, Station Nord
    full tank, -
Books             790..4500    4  web_payment
    Librairie Page 7, Buchhandlung Graf
    -, a gift
Cinema            900..3200    3  credit_card
    Lumière
    two tickets, -
Sport             450..6000    4  debit_card
    Climbing Hall, City Pool
    entry, -, yearly pass
Clothes           990..15900   3  credit_card
    Nordlicht, Second Life Store
    -, winter coat, shoes
Household         350..12900   4  debit_card
    Hardware House, IKEA
    shelf, -, light bulbs
Electronics       600..89900   1  web_payment
    Volt & Watt
    cable, headphones, -
Pharmacy          320..4800    3  cash
    Apotheke am Markt
    -, cold
Refunds           -6000..-500  1  credit_card
    Marché Vert, Nordlicht
    refund
"""


def _spendings() -> tuple[Spending, ...]:
    lines = iter(_SPENDINGS.strip().splitlines())
    made = []
    for first, payees, notes in zip(lines, lines, lines, strict=True):
        category, cents, weight, payment_type = re.split("  +", first)
        low, high = map(int, cents.split(".."))
        names = tuple(payees.strip().split(", "))
        texts = tuple(None if note == "-" else note for note in notes.strip().split(", "))
        made.append(Spending(category, names, texts, low, high, int(weight), payment_type))
    return tuple(made)


SPENDINGS = _spendings()


_CENT = 100  # ten-thousandths
_RECORDS_A_DAY = 4
_USAGE_DAYS = 56
#: In cents a month.
_SALARY, _RENT = 480_000, -85_000
#: In cents: what the current account has after the monthly transfer to or from the savings, and the
#: purse after the withdrawal.
_KEPT, _PURSE = 430_000, 30_000
#: In cents: enough for each payment of a household without a salary.
_PAYMENT = 5_000
#: The only large payment to come, in cents, and in how many days.
_ENERGY, _ENERGY_DAYS = -118_000, 7
#: Transfers are multiples of ten euros.
_ROUND = 10 * 100 * _CENT


class Household:
    """seed: each seed makes a different household. now: seconds; no record has a later date."""

    def __init__(self, seed: int, records: int, now: int) -> None:
        self._random = random.Random(seed)
        self._seed = seed
        self._records = records
        self._now = now
        self._today = today = to_date(now)
        days = max(400, records // _RECORDS_A_DAY)
        self._days = min(days, (today - date(1990, 1, 1)).days)
        self._begin = from_date(today - timedelta(days=self._days))
        #: A household with more records earns more, so that it can pay for them.
        self._wealth = max(1.0, records / (_RECORDS_A_DAY * self._days))
        self._current, self._savings, self._card, self._cash = (self._id() for _ in range(4))
        self._categories = {
            name: self._id()
            for categories in CATEGORIES.values()
            for parent, children in categories.items()
            for name in (parent, *children)
        }
        self._labels = {name: self._id() for name in LABELS}
        self._has_salary = records >= self._days
        self._documents = list(self._all_documents())
        self._before_records = self._random.getstate()
        start = self._today + timedelta(days=_ENERGY_DAYS)
        self._documents.append(
            self._order("Energy", "Energy", _ENERGY, "FREQ=YEARLY", from_date(start))
        )
        #: The balance of each account after the records so far.
        self._balances: dict[str, int] = {}

    def _id(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def documents(self) -> list[NativeRow]:
        """Return everything but the records."""
        return self._documents

    def _all_documents(self) -> Iterator[NativeRow]:
        yield from self._accounts()
        for group, categories in CATEGORIES.items():
            for parent, children in categories.items():
                yield self._category(parent, group, None)
                for child in children:
                    yield self._category(child, group, parent)
        for name, label_id in self._labels.items():
            yield self._document(resources.LABELS, name, id=label_id, color="#3a7d44")
        yield from self._plans()
        contact, tag, rule = map(
            resources.BY_MODEL_TYPE.__getitem__, ("Contact", "HashTag", "MagicRule")
        )
        yield self._document(contact, "Landlord", extra='{"phone":"+49 30 123456"}')
        yield self._document(tag, "holiday")
        yield self._document(rule, "Round up", extra='{"roundTo":1}')

    def _document(self, resource: Resource, name: str, **values: Any) -> NativeRow:
        instants = {"createdAt": self._begin, "updatedAt": self._begin}
        return NativeRow(0, resource, {"id": self._id(), **instants, "name": name, **values})

    def _accounts(self) -> Iterator[NativeRow]:
        current = _KEPT if self._has_salary else _KEPT + self._records * _PAYMENT
        for account_id, name, account_type, initial, number in (
            (self._current, "Current account", "CurrentAccount", current, "DE02120300000000202051"),
            (self._savings, "Savings", "SavingAccount", 1_200_000, "DE02500105170137075030"),
            (self._card, "Credit card", "CreditCard", 0, None),
            (self._cash, "Cash", "Cash", _PURSE, None),
        ):
            yield self._document(
                resources.ACCOUNTS,
                name,
                id=account_id,
                accountType=account_type,
                currencyCode="EUR",
                initialBalance=self._scaled(initial) * _CENT,
                bankAccountNumber=number,
            )

    def _category(self, name: str, group: str, parent: str | None) -> NativeRow:
        ids = self._categories
        parent_id = ids[parent] if parent else None
        return self._document(
            resources.CATEGORIES, name, id=ids[name], group=group, parentId=parent_id
        )

    def _plans(self) -> Iterator[NativeRow]:
        for name, kind, limit, categories in (
            ("Groceries", "BUDGET_INTERVAL_MONTH", 120_000, ("Groceries",)),
            ("Eating out", "BUDGET_INTERVAL_WEEK", 12_000, ("Eating out",)),
            ("Everything", "BUDGET_INTERVAL_YEAR", 6_000_000, SPENDING_CATEGORIES),
        ):
            december = {from_date(date(self._today.year, 12, 1)): 150_000 * _CENT}
            yield self._document(
                resources.BUDGETS,
                name,
                type=kind,
                currencyCode="EUR",
                limitAmount=limit * _CENT,
                limitOverrides=limit_texts(december) if name == "Groceries" else (),
                categoryIds=tuple(self._categories[c] for c in categories),
            )
        yield self._document(
            resources.GOALS,
            "New bicycle",
            targetAmount=120_000 * _CENT,
            savedAmount=45_000 * _CENT,
            currencyCode="EUR",
            desiredDate=from_date(self._today + timedelta(days=180)),
        )
        for name, category, amount, rule in (
            ("Rent", "Rent", _RENT, "FREQ=MONTHLY;BYMONTHDAY=1"),
            ("Internet", "Internet & phone", -3_499, "FREQ=MONTHLY;BYMONTHDAY=15"),
            ("Salary", "Salary", self._scaled(_SALARY), "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ):
            yield self._order(name, category, amount, rule, self._begin)
        yield self._document(
            resources.RECORD_RULES,
            "Supermarkets",
            keywords=("supermarket", "marché"),
            categoryId=self._categories["Groceries"],
            labelIds=(self._labels["household"],),
        )

    def _order(self, name: str, category: str, cents: int, rule: str, start: int) -> NativeRow:
        return self._document(
            resources.STANDING_ORDERS,
            name,
            accountId=self._current,
            categoryId=self._categories[category],
            amount=cents * _CENT,
            currencyCode="EUR",
            recurrenceRule=rule,
            startDate=start,
            paymentType="transfer",
        )

    def usage(self) -> dict[int, int]:
        """Return the number of API requests by day (its first second), for the last eight weeks.

        A dashboard sends requests daily, a spreadsheet on Mondays; some days have none.
        """
        choose = random.Random(f"usage of {self._seed}")
        requests = {}
        for back in range(_USAGE_DAYS, 0, -1):
            day = self._today - timedelta(days=back)
            number = choose.randrange(18, 45)
            if day.weekday() == 0:
                number += choose.randrange(40, 90)
            if choose.random() > 0.1:
                requests[from_date(day)] = number
        return requests

    def rates(self) -> list[DayRates]:
        """Return the rates for the household's days: permanently fixed rates, so all are real."""
        today = from_date(self._today)
        days = range(self._begin, today + DAY_SECONDS, DAY_SECONDS)
        return [DayRates(day, "EUR", FIXED_RATES) for day in days]

    def records(self) -> Iterator[NativeRow]:
        """Yield the requested number of records, oldest first, and the same ones each time.

        If there is less than one record a day, there is no room for monthly records.
        """
        self._random.setstate(self._before_records)
        self._balances = {
            row.values["id"]: row.values["initialBalance"]
            for row in self._documents
            if row.resource is resources.ACCOUNTS
        }
        weights = [spending.weight for spending in SPENDINGS]
        due = self._due() if self._has_salary else iter(())
        next_due = next(due, None)
        for number in range(self._records):
            day = self._begin + (number * self._days // max(1, self._records - 1)) * DAY_SECONDS
            if next_due is not None and next_due[0] <= day:
                values, next_due = next(next_due[1]), next(due, None)
            else:
                values = self._spending(self._random.choices(SPENDINGS, weights)[0])
            moment = min(day + self._random.randrange(7 * 3600, 22 * 3600), self._now)
            self._balances[values["accountId"]] += values["amount"]
            values.update(id=self._id(), currencyCode="EUR")
            values.update(dict.fromkeys(("recordDate", "createdAt", "updatedAt"), moment))
            yield NativeRow(0, resources.RECORDS, values)

    def _due(self) -> Iterator[tuple[int, Iterator[dict[str, Any]]]]:
        """Yield the days of monthly records, oldest first, endlessly; each with its record next."""
        transfers = {
            2: (self._savings, self._left_over),
            4: (self._card, self._owed),
            6: (self._cash, self._missing_cash),
        }
        day = self._begin
        while True:
            if to_date(day).day == 1:
                yield day, iter([self._payment("Rent", _RENT, "Landlord")])
            elif transfer := transfers.get(to_date(day).day):
                halves = self._transfer(self._id(), *transfer)
                yield day, halves
                yield day, halves
            day += DAY_SECONDS
            if to_date(day).day == 1:
                salary = self._payment("Salary", self._scaled(_SALARY), "Employer Ltd")
                yield day - DAY_SECONDS, iter([salary])

    def _scaled(self, cents: int) -> int:
        return round(cents * self._wealth)

    def _payment(self, category: str, cents: int, payee: str) -> dict[str, Any]:
        return {
            "accountId": self._current,
            "amount": cents * _CENT,
            "categoryId": self._categories[category],
            "payee": payee,
            "paymentType": "transfer",
            "recordState": "reconciled",
        }

    def _transfer(
        self, transfer_id: str, to: str, get_amount: Callable[[], int]
    ) -> Iterator[dict[str, Any]]:
        """Yield the two records of a transfer from the current account."""
        amount = get_amount()
        for account_id, signed in ((self._current, -amount), (to, amount)):
            yield {
                "accountId": account_id,
                "amount": signed,
                "note": "own transfer",
                "transferId": transfer_id,
                "paymentType": "transfer",
                "recordState": "reconciled",
            }

    def _left_over(self) -> int:
        """Return what goes to the savings, or, if negative, comes from there."""
        left = self._balances[self._current] - self._scaled(_KEPT) * _CENT
        return max(left // _ROUND * _ROUND or _ROUND, -self._balances[self._savings])

    def _owed(self) -> int:
        return min(max(_ROUND, -self._balances[self._card]), self._balances[self._current])

    def _missing_cash(self) -> int:
        missing = self._scaled(_PURSE) * _CENT - self._balances[self._cash]
        return min(missing // _ROUND * _ROUND + _ROUND, self._balances[self._current])

    def _spending(self, spending: Spending) -> dict[str, Any]:
        choose = self._random
        labels = (choose.choice(LABELS),) if choose.random() < 0.1 else ()
        amount = -choose.randrange(spending.low, spending.high) * _CENT
        accounts = {"cash": self._cash, "credit_card": self._card}
        payment_type = spending.payment_type
        account_id = accounts.get(payment_type, self._current)
        if self._balances[account_id] + amount < 0:
            # The card takes what an account or the purse does not have.
            account_id, payment_type = self._card, "credit_card"
        return {
            "accountId": account_id,
            "amount": amount,
            "categoryId": self._categories[spending.category] if choose.random() < 0.95 else None,
            "payee": choose.choice(spending.payees),
            "note": choose.choice(spending.notes),
            "labelIds": tuple(self._labels[label] for label in labels),
            "paymentType": payment_type,
            "recordState": "cleared" if choose.random() < 0.98 else "uncleared",
        }
