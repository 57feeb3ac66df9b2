"""The page that somebody may have meant by a path without one."""

from finance_api.values.likeness import near_names
from finance_api.web.object_pages import NAVIGATION
from finance_api.web.page import LOGIN

#: Last part of a page's path -> its path and its title.
_PAGES = {
    path.rpartition("/")[2]: (path, title)
    for path, title in (
        *((path, title) for _, entries in NAVIGATION for _, path, title in entries),
        (LOGIN, "Sign in"),
        ("/docs", "API reference"),
    )
}
_LONGEST = 40


def nearest_page(path: str) -> tuple[str, str] | None:
    """Return the path and title of the page whose name is like the first or last part."""
    parts = [part[:_LONGEST] for part in path.split("/") if part]
    for part in (*parts[:1], *parts[-1:]):
        for name in near_names(part, _PAGES):
            return _PAGES[name]
    return None
