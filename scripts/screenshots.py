"""What `make screenshots` does: every page, wide and narrow, light and dark, as PNG files.

They are stored in screenshots/, and the README's one in docs/images/.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.sync_api import Page  # noqa: E402

from browser.people import People  # noqa: E402
from browser.screens import AGENT, SCREENS  # noqa: E402
from browser.site import Site, running_site  # noqa: E402
from support.chromium import Windows, chromium  # noqa: E402

PICTURES = ROOT / "screenshots"
IMAGES = ROOT / "docs" / "images"

#: Width and height of a window.
WINDOWS = ((360, 800), (1440, 900))
SCHEMES = ("light", "dark")
#: Name of the picture -> screen and scheme; at the width of 1440, cut off at the window's end.
README = {"overview": ("overview", "light")}
#: With more, GitHub's page would take long to load.
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
        for scheme in SCHEMES:
            for width, height in WINDOWS:
                pages = _pages(windows, site, people, scheme, width, height)
                for screen in SCREENS:
                    page = pages[screen.who]
                    screen.show(page)
                    name = PICTURES / f"{screen.name}-{width}-{scheme}.png"
                    page.screenshot(path=name, full_page=True)
        for name, (wanted, scheme) in README.items():
            screen = next(screen for screen in SCREENS if screen.name == wanted)
            page = _pages(windows, site, people, scheme, *WINDOWS[-1])[screen.who]
            screen.show(page)
            path = IMAGES / f"{name}.png"
            path.parent.mkdir(exist_ok=True)
            page.screenshot(path=path)
            size = path.stat().st_size
            assert size <= MOST_BYTES, f"{path} has {size:,} bytes"
        windows.close()
    print(f"{len(list(PICTURES.glob('*.png')))} pictures in {PICTURES}, {len(README)} in {IMAGES}")


def _pages(
    windows: Windows, site: Site, people: People, scheme: str, width: int, height: int
) -> dict[str | None, Page]:
    """A window for each person."""
    pages = {}
    for who in {screen.who for screen in SCREENS}:
        context = windows.open(width=width, height=height, color_scheme=scheme, user_agent=AGENT)
        user = people.of(who)
        if user is not None:
            site.enter(context, user, AGENT)
        pages[who] = context.new_page()
    return pages


if __name__ == "__main__":
    main()
