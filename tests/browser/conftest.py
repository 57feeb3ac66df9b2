"""Fixtures: a browser, the service it visits, and windows that report problems."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.site import Site, running_site
from support.chromium import HEIGHT, TIMEOUT_MS, WIDTH, Windows, chromium

expect.set_options(timeout=TIMEOUT_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for all tests: each has users of its own."""
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture
def windows(browser: Browser, site: Site) -> Iterator[Windows]:
    """Windows for the test, which fails at its end if a page did anything forbidden."""
    windows = Windows(browser, site.url)
    yield windows
    windows.close()


@pytest.fixture(scope="session")
def shared_window(browser: Browser, site: Site) -> Iterator[tuple[Windows, Page]]:
    """One window for many tests: opening one takes longer than loading a page."""
    windows = Windows(browser, site.url)
    yield windows, windows.open().new_page()
    windows.close()


@pytest.fixture
def page(shared_window: tuple[Windows, Page]) -> Iterator[Page]:
    """The shared window without a page of ours, and with nobody signed in."""
    windows, page = shared_window
    page.context.clear_cookies()
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.emulate_media(media="null", reduced_motion="reduce")
    # A page of the same site, because for another one the browser starts a process.
    page.goto("/settings/static/pages.css")
    yield page
    windows.check()
