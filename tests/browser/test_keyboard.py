"""Everything can be done with Tab, Enter, Space and typing, and the focus is visible."""

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.site import PASSWORD
from support.nightly import count

PAGES = (
    *("/transfers", "/rules/apply", "/rules/new", "/categories"),
    "/overview",
    "/settings/tokens",
    "/settings/tokens/new",
    "/settings/jwts",
    "/settings/jwts/revoke-all",
    "/settings/usage",
    "/accounts",
    "/settings/security",
    "/settings/profile",
    "/settings/tokens/nothing/revoke",
)

#: Everything that Tab must reach, in document order; of radio buttons only the chosen one.
_CONTROLS = """() => {
  const all = "a[href], button, input, select, summary, textarea, [tabindex='0']";
  const isSeen = (e) => e.checkVisibility({ visibilityProperty: true });
  window.controls = [...document.querySelectorAll(all)].filter((e) => isSeen(e)
    && !e.disabled && e.type !== "hidden" && (e.type !== "radio" || e.checked));
  window.look = (e) => {
    const s = getComputedStyle(e);
    return [s.outlineStyle, s.outlineWidth, s.outlineColor, s.boxShadow, s.clipPath].join(" ");
  };
  window.looks = controls.map(look);
  return controls.map((e) => (e.id || e.textContent.trim() || e.name).slice(0, 40));
}"""
_FOCUSED = """() => {
  const n = controls.indexOf(document.activeElement);
  if (n < 0) return { n, tag: document.activeElement.localName };
  const e = controls[n], style = getComputedStyle(e), box = e.getBoundingClientRect();
  return {
    n,
    changes: look(e) !== looks[n],
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    inSight: box.top >= -1 && box.bottom <= innerHeight + 1 && box.width > 1 && box.height > 1,
  };
}"""


def tab_to(page: Page, target: Locator) -> None:
    """Presses Tab until the target has the focus."""
    expect(target).to_be_visible()
    for _ in range(60):
        if target.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {target}")


@pytest.mark.nightly
@pytest.mark.parametrize("width", count([360], [360, 1440]))
def test_tab_reaches_everything_in_order_and_shows_where_it_is(site, windows, width):
    user = site.user()
    site.load_demo(user, records=20)
    site.token(user, "First")
    site.token(user, "Second")
    site.jwt(user)
    context = windows.open(width=width, height=800)
    site.enter(context, user)
    page = context.new_page()
    (token, *_) = site.change(lambda storage: storage.tokens.list_by_user(user.id))
    for path in (*PAGES[:: count(2, 1)], f"/settings/tokens/{token.id}/revoke"):
        page.goto(path)
        names = page.evaluate(_CONTROLS)
        assert names[0] == "Skip to content" and len(names) >= 5
        for n, name in enumerate(names):
            page.keyboard.press("Tab")
            focused = page.evaluate(_FOCUSED)
            assert focused["n"] == n, (path, name, focused)
            assert focused["changes"] and focused["outline"] >= 2, (path, name, focused)
            assert focused["inSight"], (path, name)
        # No trap: the next is the browser's own, or the first again.
        page.keyboard.press("Tab")
        assert page.evaluate(_FOCUSED)["n"] in (-1, 0), path
        # And back again.
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(_FOCUSED)["n"] >= len(names) - 2, path


def test_the_sign_in_page_begins_where_one_types(page):
    page.goto("/settings/login")
    names = page.evaluate(_CONTROLS)
    assert names == ["Skip to content", "email", "password", "Sign in"]
    expect(page.locator("#email")).to_be_focused()
    for n in (1, 2, 3):
        assert page.evaluate(_FOCUSED)["n"] == n
        page.keyboard.press("Tab")
    assert page.evaluate(_FOCUSED)["n"] in (-1, 0)


def test_the_skip_link_leads_past_the_navigation(site, page):
    site.enter(page.context, site.user())
    page.goto("/settings/tokens")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    assert skip.evaluate("e => getComputedStyle(e).clipPath") == "none"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('main').contains(document.activeElement)")
    expect(page.get_by_role("link", name="Create a token")).to_be_focused()


def test_the_whole_way_by_keyboard_alone(site, windows):
    user = site.user(password=PASSWORD)
    site.use(user, 70)
    context = windows.open(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    keys = page.keyboard

    page.goto("/overview")
    expect(page.locator("#email")).to_be_focused()
    keys.type(user.email)
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(page).to_have_title("Overview · finance_api")

    tab_to(page, page.get_by_role("link", name="API tokens"))
    keys.press("Enter")
    tab_to(page, page.get_by_role("main").get_by_role("link", name="Create a token"))
    keys.press("Enter")
    tab_to(page, page.get_by_label("Name"))
    keys.type("By keyboard")
    tab_to(page, page.get_by_label("Records", exact=True))
    keys.press("Space")
    expect(page.get_by_label("Records", exact=True)).to_be_checked()
    tab_to(page, page.get_by_label("In 90 days"))
    keys.press("ArrowDown")
    expect(page.get_by_label("In 365 days")).to_be_checked()
    tab_to(page, page.get_by_role("button", name="Create the token"))
    keys.press("Space")
    token = page.locator("#token").inner_text()
    tab_to(page, page.get_by_role("button", name="Copy").first)
    keys.press("Enter")
    expect(page.locator("#announcement")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == token
    assert site.get("/v1/api/records", token) == 200
    assert site.get("/v1/api/goals", token) == 403

    tab_to(page, page.get_by_role("link", name="I have copied it"))
    keys.press("Enter")
    tab_to(page, page.get_by_role("link", name="Revoke By keyboard"))
    keys.press("Enter")
    tab_to(page, page.get_by_role("button", name="Revoke this token"))
    keys.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("revoked")
    assert site.get("/v1/api/records", token) == 401

    tab_to(page, page.get_by_role("link", name="Usage"))
    keys.press("Enter")
    tab_to(page, page.get_by_role("link", name="12 weeks"))
    keys.press("Enter")
    expect(page.locator("h2").first).to_contain_text("12 weeks")
    tab_to(page, page.locator("main summary"))
    keys.press("Space")
    expect(page.get_by_role("table", name="Requests, 12 weeks")).to_be_visible()

    tab_to(page, page.get_by_role("button", name="Sign out"))
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
