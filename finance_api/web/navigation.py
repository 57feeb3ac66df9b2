"""The navigation of the pages."""

#: Groups of (name of the page, path, label).
NAVIGATION = (
    (
        "Money",
        (
            ("overview", "/overview", "Overview"),
            ("accounts", "/accounts", "Accounts"),
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
            ("security", "/settings/security", "Security"),
            ("jwts", "/settings/jwts", "JWTs"),
        ),
    ),
)
