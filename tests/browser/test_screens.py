"""How every page looks and how it is read aloud: wide, narrow, light, dark, full, empty."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page

from browser.people import People
from browser.screens import SCREENS, SWEPT, Screen
from browser.site import Site
from support.chromium import Windows
from support.nightly import count

WIDTHS = (320, 1440)
#: The same content is visible, or read out, at the other width.
WIDTHS_IN_THE_DARK = count(WIDTHS[:1], WIDTHS)
WIDTHS_OF_AXE = count(WIDTHS[:1], WIDTHS)
#: Few screens are enough by day, because all colours are in one style sheet.
IN_THE_DARK = count(SCREENS[::4], (*SCREENS, *SWEPT))
RULES = {
    "type": "tag",
    "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}

_LAYOUT = Path(__file__).with_name("layout.js").read_text()


@pytest.fixture(scope="session")
def people(site: Site) -> People:
    return People(site)


@pytest.fixture(scope="module")
def window_of(
    browser: Browser, site: Site, people: People
) -> Iterator[Callable[[str | None], tuple[Windows, Page]]]:
    """One window for each person: opening one takes longer than loading a page."""
    windows = Windows(browser, site.url)
    pages: dict[str | None, Page] = {}

    def window_of(who: str | None) -> tuple[Windows, Page]:
        if who not in pages:
            context = windows.open()
            user = people.of(who)
            if user is not None:
                site.enter(context, user)
            pages[who] = context.new_page()
        return windows, pages[who]

    yield window_of
    windows.close()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "screen", count(SCREENS[::3], (*SCREENS, *SWEPT)), ids=lambda screen: screen.name
)
def test_page_has_nothing_that_a_designer_or_axe_would_send_back(screen: Screen, window_of):
    windows, page = window_of(screen.who)
    screen.show(page)
    page.evaluate(AXE_SCRIPT)
    found = []
    dark = WIDTHS_IN_THE_DARK if screen in IN_THE_DARK else ()
    for scheme, widths in (("light", WIDTHS), ("dark", dark)):
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            where = f"{width} px, {scheme}"
            if scheme == "light":
                found += [f"{where}: {fault}" for fault in page.evaluate(_LAYOUT)]
                if width in WIDTHS_OF_AXE:
                    found += [f"{where}: {fault}" for fault in axe_violations(page)]
            else:
                # Dark pages differ in nothing but colours.
                found += [f"{where}: {fault}" for fault in axe_violations(page, COLOUR_RULES)]
    assert not found, "\n".join(found)
    windows.check()


def axe_violations(page: Page, rules: dict[str, object] = RULES) -> list[str]:
    """Return what axe-core finds; the page must have loaded it."""
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    violations = page.evaluate("async (options) => (await axe.run(options)).violations", options)
    return [
        f"{violation['id']}: {node['html'][:120]} {node.get('failureSummary', '')}"
        for violation in violations
        for node in violation["nodes"]
    ]


FAULTY = """<!doctype html><html lang="en"><title>Faulty</title><main><h1>Faulty</h1>
<p style="color: #bbb">Too pale</p>
<p style="position: absolute; top: 200px; left: 10px; margin: 0">Below, and hardly to be read</p>
<p style="position: absolute; top: 200px; left: 30px; margin: 0">Above, and hardly to be read</p>
<p style="position: absolute; top: 300px; width: 3em; overflow: hidden">Incomprehensibilities</p>
<p style="position: absolute; top: 350px; width: 5em; margin: 0; overflow: hidden; text-overflow:
ellipsis; white-space: nowrap">Shortened, and covered</p>
<p style="position: absolute; top: 350px; left: 3em; margin: 0">−1.00</p>
<p style="position: absolute; top: 400px; left: 300px; white-space: nowrap">Far to the right</p>
<a href="/" style="display: block; width: 9px; overflow: hidden; text-overflow: ellipsis">A shop</a>
</main></html>"""


def test_what_is_looked_for_is_found_where_it_is(page):
    page.set_viewport_size({"width": 360, "height": 900})
    page.set_content(FAULTY)
    faults = "\n".join(page.evaluate(_LAYOUT))
    for expected in (
        'hardly to be read" lies on',
        'covered" lies on',
        "does not fit into",
        "leaves the page",
        "the page is",
        "no room",
    ):
        assert expected in faults
    page.evaluate(AXE_SCRIPT)
    (violation,) = axe_violations(page)
    assert violation.startswith("color-contrast")
