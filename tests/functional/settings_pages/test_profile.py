"""The profile: the time zone that times are shown in, and the base currency of the overview."""

from decimal import Decimal

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.values.time import DAY_SECONDS, parse_time
from support.browser import changed_tables, dump, new_user, signed_in, tokens_of, user_now
from support.html import shown_text
from support.native_rows import account, household
from support.service import on_one_storage

PROFILE = "/settings/profile"


def test_times_are_shown_in_the_time_zone_that_is_chosen(service, user, visitor):
    form = visitor.form(PROFILE)
    assert dict(form.fields)["time_zone"] == "UTC"
    before = dump(service)
    visitor.follow(visitor.submit(PROFILE, time_zone="America/New_York"))
    assert changed_tables(before, dump(service)) == {"users"}
    assert user_now(service, user).time_zone == "America/New_York"
    # It is 12:00 UTC on the 18th, in summer time.
    assert "18 Mar 2026, 08:00 EDT" in shown_text(visitor.get("/settings/security").text)
    visitor.submit(PROFILE, time_zone="America/Sao_Paulo", status=303)
    assert "18 Mar 2026, 09:00 UTC-03" in shown_text(visitor.get("/settings/security").text)


@on_one_storage
def test_a_token_lasts_until_the_end_of_the_day_there(service, user, visitor):
    service.change(lambda storage: storage.users.update(user.id, time_zone="Pacific/Auckland"))
    page = "/settings/tokens/new"
    # In that time zone it is already the 19th.
    assert 'min="2026-03-20"' in visitor.get(page).text
    given = {"name": "x", "scopes": "records", "expiry": "date"}
    visitor.submit(page, status=400, expires_on="2026-03-19", **given)
    visitor.submit(page, status=303, expires_on="2026-03-20", **given)
    (kept,) = tokens_of(service, user)
    assert kept.expires_at == parse_time("2026-03-20T11:00:00Z")
    assert "Created 19 Mar 2026" in shown_text(visitor.get("/settings/tokens").text)


@pytest.mark.parametrize(
    "given", [{"time_zone": "Mars/Olympus"}, {"base_currency": "eur"}, {"base_currency": "XXX"}]
)
def test_what_is_not_in_the_lists_is_refused(service, user, visitor, given):
    before = dump(service)
    visitor.submit(PROFILE, status=400, **given)
    assert dump(service) == before


@on_one_storage
def test_the_overview_begins_with_the_base_currency(service):
    user = new_user(service)
    service.load(user, [*household(), account(4, name="Abroad", currencyCode="USD")])
    visitor = signed_in(service, user)
    heading = "Net worth EUR"
    assert heading in shown_text(visitor.get("/overview").text)
    visitor.submit(PROFILE, base_currency="USD", status=303)
    # Without rates, the overview only shows that currency.
    assert "Net worth USD" in shown_text(visitor.get("/overview").text)
    day = service.clock.now() // DAY_SECONDS * DAY_SECONDS
    quoted = {"USD": Decimal(2), "CHF": Decimal(3)}
    import_rates(service.backend, [DayRates(day, "EUR", quoted)], day)
    assert "All in USD" in shown_text(visitor.get("/overview").text)
    visitor.submit(PROFILE, base_currency="CHF", status=303)
    assert "All in CHF" in shown_text(visitor.get("/overview").text)
    assert "All in" not in shown_text(visitor.get("/overview?currency=EUR").text)
    visitor.submit(PROFILE, base_currency="", status=303)
    assert user_now(service, user).base_currency is None


@on_one_storage
def test_it_says_who_one_is_and_whether_the_api_may_be_used(service, user, visitor):
    text = shown_text(visitor.get(PROFILE).text)
    assert user.email in text
    assert "you have premium" in text
    service.change(lambda storage: storage.users.update(user.id, premium=False))
    assert "the API needs premium" in shown_text(visitor.get(PROFILE).text)
