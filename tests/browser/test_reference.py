"""The API references, as a browser shows them."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from browser.test_screens import axe_violations

_LOADED = """
[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, entry) => sum + entry.transferSize, 0)
"""


def assert_little_is_loaded_and_fits(page: Page) -> None:
    assert 0 < page.evaluate(_LOADED) <= 1_500_000
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    expect(page.get_by_role("link", name="Internal")).to_be_in_viewport(ratio=1)


def test_a_request_is_tried_with_a_token_that_is_not_stored(site, windows):
    user = site.user()
    site.load_demo(user)
    page = windows.open().new_page()
    page.goto("/docs")
    page.get_by_label("Token").fill(site.token(user, "Tried"))
    assert_little_is_loaded_and_fits(page)
    page.get_by_label("Question").select_option("How much money do I have?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text('"balance":')
    # The viewer takes the same token, and its samples name this host.
    page.goto("/docs#get-/v1/api/labels")
    sample = page.get_by_text(f"{site.url}/v1/api/labels").locator("visible=true")
    expect(sample.first).to_be_visible()
    page.get_by_role("button", name="TRY").click()
    expect(page.get_by_text("Response Status: OK:200")).to_be_visible()
    expect(page.get_by_text('"nextOffset"').locator("visible=true").first).to_be_visible()
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert page.context.cookies() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reference_has_one_heading_named_landmarks_and_the_colours_of_the_system(page, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto("/docs")
    viewer = page.locator("rapi-doc")
    expect(page.get_by_role("navigation", name="Operations")).to_be_visible()
    expect(viewer).to_have_attribute("theme", scheme)
    frame, main = (
        each.evaluate("(e) => getComputedStyle(e).backgroundColor")
        for each in (page.locator("body"), viewer)
    )
    assert main == frame
    # Its buttons fade into their colours.
    page.wait_for_timeout(500)
    page.evaluate(AXE_SCRIPT)
    assert axe_violations(page) == []


def test_on_a_phone_a_reference_is_to_be_read(windows):
    page = windows.open(width=360).new_page()
    page.goto("/docs/wallet#get-/wallet/v1/api/labels")
    expect(page.get_by_text("Code samples").first).to_be_in_viewport()
    assert_little_is_loaded_and_fits(page)
    title, license = (page.locator(f"#api-{name}").bounding_box() for name in ("title", "info"))
    assert license["x"] >= title["x"] > 0
    expect(page.get_by_role("button", name="TRY")).to_have_count(0)
