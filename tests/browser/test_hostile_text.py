"""Text that looks like a script: a real browser shows it, and never runs it.

`tests/functional/settings_pages/test_injection.py` compares every page with a harmless one. These
tests need a browser: its windows report dialogs, CSP violations and requests to other hosts.
"""

from playwright.sync_api import expect

from browser.site import PASSWORD


def test_the_name_that_a_browser_sends_is_shown_as_text(site, windows):
    user = site.user(password=PASSWORD)
    for agent in ('"><img src=x onerror=alert(1)>', "</span></th><script>alert(1)</script>"):
        page = windows.open(user_agent=agent).new_page()
        page.goto("/settings/security")
        page.get_by_label("E-mail").fill(user.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        row = page.get_by_role("row").filter(has_text="This browser")
        expect(row.locator(".agent")).to_have_text(agent)


def test_what_was_typed_on_the_sign_in_page_comes_back_as_text(page):
    for text in ('"><script>alert(1)</script>', "' autofocus onfocus=alert(1) x='"):
        page.goto("/settings/login")
        page.get_by_label("E-mail").fill(text)
        page.get_by_label("Password").fill("x")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_label("E-mail")).to_have_value(text)
