"""Forms with errors: each error is beside its field, and screen readers announce it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.site import PASSWORD, Site


@pytest.fixture
def inside(site: Site, page: Page) -> Page:
    site.enter(page.context, site.user(password=PASSWORD))
    return page


def assert_tells(page: Page, field: Locator, error: str) -> None:
    """Check that the error is beside the field, is read out with it, and is linked in the list
    above.
    """
    expect(field).to_have_attribute("aria-invalid", "true")
    ids = (field.get_attribute("aria-describedby") or "").split()
    described = [page.locator(f"#{id}") for id in ids]
    (beside,) = [text for text in described if text.inner_text() == error]
    expect(beside).to_be_visible()
    box, error_box = field.bounding_box(), beside.bounding_box()
    assert abs(error_box["x"] - box["x"]) < 5
    assert 0 <= box["y"] - (error_box["y"] + error_box["height"]) < 20
    summary = page.get_by_role("alert")
    summary.get_by_role("link", name=error).click()
    expect(field).to_be_focused()


def assert_begins_at_the_errors(page: Page) -> None:
    """Check that the title begins with the error, and that the list of errors has the focus."""
    expect(page).to_have_title(re.compile("^Error: "))
    expect(page.get_by_role("alert")).to_be_focused()


def test_sign_in_without_e_mail_and_password(page):
    page.goto("/settings/login")
    page.get_by_role("button", name="Sign in").click()
    assert_begins_at_the_errors(page)
    assert_tells(page, page.get_by_label("E-mail"), "Enter your e-mail address.")
    assert_tells(page, page.get_by_label("Password"), "Enter your password.")


def test_a_token_without_name_scope_and_future(inside):
    inside.goto("/settings/tokens/new")
    for box in inside.get_by_role("checkbox").all():
        box.uncheck()
    inside.get_by_label("On a date").check()
    inside.get_by_label("Last day").fill("2020-02-29")
    inside.get_by_role("button", name="Create the token").click()
    assert_begins_at_the_errors(inside)
    assert_tells(inside, inside.get_by_label("Name"), "A token needs a name.")
    assert_tells(inside, inside.get_by_label("Last day"), "Choose a date after today.")
    group = inside.get_by_role("group", name="Access")
    error = inside.locator(f"#{group.get_attribute('aria-describedby')}")
    expect(error).to_have_text("Choose at least one of these.")
    for box in inside.get_by_role("checkbox").all():
        expect(box).to_have_attribute("aria-invalid", "true")
    # Correct fields keep their values.
    expect(inside.get_by_label("Last day")).to_have_value("2020-02-29")
    expect(inside.get_by_label("On a date")).to_be_checked()
