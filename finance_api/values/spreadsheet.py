"""Writes text for spreadsheets so that they do not run it as a formula, and reads it back."""

import re

#: First characters that make a spreadsheet read a cell as a formula (OWASP: CSV injection), in all
#: their Unicode forms.
_FORMULA = "=＝﹦⁼₌+＋﹢⁺₊@＠﹫\\-－﹣−⁻₋"
#: Characters that programs may drop before a cell's text: blanks, invisible characters, quotes.
_DROPPED = r';\s"\u00ad\u200b-\u200f\u2060-\u2064\ufeff'
#: The beginning of a cell. Some programs also split at semicolons, tabs and line ends, even within
#: quotes, so a cell may begin there as well.
_BEGINNING = re.compile(rf"((?:^|[;\t\r\n])[{_DROPPED}]*)([{_FORMULA}])?")
_BLANK_BEGINNING = re.compile(r"(^|;)(?=[\t\r\n])")
#: Matches most texts: an ordinary first character, and no character at which programs split.
_PLAIN = re.compile(rf"[^{_DROPPED}{_FORMULA}][^;\t\r\n]*")
# The end is optional, as above: otherwise a match would be tried at each separator of a long run.
_APOSTROPHE = re.compile(_BEGINNING.pattern.replace(f"([{_FORMULA}])?", f"(?:'(?=[{_FORMULA}]))?"))
_BLANK_APOSTROPHE = re.compile(r"(^|;)'(?=[\t\r\n])")


#: Maximum number of characters in a cell of a workbook.
_LONGEST_CELL = 32_767


def in_cell(text: str) -> str:
    """Return the text for a cell of a workbook; if it is too long, cut it and add an ellipsis."""
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def harmless(text: str) -> str:
    """Return the text with an apostrophe before everything that would run as a formula."""
    if _PLAIN.fullmatch(text):
        return text
    return _BLANK_BEGINNING.sub(r"\1'", _BEGINNING.sub(_with_apostrophe, text))


def _with_apostrophe(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if found[2] else found[0]


def without_apostrophes(text: str) -> str:
    """Undo `harmless`: remove the apostrophes that it would have added, if there are any."""
    plain = _APOSTROPHE.sub(r"\1", _BLANK_APOSTROPHE.sub(r"\1", text))
    return plain if harmless(plain) == text else text
