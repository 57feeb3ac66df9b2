"""Questions of questions.md, answered by plain sums over a list of all records.

The page's other test compares the whole page with the API; this one compares the API with models
that know nothing of it: loops over records, with the sums of one currency.
"""

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from finance_api.demo import Household
from finance_api.ledger.exchange_rates import import_rates
from finance_api.ledger.importing import import_rows
from support.service import Service

PAGE = Path(__file__).parents[2] / "docs" / "questions.md"
_ROW = re.compile(r"^\| ([^|]+) \| `([^|]+)` \|", re.MULTILINE)
TODAY = date(2026, 11, 21)
JANUARY, NOVEMBER = date(2026, 1, 1), date(2026, 11, 1)
#: German marks for one euro.
MARKS = Decimal("1.95583")
#: Columns that the models leave out.
LEFT_OUT = re.compile(r".+Id|periodStart|currencyCode|conversionError")

Row = dict[str, Any]
Rows = list[Row]


class Books:
    """All that the demo user has. records: in the order of the API, those not counted included."""

    def __init__(self, client: Any) -> None:
        def rows(path: str) -> Rows:
            text = client.get(f"export/{path}.ndjson").text
            return [json.loads(line, parse_float=Decimal) for line in text.splitlines()]

        self.accounts, categories = rows("accounts"), rows("categories")
        by_id = {row["id"]: row for row in categories}
        self.records = rows("records")
        for row in self.records:
            category = by_id.get(row["categoryId"], {})
            parent = by_id.get(category.get("parentId"), category)
            row["day"], row["kind"] = date.fromisoformat(row["recordDate"]), category.get("kind")
            row["group"] = category.get("group") or parent.get("group")
            row["top"] = parent.get("name")
        excluded = {row["name"] for row in self.accounts if row["excludeFromStats"]}
        self.counted = [
            row
            for row in self.records
            if row["recordState"] != "void"
            and row["transferId"] is None
            and row["accountName"] not in excluded
        ]

    def since(self, first: date, last: date = TODAY, **equal: Any) -> Rows:
        """Return the counted records of these days whose fields have these values."""
        return [
            row
            for row in self.counted
            if first <= row["day"] <= last and all(row[k] == v for k, v in equal.items())
        ]


def net(rows: Iterable[Row]) -> Decimal:
    return sum((row["amount"] for row in rows), Decimal(0))


def received(rows: Iterable[Row]) -> Decimal:
    return net(
        row
        for row in rows
        if (row["kind"] or ("expense", "income")[row["amount"] >= 0]) == "income"
    )


def spent(rows: Rows) -> Decimal:
    return received(rows) - net(rows)


def expense(rows: Iterable[Row]) -> Decimal:
    return net(row for row in rows if row["amount"] < 0)


def income(rows: Iterable[Row]) -> Decimal:
    return net(row for row in rows if row["amount"] >= 0)


def out(rows: Iterable[Row]) -> Rows:
    return [row for row in rows if row["amount"] < 0]


def rounded(number: Decimal | Fraction, decimals: int = 4) -> Decimal:
    exact = Fraction(number) * 10**decimals
    whole = Decimal(exact.numerator) / Decimal(exact.denominator)
    return whole.quantize(Decimal(1), ROUND_HALF_UP).scaleb(-decimals)


def over(number: Decimal, divisor: Decimal | Fraction | int) -> Decimal:
    return rounded(Fraction(number) / Fraction(divisor))


def by(rows: Rows, *keys: str | Callable[[Row], Any]) -> dict[Any, Rows]:
    """Group the records, in the order of their keys, missing ones last."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[key] if isinstance(key, str) else key(row) for key in keys)].append(row)
    ordered = sorted(found, key=lambda values: [(value is None, value) for value in values])
    return {(key[0] if len(key) == 1 else key): found[key] for key in ordered}


def each(groups: dict[Any, Rows], *columns: Callable[[Rows], Any]) -> list[list[Any]]:
    return [
        [*(key if isinstance(key, tuple) else [key]), *(column(rows) for column in columns)]
        for key, rows in groups.items()
    ]


def most(table: list[list[Any]], number: int | None = None, at: int = -1) -> list[list[Any]]:
    return sorted(table, key=lambda line: -line[at])[:number]


def month(row: Row) -> str:
    return f"{row['day']:%Y-%m}"


def quarter(row: Row) -> str:
    return f"{row['day'].year}-Q{(row['day'].month + 2) // 3}"


def changes(now: Decimal, before: Decimal) -> list[Decimal]:
    return [
        now,
        before,
        now - before,
        rounded(Fraction(100 * (now - before)) / Fraction(before), 2),
    ]


def marks(rows: Rows) -> Rows:
    return [{**row, "amount": rounded(row["amount"] * MARKS)} for row in rows]


def fields(rows: Iterable[Row], *names: str) -> list[list[Any]]:
    return [[row[name] for name in names] for row in rows]


def month_ends() -> Iterator[date]:
    for number in range(2, 12):
        yield date(2026, number, 1) - timedelta(days=1)
    yield TODAY


def balance(b: Books, day: date, name: str | None = None) -> Decimal:
    accounts = [row for row in b.accounts if name in (None, row["name"])]
    names = {row["name"] for row in accounts}
    total = sum((row["initialBalance"] for row in accounts), Decimal(0))
    return total + net(
        row
        for row in b.records
        if row["day"] <= day and row["accountName"] in names and row["recordState"] != "void"
    )


def year(b: Books, **equal: Any) -> Rows:
    return b.since(JANUARY, **equal)


def october(b: Books, **equal: Any) -> Rows:
    return b.since(date(2026, 10, 1), date(2026, 10, 31), **equal)


def three_months(b: Books, first: int) -> Rows:
    return b.since(date(2026, first, 1), date(2026, first + 3, 1) - timedelta(days=1))


def twelve_months(b: Books) -> Rows:
    return b.since(date(2025, 11, 21))


def running(b: Books) -> list[list[Any]]:
    so_far, table = Decimal(0), each(by(year(b), month), net)
    for line in table:
        line.append(so_far := so_far + line[1])
    return table


def best_categories(b: Books) -> list[list[Any]]:
    table = each(by(year(b), quarter, "category"), spent)
    quarters = sorted({line[0] for line in table})
    return [line for name in quarters for line in most([x for x in table if x[0] == name], 3)]


#: Days from January to today, and months.
DAYS, MONTHS = (TODAY - JANUARY).days + 1, 10 + Fraction(21, 30)

#: Question -> its rows, without the currency and ids.
ANSWERS: dict[str, Callable[[Books], list[list[Any]]]] = {
    "How much money do I have, and where?": lambda b: sorted(
        [row["name"], balance(b, TODAY, row["name"])] for row in b.accounts
    ),
    "What was my net worth at the end of each month?": lambda b: [
        [f"{day:%Y-%m}", day, balance(b, day)] for day in month_ends()
    ],
    # Energy and the salary are due until the end of the month.
    "What is left this month, after all that is still due and expected?": lambda b: [
        [net(b.since(NOVEMBER)) - 1180 + 4800]
    ],
    "What part of my income was left last month?": lambda b: [
        [over(net(october(b)), income(october(b)))]
    ],
    "How much did I save in each year?": lambda b: each(
        by(b.counted, lambda r: r["day"].year), net
    ),
    "By how much has all my money grown this year?": lambda b: [
        [balance(b, TODAY) - balance(b, JANUARY - timedelta(days=1))]
    ],
    "What did I put aside in my savings this year?": lambda b: [
        [
            net(
                row
                for row in b.records
                if row["accountName"] == "Savings" and row["day"] >= JANUARY and row["amount"] > 0
            )
        ]
    ],
    "In which months was something left?": lambda b: [
        line for line in each(by(b.counted, month), net) if line[1] > 0
    ],
    "What do I owe on my cards?": lambda b: [["Credit card", balance(b, TODAY, "Credit card")]],
    "What did I spend last month?": lambda b: [[spent(october(b))]],
    "What did I spend it on?": lambda b: most(each(by(october(b), "category"), spent)),
    "Which groups of categories cost the most?": lambda b: most(
        each(by(year(b), "group"), spent, lambda rows: over(expense(rows), expense(year(b)))), at=1
    ),
    "What does eating out cost me, cafés and restaurants included?": lambda b: [
        [spent(year(b, top="Eating out"))]
    ],
    "What do I spend on groceries in a month, on average?": lambda b: [
        [over(net(year(b, category="Groceries")), MONTHS)]
    ],
    "What does one shopping trip cost?": lambda b: [
        [
            over(net(year(b, category="Groceries")), len(year(b, category="Groceries"))),
            rounded(median(row["amount"] for row in year(b, category="Groceries"))),
        ]
    ],
    "What do I spend on groceries in a week, on average?": lambda b: [
        [over(net(year(b, category="Groceries")), Fraction(DAYS, 7))]
    ],
    "What do I spend per day this month?": lambda b: [[over(net(out(b.since(NOVEMBER))), 21)]],
    "What do I spend in a month, over the last twelve?": lambda b: [
        [over(net(out(twelve_months(b))), 11 + Fraction(10 + 21, 30))]
    ],
    "What did each account and card pay for last month?": lambda b: each(
        by(october(b), "accountName"), spent
    ),
    "Which day of this year was the dearest?": lambda b: most(each(by(year(b), "day"), spent), 1),
    "What did the trip from 10 to 24 July cost?": lambda b: [
        [spent(b.since(date(2026, 7, 10), date(2026, 7, 24)))]
    ],
    "Where do I spend the most money?": lambda b: most(
        each(by(out(twelve_months(b)), "payee"), spent), 5
    ),
    "Which shop gets what part of my groceries?": lambda b: most(
        each(
            by(year(b, category="Groceries"), "payee"),
            spent,
            lambda rows: over(expense(rows), expense(year(b, category="Groceries"))),
        ),
        3,
        at=1,
    ),
    "How often did I go to a restaurant in each month?": lambda b: each(
        by(year(b, category="Restaurants"), month), len
    ),
    "When did I last fill up the car?": lambda b: fields(
        [row for row in b.records if row["payee"] == "Petrol & Co"][:1], "day", "payee", "amount"
    ),
    "What came back as refunds this year?": lambda b: [
        [len(year(b, category="Refunds")), received(year(b, category="Refunds"))]
    ],
    "Where does my income come from?": lambda b: most(
        each(
            by([row for row in year(b) if row["amount"] >= 0], "category"),
            received,
            lambda rows: over(net(rows), MONTHS),
        ),
        at=1,
    ),
    "What were the three dearest categories of each quarter?": best_categories,
    "What did I spend without anything for tax, this year?": lambda b: [
        [spent([row for row in year(b) if "tax" not in row["labels"]])]
    ],
    "Which amounts were over 150 this month, in or out?": lambda b: fields(
        [row for row in b.records if row["day"] >= NOVEMBER and abs(row["amount"]) >= 150],
        *("day", "payee", "amount"),
    ),
    "What did I spend in the last seven days?": lambda b: [[spent(b.since(date(2026, 11, 15)))]],
    "On which days of the week do I spend the most?": lambda b: most(
        each(
            by(out(year(b)), lambda r: r["day"].isoweekday(), lambda r: f"{r['day']:%A}"),
            spent,
            lambda rows: over(net(rows), len(rows)),
        ),
        at=2,
    ),
    "Where have I not paid for a month?": lambda b: [
        line
        for line in each(
            by(out(b.counted), "payee"), spent, lambda rows: max(row["day"] for row in rows)
        )
        if line[2] < date(2026, 10, 21)
    ],
    "How much do I still pay in cash?": lambda b: each(
        by(out(twelve_months(b)), "paymentType"),
        spent,
        lambda rows: over(net(rows), net(out(twelve_months(b)))),
    ),
    "What can I deduct from tax?": lambda b: most(
        each(by([row for row in year(b) if "tax" in str(row["labels"])], "category"), spent)
    ),
    "What did I spend last month in all currencies together, in German marks?": lambda b: [
        [spent(marks(october(b)))]
    ],
    "Do I spend more than at this time last month, in all currencies together?": lambda b: [
        changes(
            spent(marks(b.since(NOVEMBER))),
            spent(marks(b.since(date(2026, 10, 1), date(2026, 10, 21)))),
        )
    ],
    "What does one shopping trip cost, in whatever currency?": lambda b: [
        [
            rounded(function(row["amount"] for row in marks(year(b, category="Groceries"))))
            for function in (median, min, max)
        ]
    ],
    "Do I spend more than at this time last month?": lambda b: [
        changes(spent(b.since(NOVEMBER)), spent(b.since(date(2026, 10, 1), date(2026, 10, 21))))
    ],
    "Do I spend more this year than last year, up to today?": lambda b: [
        changes(spent(year(b)), spent(b.since(date(2025, 1, 1), date(2025, 11, 21))))
    ],
    "What did the third quarter cost?": lambda b: [[spent(three_months(b, 7))]],
    "What did I spend in calendar week 30?": lambda b: [
        [spent(b.since(date(2026, 7, 20), date(2026, 7, 26)))]
    ],
    "How does the third quarter compare with the first?": lambda b: [
        changes(spent(three_months(b, 7)), spent(three_months(b, 1)))
    ],
    "And month by month?": lambda b: [
        [name, *changes(spent(now), spent(before))]
        for (name, now), before in zip(
            by(three_months(b, 7), month).items(),
            by(three_months(b, 1), month).values(),
            strict=True,
        )
    ],
    "What did I spend and earn in each month?": lambda b: each(
        by(b.since(date(2026, 8, 1)), month), spent, received
    ),
    "What do I have left over this year, month by month and so far?": running,
    "In which months did I spend more than 5,000?": lambda b: [
        line for line in each(by(b.counted, month), spent) if line[1] > 5_000
    ],
    "How many records are there, and since when?": lambda b: [
        [len(b.records), *(function(row["day"] for row in b.records) for function in (min, max))]
    ],
}


@pytest.fixture(scope="module")
def demo() -> Iterator[Any]:
    service = Service("memory", {"finance_api.storage": "memory"})
    service.clock.set("2026-11-21T12:00:00Z")
    client, now = service.client(), service.clock.now()
    household = Household(10_001, 2_000, now)
    documents = list(household.documents())
    import_rows(service.backend, client.user.email, documents, household.records, now=now)
    import_rates(service.backend, household.rates(), now)
    yield client
    service.stop()


def answer(client: Any, path: str) -> list[list[str]]:
    """Return the rows of an answer, without the columns that the models leave out."""
    response = client.get(path, headers={"Accept": "text/csv"})
    head, *rows = csv.reader(io.StringIO(response.text))
    places = [at for at, name in enumerate(head) if not LEFT_OUT.fullmatch(name)]
    return [[row[at] for at in places] for row in rows]


def plain(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return "" if value is None else str(value)


def test_at_least_thirty_questions_have_a_model() -> None:
    assert len(ANSWERS) >= 30


def test_each_answer_is_that_of_a_plain_model(demo: Any) -> None:
    books = Books(demo)
    paths = dict(_ROW.findall(PAGE.read_text(encoding="utf-8")))
    wrong = {}
    for question, model in ANSWERS.items():
        found = answer(demo, paths[question])
        wanted = [[plain(value) for value in line] for line in model(books)]
        if found != wanted or not wanted:
            wrong[question] = found, wanted
    assert not wrong
