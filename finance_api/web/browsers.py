"""What browsers call themselves, in two words."""

#: The first that stands in the text: many claim to be others as well.
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
    """``Firefox on Linux``; as far as the text says."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "Unknown browser")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    return browser if system is None else f"{browser} on {system}"
