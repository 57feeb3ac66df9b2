"""Everything works without scripts; with scripts, copying works as well."""

import pytest
from playwright.sync_api import Page, expect

from browser.site import Site
from finance_api.storage.interface import Token
from support.chromium import Windows


def test_without_script_nothing_is_offered_that_would_do_nothing(site, windows):
    context = windows.open(java_script_enabled=False)
    site.enter(context, site.user())
    page = context.new_page()
    page.goto("/settings/tokens/new")
    expect(page.get_by_role("button", name="Tick all")).to_have_count(0)
    page.get_by_label("Name").fill("No script")
    page.get_by_label("Records", exact=True).check()
    page.get_by_role("button", name="Create the token").click()
    token = page.locator("#token").inner_text()
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    assert site.get("/v1/api/records", token) == 200


@pytest.fixture
def new_token_page(site: Site, windows: Windows) -> Page:
    """A page that may use the clipboard, with a clock that the test controls."""
    context = windows.open(permissions=["clipboard-read"])
    site.enter(context, site.user())
    page = context.new_page()
    page.clock.install()
    return page


def make(page: Page) -> str:
    page.goto("/settings/tokens/new")
    page.get_by_label("Name").fill("To be copied")
    page.get_by_role("button", name="Tick all").click()
    page.get_by_role("button", name="Tick none").click()
    page.get_by_label("Records", exact=True).check()
    page.get_by_role("button", name="Create the token").click()
    return page.locator("#token").inner_text()


def test_a_copied_text_is_said_to_be_copied_for_a_while(new_token_page):
    page = new_token_page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    make(page)
    line = page.locator("#curl").inner_text()
    button = page.get_by_role("button", name="Copy").nth(1)
    expect(button).to_have_accessible_description("curl")
    button.click()
    expect(page.locator("#announcement")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == line
    page.clock.run_for(3_000)
    expect(page.get_by_role("button", name="Copy", exact=True)).to_have_count(2)
    expect(page.locator("#announcement")).to_be_empty()


def test_the_browser_s_time_zone_and_region_are_proposed_on_the_overview_with_one_click(site, page):
    user = site.user()
    new = {"timezone_id": "Europe/Berlin", "locale": "de-AT", "base_url": site.url}
    context = page.context.browser.new_context(**new)
    site.enter(context, user)
    inside = context.new_page()
    inside.goto("/overview")
    proposal = inside.locator("form.notice")
    expect(proposal).to_contain_text("Europe/Berlin, and region, Austrian German?")
    proposal.get_by_role("button", name="Keep UTC").click()
    expect(proposal).to_have_count(0)
    inside.reload()
    expect(inside.get_by_role("heading", name="First steps")).to_be_visible()
    expect(proposal).to_have_count(0)
    inside.evaluate("localStorage.clear()")
    inside.reload()
    proposal.get_by_role("button", name="Use them").click()
    expect(inside.get_by_text("Saved.")).to_be_visible()
    assert inside.url.startswith(f"{site.url}/overview")
    found = site.change(lambda storage: storage.users.get(user.email))
    assert (found.time_zone, found.region) == ("Europe/Berlin", "de-AT")
    expect(proposal).to_have_count(0)
    context.close()


def test_where_there_is_no_clipboard_it_is_copied_by_selecting(new_token_page):
    page = new_token_page
    # Browsers have no clipboard on pages loaded over plain HTTP from another machine.
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    token = make(page)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator("#announcement")).to_have_text("Copied")
    page.goto("/settings/tokens/new")
    page.get_by_label("Name").press("Control+V")
    expect(page.get_by_label("Name")).to_have_value(token)


def test_where_copying_is_refused_the_text_is_selected(new_token_page):
    page = new_token_page
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))"
    )
    token = make(page)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator("#announcement")).to_contain_text("copy it with the keyboard")
    assert page.evaluate("getSelection().toString()") == token


def test_going_back_does_not_show_a_token_again(site, page):
    user = site.user()
    site.enter(page.context, user)
    page.goto("/overview")
    token = make(page)
    page.goto("/settings/tokens")
    assert token not in page.content()
    page.go_back()
    expect(page).to_have_url(f"{site.url}/settings/tokens")
    expect(page.locator("body")).not_to_contain_text(token)
    assert len(site.change(lambda storage: storage.users.list_owned(Token, user.id))) == 1


def test_the_browser_s_time_zone_is_offered(site, page):
    context = page.context.browser.new_context(timezone_id="America/New_York", base_url=site.url)
    site.enter(context, site.user())
    inside = context.new_page()
    inside.goto("/settings/profile")
    expect(inside.get_by_text("Your browser says America/New_York.")).to_be_visible()
    inside.get_by_role("button", name="Choose it").click()
    expect(inside.get_by_label("Time zone")).to_have_value("America/New_York")
    expect(inside.locator("#own-zone")).to_be_hidden()
    inside.get_by_role("button", name="Save").click()
    inside.goto("/settings/profile")
    expect(inside.get_by_label("Time zone")).to_have_value("America/New_York")
    expect(inside.locator("#own-zone")).to_be_hidden()
    context.close()
