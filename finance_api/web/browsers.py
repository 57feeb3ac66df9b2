"""Browser names from User-Agent."""

#: In order of precedence: many name others as well.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """``Firefox on Linux``; ``Unknown browser`` if it is not known."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "Unknown browser")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    return browser if system is None else f"{browser} on {system}"
