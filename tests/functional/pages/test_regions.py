"""Numbers and dates on the pages, as people of a region write them."""

import re

import pytest

from support.browser import new_token, new_user, signed_in
from support.html import shown_text
from support.native_rows import account, household, record
from support.service import Client, on_one_storage
from support.uploads import sent

PROFILE = "/settings/profile"
SHOWN = {
    "": ("1,234.50", "18 Mar 2026"),
    "de-AT": ("1.234,50", "18.03.2026"),
    "en-US": ("1,234.50", "Mar 18, 2026"),
    "hu-HU": ("1 234,50", "2026. 03. 18."),
}


def at_home(service, region=None, rows=()):
    """Return a visitor of the region with these rows, and a client of the API for the same user."""
    user = new_user(service)
    service.change(lambda storage: storage.users.update(user.id, region=region))
    service.load(user, [*household(), *rows])
    return signed_in(service, user), Client(service, user, new_token(service, user))


@on_one_storage
@pytest.mark.parametrize("region", SHOWN)
def test_a_page_is_in_the_region_of_the_user_else_of_the_browser(service, region):
    rows = [record(77, amount=1234.5, recordDate="2026-03-18T10:00:00Z")]
    unset, chosen = at_home(service, None, rows)[0], at_home(service, region or None, rows)[0]
    accepted = f"tlh;q=1, {region};q=0.8, fr;q=0.1" if region else "xx"
    for visitor, header in ((unset, accepted), (chosen, "sv-SE" if region else "")):
        text = shown_text(visitor.get("/records", headers={"Accept-Language": header}).text)
        for words in SHOWN[region]:
            assert words in text
    # The region does not stay set in the process.
    assert "1,234.50 EUR" in shown_text(unset.get("/records").text)


@on_one_storage
def test_the_region_is_chosen_on_the_profile(service, user, visitor):
    assert dict(visitor.form(PROFILE).fields)["region"] == ""
    visitor.follow(visitor.submit(PROFILE, region="hu-HU"))
    assert dict(visitor.form(PROFILE).fields)["region"] == "hu-HU"
    assert "−1 234,50 and 2026. 03. 18." in shown_text(visitor.get(PROFILE).text)
    assert "Choose a region" in shown_text(visitor.submit(PROFILE, region="xx", status=400).text)
    visitor.submit(PROFILE, region="", status=303)
    assert "−1,234.50 and 18 Mar 2026" in shown_text(visitor.get(PROFILE).text)


@on_one_storage
@pytest.mark.parametrize("hostile", ["*", "../../x", "xx-AT" * 500, ";q=1", "ü", "de;q=0"])
def test_a_strange_header_is_like_none(service, user, visitor, hostile):
    page = visitor.get(PROFILE, headers={"Accept-Language": hostile})
    assert "−1,234.50 and 18 Mar 2026" in shown_text(page.text)


@on_one_storage
def test_sentences_about_money_are_in_the_region_on_pages_and_plain_in_the_api(service):
    visitor, client = at_home(service, "de-AT", [record(77, amount=-1234.5)])
    heading = b"date,amount,balance,account,currency\n"
    rows = b"2026-03-01,-12.50,2000.00,Giro 9,EUR\n2026-03-02,-5,1990,Giro 9,EUR\n"
    refusal = shown_text(visitor.get(sent(visitor, heading + rows)).text)
    assert "balance is 1.990,00, but after the row before it should be 1.995,00" in refusal
    (row,) = client.get("records", amount="eq.-1234.5").json["records"]
    path = f"/records/{row['id']}/split"
    parts = {"amount-1": "1000", "amount-2": "1,5"}
    page = visitor.submit(path, path, status=400, **parts)
    assert "1.234,50 EUR in all. 233,00 EUR left." in shown_text(page.text)
    answer = client.get("accounts/balances", interval="day", **{"from": "1990-01-01"})
    assert "more than 3,700 balances" in answer.text


def add_budget(visitor, *, status=303, **fields):
    given = {"name": "Limit", "type": "BUDGET_INTERVAL_MONTH", "currencyCode": "EUR", **fields}
    return visitor.submit("/budgets/new", "/budgets/new", status=status, **given)


def the_budget(client):
    (found,) = client.get("budgets", name="eq.Limit").json["budgets"]
    return found


@on_one_storage
@pytest.mark.parametrize(
    ("region", "text", "amount", "shown"),
    [
        ("de-AT", "1.250,50", 1250.5, "1250,50"),
        ("de-AT", "1.250", 1250, "1250,00"),
        ("de-CH", "1'250.50", 1250.5, "1250.50"),
        (None, "12,50", 12.5, "12.50"),
        ("en-US", "1,250", 1250, "1250.00"),
        ("fr-FR", "1\u202f250,125", 1250.125, "1250,1250"),
    ],
)
def test_a_form_takes_an_amount_as_people_write_it(service, region, text, amount, shown):
    visitor, client = at_home(service, region)
    currency = "KWD" if amount == 1250.125 else "EUR"
    add_budget(visitor, limitAmount=text, currencyCode=currency)
    path = f"/budgets/{the_budget(client)['id']}"
    # Saving what the form shows changes nothing.
    for _ in range(2):
        assert the_budget(client)["limitAmount"] == amount
        assert f'value="{shown}"' in visitor.get(path).text
        visitor.submit(path, path, status=303)
    visitor.submit(path, path, status=303, limitAmount="2 000,5")
    assert the_budget(client)["limitAmount"] == 2000.5


@on_one_storage
@pytest.mark.parametrize(
    ("text", "currency", "sentence"),
    [
        ("12.5", "JPY", "Limit 12.50 is too exact, as JPY has no decimals: write 12 or 13."),
        ("12.3456", "KWD", "is too exact, as KWD has three decimals: write 12.3450 or 12.3460."),
        ("0,125", "EUR", "is too exact, as EUR has two decimals: write 0.12 or 0.13."),
        ("12.345678912", "EUR", "Limit has more than 4 decimal places."),
    ],
)
def test_an_amount_has_no_more_decimals_than_its_currency(service, text, currency, sentence):
    visitor, _ = at_home(service)
    page = add_budget(visitor, status=400, limitAmount=text, currencyCode=currency)
    assert sentence in shown_text(page.text)


@on_one_storage
@pytest.mark.parametrize(
    ("currency", "shown"), [("JPY", "1,250 JPY"), ("EUR", "1,250.00 EUR"), ("KWD", "1,250.000 KWD")]
)
def test_an_amount_is_shown_with_the_decimals_of_its_currency(service, currency, shown):
    visitor, client = at_home(service)
    add_budget(visitor, limitAmount="1", currencyCode=currency)
    path = f"/budgets/{the_budget(client)['id']}"
    notice = visitor.follow(visitor.submit(path, path, limitAmount="1,250"))
    assert f"→ {shown}." in shown_text(notice.text)
    assert shown in shown_text(visitor.get("/budgets").text)


@on_one_storage
def test_an_amount_that_has_too_many_decimals_already_may_keep_them(service):
    yen = account(8, name="Yen", currencyCode="JPY", initialBalance=12.5)
    visitor, client = at_home(service, None, [yen])
    (row,) = client.get("accounts", name="eq.Yen").json["accounts"]
    path = f"/accounts/{row['id']}"
    visitor.submit(path, path, status=303, name="Cash")
    changed = client.get(f"accounts/{row['id']}").json
    assert (changed["name"], changed["initialBalance"]) == ("Cash", 12.5)
    assert "12.5 JPY" in shown_text(visitor.get("/accounts").text)


@on_one_storage
def test_a_day_may_be_typed_where_the_browser_has_no_calendar(service):
    visitor, client = at_home(service, "de-AT")
    typed = {"type": "BUDGET_CUSTOM", "startDate": "3.4.2026", "endDate": "2026-05-01"}
    page = add_budget(visitor, status=400, limitAmount="x", **typed)
    assert 'value="2026-04-03"' in page.text
    page = add_budget(visitor, status=400, **{**typed, "startDate": "0001-01-01"})
    assert "The year 1 cannot be right" in shown_text(page.text)
    add_budget(visitor, limitAmount="5", **typed)
    budget = the_budget(client)
    assert (budget["startDate"], budget["endDate"]) == ("2026-04-03", "2026-05-01")


@on_one_storage
@pytest.mark.parametrize(("region", "first"), [(None, "Monday"), ("en-US", "Sunday")])
def test_the_days_of_the_week_begin_with_the_region_s_first(service, region, first):
    visitor, _ = at_home(service, region)
    text = shown_text(visitor.get("/standing-orders/new").text)
    days = list(dict.fromkeys(re.findall("[A-Z][a-z]+day", text)))
    assert days[0] == first and len(days) == 7
