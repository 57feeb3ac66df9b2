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


def test_back_to_a_form_that_was_sent_shows_what_was_typed(site, inside, page):
    inside.goto("/records/new")
    inside.get_by_label("Amount").fill("4.5.6")
    inside.get_by_label("Payee").fill("Market")
    inside.get_by_text("More: ").click()
    inside.get_by_label("Note").fill("apples")
    inside.get_by_label("Money in").check()
    inside.get_by_role("button", name="Add the record").click()
    assert_begins_at_the_errors(inside)
    inside.go_back()
    expect(inside.get_by_role("alert")).to_have_count(0)
    expect(inside.get_by_label("Amount")).to_have_value("4.5.6")
    expect(inside.get_by_label("Note")).to_have_value("apples")
    expect(inside.get_by_label("Note")).to_be_visible()
    expect(inside.get_by_label("Money in")).to_be_checked()
    # A form that is opened by its link is empty.
    inside.goto("/overview")
    inside.goto("/records/new")
    expect(inside.get_by_label("Amount")).to_have_value("")


def test_back_after_a_record_was_added_adds_it_no_second_time(site, inside):
    inside.goto("/records/new")
    inside.get_by_label("Currency", exact=True).select_option("EUR")
    inside.get_by_label("Amount").fill("4.50")
    inside.get_by_role("button", name="Add the record").click()
    expect(inside.get_by_role("heading", name="Records")).to_be_visible()
    inside.go_back()
    expect(inside.get_by_label("Amount")).to_have_value("4.50")
    inside.get_by_role("button", name="Add the record").click()
    expect(inside.get_by_text("was not added a second time")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "button", "field", "correct"),
    [
        # The form is kept, and Back shows what was sent last, without the errors before it.
        ("/labels/new", "Add the label", "Name", "Trip"),
        # Secrets are not kept.
        ("/settings/security", "Change the password", "Current password", None),
    ],
)
def test_back_and_reload_after_an_error_send_nothing_again(inside, path, button, field, correct):
    posts = []
    inside.goto("/overview")
    inside.goto(path)
    inside.get_by_role("button", name=button).click()
    assert_begins_at_the_errors(inside)
    inside.on(
        "request", lambda request: posts.append(request.url) if request.method == "POST" else 0
    )
    inside.reload()
    if correct is None:
        expect(inside.get_by_label(field, exact=True)).to_have_value("")
    else:
        assert_begins_at_the_errors(inside)
        inside.get_by_label(field).fill(correct)
        inside.get_by_role("button", name=button).click()
        expect(inside.get_by_role("heading", name="Labels")).to_be_visible()
        assert len(posts) == 1
        inside.go_back()
        expect(inside.get_by_label(field)).to_have_value(correct)
        expect(inside.locator(".error, .error-summary")).to_have_count(0)
        inside.go_back()
    while "/overview" not in inside.url:
        expect(inside.get_by_label(field, exact=correct is None)).to_be_visible()
        inside.go_back()
    assert len(posts) == (0 if correct is None else 1)
