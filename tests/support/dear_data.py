"""Data that makes requests dear: many records, payees, standing orders and rules."""

from collections.abc import Iterator
from typing import Any

from support.native_rows import (
    account,
    budget,
    category,
    goal,
    label,
    record,
    record_rule,
    standing_order,
    uid,
)

#: The months before the clock's day, 2026-03-18.
_MONTHS = [f"{2025 + n // 12}-{1 + n % 12:02}" for n in range(5, 14)]
#: Rules that take long to search, each with its start.
RULES = (
    ("FREQ=DAILY;BYMONTHDAY=31;COUNT=10000", "1900-01-01"),
    ("FREQ=DAILY;INTERVAL=997;BYMONTH=2;BYMONTHDAY=29", "2026-01-01"),
    ("FREQ=YEARLY;BYDAY=MO;BYSETPOS=" + ",".join(map(str, range(-366, 0))), "1900-01-01"),
    ("FREQ=MONTHLY;BYMONTHDAY=20", "2020-01-01"),
)
Rows = Iterator[dict[str, Any]]


def few() -> Rows:
    """Yield what all kinds of data need, and one object of each type."""
    yield account()
    yield account(2, name="Dollars", currencyCode="USD")
    yield category()
    yield label()
    yield budget(type="BUDGET_INTERVAL_MONTH", startDate="2015-01-01", labelIds=[uid("Label", 1)])
    yield goal(targetAmount=100)
    yield record_rule(keywords=["film"])
    yield standing_order(accountId=uid("Account", 1), amount=-1, recurrenceRule="FREQ=DAILY")


def equal_records(number: int, first: int = 0) -> Rows:
    """Yield records that differ in nothing but their id."""
    for n in range(first + 1, first + number + 1):
        yield record(n, payee="Same shop", amount=-3)


def letters(number: int) -> str:
    """Return a word for the number: payees that differ only in digits are one payee."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


def payees(number: int) -> Rows:
    """Yield records of payees who are each paid once a month."""
    for n in range(number):
        for month, day in enumerate(_MONTHS):
            yield record(
                1_000_000 + n * len(_MONTHS) + month,
                payee=f"Payee {letters(n)}",
                amount=-1_000 - n % 50,
                recordDate=f"{day}-{1 + n % 28:02}",
            )


def orders(number: int) -> Rows:
    """Yield standing orders whose rules are dear to search."""
    for n in range(2, number + 2):
        rule, start = RULES[n % len(RULES)]
        yield standing_order(
            n,
            name=f"Order {letters(n)}",
            accountId=uid("Account", 1),
            amount=-1_000 - n % 50,
            currencyCode="EUR",
            recurrenceRule=rule,
            startDate=f"{start[:8]}{1 + n % 28:02}",
        )


def rules(number: int, keywords: int = 50) -> Rows:
    """Yield record rules, none of which fits a record."""
    for n in range(2, number + 2):
        yield record_rule(
            n,
            name=f"Rule {n}",
            keywords=[f"word {n} {each}" for each in range(keywords)],
            categoryId=uid("Category", 1),
        )
