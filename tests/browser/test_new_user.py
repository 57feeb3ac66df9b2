"""A new user's whole path: signs in, gives a program access to data, and signs out."""

import re
import shlex
import time

from playwright.sync_api import Page, expect

from browser.site import PASSWORD


def sign_in(page: Page, email: str, password: str = PASSWORD) -> None:
    page.goto("/overview")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def create_token(page: Page, name: str) -> str:
    page.goto("/settings/tokens")
    page.get_by_role("link", name="Create a token").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Tick all").click()
    page.get_by_role("button", name="Create the token").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your new token")
    return page.locator("#token").inner_text()


def requests_shown(page: Page) -> int:
    """The large number of the usage page."""
    page.goto("/settings/usage")
    figure = page.locator(".figure")
    return int(figure.inner_text().replace(",", "")) if figure.count() else 0


def test_a_new_user_lets_a_program_in_sees_what_it_does_and_locks_it_out(site, windows):
    user = site.user(password=PASSWORD)
    site.load_demo(user)
    context = windows.open(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()

    sign_in(page, user.email)
    expect(page).to_have_title("Overview · finance_api")
    token = create_token(page, "Spreadsheet at home")
    assert token.startswith("fin_")

    box = page.locator(".copy-box").filter(has=page.locator("#token"))
    box.get_by_role("button", name="Copy").click()
    expect(box.get_by_role("button")).to_have_text("Copied")
    expect(page.locator("#announcement")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == token

    words = shlex.split(page.locator("#curl").inner_text())
    assert words[:2] == ["curl", "-H"] and len(words) == 4
    header, _, value = words[2].partition(": ")
    assert requests_shown(page) == 0
    assert site.fetch(words[3], {header: value}) == 200
    site.spend(token, 19)
    answered_at = time.monotonic()
    while requests_shown(page) != 20:
        assert time.monotonic() < answered_at + 60, "the usage does not move"
    meter = page.get_by_role("meter", name="Requests left for Spreadsheet at home")
    left = int(meter.get_attribute("value"))
    # Used attempts come back at one every seven seconds.
    assert 480 <= left < 490
    expect(page.locator(".quotas")).to_contain_text(f"{left} of 500")
    expect(page.locator(".quotas")).to_contain_text("Back to 500 at")

    page.get_by_role("link", name="API tokens").click()
    row = page.get_by_role("row").filter(has_text="Spreadsheet at home")
    expect(row).to_contain_text("Everything")
    expect(row).to_contain_text("Active")
    assert token not in page.content()
    row.get_by_role("link", name="Revoke Spreadsheet at home").click()
    page.get_by_role("button", name="Revoke this token").click()
    expect(page.get_by_role("status").first).to_contain_text("The token is revoked")
    expect(page.get_by_role("row").filter(has_text="Spreadsheet at home")).to_contain_text(
        "Revoked"
    )
    assert site.get("/v1/api/records", token) == 401

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    expect(page.get_by_role("status").first).to_contain_text("You are signed out")
    page.goto("/settings/tokens")
    expect(page).to_have_url(re.compile("/settings/login"))


def test_going_back_does_not_show_a_token_again(site, windows):
    user = site.user()
    context = windows.open()
    site.enter(context, user)
    page = context.new_page()
    page.goto("/overview")
    token = create_token(page, "Once")
    page.goto("/settings/tokens")
    assert token not in page.content()
    page.go_back()
    expect(page).to_have_url(f"{site.url}/settings/tokens")
    expect(page.locator("body")).not_to_contain_text(token)
    assert len(site.change(lambda storage: storage.tokens.list_by_user(user.id))) == 1
