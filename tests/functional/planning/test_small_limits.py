"""With small limits an answer is the usual one, or a refusal that names the limit.

Other tests compare the usual answers with independent models. Every limit in the program is made
small, so few records take the ways of hundreds of thousands. A page never refuses: it shows the
figures that it can, and names what is missing.
"""

import random
import re
from collections import Counter
from decimal import Decimal

import pytest

from finance_api.auth.personal_tokens import issue_token
from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.values.time import DAY_SECONDS, date_text, parse_date
from support.browser import new_user, signed_in
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
from support.nightly import count
from support.service import STORAGES, Client, Service
from support.small_limits import limits, small_limits

pytestmark = pytest.mark.nightly

FIRST = parse_date("2025-10-05")
FILTERS = [
    *("recordDate=gte.2026-01-05", "recordDate=lt.2026-02-20", "recordDate=eq.2026-01"),
    *("recordDate=gte.2026-05-10", "recordDate=gte.2025-11-11,lte.2026-01-31"),
    *("amount=lt.0", "amount=abs.gte.5", "payee=eq.Shop", "payee=contains-i.sho", "payee=is.null"),
    *("payee=in.Shop,Rent", "category=eq.Food", "category=ne.Food", "labels=ne.home", "q=20"),
    *("labels=eq.home", "currencyCode=CHF", "currencyCode=USD", "accountName=eq.Giro"),
    *(f"accountId={uid('Account', 1)}", f"accountId={uid('Account', 4)}", "categoryId=is.null"),
    *("recordType=expense", "recordState=ne.void", "q=shop 20", "q=caf", "flow=spent"),
]
DIMENSIONS = ["account", "category", "topCategory", "categoryGroup", "label", "payee", "weekday"]
DIMENSIONS += ["recordType", "day", "week", "month", "quarter", "year"]
SPANS = [[], ["period=this-year"], ["from=2026-01-05", "to=2026-02-10"]]
SHOWN_IN = [[], ["convertTo=EUR"], ["convertTo=CHF"], ["currency=CHF"]]
PAGES = ["overview", "records", "accounts", "budgets", "standing-orders", "goals", "categories"]
PAGES += ["rules", "transfers", "questions", "imports"]
PAGES += [f"accounts/{uid('Account', 1)}", f"budgets/{uid('Budget', 1)}"]


def rows(chance):
    """Return a household in three currencies, with records on half a year and gaps between them."""
    some = [uid("Category", n) for n in (1, 2, 3)]
    records = [
        record(
            n,
            accountId=uid("Account", chance.randint(1, 4)),
            amount=chance.choice([-3, -5, -20, 40, Decimal("1.5"), Decimal("-42.5")]),
            recordDate=date_text(FIRST + chance.randrange(200) * DAY_SECONDS),
            categoryId=chance.choice([None, *some]),
            labelIds=[uid("Label", k) for k in (1, 2) if chance.random() < 0.4],
            payee=chance.choice([None, "Shop", "Rent", "Café", "Bakery 20"]),
            recordState=chance.choice([None, "cleared", "void"]),
        )
        for n in range(1, 121)
    ]
    records += [
        record(
            n, amount=-9, recordDate=date_text(FIRST + (n - 121) * 14 * DAY_SECONDS), payee="Gym"
        )
        for n in range(121, 136)
    ]
    return [
        account(1),
        account(2, name="Épargne", currencyCode="CHF"),
        account(3, name="giro", excludeFromStats=True),
        account(4, name="Dollars", currencyCode="USD", initialBalance=5),
        category(1, group="Living"),
        category(2, name="Below", parentId=some[0]),
        category(3, name="food"),
        *(label(1), label(2, name="Home"), goal(1)),
        record_rule(1, keywords=["shop"], categoryId=some[0]),
        *records,
        budget(1, type="BUDGET_INTERVAL_WEEK", categoryIds=some[:1]),
        budget(2, type="BUDGET_INTERVAL_YEAR"),
        standing_order(1, type="expense", amount=3, recurrenceRule="FREQ=WEEKLY"),
        standing_order(2, type="income", amount=30, recurrenceRule="FREQ=MONTHLY"),
    ]


class Asker:
    """Asks random requests of one user, who signs in and has a token."""

    def __init__(self, service, chance):
        self.chance, self.web = chance, service.web
        user = new_user(service)
        now = service.clock.now()
        token = service.change(lambda s: issue_token(s, user, name="test", now=now))
        self.client = Client(service, user, token)
        self.client.load(*rows(chance))
        service.change(lambda s: s.users.update(user.id, base_currency="EUR"))
        self.visitor = signed_in(service, user)

    def some(self, *options, often=0.2):
        """Return one of the options as a list, or an empty list."""
        return [self.chance.choice(options)] if self.chance.random() < often else []

    def address(self):
        kinds = {self.summary: 8, self.records: 5, self.other: 5, self.page: 4}
        return self.chance.choices([*kinds], [*kinds.values()])[0]()

    def filters(self):
        chosen = self.chance.sample(FILTERS, self.chance.randint(0, 3))
        return chosen + self.some("convertTo=EUR", "convertTo=USD", often=0.5)

    def summary(self):
        names = self.chance.sample(DIMENSIONS, self.chance.randint(0, 3))
        columns = ["count,spent", "median,net", "share,perDay", "spent,received,min", "avg,max"]
        given = [
            *self.filters(),
            *([f"groupBy={','.join(names)}"] if names else []),
            *self.some(*(f"columns={each}" for each in columns), often=0.4),
            *self.some("fill=true"),
            *self.some("sortBy=-count"),
            *self.some("include=void", "include=transfers", "include=excluded"),
            *self.some("compare=previous", "compare=year"),
            *self.some("having=count.gt.2"),
            *self.some("limit=1", "limit=2", "limit=1000"),
            *self.some("offset=1", "offset=5"),
        ]
        return "records/summary" + self.chance.choice(["", "", ".csv"]), given

    def records(self):
        given = [
            *self.filters(),
            *self.some("withTotal=true"),
            *self.some("counted=true"),
            *self.some("sortBy=amount", "sortBy=-payee"),
            *self.some("limit=1", "limit=5", "limit=100", often=0.6),
            *self.some("offset=1", "offset=50", "offset=300", often=0.6),
        ]
        return "records" + self.chance.choice(["", ".csv", ".ndjson"]), given

    def other(self):
        intervals = [f"interval={each}" for each in ("day", "week", "month", "year")]
        periods = f"budgets/{uid('Budget', self.chance.randint(1, 2))}/periods"
        return self.chance.choice(
            [
                ("accounts/balances", self.some(*intervals) + self.some("convertTo=EUR")),
                ("accounts/balances", ["from=2025-10-03", "to=2026-02-11", "interval=week"]),
                ("accounts/forecast", self.some(*intervals) + self.some("to=2026-05-01")),
                ("standing-orders/upcoming", self.some("days=60", "days=366")),
                ("records/recurring", self.some("status=active")),
                ("records/duplicates", []),
                (periods, self.some("last=12")),
                ("export/records.ndjson", self.chance.sample(FILTERS, 1)),
            ]
        )

    def page(self):
        return f"/{self.chance.choice(PAGES)}", [
            *self.chance.choice(SPANS),
            *self.chance.choice(SHOWN_IN),
        ]

    def ask(self, path, given):
        query = [text.split("=", 1) for text in given]
        if path.startswith("/"):
            parameters = "&".join(f"{name}={text}" for name, text in query)
            return self.visitor.get(f"{path}?{parameters}", status=None)
        named = {}
        for name, text in query:
            named.setdefault(name, []).append(text)
        return self.client.get(path, **named)


@pytest.fixture
def asker(new_settings, request):
    settings = {**new_settings(request.param), "finance_api.cache.max_bytes": "0"}
    service = Service(request.param, settings)
    service.clock.set("2026-03-18T12:00:00Z")
    import_rates(
        service.backend,
        [
            DayRates(FIRST + n * 5 * DAY_SECONDS, "EUR", {"USD": Decimal("1.1"), "CHF": rate})
            for n, rate in enumerate([Decimal("0.95"), Decimal("0.93")] * 8)
        ],
        1,
    )
    yield Asker(service, random.Random(f"{request.param} {count('day', 'night')}"))
    service.stop()


def outcome(usual, found):
    """Return what became of a page or an answer under small limits, or raise AssertionError."""
    if found.content_type == "text/html":
        assert found.status_int == usual.status_int == 200
        return "page with less" if "too many records" in found.text else "page"
    if found.status_int == 400 != usual.status_int:
        assert re.search(r"more than \d+ |would be more than \d+ ", found.json["detail"])
        return "refusal"
    assert found.status_int == usual.status_int
    if usual.content_type == "application/json" and found.body != usual.body:
        # Whether the groups were counted is the only thing that may differ.
        assert found.json | {"groupCount": None} == usual.json | {"groupCount": None}
        return "answer without the number of groups"
    if usual.content_type != "application/json":
        assert found.body == usual.body
    return "answer"


@pytest.mark.parametrize("asker", STORAGES, indirect=True)
def test_with_small_limits_an_answer_is_the_usual_one_or_names_the_limit(asker):
    names = sorted({name for _, name in limits()})
    outcomes = Counter()
    for _ in range(count(150, 2_000)):
        address = asker.address()
        usual = asker.ask(*address)
        small = {name for name in names if asker.chance.random() < 0.4}
        value = asker.chance.choice([1, 2, 3, 5, 8])
        with small_limits(value, small):
            found = asker.ask(*address)
        try:
            outcomes[outcome(usual, found)] += 1
        except AssertionError as error:
            error.add_note(f"{address} with {sorted(small)} = {value}: {found.text[:500]}")
            raise
    assert min(outcomes[each] for each in ("answer", "refusal", "page", "page with less")) > 0
