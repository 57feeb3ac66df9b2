"""From data that is in no order to categories, a rule and a budget, as a person does it."""

import pytest
from playwright.sync_api import expect

from finance_api.values.ids import new_id
from finance_api.values.time import date_text


def rows(now):
    """Native rows: an account, a category, and records without one."""
    giro, day = new_id(), date_text(now)
    return [
        {"reserved_model_type": "Account", "id": giro, "name": "Giro", "currencyCode": "EUR"},
        {"reserved_model_type": "Category", "id": new_id(), "name": "Groceries"},
        *(
            {
                "reserved_model_type": "Record",
                "id": new_id(),
                "accountId": giro,
                "amount": -10 * n,
                "recordDate": day,
                "payee": payee,
            }
            for n, payee in enumerate(("Aldi", "Aldi Nord", "Bakery"), 1)
        ),
    ]


@pytest.mark.parametrize(
    ("width", "scripts"), [(1440, True), (360, False)], ids=["wide", "narrow, without scripts"]
)
def test_the_walk_from_disorder_to_a_budget(site, windows, width, scripts):
    user = site.user()
    site.load(user, rows(site.now()))
    context = windows.open(width=width, height=900, java_script_enabled=scripts)
    site.enter(context, user)
    page = context.new_page()
    page.goto("/overview")
    page.get_by_role("link", name="3 records have no category").click()

    page.get_by_label("Choose Bakery").check()
    page.locator("#set_category").select_option(label="Groceries")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("changed")
    expect(page.get_by_role("heading", level=2)).to_contain_text("2 records")

    if width < 1024:
        page.get_by_role("link", name="Aldi", exact=True).click()
        page.get_by_role("link", name="Make a rule of this").click()
    else:
        page.get_by_role("link", name="Make a rule of Aldi", exact=True).click()
    expect(page.get_by_label("Keywords")).to_have_value("Aldi")
    page.locator("#new-category").fill("Groceries")
    page.get_by_role("button", name="Add the rule").click()
    page.get_by_role("link", name="Apply the rules").click()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("2 records would change")
    page.get_by_role("button", name="Apply the rules").click()
    expect(page.get_by_role("status").first).to_contain_text("applied")

    if width < 1024:
        page.locator(".menu-narrow summary").click()
    page.get_by_role("link", name="Budgets").first.click()
    page.get_by_role("link", name="New budget").first.click()
    page.get_by_label("Name").fill("Food")
    page.get_by_label("Limit amount").fill("100")
    page.get_by_label("Groceries").check()
    page.get_by_role("button", name="Add the budget").click()

    page.goto("/overview")
    budgets = page.get_by_role("table", name="Budgets")
    expect(budgets).to_contain_text("60.00 EUR")
    expect(budgets).to_contain_text("of 100.00 EUR")
    expect(page.get_by_text("Wants attention")).to_have_count(0)
