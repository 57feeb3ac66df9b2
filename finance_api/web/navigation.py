"""The navigation of the pages."""

from finance_api.web.object_pages import OBJECT_PAGES


def _objects(*names: str) -> tuple[tuple[str, str, str], ...]:
    pages = [OBJECT_PAGES[name] for name in names]
    return tuple((page.name, page.path, page.title) for page in pages)


#: Groups of (name of the page, path, label).
NAVIGATION = (
    (
        "View",
        (
            ("overview", "/overview", "Overview"),
            ("records", "/records", "Records"),
            *_objects("accounts", "budgets", "goals", "standing-orders"),
        ),
    ),
    (
        "Organise",
        (
            *_objects("categories", "labels", "rules"),
            ("transfers", "/transfers", "Transfers"),
        ),
    ),
    (
        "Add data",
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
