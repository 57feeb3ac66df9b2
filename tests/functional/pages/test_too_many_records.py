"""Pages whose figures have too many records to convert or to add up show what they can."""

import re
from decimal import Decimal

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.values.time import DAY_SECONDS, parse_date
from support.html import shown_text
from support.native_rows import account, record, uid
from support.service import on_one_storage

pytestmark = on_one_storage

TOO_MANY = "There are too many records to convert to EUR at once. Choose a shorter time or one"
DAYS = range(parse_date("2025-01-01"), parse_date("2026-03-18"), DAY_SECONDS)


@pytest.fixture
def months(service, user, monkeypatch):
    """Two records in dollars in March, three in January, and one in euros each."""
    monkeypatch.setattr("finance_api.planning.summaries.reading.MAX_CONVERTED", 2)
    days = ["2026-03-02", "2026-03-03", "2026-01-05", "2026-01-06", "2026-01-07"]
    dollars = [record(n, accountId=uid("Account", 2), recordDate=d) for n, d in enumerate(days, 1)]
    euros = [record(10 + n, amount=-7, recordDate=f"2026-0{n}-04") for n in (1, 3)]
    rows = [account(), account(2, name="Dollars", currencyCode="USD"), *dollars, *euros]
    service.load(user, rows)
    service.change(lambda s: s.users.update(user.id, base_currency="EUR"))
    rates = [DayRates(day, "EUR", {"USD": Decimal(2)}) for day in DAYS]
    import_rates(service.backend, rates, service.clock.now())


def panel(page, name):
    return shown_text(page.split(f'aria-labelledby="{name}-title"')[1].split("</section>")[0])


def test_the_overview_shows_the_figures_of_the_month_but_not_of_the_year(months, visitor):
    page = visitor.get("/overview").text
    assert "Received, Mar 2026 0.00 EUR" in panel(page, "figures")
    assert "Spent, Mar 2026 8.00 EUR" in panel(page, "figures")
    assert TOO_MANY in panel(page, "months")
    assert TOO_MANY not in panel(page, "figures") + panel(page, "spent")


def test_the_overview_of_a_time_with_too_many_records_says_so(months, visitor):
    page = visitor.get("/overview?period=2026-01").text
    for name in ("figures", "months", "spent"):
        assert TOO_MANY in panel(page, name)
    assert "Net worth in USD" in panel(page, "figures")
    # The records in euros can be shown.
    figures = panel(visitor.get("/overview?period=2026-01&currency=EUR").text, "figures")
    assert "Spent, Jan 2026 7.00 EUR" in figures


def test_the_overview_leaves_out_what_it_cannot_compare_with(months, visitor):
    page = visitor.get("/overview?from=2026-02-01&to=2026-03-10").text
    assert "8.00 EUR before (25 Dec 2025 – 31 Jan 2026): too many" in panel(page, "figures")
    assert re.search("Without category 8.00 too many", panel(page, "spent"))


def test_a_list_shows_its_sums_in_each_currency(months, visitor):
    page = shown_text(visitor.get("/records?convertTo=EUR").text)
    assert f"{TOO_MANY} currency. 7 records" in page
    assert "USD 5 0.00 \N{MINUS SIGN}5.00" in page and "All in EUR" not in page
    page = shown_text(visitor.get("/records?convertTo=EUR&from=2026-03-01").text)
    assert "All in EUR 3" in page and "too many" not in page


def test_a_list_without_sums_still_has_its_records(months, visitor, monkeypatch):
    monkeypatch.setattr("finance_api.planning.summaries.reading.MAX_GROUPS", 0)
    page = shown_text(visitor.get("/records").text)
    assert "There are too many records to add up at once." in page
    assert "1–7 of 7" in page
    page = visitor.get("/overview?currency=EUR").text
    assert "too many records to add up at once. Choose a shorter time." in panel(page, "figures")


def test_more_accounts_than_the_api_adds_up_have_no_balances(service, user, visitor, monkeypatch):
    monkeypatch.setattr("finance_api.planning.balances.MAX_POINTS", 1)
    service.load(user, [account(), account(2, name="Savings"), record(1, payee="Late")])
    page = visitor.get("/accounts").text
    assert "Savings" in page and "Balances today" not in page
    assert "Savings –" in panel(visitor.get("/overview").text, "accounts")
