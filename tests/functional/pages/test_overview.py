"""The overview: each figure equals the API's response to the request that the page shows."""

import html
import re
from datetime import date, timedelta
from decimal import Decimal
from urllib.parse import unquote

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.values.time import DAY_SECONDS, parse_date
from finance_api.web.overview import Overview
from support.browser import location, new_token, new_user, signed_in
from support.due_household import DueHousehold, add_months
from support.html import shown_text
from support.native_rows import account, budget, category, household, record, standing_order, uid
from support.nightly import count
from support.service import Client, on_one_storage


def number(text):
    """``−1,234.50 EUR`` as a number."""
    return Decimal(re.sub(r"[^0-9.-]", "", text.replace("\N{MINUS SIGN}", "-")))


def panel(page, name):
    """The HTML of the section with this heading."""
    return page.split(f'aria-labelledby="{name}-title"')[1].split("</section>")[0]


def targets(page, *names):
    """Return the API requests of the page for these figures, each by what it is about."""
    part = page.partition('aria-label="API requests"')[2] or page
    listed = re.findall(
        r'class="api-about">([^<]*)</p>.*?GET (/v1/api/[^<]*)</code>', part, re.DOTALL
    )
    by_name = {html.unescape(name): html.unescape(target) for name, target in listed}
    assert len(by_name) == len(listed) == part.count("GET /v1/api/")
    return [by_name[name] for name in names]


def table(page, name):
    """The rows of a table: the texts of their cells."""
    body = page.split(f'id="{name}-table"')[1].split("<tbody>")[1].split("</tbody>")[0]
    return [
        [shown_text(cell) for cell in re.findall(r"<t[hd]\b.*?</t[hd]>", row, re.DOTALL)]
        for row in body.split("<tr>")[1:]
    ]


def due_table(page):
    """The rows of the payments that are due, with those that are folded."""
    further = table(page, "due-more") if 'id="due-more-table"' in page else []
    return table(page, "due") + further


def payment(name, account, is_expected):
    """The first cell of a payment that is due."""
    small = ", ".join(filter(None, (account, "expected" * is_expected)))
    return f"{name} {small}".strip()


@pytest.fixture
def client(service, user):
    """A client whose user has data of every type, in two currencies and two years."""
    rows = [
        category(4, name="Rent", kind="expense"),
        category(5, name="Flat", parentId=uid("Category", 4)),
        account(4, name="Abroad", currencyCode="USD", initialBalance=500),
        budget(9, name="Home", categoryIds=[uid("Category", 4)], limitAmount=900),
    ]
    for n in range(40):
        day = f"202{5 + n % 2}-{1 + n % 12:02}-{1 + n % 28:02}"
        rows.append(
            record(
                100 + n,
                accountId=uid("Account", 4 if n % 5 == 0 else 1),
                amount=Decimal(37 * n - 900) / 4,
                recordDate=day,
                categoryId=uid("Category", 5 if n % 3 else 1) if n % 4 else None,
                transferId=uid("Record", 7) if n == 8 else None,
            )
        )
    service.load(user, [*household(), *rows, standing_order(9, name="Gym", amount=-20)])
    return Client(service, user, new_token(service, user))


def answered(client, target):
    return client.get(target.removeprefix("/v1/api/")).json


def of_currency(groups, currency="EUR"):
    (found,) = [group for group in groups if group["currencyCode"] == currency] or [{}]
    return found


#: What a sum is compared with, before the links to save it.
EARLIER = (
    r'class="earlier">([^<]*?)&ensp;(?=\s*<span[^>]*>'
    r'\s*<a[^>]*aria-label="Save: (?:Received|Spent|Net) )'
)

QUERIES = (
    *("period=2026-02", "period=2026-Q1&currency=USD", "period=2025", ""),
    "from=2026-01-05&to=2026-02-07",
)


@pytest.mark.parametrize("query", QUERIES)
def test_each_figure_is_the_answer_to_its_request(client, visitor, query):
    page = visitor.get(f"/overview?{query}").text
    currency = "USD" if "USD" in query else "EUR"

    figures = panel(page, "figures")
    worth_target, *sums_targets = targets(
        page, "Net worth by month", "Received and spent", "Received and spent before"
    )
    texts = re.findall(r'class="money">([^<]*)', figures.split('id="sums"')[1])
    received, spent, net = (earlier.strip() for earlier in re.findall(EARLIER, figures))
    now, before = (
        of_currency(answered(client, target)["groups"], currency) for target in sums_targets
    )
    expected = [Decimal(str(now.get(name, 0))) for name in ("received", "spent", "net")]
    assert [number(text) for text in texts] == expected
    shown = [number(text.rpartition(":")[2]) for text in (received, net)]
    assert shown == [Decimal(str(before.get(name, 0))) for name in ("received", "net")]
    more = expected[1] - Decimal(str(before.get("spent", 0)))
    if not before.get("spent"):
        assert spent.startswith("nothing ")
    else:
        assert number(spent.partition(" than ")[0]) == abs(more)
        assert (" more " if more > 0 else " less ") in spent

    totals = answered(client, worth_target)["totals"]
    for code in ("EUR", "CHF", "USD"):
        last = [total for total in totals if total["currencyCode"] == code][-1]
        cell = page.split(f'id="worth-{code}"')[1].split("</dd>")[0].partition(">")[2]
        assert number(shown_text(cell)) == Decimal(str(last["balance"]))
    course = [total["balance"] for total in totals if total["currencyCode"] == currency]
    assert [number(row[1]) for row in table(page, "worth")] == [Decimal(str(b)) for b in course]

    (months_target,) = targets(page, "Received and spent by month")
    groups = answered(client, months_target)["groups"]
    assert all(group["currencyCode"] == currency for group in groups)
    expected = [[Decimal(str(g[name])) for name in ("received", "spent", "net")] for g in groups]
    rows = [[number(text) for text in row[1:]] for row in table(page, "months")]
    assert len(rows) == 12
    assert rows == (expected or [[0, 0, 0]] * 12)

    found = [
        {g["topCategory"] or "Without category": Decimal(str(g["spent"])) for g in groups}
        for target in targets(page, "Spending by category", "Spending by category before")
        for groups in [answered(client, target)["groups"]]
    ]
    names = [name for name in {**found[0], **found[1]} if any(f.get(name) for f in found)]
    if names:
        rows = {row[0]: [number(text) for text in row[2:]] for row in table(page, "spent")}
        assert rows == {name: [f.get(name, 0) for f in found] for name in names}
    else:
        assert "Nothing was spent" in panel(page, "spent")


@on_one_storage
def test_budgets_dates_and_what_wants_attention_are_the_api_s(client, visitor):
    page = visitor.get("/overview").text
    (target,) = targets(page, "Budgets")
    budgets = answered(client, target)["budgets"]
    rows = table(page, "budgets")
    assert len(rows) == len(budgets)
    for row, found in zip(rows, budgets, strict=True):
        if found["spent"] is not None:
            spent = re.split(" of | this | until ", row[1])[0]
            assert number(spent) == Decimal(str(found["spent"]))
            assert re.search(" this | until ", row[1]) or not found["periodEnd"]

    (target,) = targets(page, "Due in 30 days")
    due = answered(client, target)["upcoming"]
    shown = [row[0] for row in due_table(page)]
    assert shown == [
        payment(each["name"] or "Without name", each["account"], each["expected"]) for each in due
    ]
    assert shown

    attention = panel(page, "attention")
    names = (
        "Records without category",
        "Balances that don't match",
        "Accounts without new records",
    )
    uncategorised, unexplained, quiet = (answered(client, t) for t in targets(page, *names))
    number_of = sum(group["count"] for group in uncategorised["groups"])
    assert f"{number_of} records have no category" in shown_text(attention)
    for found in (*unexplained["accounts"], *quiet["accounts"]):
        assert found["name"] in shown_text(attention)
    assert quiet["accounts"]


@on_one_storage
def test_budgets_say_what_is_left_of_them(client, visitor):
    page = visitor.get("/overview?period=2025").text
    budgets = answered(client, *targets(page, "Budgets"))["budgets"]
    with_limits = [each for each in budgets if each["remaining"] is not None]
    shown = [row[1] for row in table(page, "budgets") if " left" in row[1] or " over" in row[1]]
    assert with_limits and len(shown) == len(with_limits)
    for row, found in zip(shown, with_limits, strict=True):
        words = "over" if found["remaining"] < 0 else "left"
        assert row.endswith(f"{abs(Decimal(str(found['remaining']))):,.2f} {words}")


@on_one_storage
def test_what_is_due_includes_payments_found_in_the_records(service):
    shown = set()
    for seed in range(count(4, 40)):
        today = date(2026, 3, 1) + timedelta(seed * 11)
        service.clock.set(f"{today}T12:00:00Z")
        household = DueHousehold(seed, today, today + timedelta(29))
        user = new_user(service)
        service.load(user, household.rows)
        page = signed_in(service, user).get("/overview").text
        # The lowest balances count all of them, transfers too.
        rows, expected = due_table(page), household.with_transfers
        assert [row[0] for row in rows] == [
            payment(due.name, due.account, due.expected) for due in expected
        ]
        assert [number(row[2]) if row[2] != "open" else None for row in rows] == [
            due.amount for due in expected
        ]
        assert all(f"{d.day.day}" in row[1] for d, row in zip(expected, rows, strict=True))
        shown |= {due.expected for due in expected}
    assert shown == {False, True}


@on_one_storage
def test_all_that_makes_the_lowest_balance_is_on_the_overview(service):
    service.clock.set("2026-03-18T12:00:00Z")
    user = new_user(service)
    weekly = {"recurrenceRule": "FREQ=WEEKLY", "startDate": "2026-03-19"}
    service.load(
        user,
        [
            account(1, name="Giro", initialBalance=100),
            record(1, amount=-5, recordDate="2026-03-20"),
            *[
                standing_order(
                    n, name=f"Club {n}", amount=-n, accountId=uid("Account", 1), **weekly
                )
                for n in (1, 2, 3)
            ],
        ],
    )
    visitor = signed_in(service, user)
    page = visitor.get("/overview").text
    ((_, figures),) = table(page, "accounts")
    assert figures == "100.00 EUR 1 record of days to come: −5.00 lowest 65.00 EUR , 16 Apr 2026"
    rows = due_table(page)
    assert [sum(number(row[2]) for row in rows), len(rows)] == [-30, 15]
    (link,) = re.findall(r'href="(/records[^"]*)">1 record of days', page)
    assert "from=2026-03-19" in link
    assert "−5.00" in shown_text(visitor.get(html.unescape(link)).text)


def left(page):
    """The figures of what is left this month, by currency."""
    found = re.findall(r'id="left-([A-Z]{3})">(.*?)</dd>', page, re.DOTALL)
    return {currency: number(shown_text(figure)) for currency, figure in found}


@on_one_storage
def test_what_is_left_this_month_is_that_of_a_plain_model_and_of_the_requests(service):
    for seed in range(count(8, 100)):
        today = date(2026, 1, 1) + timedelta(seed * 37 % 365)
        first, last = today.replace(day=1), add_months(today.replace(day=1), 1) - timedelta(1)
        service.clock.set(f"{today}T12:00:00Z")
        household = DueHousehold(seed, today, last)
        user = new_user(service)
        service.load(user, household.rows)
        expected = household.net(first, last)
        for currency, (_, income, expense) in household.totals().items():
            expected[currency] = expected.get(currency, 0) + income + expense
        visitor = signed_in(service, user)
        page = visitor.get("/overview").text
        assert left(page) == expected, f"seed {seed}"
        assert left(visitor.get("/overview?period=2025-03&currency=CHF").text) == expected
        client = Client(service, user, new_token(service, user))
        summary, upcoming = (
            answered(client, t) for t in targets(page, "This month", "Due this month")
        )
        for currency, figure in expected.items():
            sums, to_come = of_currency(summary["groups"], currency), upcoming["totals"]
            parts = [sums.get("received", 0), -sums.get("spent", 0)]
            parts.append(of_currency(to_come, currency).get("net", 0))
            assert sum(Decimal(str(part)) for part in parts) == figure
            saved = re.search(
                f'address=([^"]*)" aria-label="Save: Left this month, in {currency}"', page
            )
            groups = client.exact(unquote(saved[1]).removeprefix("/v1/api/"))["groups"]
            assert groups == [{"currencyCode": currency, "left": figure}], f"seed {seed}"


@on_one_storage
def test_nothing_is_left_without_records_of_this_month(service):
    user = new_user(service)
    service.load(user, [account(), record(recordDate="2025-05-01")])
    assert left(signed_in(service, user).get("/overview").text) == {"EUR": 0}


@on_one_storage
def test_a_salary_that_came_does_not_hide_an_equal_one_that_is_due(service):
    service.clock.set("2026-03-18T12:00:00Z")
    user = new_user(service)
    months = ("2025-12", "2026-01", "2026-02", "2026-03")
    service.load(
        user,
        [
            account(),
            *(
                record(number, payee="Acme", amount=2_000, recordDate=f"{month}-16")
                for number, month in enumerate(months)
            ),
            *(
                record(10 + number, payee="Globex", amount=2_000, recordDate=f"{month}-20")
                for number, month in enumerate(months[:3])
            ),
        ],
    )
    assert left(signed_in(service, user).get("/overview").text) == {"EUR": 4_000}


@on_one_storage
@pytest.mark.parametrize("today", ["2026-03-01", "2026-03-31"])
def test_what_is_due_on_the_last_day_of_the_month_is_not_left(service, today):
    service.clock.set(f"{today}T12:00:00Z")
    user = new_user(service)
    due = {"currencyCode": "EUR", "accountId": uid("Account", 1)}
    service.load(
        user,
        [
            account(),
            standing_order(1, amount=-20, startDate="2026-03-31", **due),
            standing_order(2, amount=-7, startDate="2026-04-01", **due),
        ],
    )
    assert left(signed_in(service, user).get("/overview").text) == {"EUR": -20}


@on_one_storage
def test_the_lowest_balances_to_come_are_the_api_s_and_those_below_zero_need_attention(service):
    service.clock.set("2026-03-18T12:00:00Z")
    user = new_user(service)
    giro, overdrawn = ({"accountId": uid("Account", n), "currencyCode": "EUR"} for n in (1, 3))
    service.load(
        user,
        [
            account(1, name="Giro", initialBalance=100),
            account(2, name="Card", accountType="CreditCard", initialBalance=-50),
            account(3, name="Overdrawn", initialBalance=-20),
            account(4, name="Closed", initialBalance=-1, archived=True),
            record(3, amount=1, recordDate="2026-03-18T23:00:00Z", accountId=uid("Account", 2)),
            record(1, amount=10, recordDate="2026-03-17"),
            record(2, amount=500, recordDate="2026-03-30"),
            standing_order(1, amount=-90, startDate="2026-03-20", **giro),
            standing_order(2, amount=-40, startDate="2026-03-28", **giro),
            # After the thirty days.
            standing_order(3, amount=-7, startDate="2026-04-17", **overdrawn),
        ],
    )
    page = signed_in(service, user).get("/overview").text
    assert table(page, "accounts") == [
        ["Card", "−49.00 EUR"],
        ["Giro", "110.00 EUR 1 record of days to come: 500.00 lowest −20.00 EUR , 28 Mar 2026"],
        ["Overdrawn", "−20.00 EUR"],
    ]
    (target,) = targets(page, "Lowest balances in 30 days")
    client = Client(service, user, new_token(service, user))
    found = {row["account"]: row["balance"] for row in answered(client, target)["lowest"]}
    assert found == {"Card": -49, "Closed": -1, "Giro": -20, "Overdrawn": -20}
    attention = panel(page, "attention")
    text = shown_text(attention)
    assert "Giro : below zero from 28 Mar 2026 on, at the lowest −20.00 EUR on 28 Mar 2026" in text
    assert "Overdrawn : below zero today, at the lowest −20.00 EUR" in text
    assert "Card" not in text and "Closed" not in text


def links(part):
    """Return each link to records, with the HTML of its row or item."""
    rows = re.findall(r"<(tr|li|dd)\b[^>]*>(.*?)</\1>", part, re.DOTALL)
    found = [(re.search(r'href="(/records\?[^"]*)"', row), row) for _, row in rows]
    return [(html.unescape(link[1]), row) for link, row in found if link]


def listed(visitor, link, row_name):
    """Return how many records a link's page lists, and the sums in the row of this name."""
    page = visitor.get(link).text
    (count,) = re.findall(r'id="totals-title">(\d+) record', page) or [0]
    for row in re.findall(r"<tr\b.*?</tr>", page.partition('id="totals"')[2], re.DOTALL):
        if re.search(rf'class="name-text">{row_name}<|scope="row" class="name">{row_name}<', row):
            cells = re.findall(r'class="money">([^<]*)', row)
            return int(count), [number(text) for text in cells]
    return int(count), [0, 0, 0]


@pytest.mark.parametrize("query", [*QUERIES, "period=2026-02&convertTo=EUR"])
def test_each_link_leads_to_exactly_the_records_of_its_figure(service, client, visitor, query):
    days = range(parse_date("2025-01-01"), parse_date("2026-03-18"), DAY_SECONDS)
    quoted = [DayRates(day, "EUR", {"USD": Decimal("1.25"), "CHF": Decimal(1)}) for day in days]
    import_rates(service.backend, quoted, service.clock.now())
    page = visitor.get(f"/overview?{query}").text
    currency = "USD" if "USD" in query else "EUR"
    row_name = "All in EUR" if "convertTo" in query else currency

    def number_of(groups):
        return sum(group["count"] for group in groups)

    def sum_listed(link):
        return listed(visitor, link, row_name)[1][2] * (-1 if "flow=spent" in link else 1)

    figures = panel(page, "figures")
    (target,) = targets(page, "Received and spent")
    groups = answered(client, target)["groups"]
    shown = [number(shown_text(row)) for _, row in links(figures)]
    assert [sum_listed(link) for link, _ in links(figures)] == shown
    assert listed(visitor, links(figures)[2][0], row_name)[0] == number_of(groups)

    (target,) = targets(page, "Received and spent by month")
    months = answered(client, target)["groups"]
    rows = links(panel(page, "months"))
    assert len(rows) == 12
    for link, row in rows:
        first = re.search("from=([^&]*)", link)[1]
        count = number_of(group for group in months if group["periodStart"] == first)
        sums = [number(shown_text(cell)) for cell in re.findall("<td.*?</td>", row)]
        found, listed_sums = listed(visitor, link, row_name)
        assert (found, listed_sums[2]) == (count, sums[2])
        flows = [html.unescape(each) for each in re.findall('href="([^"]*flow[^"]*)"', row)]
        assert [sum_listed(each) for each in flows] == sums[:2]

    for link, row in links(panel(page, "spent")):
        assert sum_listed(link) == number(
            shown_text(re.findall('<td class="number.*?</td>', row)[0])
        )

    ((link, row),) = links(panel(page, "attention"))
    count = int(re.match(r"(\d+) record", shown_text(row))[1])
    assert listed(visitor, link, row_name)[0] == count
    # Other records have no category either: void ones, transfers, and those of excluded accounts.
    assert count < listed(visitor, "/records?category=none", row_name)[0]


def test_net_worth_leads_to_the_accounts_where_they_have_these_balances(client, visitor):
    page = visitor.get("/overview").text
    accounts = visitor.get("/accounts").text
    worth = {}
    for row in re.findall(r"<tr\b.*?</tr>", accounts, re.DOTALL):
        if money := re.findall(r'class="money[^"]*">([^<]*)<span class="currency">(\w+)', row):
            amount, currency = money[-1]
            worth[currency] = worth.get(currency, 0) + number(amount)
    for currency in ("EUR", "CHF", "USD"):
        cell = page.split(f'id="worth-{currency}"')[1].split("</dd>")[0].partition(">")[2]
        assert 'href="/accounts"' in cell
        assert number(shown_text(cell)) == worth[currency]
    # No page shows the balances of an earlier day.
    assert 'href="/accounts"' not in panel(visitor.get("/overview?period=2025").text, "figures")


def test_balances_are_those_of_the_user_s_day_with_the_records_to_come_beside(service):
    user = new_user(service)
    service.clock.set("2026-03-18T23:30:00Z")
    service.change(lambda s: s.users.update(user.id, time_zone="Europe/Berlin"))
    savings, hidden = ({"accountId": uid("Account", n)} for n in (2, 3))
    service.load(
        user,
        [
            account(1, initialBalance=100),
            account(2, name="Savings", initialBalance=7),
            account(3, name="Hidden", currencyCode="CHF", excludeFromStats=True),
            record(1, amount=-10, recordDate="2026-03-19T20:00:00Z"),
            record(2, amount=-30, recordDate="2026-03-20", transferId=uid("Record", 2)),
            record(3, amount=30, recordDate="2026-03-20", transferId=uid("Record", 2), **savings),
            record(4, amount=-60, recordDate="2031-01-01"),
            record(5, amount=-5, recordDate="2026-03-21", recordState="void"),
            record(6, amount=2.5, recordDate="2026-04-01", **hidden),
        ],
    )
    client = Client(service, user, new_token(service, user))
    visitor = signed_in(service, user)
    page, accounts = visitor.get("/overview").text, visitor.get("/accounts").text
    for shown in (page, accounts):
        balances, to_come = (
            answered(client, target)
            for target in targets(shown, "Balances today", "Records of days to come")
        )
        found = {row["account"]: row["balance"] for row in balances["balances"]}
        assert found == {"Giro": 90, "Savings": 7, "Hidden": 0}
        nets = {row["account"]: row["net"] for row in to_come["groups"]}
        assert nets == {"Giro": -90, "Savings": 30, "Hidden": 2.5}
    for row in client.exact("accounts")["accounts"]:
        # The API's balance has all records.
        assert row["balance"] == Decimal(str(found[row["name"]] + nets[row["name"]]))
    figures = shown_text(panel(page, "figures"))
    assert "Net worth today in EUR 97.00 EUR 3 records of days to come: −60.00" in figures
    assert "Net worth today in CHF 0.00 CHF 1 record of days to come: 2.50" in figures
    # The currency of the page comes first.
    assert figures.index("Net worth today in EUR") < figures.index("Net worth today in CHF")
    assert table(page, "accounts")[0][1].startswith("90.00 EUR 2 records of days to come: −90.00")
    assert "90.00 EUR 2 records of days to come: −90.00" in shown_text(accounts)
    own = visitor.get(f"/accounts/{uid('Account', 1)}").text
    assert "Balance today 90.00 EUR 2 records of days to come: −90.00" in shown_text(own)
    assert number(table(own, "balance")[-1][1]) == 90
    # A time that is over has no records of days to come.
    assert "days to come" not in panel(visitor.get("/overview?period=2026-02").text, "figures")
    service.clock.set("2031-01-01T12:00:00Z")
    assert "days to come" not in signed_in(service, user).get("/overview").text


@on_one_storage
def test_amounts_of_other_currencies_are_added_only_where_that_is_asked_for(
    service, client, visitor
):
    path = "/overview?period=2026-02"
    assert "convertTo" not in targets(visitor.get(path).text, "Received and spent")[0]
    days = range(parse_date("2026-01-01"), parse_date("2026-03-18"), DAY_SECONDS)
    quoted = [DayRates(day, "EUR", {"USD": Decimal("1.25")}) for day in days]
    import_rates(service.backend, quoted, service.clock.now())
    page = visitor.get(f"{path}&convertTo=EUR").text
    (target,) = targets(page, "Received and spent")
    groups = answered(client, target)["groups"]
    assert len(groups) > 1
    total = sum(Decimal(str(group["convertedNet"])) for group in groups)
    shown = re.findall(r'class="money">([^<]*)', panel(page, "figures").split('id="sums"')[1])
    assert abs(number(shown[2]) - total) <= Decimal("0.005")


@on_one_storage
@pytest.mark.parametrize("path", ["/overview?period=2026&", "/records?"])
def test_converted_sums_say_how_many_records_have_no_rate(service, user, visitor, path):
    # Users share the rates: no other test has some of this currency.
    days = ("2026-01-05", "2026-02-05", "2026-02-06")
    rows = [
        record(n, amount=-10, currencyCode="SEK", recordDate=day) for n, day in enumerate(days, 1)
    ]
    service.load(user, [account(1, currencyCode="SEK"), account(2), *rows])
    quoted = [DayRates(parse_date(days[0]), "EUR", {"SEK": Decimal("1.25")})]
    import_rates(service.backend, quoted, service.clock.now())
    text = shown_text(visitor.get(f"{path}convertTo=EUR").text)
    assert "−8.00 EUR" in text
    assert "2 records are left out: there is no exchange rate for the day." in text


@on_one_storage
def test_net_worth_in_one_currency_is_todays_if_a_record_has_a_day_to_come(service, visitor, user):
    giro, kronor = ({"accountId": uid("Account", n)} for n in (1, 2))
    service.load(
        user,
        [
            account(1, initialBalance=100),
            account(2, currencyCode="DKK", initialBalance=50),
            record(1, amount=-10, recordDate="2026-03-02", **giro),
            record(2, amount=-30, recordDate="2026-04-20", **kronor),
        ],
    )
    # Users share the rates: no other test has some of this currency.
    quoted = [DayRates(parse_date("2026-03-16"), "EUR", {"DKK": Decimal("1.25")})]
    import_rates(service.backend, quoted, service.clock.now())
    page = visitor.get("/overview?convertTo=EUR").text
    figures = shown_text(panel(page, "figures"))
    assert "All in EUR 130.00 EUR" in figures
    assert "Net worth today in DKK 50.00 DKK 1 record of days to come: −30.00" in figures
    assert [row[1] for row in table(page, "worth")] == ["130.00"]
    client = Client(service, user, new_token(service, user))
    (target,) = targets(page, "Net worth by month")
    found = answered(client, target)
    assert [row["convertedBalance"] for row in found["convertedTotals"]] == [130]
    assert of_currency(found["totals"], "DKK")["balance"] == 50
    figures = panel(visitor.get("/overview?convertTo=EUR&period=2026-05").text, "figures")
    assert "The rates of 31 May 2026 are not known yet." in shown_text(figures)
    assert "Save: Net worth" in figures and "Save: Net worth in EUR" not in figures
    figures = shown_text(
        panel(visitor.get("/overview?convertTo=EUR&period=2026-02").text, "figures")
    )
    assert "There is no exchange rate from DKK to EUR for 2026-02-28" in figures


@on_one_storage
@pytest.mark.parametrize(
    ("query", "earlier"),
    [
        ("period=2026-03", "1 Feb 2026 – 18 Feb 2026"),
        ("period=2026-02", "Jan 2026"),
        ("period=last-month", "Jan 2026"),
        ("period=2026-Q1", "1 Oct 2025 – 18 Dec 2025"),
        ("period=2026", "1 Jan 2025 – 18 Mar 2025"),
        ("period=2025", "2024"),
        ("from=2026-03-11&to=2026-03-20", "1 Mar 2026 – 8 Mar 2026"),
        ("from=2026-03-02&to=2026-03-02", "1 Mar 2026"),
    ],
)
def test_a_time_that_is_not_over_is_compared_with_the_same_days_before(
    client, visitor, query, earlier
):
    spent = panel(visitor.get(f"/overview?{query}").text, "spent")
    assert f"Compared with {earlier}" in re.findall('<p class="muted">(.*?)</p>', spent)


def test_spending_is_compared_with_the_same_days_before_in_a_sentence(service):
    user = new_user(service)
    spent = [("2026-01-05", 30), ("2026-02-18", 100), ("2026-02-20", 30), ("2026-03-02", 43.44)]
    crowns = [("2026-02-01", 8), ("2026-03-02", 10)]
    rows = [record(n, amount=-units, recordDate=day) for n, (day, units) in enumerate(spent)]
    for n, (day, units) in enumerate(crowns, 10):
        rows.append(record(n, accountId=uid("Account", 2), amount=-units, recordDate=day))
    service.load(user, [account(1), account(2, currencyCode="NOK"), *rows])
    # Users share the rates: no other test has some of this currency.
    days = [DayRates(parse_date(day), "EUR", {"NOK": Decimal("1.25")}) for day, _ in crowns[1:]]
    import_rates(service.backend, days, service.clock.now())
    for today, query, sentence in (
        ("2026-03-18", "", "56.56 less than by 18 Feb"),
        ("2026-03-17", "", "nothing by 17 Feb"),
        ("2026-03-30", "", "86.56 less than by 28 Feb"),
        ("2026-03-31", "", "86.56 less than in Feb"),
        ("2026-02-01", "currency=NOK", "nothing by 1 Jan"),
        ("2026-03-18", "period=2026-02", "100.00 more than in Jan"),
        ("2026-03-18", "period=2026-01", "nothing in Dec"),
        ("2026-03-18", "period=2026", "nothing by 18 Mar 2025"),
        (*("2026-03-18", "from=2026-02-20&to=2026-02-20"), "nothing before (19 Feb 2026)"),
        (
            *("2026-03-18", "from=2026-02-19&to=2026-02-20"),
            "70.00 less than before (17 Feb 2026 – 18 Feb 2026)",
        ),
        ("2026-03-18", "currency=NOK", "2.00 more than by 18 Feb"),
        # 10 NOK are 8 EUR; for 8 NOK there is no rate.
        ("2026-03-18", "convertTo=EUR", "48.56 less than by 18 Feb"),
    ):
        service.clock.set(f"{today}T12:00:00Z")
        page = signed_in(service, user).get(f"/overview?{query}").text
        shown = [shown_text(each) for each in re.findall(EARLIER, panel(page, "figures"))]
        assert shown[1] == sentence, (today, query)
        missing = "1 record by 18 Feb is left out" in shown_text(page)
        assert missing == ("convertTo" in query)


def test_as_much_as_before_is_said_so(service):
    user = new_user(service)
    rows = [record(n, amount=-30, recordDate=f"2026-0{n}-02") for n in (2, 3)]
    service.load(user, [account(1), *rows])
    page = signed_in(service, user).get("/overview").text
    assert "as much as by 18 Feb" in shown_text(panel(page, "figures"))


@on_one_storage
def test_it_opens_on_this_month_also_before_its_first_record(service, user, visitor):
    days = ("2025-11-30", "2025-12-02", "2026-04-02")
    service.load(user, [account(1), *[record(n, recordDate=day) for n, day in enumerate(days)]])
    assert "<strong>Mar 2026</strong>" in visitor.get("/overview").text
    # The page of a month without records names the nearest month with records.
    figures = panel(visitor.get("/overview?period=2026-03").text, "figures")
    assert "No records in Mar 2026. The nearest are in Apr 2026" in shown_text(figures)
    figures = panel(visitor.get("/overview?from=2026-03-18&to=2026-03-18").text, "figures")
    assert "No records in this time. The nearest are in Apr 2026" in shown_text(figures)
    assert 'href="/overview?period=2026-04&amp;currency=EUR"' in figures
    assert "No records" not in panel(visitor.get("/overview?period=2026-04").text, "figures")


@on_one_storage
def test_saved_net_worth_begins_with_the_same_month_if_a_record_is_of_a_later_one(
    service, user, visitor
):
    days = ("2025-01-01", "2026-03-02", "2028-06-01")
    service.load(user, [account(1), *[record(n, recordDate=day) for n, day in enumerate(days)]])
    page = visitor.get("/overview").text
    (target,) = targets(page, "Net worth by month")
    (saved,) = re.findall('new[?]name=Net[^"]*address=([^"]*interval%3Dmonth[^"]*)"', page)
    client = Client(service, user, new_token(service, user))
    totals = answered(client, target)["totals"]
    assert client.exact(unquote(saved).removeprefix("/v1/api/"))["totals"] == totals
    assert totals[0]["date"] == "2025-04-30"


@on_one_storage
def test_the_curve_of_net_worth_begins_with_the_first_record(service, user, visitor):
    days = ("2025-11-30", "2026-03-02")
    rows = [account(1, initialBalance=100), *[record(n, recordDate=d) for n, d in enumerate(days)]]
    service.load(user, rows)
    page = visitor.get("/overview").text
    shown = [row[0] for row in table(page, "worth")]
    assert shown == ["Nov 2025", "Dec 2025", "Jan 2026", "Feb 2026", "Mar 2026"]
    # A time before that has its own months.
    page = visitor.get("/overview?period=2025-10").text
    assert [row[0] for row in table(page, "worth")] == ["Oct 2025"]


@on_one_storage
def test_charts_show_values_on_focus_and_lead_to_the_records(client, visitor):
    page = visitor.get("/overview?period=2026-02").text
    for name, before in (("worth", ""), ("months", "Received ")):
        marks = re.findall(
            r'<a class="mark" href="([^"]*)" aria-label="([^"]*)">', panel(page, name)
        )
        rows = table(page, name)
        hrefs = re.findall(r'<th scope="row"><a href="([^"]*)">', panel(page, name))
        assert [href for href, _ in marks] == hrefs
        for (_, label), row in zip(marks, rows, strict=True):
            assert label.startswith(f"{row[0]}, {before}{row[1]} EUR")
        years = panel(page, name).split('class="years"')[1].split("</g>")[0]
        assert re.findall(">([0-9]+)</text>", years) == ["2025", "2026"]


@on_one_storage
def test_faulty_times_are_reported_and_this_month_is_shown(client, visitor):
    for query in ("from=x&to=y", "from=2026-02-01&to=2026-01-01", "period=0001", "period=2026-13"):
        page = visitor.get(f"/overview?{query}").text
        assert "Enter two days, the earlier one first." in shown_text(page)
        assert "Mar 2026" in shown_text(page)


@on_one_storage
def test_the_root_leads_browsers_to_the_overview_and_programs_to_the_index(service, visitor):
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    assert location(visitor.get("/", 303, headers=browser)) == "/overview"
    program = visitor.get("/", 200, headers={"Accept": "*/*"})
    assert program.json["name"] == "finance-api"


@on_one_storage
def test_without_accounts_it_shows_the_first_steps(service):
    assert "First steps" in shown_text(signed_in(service).get("/overview").text)


@pytest.mark.parametrize("storage_of_service", ["sqlite"])
def test_the_overview_of_many_records_reads_as_little_as_that_of_few(service, monkeypatch):
    """Counts the rows that the database returns: sums of months, not records.

    With more records, the page does not look for recurring payments.
    """
    monkeypatch.setattr(Overview, "most_searched", 100)
    read = []
    fetch = FastConnection.fetch

    def counted(self, *arguments, **options):
        found = fetch(self, *arguments, **options)
        read.append(len(found))
        return found

    monkeypatch.setattr(FastConnection, "fetch", counted)
    numbers = []
    for size in (5, 60):
        user = new_user(service)
        days = [f"2026-0{1 + n % 3}-{1 + n % 20:02}" for n in range(24 * size)]
        rows = [record(n, amount=n % 7 - 4, recordDate=day) for n, day in enumerate(days, 1)]
        service.load(user, [account(1), budget(1), *rows])
        visitor = signed_in(service, user)
        read.clear()
        visitor.get("/overview?period=2026-02")
        numbers.append(sum(read))
    assert numbers[1] <= 1.2 * numbers[0], numbers
    page = visitor.get("/overview").text
    assert "more than 100 records" in shown_text(panel(page, "due"))
    assert left(page) == {}
    assert "Lowest balances" not in page
