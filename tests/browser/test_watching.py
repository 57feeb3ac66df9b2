"""The windows report everything that a page must never do, so no report means no problem."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route

from browser.site import Site
from support.chromium import Windows


@pytest.fixture(scope="module")
def windows(browser: Browser, site: Site) -> Iterator[Windows]:
    """One object for all tests; each test clears the problems that it caused."""
    windows = Windows(browser, site.url)
    yield windows
    windows.close()


@pytest.fixture(scope="module")
def shown(windows: Windows) -> Page:
    return windows.open().new_page()


@pytest.fixture
def watched(shown: Page) -> Iterator[Page]:
    shown.goto("/settings/login")
    yield shown
    shown.unroute_all()


def show(page: Page, html: str, csp: str = "", status: int = 200) -> None:
    def answer(route: Route) -> None:
        headers = {"Content-Type": "text/html; charset=utf-8"}
        if csp:
            headers["Content-Security-Policy"] = csp
        route.fulfill(status=status, headers=headers, body=f"<!doctype html>{html}")

    page.route("**/settings/made-up", answer)
    page.goto("/settings/made-up")


@pytest.mark.parametrize(
    ("html", "csp", "expected"),
    [
        ("<script>alert('hello')</script>", "", "dialog: hello"),
        ("<script>throw new Error('oops')</script>", "", "exception: "),
        ("<script>console.error('oops')</script>", "", "console: oops"),
        ("<script>alert(1)</script>", "default-src 'none'", "CSP report: script-src-elem inline"),
        ("<p style='color: red'>x</p>", "default-src 'none'", "CSP report: style-src-attr"),
        ("<img src='/settings/x.png'>", "default-src 'none'", "CSP report: img-src"),
        ("<img src='http://127.0.0.2:9/x.png'>", "", "request to http://127.0.0.2:9/x.png"),
        ("<img src='/settings/static/x.png'>", "", "404 for "),
    ],
)
def test_what_a_page_may_not_do_is_noticed(windows, watched, html, csp, expected):
    show(watched, html, csp)
    watched.wait_for_load_state()
    watched.evaluate("new Promise((done) => setTimeout(done))")
    assert expected in "\n".join(windows.problems)
    windows.problems.clear()


def test_a_failure_of_the_server_is_noticed(windows, watched):
    show(watched, "<p>Something went wrong</p>", status=500)
    assert windows.problems[0].startswith("500 for ")
    windows.problems.clear()


def test_a_page_of_ours_is_not_noticed(windows, watched):
    watched.goto("/settings/nothing")
    assert windows.problems == []
