"""Everything can be done with Tab, Enter, Space and typing, and the focus is visible."""

import pytest
from playwright.sync_api import expect

from finance_api.storage.interface import Token
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

#: Everything that Tab must reach, in document order; among radio buttons only the chosen one.
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


@pytest.mark.nightly
@pytest.mark.parametrize("width", count([360], [360, 1440]))
def test_tab_reaches_everything_in_order_and_shows_where_it_is(site, page, width):
    user = site.user()
    site.load_demo(user, records=20)
    site.token(user, "First")
    site.token(user, "Second")
    site.jwt(user)
    page.set_viewport_size({"width": width, "height": 800})
    site.enter(page.context, user)
    (token, *_) = site.change(lambda storage: storage.users.list_owned(Token, user.id))
    for path in (*PAGES[:: count(3, 1)], f"/settings/tokens/{token.id}/revoke"):
        page.goto(path)
        names = page.evaluate(_CONTROLS)
        assert names[0] == "Skip to content" and len(names) >= 5
        for n, name in enumerate(names):
            page.keyboard.press("Tab")
            focused = page.evaluate(_FOCUSED)
            assert focused["n"] == n, (path, name, focused)
            assert focused["changes"] and focused["outline"] >= 2, (path, name, focused)
            assert focused["inSight"], (path, name)
        # There is no trap: Tab now leads to the browser's own controls, or to the first control
        # again.
        page.keyboard.press("Tab")
        assert page.evaluate(_FOCUSED)["n"] in (-1, 0), path
        # Shift+Tab leads back.
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
