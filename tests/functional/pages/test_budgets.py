"""A budget's page: what is left for each day, its pace, and its last periods."""

import html
import re

import pytest

from support.browser import new_token
from support.html import shown_text
from support.native_rows import account, budget, category, record, uid
from support.service import Client, on_one_storage

PATH = f"/budgets/{uid('Budget', 1)}"


@pytest.fixture
def with_budget(service, user):
    """The clock says 2026-03-18: 14 days are left, today included."""

    def load(spent=(), **given):
        rows = [record(n, amount=-amount, recordDate=d) for n, (d, amount) in enumerate(spent, 1)]
        service.load(user, [account(1), budget(1, **given), *rows])
        return Client(service, user, new_token(service, user))

    return load


def figures(page):
    return shown_text(page.text.split('aria-label="Budget"')[1].split("</section>")[0])


@on_one_storage
@pytest.mark.parametrize(
    ("spent", "expected"),
    [
        (17, ["Left 293.00 EUR", "Left for each day 20.92 EUR", "until 31 Mar 2026", "less"]),
        (310, ["Left 0.00 EUR", "Left for each day 0.00 EUR", "You spent 130.00 EUR more"]),
        (430, ["Spent this month 430.00 EUR of 310.00 EUR", "Over by 120.00 EUR"]),
    ],
)
def test_a_budget_says_what_is_left_for_each_day_or_by_how_much_it_is_over(
    with_budget, visitor, spent, expected
):
    with_budget([("2026-03-02", spent)], limitAmount=310)
    text = figures(visitor.get(PATH))
    assert "Day 18 of 31: at an even pace 180.00 EUR would be spent by now." in text
    for each in expected:
        assert each in text


@on_one_storage
def test_the_last_twelve_periods_are_the_api_s(with_budget, visitor):
    spent = [("2025-05-03", 40), ("2025-12-31", 120), ("2026-02-01", 30.5)]
    client = with_budget(spent, limitAmount=100)
    page = visitor.get(PATH).text
    (target,) = re.findall(r"GET /v1/api/(budgets/[^<]*/periods[^<]*)</code>", page)
    periods = client.get(html.unescape(target)).json["periods"]
    rows = page.split('id="periods-table"')[1].split("<tbody>")[1].split("</tbody>")[0]
    cells = [re.findall(r'class="number[^"]*">([^<]*)<', row) for row in rows.split("<tr>")[1:]]
    assert [float(cell[0].replace(",", "")) for cell in cells] == [p["spent"] for p in periods]
    assert [cell[1] for cell in cells] == ["100.00"] * 12
    assert len(periods) == 12
    assert [cell[2] for cell in cells if "over" in cell[2]] == ["over by 20.00"]


@on_one_storage
def test_a_budget_without_a_limit_shows_what_was_spent_and_offers_to_set_one(with_budget, visitor):
    with_budget([("2026-03-02", 12)], limitAmount=None)
    page = visitor.get(PATH)
    assert "Spent this month 12.00 EUR" in figures(page)
    (link,) = re.findall(r'<a href="([^"]*)">Set a limit', page.text)
    assert link == "?edit#limitAmount"
    assert 'id="edit" open' in visitor.get(f"{PATH}?edit").text


@on_one_storage
def test_a_month_gets_its_own_limit_on_the_page_and_loses_it_there(with_budget, visitor):
    client = with_budget([("2026-03-02", 12)], limitAmount=100)

    def send(period, limit, status=303):
        fields = {"limit-period": period, "period-limit": limit}
        return visitor.submit(PATH, PATH, status=status, **fields)

    def stored():
        (row,) = client.get("budgets").json["budgets"]
        return {each["periodStart"]: each["limit"] for each in row["limitOverrides"]}

    send("2026-03-01", "40+5.50")
    assert stored() == {"2026-03-01": 45.5}
    page = visitor.get(PATH)
    assert "of 45.50 EUR in this month alone" in figures(page)
    assert '<option value="2026-03-01" selected>Mar 2026: 45.50</option>' in page.text
    assert 'name="limit-period" aria-label="Period with this limit">' in page.text
    assert 'value="45.50"' in page.text
    visitor.submit(PATH, PATH, name="Same limits")
    send("2027-03-01", "0")
    history = shown_text(visitor.get("/imports").text)
    assert "Same limits: 1 Mar 2026 45.50 → 1 Mar 2026 45.50, 1 Mar 2027 0." in history
    assert stored() == {"2026-03-01": 45.5, "2027-03-01": 0}
    for typed, sentence in (
        ("-1", "Limit of one month must not be below 0."),
        ("a lot", 'Limit of one month "a lot" is not an amount such as 12.50.'),
        ("1.2345", "EUR has two decimals: write 1.23 or 1.24."),
    ):
        page = send("2026-04-01", typed, status=400)
        assert sentence in shown_text(page.text.split('id="period-limit-error"')[1])
        assert f'value="{typed}"' in page.text
        assert '<option value="2026-04-01" selected>' in page.text
    page = visitor.submit(PATH, PATH, status=400, type="BUDGET_INTERVAL_WEEK")
    assert "no week starts on this day: give 2026-02-23, or remove this limit." in page.text
    send("2026-03-01", "")
    assert stored() == {"2027-03-01": 0}
    assert "alone" not in figures(visitor.get(PATH))


@on_one_storage
def test_a_form_from_before_a_month_got_its_own_limit_does_not_remove_it(with_budget, visitor):
    client = with_budget(limitAmount=100)
    before = visitor.form(PATH, PATH)
    visitor.submit(PATH, PATH, **{"period-limit": "450"})
    page = visitor.post(before.action, before.filled({"name": "Renamed"}), status=303)
    page = visitor.follow(page)
    assert "This was changed elsewhere since you opened the form" in shown_text(page.text)
    assert '<option value="2026-03-01" selected>Mar 2026: 450.00</option>' in page.text
    (row,) = client.get("budgets").json["budgets"]
    assert row["limitOverrides"] == [{"periodStart": "2026-03-01", "limit": 450}]


@on_one_storage
def test_budgets_of_one_period_and_new_ones_have_no_limit_of_a_month(with_budget, visitor):
    with_budget(type="BUDGET_CUSTOM")
    assert "period-limit" not in visitor.get(PATH).text
    assert "period-limit" not in visitor.get("/budgets/new").text


@on_one_storage
def test_lists_say_by_how_much_a_budget_is_over_in_place_of_a_percentage(with_budget, visitor):
    with_budget([("2026-03-02", 30_978)], limitAmount=100)
    for path in ("/budgets", "/overview"):
        text = shown_text(visitor.get(path).text)
        assert "over by 30,878.00" in text
        assert "30978%" not in text.replace(",", "")


@on_one_storage
@pytest.mark.parametrize("limit", ["0", "-5"])
def test_a_limit_is_above_zero(with_budget, visitor, limit):
    client = with_budget(limitAmount=100)
    sentence = "Limit must be above 0; leave it out for a budget without a limit."
    for path in (PATH, "/budgets/new"):
        page = visitor.submit(path, path, status=400, name="Food", limitAmount=limit)
        assert sentence in shown_text(page.text.split('id="limitAmount-error"')[1])
        assert f'value="{limit}"' in page.text
    (found,) = client.get("budgets").json["budgets"]
    assert found["limitAmount"] == 100


@on_one_storage
@pytest.mark.parametrize(
    "given",
    [
        {"type": "BUDGET_CUSTOM"},
        {"type": "BUDGET_CUSTOM", "startDate": "2026-03-01", "endDate": "2026-05-01"},
        {"type": "BUDGET_INTERVAL_WEEK"},
        {"type": "BUDGET_INTERVAL_YEAR"},
        {"startDate": "2027-01-01"},
        {"endDate": "2025-01-01"},
        {"limitAmount": -50},
        {"limitAmount": 0},
    ],
    ids=str,
)
def test_every_kind_of_budget_has_a_page(with_budget, visitor, given):
    with_budget([("2026-03-02", 12)], **given)
    visitor.get(PATH)
    visitor.get("/budgets")
    visitor.get("/overview")


@on_one_storage
def test_a_period_leads_to_the_records_it_counts(with_budget, service, user, visitor):
    with_budget([("2026-03-02", 12), ("2026-02-02", 9)], limitAmount=100)
    service.load(
        user,
        [
            *(category(1, name="Food"), category(2, name="Fruit", parentId=uid("Category", 1))),
            record(11, amount=-7, recordDate="2026-03-04", categoryId=uid("Category", 2)),
            record(12, amount=2, recordDate="2026-03-05", categoryId=uid("Category", 1)),
            record(13, amount=-3, recordDate="2026-03-31", categoryId=uid("Category", 1)),
            record(14, amount=50, recordDate="2026-03-06"),
            record(15, amount=-5, recordDate="2026-03-06", recordState="void"),
        ],
    )
    for given, spent, number in (
        ({"categoryIds": [uid("Category", 1)]}, "8.00", 3),
        ({"accountIds": [uid("Account", 1)]}, "22.00", 3),
    ):
        service.load(user, [budget(1, limitAmount=100, **given)])
        page = visitor.get(PATH)
        assert f"Spent this month {spent} EUR" in figures(page)
        path = html.unescape(re.findall('<a href="([^"]*)">Mar', page.text)[0])
        listed = shown_text(visitor.get(path).text)
        assert f"{number} records" in listed
        assert f"Net \N{MINUS SIGN}{spent} EUR" in listed
    for given in (
        [budget(1, categoryIds=[uid("Category", 1), uid("Category", 2)])],
        [
            category(2, kind="income", parentId=uid("Category", 1)),
            budget(1, categoryIds=[uid("Category", 1)]),
        ],
    ):
        service.load(user, given)
        assert "/records?" not in visitor.get(PATH).text


@on_one_storage
def test_rare_fields_of_a_budget_are_folded_while_they_are_empty(with_budget, visitor):
    with_budget(limitAmount=100)
    folded = '<details class="field">\n  <summary>More: accounts, labels, start date'
    assert folded in visitor.get(PATH).text
    assert folded in visitor.get("/budgets/new").text
    page = visitor.submit(PATH, PATH, status=400, startDate="x", type="BUDGET_CUSTOM")
    assert folded not in page.text and "Start date" in page.text


@on_one_storage
def test_a_budget_of_other_days_needs_one_of_them(with_budget, visitor):
    client, new = with_budget(limitAmount=100), "/budgets/new"
    given = {"name": "Trip", "type": "BUDGET_CUSTOM", "limitAmount": "5"}
    page = visitor.submit(new, new, status=400, **given)
    sentence = "A budget of other days needs a start date or an end date."
    for name in ("startDate", "endDate"):
        assert [each.text for each in page.html.select(f"#{name}-error")] == [sentence]
    visitor.submit(new, new, status=303, **given, endDate="2026-06-01")
    assert client.names("budgets", "endDate", name="eq.Trip") == ["2026-06-01"]
