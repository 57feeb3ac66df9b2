"""The navigation of the pages."""

from finance_api.web.object_pages import OBJECT_PAGES

_TITLES = {name: page.title for name, page in OBJECT_PAGES.items()}


def _objects(*names: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((name, OBJECT_PAGES[name].path, _TITLES[name]) for name in names)


#: Groups of (name of the page, path, label).
NAVIGATION = (
    (
        "Look",
        (
            ("overview", "/overview", "Overview"),
            ("records", "/records", "Records"),
            *_objects("accounts", "budgets", "goals", "standing-orders"),
        ),
    ),
    (
        "Sort",
        (
            *_objects("categories", "labels", "rules"),
            ("transfers", "/transfers", "Transfers"),
        ),
    ),
    (
        "Bring in",
        (
            ("import", "/import", "Import"),
            ("imports", "/imports", "Imports"),
        ),
    ),
    (
        "Settings",
        (
            ("tokens", "/settings/tokens", "API tokens"),
            ("usage", "/settings/usage", "Usage"),
            ("profile", "/settings/profile", "Profile"),
            ("security", "/settings/security", "Security"),
        ),
    ),
    ("Advanced", (("jwts", "/settings/jwts", "JWTs"),)),
)
