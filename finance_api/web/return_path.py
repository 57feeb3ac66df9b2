"""The sign-in page and the return path after it."""

from urllib.parse import quote, unquote

from finance_api.http.surfaces import OVERVIEW, SETTINGS_PAGES, is_page

LOGIN = f"{SETTINGS_PAGES}/login"


def login_path(wanted: str) -> str:
    """The sign-in page that returns to ``wanted``, a path with its query."""
    return f"{LOGIN}?next={quote(wanted, safe='')}"


def page_after(wanted: str) -> str:
    """``wanted`` if it is the path of a page; otherwise the overview.

    A full URL would be an open redirect, and so would ``//host`` or ``/\\\\host`` in some browsers.
    """
    path = wanted.partition("?")[0]
    harmless = wanted.isprintable() and wanted.isascii() and "\\" not in wanted
    # Browsers decode %2e to a dot.
    if harmless and is_page(path) and "/." not in unquote(path) and path != LOGIN:
        return wanted
    return OVERVIEW
