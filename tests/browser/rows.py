"""The data of the users on the screens."""

import itertools
import random

from finance_api.storage.interface import User
from finance_api.values.time import DAY_SECONDS, date_text
from support.native_rows import (
    Native,
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

#: A file of a bank that has ids, with a column that is not imported, and rows that are not money.
CORRECTED = b"""id,date,amount,payee,State,Branch,account,currency
a1,2026-03-01,-9.99,Corner Shop,completed,North,Current account,EUR
a2,2026-03-02,7.25,Employer,completed,North,Current account,EUR
a3,2026-03-03,-1.00,Bakery,completed,South,Current account,EUR
a4,2026-03-04,-2.00,Bakery,declined,South,Current account,EUR
"""


def extremes(now: int) -> list[Native]:
    """Names without blanks, and large amounts."""
    return [
        account(1, name="W" * 90, initialBalance=90_000_000),
        category(1, name="M" * 90),
        budget(1, name="Q" * 90, limitAmount=9),
        record(
            1,
            categoryId=uid("Category", 1),
            amount=-9_999_999,
            recordDate=date_text(now),
            payee="Y" * 200,
            note="z" * 200,
        ),
    ]


def journeys(now: int, first: int = 0) -> list[Native]:
    """Foreign accounts, and transfers to them. first: the number of the first record."""
    rows = [
        account(1, name="Brokerage in New York", currencyCode="USD"),
        account(2, name="東京の口座", currencyCode="JPY"),
        account(3, name="Savings abroad", currencyCode="USD"),
    ]
    today = now - now % DAY_SECONDS
    for month in range(9):
        payments = (("Employer", 1, 1_900), ("Employer", 2, -48_000))
        moved = (("Transfer", 1, -250 - month), ("Transfer", 3, 250 + month))
        rows += [
            record(
                first + 10 * month + number,
                accountId=uid("Account", to),
                amount=amount,
                recordDate=date_text(today - month * 30 * DAY_SECONDS),
                payee=payee,
            )
            for number, (payee, to, amount) in enumerate((*payments, *moved))
        ]
    return rows


#: A number for each file, so that no two files are equal.
serial_numbers = itertools.count(1)


_PAYEES = ("Corner Shop", "Città del Gusto", "Stadtwerke, Abschlag Strom und Gas März", "Café", "")


def statement(rows: int, account: str) -> str:
    """A CSV file of a bank; money in three currencies."""
    number = next(serial_numbers)
    lines = ["date,amount,currency,payee,note,account"]
    for row in range(rows):
        currency = ("EUR", "EUR", "USD", "CHF")[row % 4]
        amount = f"{(row * 7919 + number) % 90_000 / 100 - 700:.2f}"
        payee = _PAYEES[row % 5].replace(",", "")
        day = f"2026-03-{row % 28 + 1:02}"
        lines.append(f"{day},{amount},{currency},{payee},card {row},{account} {currency}".strip())
    return "\n".join(lines) + "\n"


def usage_of(user: User, now: int) -> dict[tuple[int, int], int]:
    """Usage on 400 days: more and more requests, fewer at weekends."""
    chance = random.Random(4)
    today = now - now % DAY_SECONDS
    days = {}
    # The requests of the tests themselves count for today.
    for back in range(400):
        growth = 1 - back / 480
        weekend = (today // DAY_SECONDS - back + 3) % 7 > 4
        usual = 640 * growth * (0.35 if weekend else 1)
        holiday = 150 < back < 164
        number = 0 if holiday or back == 0 else int(usual * chance.uniform(0.7, 1.2))
        days[user.id, today - back * DAY_SECONDS] = number
    return {day: number for day, number in days.items() if number}


#: Text in other scripts, from right to left, of several code points a letter, and without blanks.
_SCRIPTS = (
    *("שלום עולם ", "👩‍👩‍👧‍👦🇪🇺", "Z̴̛̞a̵͝l̶̙g̷̈o̸̖ "),
    *("東京都", "ثم نفس ", "W", "Straßenverkehrszulassung "),
)
_CURRENCIES = ("EUR", "USD", "JPY", "CHF", "KWD", "INR", "IDR", "GBP")


def hostile(now: int) -> list[Native]:
    """Names of 200 characters, some without a blank, from right to left or like markup; and very
    many accounts, categories and labels.
    """
    day = date_text(now)
    long = [
        "W" * 200,
        "<b onclick=alert(origin)>" * 8,
        "ثم نفس " * 28,
        "Donaudampfschifffahrt " * 9,
    ]
    rows = _many(now)
    for number, name in enumerate(long, 1):
        rows += [
            account(number, name=name, initialBalance=999_999_999_999),
            category(number, name=name, **({"parentId": uid("Category", 1)} if number > 1 else {})),
            label(number, name=name),
            goal(number, name=name, targetAmount=999_999_999_999, savedAmount=1),
            budget(number, name=name, limitAmount=0.01),
            standing_order(
                number,
                name=name,
                amount=-999_999_999_999,
                accountId=uid("Account", number),
                recurrenceRule="FREQ=MONTHLY",
            ),
            record_rule(
                number,
                name=name,
                keywords=[name],
                categoryId=uid("Category", number),
                labelIds=[uid("Label", n) for n in (1, 2)],
            ),
        ]
        rows += [
            record(
                10 * number + each,
                accountId=uid("Account", number),
                categoryId=uid("Category", number),
                labelIds=[uid("Label", n) for n in (1, 2)],
                amount=amount,
                recordDate=day,
                payee=name,
                note=name,
            )
            for each, amount in enumerate((-123_456_789_012.34, 55.5, -1))
        ]
    return rows


def _many(now: int) -> list[Native]:
    """Return 56 accounts in eight currencies, 296 categories on three levels, 196 labels, and
    records of half a year with large amounts.
    """

    def name(number: int, length: int) -> str:
        script = _SCRIPTS[number % len(_SCRIPTS)]
        return f"{number} {script * length}"[:length].strip()

    accounts = [
        account(
            n, name=name(n, 100), currencyCode=_CURRENCIES[n % 8], initialBalance=10 ** (n % 12)
        )
        for n in range(5, 61)
    ]
    # The first eight are on the first level, below each are six, and below these the others.
    categories = [
        category(
            n,
            name=name(n, 100),
            **({} if n < 13 else {"parentId": uid("Category", n // 8 + 4 if n < 61 else n // 6)}),
        )
        for n in range(5, 301)
    ]
    records = [
        record(
            n,
            accountId=uid("Account", 5 + n % 56),
            categoryId=uid("Category", 5 + n % 296),
            labelIds=[uid("Label", 5 + (n + more) % 196) for more in range(n % 9)],
            amount=(-1) ** n * (123_456_789_012 // 7 ** (n % 14)),
            recordDate=date_text(now - n * DAY_SECONDS // 2),
            payee=name(n % 40, 200),
            note=name(n, 200),
        )
        for n in range(100, 460)
    ]
    labels = [label(n, name=name(n, 100)) for n in range(5, 201)]
    return accounts + categories + labels + records
