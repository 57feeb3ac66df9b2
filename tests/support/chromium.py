"""A real browser, which reports pages that do something forbidden."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Request,
    Response,
    sync_playwright,
)

from support.programs import missing

#: Milliseconds to wait for anything to appear; pages are slow on a busy machine.
TIMEOUT_MS = 120_000
#: The size of a window, in pixels.
WIDTH, HEIGHT = 1440, 900

#: The headless shell first, because it takes less than half the processor time of the others.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
#: Violations go to the console, so that they are seen even if a page removes its listeners.
_REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (e) => console.error(
  `CSP report: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`), true);
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a running Chromium. Skips the test if none is installed."""
    program = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if program is None:
        missing("Chromium")
    # Chromium's own sandbox does not work for root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


class Windows:
    """Opens windows on one site, each with its own cookies, and collects problems in them.

    problems: errors and warnings of the console, exceptions of scripts, dialogs, reports of the
    Content-Security-Policy, requests to other hosts, failures of the server.
    """

    def __init__(self, browser: Browser, base_url: str) -> None:
        self.problems: list[str] = []
        self._browser = browser
        self._base_url = base_url
        self._host = urlsplit(base_url).netloc
        self._open: list[BrowserContext] = []

    def open(self, *, width: int = WIDTH, height: int = HEIGHT, **options: Any) -> BrowserContext:
        """options: passed to `Browser.new_context`."""
        settings = {
            "base_url": self._base_url,
            "viewport": {"width": width, "height": height},
            "locale": "en-GB",
            # Colours that are still changing would be measured wrongly.
            "reduced_motion": "reduce",
        }
        context = self._browser.new_context(**{**settings, **options})
        self._open.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        context.add_init_script(_REPORT_VIOLATIONS)
        context.on("console", self._see_console)
        context.on("weberror", lambda error: self.problems.append(f"exception: {error.error}"))
        context.on("dialog", self._see_dialog)
        context.on("request", self._see_request)
        context.on("response", self._see_response)
        return context

    def close(self) -> None:
        """Close all windows. Fails if there was any problem."""
        for context in self._open:
            context.close()
        self._open.clear()
        self.check()

    def check(self) -> None:
        """Fail if there was any problem since the last check."""
        problems, self.problems = self.problems, []
        assert not problems, "\n".join(problems)

    def _see_console(self, message: ConsoleMessage) -> None:
        # Pages may have status 400 or 403; _see_response checks files.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.problems.append(f"console: {message.text}")

    def _see_dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _see_request(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.netloc != self._host and request.url != "about:blank":
            self.problems.append(f"request to {request.url}")

    def _see_response(self, response: Response) -> None:
        # Scripts send forms, which may be refused as well.
        is_page = response.request.resource_type in ("document", "fetch")
        if response.status >= (500 if is_page else 400):
            self.problems.append(f"{response.status} for {response.url}")
