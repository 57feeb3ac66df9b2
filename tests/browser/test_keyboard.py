"""Everything can be done with Tab, Enter, Space and typing, and the focus is visible."""

import pytest
from playwright.sync_api import expect

from browser.rows import journeys
from finance_api.storage.interface import Token
from finance_api.web.object_pages import OBJECT_PAGES
from support.native_rows import record_rule, uid
from support.nightly import count

RECORD = f"/records/{uid('Record', 1)}"
PAGES = (
    *("/transfers", "/rules/apply", "/categories"),
    *("/records", "/records?select=page", "/records?from=never", "/records/new", RECORD),
    *(f"{RECORD}/{page}" for page in ("split", "rule", "link", "remove")),
    *("/payees", "/payees/categories", "/duplicates", "/import", "/imports", "/imports/1"),
    *("/imports/1/undo", "/questions", "/questions/new?what=spent&by=month", "/budget"),
    *(f"/{name}/new" for name in OBJECT_PAGES),
    *("/goals", "/labels", "/budgets", "/standing-orders", f"/rules/{uid('RecordRule', 1)}"),
    *(f"/accounts/{uid('Account', 1)}", f"/accounts/{uid('Account', 1)}/remove"),
    *("/settings/security/sign-out-everywhere", "/docs/guides", "/docs/guides/errors"),
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

#: Everything that Tab must reach, in document order; among radio buttons the chosen one, or the
#: first if none is chosen.
_CONTROLS = """() => {
  const all = "a[href], button, input, select, summary, textarea, [tabindex='0']";
  const isSeen = (e) => e.checkVisibility({ visibilityProperty: true });
  const isStop = (e) => {
    const named = [...document.querySelectorAll(`[name="${e.name}"]`)];
    const group = named.filter((other) => other.form === e.form);
    return e === (group.find((o) => o.checked) ?? group[0]);
  };
  window.controls = [...document.querySelectorAll(all)].filter((e) => isSeen(e)
    && !e.disabled && e.type !== "hidden" && (e.type !== "radio" || isStop(e)));
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
    isDate: e.type === "date",
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    inSight: box.width > 1 && box.height > 1
      && (box.height > innerHeight || box.top >= -1 && box.bottom <= innerHeight + 1),
  };
}"""


@pytest.mark.nightly
@pytest.mark.parametrize("width", count([360], [360, 1440]))
def test_tab_reaches_everything_in_order_and_shows_where_it_is(site, page, width):
    user = site.user()
    site.load_demo(user, records=20)
    site.load(user, [*journeys(site.now()), record_rule(1, keywords=["transfer"])])
    site.load(user, journeys(site.now(), first=500)[3:4])
    site.token(user, "First")
    site.token(user, "Second")
    site.jwt(user)
    page.set_viewport_size({"width": width, "height": 800})
    site.enter(page.context, user)
    (token, *_) = site.change(lambda storage: storage.users.list_owned(Token, user.id))
    for path in (*PAGES[:: count(9, 1)], f"/settings/tokens/{token.id}/revoke"):
        page.goto(path)
        names = page.evaluate(_CONTROLS)
        assert names[0] == "Skip to content" and len(names) >= 5
        for n, name in enumerate(names):
            page.keyboard.press("Tab")
            focused = page.evaluate(_FOCUSED)
            while focused["n"] == n - 1 and focused["isDate"]:
                # Day, month, year and calendar are stops of their own.
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
