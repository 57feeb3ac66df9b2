"""The list of records: with a script, by keyboard, and without any."""

import re

import pytest
from playwright.sync_api import Page, expect

from finance_api.values.regions import region_of
from support.native_rows import account, category, record, uid

NAMES = ("Aldi", "Kino", "Rewe")


@pytest.fixture
def list_page(site, page) -> Page:
    """The list of three records, newest first in the order of `NAMES`."""
    page.goto(entered(site, page.context))
    return page


def entered(site, context) -> str:
    user = site.user()
    rows = [account(1), category(1, name="Groceries"), category(2, name="Fun")]
    days = zip(NAMES, (3, 2, 1), strict=True)
    rows += [record(d, payee=name, recordDate=f"2026-03-0{d}") for name, d in days]
    site.load(user, rows)
    site.enter(context, user)
    return "/records"


def category_of(page: Page, name: str):
    return page.get_by_role("combobox", name=f"Category of {name}")


def test_categories_are_set_row_by_row_with_the_keyboard_alone(list_page):
    page = list_page
    category_of(page, "Aldi").focus()
    page.keyboard.type("groc")
    page.keyboard.press("Enter")
    expect(category_of(page, "Kino")).to_be_focused()
    expect(category_of(page, "Aldi")).to_have_value("Groceries")
    expect(page.get_by_role("button", name="Undo: Category of Aldi")).to_be_visible()
    page.keyboard.type("nothing like it")
    page.keyboard.press("Enter")
    expect(category_of(page, "Kino")).to_have_accessible_description(
        "There is no category nothing like it."
    )
    expect(category_of(page, "Kino")).to_be_focused()
    page.keyboard.type("none")
    page.keyboard.press("Escape")
    category_of(page, "Rewe").focus()
    page.keyboard.type("fun")
    page.keyboard.press("Enter")
    expect(category_of(page, "Rewe")).to_have_value("Fun")
    expect(category_of(page, "Rewe")).to_be_focused()
    page.reload()
    for name, value in zip(NAMES, ("Groceries", "", "Fun"), strict=True):
        expect(category_of(page, name)).to_have_value(value)


def test_a_row_that_the_filters_leave_out_after_its_change_goes(list_page):
    page = list_page
    page.goto("/records?category=none")
    category_of(page, "Rewe").fill("fun")
    page.keyboard.press("Enter")
    expect(category_of(page, "Rewe")).to_have_count(0)
    expect(category_of(page, "Kino")).to_be_focused()
    expect(page.locator("#totals-title")).to_have_text("2 records")


def test_the_form_for_several_records_appears_when_one_is_ticked(list_page):
    page = list_page
    form = page.get_by_role("form", name="Change the chosen records")
    expect(form).to_be_hidden()
    page.get_by_role("checkbox", name="Choose Aldi").check()
    page.get_by_role("checkbox", name="Choose Rewe").check()
    expect(form).to_contain_text("2 chosen")
    page.get_by_role("checkbox", name="Choose Aldi").uncheck()
    form.get_by_label("Category", exact=True).select_option("Fun")
    form.get_by_role("button", name="Set").first.click()
    heading = page.get_by_role("heading", level=2)
    expect(heading).to_contain_text("of 1 record to Fun?")
    page.go_back()
    expect(form).to_contain_text("1 chosen")
    form.get_by_label("Category", exact=True).select_option("Fun")
    form.get_by_role("button", name="Set").first.click()
    expect(heading).to_contain_text("of 1 record to Fun?")
    page.get_by_role("button", name="Change it").click()
    expect(category_of(page, "Rewe")).to_have_value("Fun")


def test_rows_are_ticked_by_shift_and_by_the_head_and_added_up(list_page):
    page = list_page
    said = page.locator("#chosen-count")
    boxes = page.locator("tbody [name=id]")
    boxes.nth(0).click()
    expect(said).to_have_text("1 chosen −1.00 EUR")
    boxes.nth(2).click(modifiers=["Shift"])
    expect(said).to_have_text("3 chosen −3.00 EUR")
    whole = page.get_by_role("checkbox", name="Choose this page")
    expect(whole).to_be_checked()
    whole.uncheck()
    expect(page.locator("#chosen")).to_be_hidden()
    whole.check()
    expect(said).to_have_text("3 chosen −3.00 EUR")
    height = page.locator("#chosen").evaluate("(e) => e.getBoundingClientRect().height")
    assert height < 70


@pytest.mark.parametrize("region", ["de-AT", "en-IN", "ar-EG", "fr-CH"])
def test_a_script_writes_amounts_as_the_server_does(site, page, region):
    user = site.user()
    site.load(user, [account(1, currencyCode="KWD"), record(1, amount=-1_234_567.5)])
    site.change(lambda storage: storage.users.update(user.id, region=region))
    site.enter(page.context, user)
    page.goto("/records")
    page.get_by_role("checkbox", name="Choose this page").check()
    written = region_of(region).amount(-12_345_675_000, 3)
    expect(page.locator("#chosen-count")).to_have_text(f"1 chosen {written} KWD")
    page.goto(f"/records/{uid('Record', 1)}/split")
    first, last = (page.locator(f"[name=amount-{number}]") for number in (1, 2))
    first.fill(region_of(region).written(1_000_000))
    rest = region_of(region).written(12_344_675_000, 3)
    expect(last).to_have_value(rest)
    page.get_by_role("button", name="Split").click()
    expect(page.get_by_role("status").first).to_contain_text("split into parts")


def test_a_sum_is_left_out_where_a_script_cannot_add_exactly(site, page):
    user = site.user()
    amounts = (922_337_203_685, -0.1)
    rows = [record(n, amount=amount) for n, amount in enumerate(amounts, 1)]
    site.load(user, [account(1), *rows])
    site.enter(page.context, user)
    page.goto("/records")
    page.get_by_role("checkbox", name="Choose this page").check()
    expect(page.locator("#chosen-count")).to_have_text("2 chosen")


def test_a_rule_is_made_in_three_actions_and_counts_while_it_is_written(list_page):
    page = list_page
    page.get_by_role("link", name="Make a rule of Kino").click()
    matches = page.locator("#matches")
    expect(matches).to_contain_text("Matches 1 record, 1 of them without a category")
    page.get_by_label("Category", exact=True).select_option("Fun")
    page.get_by_role("button", name="Add and apply").click()
    expect(category_of(page, "Kino")).to_have_value("Fun")
    expect(page.locator(".notice")).to_contain_text("Record rule Kino added, 1 record changed.")
    page.get_by_role("link", name="Make a rule of Rewe").click()
    page.get_by_label("Keyword").fill("i")
    expect(matches).to_contain_text("Matches 2 records, 1 of them without a category")
    expect(page.get_by_role("button", name="Check")).to_be_hidden()


def test_keyboard_shortcuts_lead_through_the_list_but_never_while_one_types(list_page):
    page, keys = list_page, list_page.keyboard
    name = {each: page.get_by_role("link", name=each, exact=True) for each in NAMES}
    for key, focused in (("j", "Aldi"), ("j", "Kino"), ("j", "Rewe"), ("j", "Rewe"), ("k", "Kino")):
        keys.press(key)
        expect(name[focused]).to_be_focused()
    keys.press("x")
    expect(page.get_by_role("checkbox", name="Choose Kino")).to_be_checked()
    expect(name["Kino"]).to_be_focused()
    keys.press("c")
    expect(category_of(page, "Kino")).to_be_focused()
    keys.type("jx/")
    expect(category_of(page, "Kino")).to_have_value("jx/")
    name["Kino"].focus()
    keys.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    name["Rewe"].focus()
    keys.press("?")
    expect(page.get_by_text("previous record")).to_be_visible()
    page.get_by_label("Use these keys").uncheck()
    page.reload()
    keys.press("j")
    expect(name["Aldi"]).not_to_be_focused()
    page.locator("#shortcuts summary").click()
    page.get_by_label("Use these keys").check()
    page.reload()
    keys.press("j")
    keys.press("e")
    expect(page.get_by_role("heading", level=1)).to_have_text("Aldi")


def test_a_cash_payment_is_added_on_one_screen_of_a_phone(list_page):
    page = list_page
    category_of(page, "Aldi").fill("groc")
    page.keyboard.press("Enter")
    expect(category_of(page, "Aldi")).to_have_value("Groceries")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("link", name="Add", exact=True).click()
    bar = page.locator(".menu-narrow").bounding_box()
    for button in ("Add the record", "Add, then add another"):
        box = page.get_by_role("button", name=button).bounding_box()
        assert box["y"] + box["height"] <= bar["y"]
    expect(page.get_by_label("Amount")).to_have_attribute("inputmode", "decimal")
    page.get_by_label("Amount").fill("3+4,50")
    page.get_by_label("Payee").fill("Aldi")
    expect(page.get_by_label("Category", exact=True).locator("option:checked")).to_have_text(
        "Groceries"
    )
    page.get_by_role("button", name="Add the record").click()
    expect(page.locator(".record-list")).to_contain_text("−7.50")


def test_only_a_payee_of_earlier_records_brings_a_category(list_page):
    page = list_page
    category_of(page, "Aldi").fill("groc")
    page.keyboard.press("Enter")
    expect(category_of(page, "Aldi")).to_have_value("Groceries")
    page.goto("/records/new")
    payee = page.get_by_label("Payee")
    category = page.get_by_label("Category", exact=True)
    chosen = category.locator("option:checked")
    payee.press_sequentially("aldi")
    expect(chosen).to_have_text("Groceries")
    payee.press_sequentially(" Reisen")
    expect(chosen).to_have_text("None")
    payee.fill("Aldi")
    expect(chosen).to_have_text("Groceries")
    payee.fill("")
    expect(chosen).to_have_text("None")
    # What a person chose stays.
    category.select_option("Fun")
    payee.fill("Aldi")
    payee.fill("Aldi Reisen")
    expect(chosen).to_have_text("Fun")


def test_a_filter_that_is_chosen_applies_at_once_and_keeps_the_focus(list_page):
    page = list_page
    page.get_by_label("Category", exact=True).first.select_option("Without a category")
    expect(page).to_have_url(re.compile("category=none"))
    expect(page.locator("#category")).to_be_focused()
    page.locator(".filters summary").click()
    page.get_by_label("Type", exact=True).select_option("Income")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.locator("#type")).to_be_focused()


@pytest.mark.parametrize(
    ("region", "typed", "rest", "too_much"),
    [(None, "12.50", "1222.05", "100.00"), ("de-DE", "1.000,5", "234,05", "100,00")],
)
def test_what_is_left_of_a_split_is_shown_while_one_types(
    site, page, region, typed, rest, too_much
):
    user = site.user()
    site.load(user, [account(1), record(1, amount=-1234.55)])
    site.change(lambda storage: storage.users.update(user.id, region=region))
    site.enter(page.context, user)
    page.goto(f"/records/{uid('Record', 1)}/split")
    first, last = (page.locator(f"[name=amount-{number}]") for number in (1, 2))
    status = page.locator("#rest")
    first.fill(typed)
    expect(last).to_have_value(rest)
    expect(status).to_contain_text("Nothing is left.")
    first.fill("1334.55" if region is None else "1334,55")
    expect(last).to_have_value("")
    expect(status).to_contain_text(f"{too_much} EUR too much.")
    first.fill("ten")
    expect(status).to_be_empty()
    # What the last part got by hand stays.
    first.fill("1")
    last.fill("2")
    first.fill("1000")
    expect(last).to_have_value("2")
    expect(status).to_contain_text(f"232{'.' if region is None else ','}55 EUR left.")
    last.fill("")
    first.fill(typed)
    expect(last).to_have_value(rest)
    page.get_by_role("button", name="Split").click()
    expect(page.get_by_role("status").first).to_contain_text("split into parts")
