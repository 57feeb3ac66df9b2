"""The API references, as a browser shows them."""

from playwright.sync_api import Page, expect

#: The viewer works at a description for a while, on a busy machine a longer one.
READ_MS = 60_000
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
    page.goto("/docs#get-/v1/api/labels")
    page.get_by_text("Authentication", exact=True).first.click(timeout=READ_MS)
    assert_little_is_loaded_and_fits(page)
    page.get_by_placeholder("api-token").fill(site.token(user, "Tried"))
    page.get_by_role("button", name="SET").click()
    expect(page.get_by_text("1 API key applied")).to_be_visible()
    page.goto("/docs#get-/v1/api/labels")
    page.get_by_role("button", name="TRY").click()
    expect(page.get_by_text("Response Status: OK:200")).to_be_visible()
    expect(page.get_by_text('"nextOffset"').first).to_be_visible()
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert page.context.cookies() == []


def test_on_a_phone_a_reference_is_to_be_read(windows):
    page = windows.open(width=360).new_page()
    page.goto("/docs/wallet#get-/wallet/v1/api/labels")
    expect(page.get_by_text("Code samples").first).to_be_visible(timeout=READ_MS)
    assert_little_is_loaded_and_fits(page)
    expect(page.get_by_role("button", name="TRY")).to_have_count(0)
