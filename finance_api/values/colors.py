"""Colours that users give their accounts, categories and labels: names, picker and charts."""

import re

_HEX = re.compile("#(?:[0-9a-fA-F]{3}){1,2}")
#: Colours by their names, all of them with enough contrast in charts.
PALETTE = {
    "Red": "#d32f2f",
    "Orange": "#d96909",
    "Brown": "#906146",
    "Gold": "#ab8400",
    "Olive": "#7f8c1f",
    "Green": "#2e8b57",
    "Teal": "#00897b",
    "Cyan": "#0092b0",
    "Blue": "#2f6fde",
    "Violet": "#7b5cd6",
    "Magenta": "#c2298f",
    "Pink": "#db5e8c",
    "Grey": "#7a7f85",
}
#: Colours whose names describe other colours.
_KNOWN = PALETTE | {"Black": "#000000", "White": "#ffffff", "Yellow": "#ffff00"}
_NAMES = {color: name for name, color in PALETTE.items()}
#: A colour with a relative luminance between these has a contrast of 3 : 1 (WCAG 1.4.11) to the
#: panels of both light and dark pages.
_DARKEST, _LIGHTEST = 0.15, 0.25
_WEIGHTS = (0.2126, 0.7152, 0.0722)


def parse_color(text: str) -> str | None:
    """Return the colour for a name, or for a code such as ``#3a7d44``; None for other texts."""
    named = PALETTE.get(text.strip().capitalize())
    return named or (text.strip() if _HEX.fullmatch(text.strip()) else None)


def color_text(color: str) -> str:
    """Return the name of a colour, if it has one; return other texts unchanged."""
    return _NAMES.get(color.lower(), color)


def color_words(color: str) -> str:
    """Return a colour in words, for people who cannot see it: ``#3a7d44, close to green``."""
    name = color_text(color)
    if name != color:
        return name
    near = min(_KNOWN, key=lambda each: _distance(_KNOWN[each], color))
    return f"{color}, close to {near.lower()}"


def full_hex(color: str | None) -> str | None:
    """Return the colour as ``#rrggbb`` in lower case; None for other texts."""
    if not color or not _HEX.fullmatch(color):
        return None
    digits = color[1:].lower()
    return f"#{digits}" if len(digits) == 6 else "#" + "".join(digit * 2 for digit in digits)


def chart_color(color: str | None) -> str | None:
    """Return the colour, darkened or lightened until it is visible on light and dark pages."""
    found = full_hex(color)
    if found is None:
        return None
    parts = [_linear(part) for part in _parts(found)]
    brightness = luminance(found)
    if brightness > _LIGHTEST:
        parts = [part * _LIGHTEST / brightness for part in parts]
    elif brightness < _DARKEST:
        white = (_DARKEST - brightness) / (1 - brightness)
        parts = [part + white * (1 - part) for part in parts]
    else:
        return found
    return "#" + "".join(f"{_encoded(part):02x}" for part in parts)


def luminance(color: str) -> float:
    """Return the relative luminance (WCAG 2) of ``#rrggbb``."""
    parts = zip(_WEIGHTS, _parts(color), strict=True)
    return sum(weight * _linear(part) for weight, part in parts)


def _parts(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def _distance(one: str, other: str) -> int:
    pairs = zip(_parts(one), _parts(full_hex(other) or one), strict=True)
    return sum((a - b) ** 2 for a, b in pairs)


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)


def _encoded(share: float) -> int:
    return round(
        255 * (12.92 * share if share <= 0.0031308 else 1.055 * share ** (1 / 2.4) - 0.055)
    )
