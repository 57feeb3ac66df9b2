"""What `make screenshots` does: every page at three widths, light and dark, as PNG files.

They are stored in screenshots/, and the README's one in docs/images/. With --all every page is also
pictured for a new user, for 100,000 records and for names that no page expects.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.sync_api import Page  # noqa: E402

from browser.people import People  # noqa: E402
from browser.screens import AGENT, SCREENS, SWEPT  # noqa: E402
from browser.site import Site, running_site  # noqa: E402
from support.chromium import Windows, chromium  # noqa: E402

PICTURES = ROOT / "screenshots"
IMAGES = ROOT / "docs" / "images"

#: Width and height of a window.
WINDOWS = ((360, 800), (768, 1024), (1440, 900))
SCHEMES = ("light", "dark")
#: Name of the picture -> screen and scheme; at the width of 1440, cut off at the window's end.
README = {"overview": ("overview", "light")}
#: With larger pictures, GitHub's page would take long to load.
MOST_BYTES = 150_000


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    with (
        tempfile.TemporaryDirectory(prefix="finance-screenshots-") as directory,
        chromium() as browser,
        running_site(Path(directory)) as site,
    ):
        windows = Windows(browser, site.url)
        people = People(site, quota=True)
        screens = (*SCREENS, *SWEPT) if "--all" in sys.argv else SCREENS
        pages = _pages(windows, site, people, {screen.who for screen in screens})
        for screen in screens:
            page = pages[screen.who]
            _resize(page, *WINDOWS[0])
            screen.show(page)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                for width, height in WINDOWS:
                    _resize(page, width, height)
                    name = PICTURES / f"{screen.name}-{width}-{scheme}.png"
                    page.screenshot(path=name, full_page=True)
        for name, (wanted, scheme) in README.items():
            screen = next(screen for screen in SCREENS if screen.name == wanted)
            page = pages[screen.who]
            page.emulate_media(color_scheme=scheme)
            _resize(page, *WINDOWS[-1])
            screen.show(page)
            path = IMAGES / f"{name}.png"
            path.parent.mkdir(exist_ok=True)
            page.screenshot(path=path)
            size = path.stat().st_size
            assert size <= MOST_BYTES, f"{path} has {size:,} bytes"
        windows.close()
    print(f"{len(list(PICTURES.glob('*.png')))} pictures in {PICTURES}, {len(README)} in {IMAGES}")


def _resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})


def _pages(
    windows: Windows, site: Site, people: People, names: set[str | None]
) -> dict[str | None, Page]:
    """Return a window for each person."""
    pages = {}
    for who in names:
        context = windows.open(user_agent=AGENT)
        user = people.of(who)
        if user is not None:
            site.enter(context, user, AGENT)
        pages[who] = context.new_page()
    return pages


if __name__ == "__main__":
    main()
