"""Pages of categories, labels and payees: their sums are those of the API."""

import html
import re
from decimal import Decimal
from urllib.parse import urlencode

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.planning.summaries import reading
from finance_api.resources.currencies import DayRates
from finance_api.values.time import DAY_SECONDS, parse_date
from support.browser import new_token
from support.html import shown_text
from support.native_rows import account, category, label, record, uid
from support.service import Client, on_one_storage

FOOD, BREAD, HOME = uid("Category", 1), uid("Category", 2), uid("Label", 1)
ODD = 'Müller, "Söhne" & <b>Co</b>; eq.x ' + "é" * 160
#: The clock says 2026-03-18.
THESE, BEFORE = "gte.2025-04-01,lte.2026-03-31", "gte.2024-04-01,lte.2025-03-31"


@pytest.fixture
def client(service, user):
    given = [
        (-10.25, "2026-03-02", "Aldi", FOOD),
        (-4.5, "2026-03-03", "Bakery", BREAD),
        (1.25, "2026-02-28", "Aldi", FOOD),
        (-7, "2025-03-31", "Aldi", BREAD),
        (-100, "2024-03-31", "Aldi", FOOD),
        (-35, "2026-01-10", ODD, None),
        (2000, "2026-01-31", "Employer", None),
    ]
    rows = [
        record(
            n, amount=amount, recordDate=day, payee=payee, categoryId=row_id, labelIds=[HOME][n:]
        )
        for n, (amount, day, payee, row_id) in enumerate(given)
    ]
    dollars = record(50, accountId=uid("Account", 2), amount=-3, payee="Aldi", categoryId=FOOD)
    service.load(
        user,
        [
            *(account(1), account(2, name="Abroad", currencyCode="USD")),
            *(
                category(1, name="Food", kind="expense"),
                category(2, name="Bread", parentId=FOOD, kind="expense"),
            ),
            *(category(3, name="Cars"), label(1, name="home")),
            *(*rows, dollars),
        ],
    )
    return Client(service, user, new_token(service, user))


def amount_of(client, days, **filters):
    asked = {"columns": "spent,received", "currencyCode": "eq.EUR", "recordDate": days, **filters}
    (group,) = client.get("records/summary", **asked).json["groups"]
    return f"{group['spent']:.2f}"


def figures(page):
    """Return the figures at the top of the page, by their names, each with what was before."""
    top = page.text.partition('class="figure-list"')[2].partition("</dl>")[0]
    return {
        shown_text(name): [shown_text(part) for part in parts.split("<dd")[1:3]]
        for name, parts in re.findall("<dt>(.*?)</dt>(.*?)</div>", top, re.DOTALL)
    }


@on_one_storage
@pytest.mark.parametrize(
    ("path", "filters"),
    [
        (f"/categories/{FOOD}", {"categoryId": FOOD, "withSubcategories": "true"}),
        (f"/categories/{BREAD}", {"categoryId": BREAD}),
        (f"/labels/{HOME}", {"labelIds": HOME}),
        ("/payee?name=Aldi", {"payee": "eq.Aldi"}),
        ("/payee?" + urlencode({"name": ODD}), {"payee": f"eq.{ODD}"}),
    ],
)
def test_the_sums_of_a_page_are_those_of_the_api_and_of_the_records_they_lead_to(
    client, visitor, path, filters
):
    page = visitor.get(path)
    found = figures(page)
    now = amount_of(client, THESE, **filters)
    assert now in found["Spent in 12 months"][0]
    groups = client.get(
        "records/summary", columns="spent", recordDate=BEFORE, currencyCode="eq.EUR", **filters
    ).json["groups"]
    before = f"{groups[0]['spent'] if groups else 0:.2f}"
    assert f"{before} in the 12 months before" in found["Spent in 12 months"][1]
    part, whole = float(now), float(amount_of(client, THESE))
    (share,) = re.findall(r"([\d.]+)%", found["Share of all spent"][0])
    assert abs(float(share) - 100 * part / whole) < 0.01
    top = page.text.partition("Spent in 12 months")[2]
    (link,) = re.findall('class="figure"><a href="([^"]+)"', top)[:1]
    listed = shown_text(visitor.get(html.unescape(link)).text)
    assert f"Net −{now} EUR" in listed
    assert ("and its records in USD" in page.text) == ("USD" in page.text)


@on_one_storage
def test_the_chart_has_each_month_with_the_year_before(client, visitor):
    text = visitor.get(f"/categories/{FOOD}").text
    rows = re.findall(
        r"<tr>(.*?)</tr>", text.partition('id="development-table"')[2].partition("</table>")[0]
    )
    shown = [shown_text(row) for row in rows]
    assert len(shown) == 12 + 1
    assert shown[-1] == "Mar 2026 14.75 7.00" and shown[-2] == "Feb 2026 −1.25 0.00"
    assert text.count('class="column before"') == text.count('class="column expense"') == 12


@on_one_storage
def test_the_records_of_a_payee_are_called_by_what_tells_them_apart(service, user, visitor):
    shown = {"payee": "Kim", "recordDate": "2026-03-02"}
    service.load(
        user,
        [
            account(1),
            category(1, name="Gifts"),
            record(1, **shown, note="Flowers", categoryId=FOOD, amount=-3),
            record(2, **{**shown, "recordDate": "2026-03-01"}, categoryId=FOOD, amount=-2),
            record(3, **{**shown, "recordDate": "2026-02-01"}, amount=-1),
        ],
    )
    page = visitor.get("/payee?name=Kim").text
    table = page.partition('id="newest-table"')[2].partition("</table>")[0]
    rows = [shown_text(row) for row in table.split('<tr role="row">')[2:]]
    days = ["2 Mar 2026 −3.00 EUR", "1 Mar 2026 −2.00 EUR", "1 Feb 2026 −1.00 EUR"]
    names = ["Flowers", "Gifts", "Kim"]
    assert rows == [f"{name} {rest}" for name, rest in zip(names, days, strict=True)]
    assert "Kim 2 Mar 2026" in shown_text(visitor.get(f"/categories/{FOOD}").text)


@on_one_storage
def test_the_currency_and_the_flow_are_those_of_the_months_shown(service, user, visitor):
    dollars = [
        record(n, accountId=uid("Account", 2), amount=30, recordDate="2024-06-01", payee="Aldi")
        for n in range(3)
    ]
    euros = [record(n, amount=-5, recordDate="2026-01-01", payee="Aldi") for n in (10, 11)]
    old = record(20, amount=100, recordDate="2024-06-01", payee="Aldi")
    past = [{**row, "id": uid("Record", 30 + n), "payee": "Past"} for n, row in enumerate(dollars)]
    accounts = [account(1), account(2, name="Abroad", currencyCode="USD")]
    service.load(user, [*accounts, *dollars, *euros, old, *past])
    page = visitor.get("/payee?name=Aldi")
    now, before = figures(page)["Spent in 12 months"]
    assert "10.00 EUR" in now and ">0.00 in the 12 months before" in before
    assert "statistics, and its records in USD." in shown_text(page.text)
    now, before = figures(visitor.get("/payee?name=Past"))["Received in 12 months"]
    assert "0.00 USD" in now and "90.00 in the 12 months before" in before


@on_one_storage
def test_the_list_of_categories_is_a_tree_with_the_sums_of_the_api(client, visitor):
    text = visitor.get("/categories").text
    names = re.findall(r'class="name( depth-\d)?">\s*<a class="name-text"[^>]*>([^<]+)<', text)
    assert names == [("", "Cars"), ("", "Food"), (" depth-1", "Bread")]
    shown = shown_text(text)
    for row_id, name, currency in ((FOOD, "Food", "EUR"), (BREAD, "Bread", "EUR")):
        asked = {"categoryId": row_id, "withSubcategories": "true", "recordDate": THESE}
        groups = client.get("records/summary", columns="net", **asked).json["groups"]
        (net,) = (group["net"] for group in groups if group["currencyCode"] == currency)
        assert f"−{-net:.2f} {currency}" in shown.partition(f" {name} ")[2][:80]
    assert "−3.00 USD" in shown


@on_one_storage
def test_the_list_of_labels_has_the_sums_of_the_api(client, visitor):
    asked = {"groupBy": "label", "columns": "net", "recordDate": THESE, "labelIds": HOME}
    (group,) = client.get("records/summary", **asked).json["groups"]
    assert f"home −{-group['net']:.2f} EUR Records" in shown_text(visitor.get("/labels").text)


def test_sums_of_which_one_request_has_only_a_part_are_not_shown(service, user, visitor):
    """A page of the API has 1,000 groups: without the others, a sum would be too small."""
    numbers = range(1, 1_002)
    below = [category(n, name=f"{n}", parentId=uid("Category", 2_000)) for n in numbers]
    labels = [label(n, name=f"{n}") for n in numbers]
    rows = [
        record(n, amount=-1, categoryId=uid("Category", n), labelIds=[uid("Label", n)])
        for n in numbers
    ]
    service.load(user, [account(1), category(2_000, name="All"), *below, *labels, *rows[:1_000]])
    assert "All −1,000.00 EUR" in shown_text(visitor.get("/categories").text)
    text = shown_text(visitor.get("/labels").text)
    assert "−1.00 EUR" in text
    assert "No sums are shown" not in text
    service.load(user, rows[1_000:])
    for path in ("/categories", "/labels"):
        text = shown_text(visitor.get(path).text)
        assert "EUR" not in text
        assert "No sums are shown: the last 12 months have more than 1,000" in text


@on_one_storage
def test_each_category_stands_below_its_parent_whatever_the_names(service, user, visitor):
    service.load(
        user,
        [
            *(category(1, name="Car"), category(2, name="Car insurance")),
            category(3, name="Fuel", parentId=uid("Category", 1)),
            category(4, name="Bus", archived=True),
            category(5, name="Child", parentId=uid("Category", 4)),
            category(6, name="A › B"),
            category(7, name="Alarm", parentId=uid("Category", 1), archived=True),
        ],
    )
    text = visitor.get("/categories").text
    names = re.findall(r'class="name( depth-\d)?">\s*<a class="name-text"[^>]*>([^<]+)<', text)
    assert names == [
        *(("", "A › B"), ("", "Car"), (" depth-1", "Fuel"), (" depth-1", "Alarm")),
        *(("", "Car insurance"), ("", "Bus"), (" depth-1", "Child")),
    ]


@on_one_storage
def test_the_overview_has_the_payees_who_received_most(client, visitor):
    text = visitor.get("/overview?period=2026").text
    table = text.partition('id="payees-table"')[2].partition("</table>")[0]
    links = [html.unescape(link) for link in re.findall('href="(/payee[^"]+)"', table)]
    groups = client.get(
        "records/summary",
        groupBy="payee",
        columns="spent",
        recordDate="eq.2026",
        currencyCode="eq.EUR",
        sortBy="-spent",
    ).json["groups"]
    spent = [group for group in groups if group["spent"] > 0]
    back = {"back": "/overview?period=2026"}
    assert links == ["/payee?" + urlencode({"name": g["payee"], **back}) for g in spent]
    assert [f"{group['spent']:.2f}" for group in spent] == re.findall(r">([\d.]+)</a></td>", table)
    for link in links:
        visitor.get(link, status=200)


@on_one_storage
def test_a_top_payee_may_be_one_by_the_sum_of_its_currencies_alone(service, user, visitor):
    """Each of its sums is smaller than those of 1,000 others."""
    others = [record(n, amount=-10, payee=f"Shop {n:04}") for n in range(1_000)]
    both = {"payee": "Near and far"}
    rows = [
        record(1_001, amount=-9.99, **both),
        record(1_002, amount=-9, accountId=uid("Account", 2), **both),
    ]
    service.load(user, [account(1), account(2, currencyCode="NOK"), *others, *rows])
    day = parse_date("2026-01-01")
    # Users share the rates: no other test has some of this currency.
    quoted = [DayRates(day + n * DAY_SECONDS, "EUR", {"NOK": Decimal("1.25")}) for n in range(90)]
    import_rates(service.backend, quoted, service.clock.now())
    text = visitor.get("/overview?period=2026&convertTo=EUR").text
    table = shown_text(text.partition('id="payees-table"')[2].partition("</table>")[0])
    assert "Near and far 17.19 Shop 0000 10.00 Shop 0001 10.00" in table
    assert "Shop 0006" in table
    assert "Shop 0007" not in table


@on_one_storage
def test_the_overview_says_that_there_are_too_many_payees(client, visitor, monkeypatch):
    monkeypatch.setattr(reading, "MAX_GROUPS", 2)
    text = shown_text(visitor.get("/overview?period=2026").text)
    assert "Top payees 2026, EUR There are too many records to add up at once." in text


@on_one_storage
def test_a_payee_without_records_has_no_figures(client, visitor):
    for query in ("", "?name="):
        visitor.get(f"/payee{query}", status=404)
    for name in ("Nobody", "x" * 5_000):
        assert "No record has this payee." in shown_text(visitor.get(f"/payee?name={name}").text)


@on_one_storage
def test_a_category_without_records_says_so(client, visitor):
    text = shown_text(visitor.get(f"/categories/{uid('Category', 3)}").text)
    assert "No records yet." in text and "this month" not in text
