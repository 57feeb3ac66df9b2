"""Text as spreadsheets have it, and run it as no formula."""

import re

#: First characters that make a spreadsheet read a cell as a formula (OWASP: CSV injection), in all
#: forms that Unicode has of them.
_FORMULA = "=＝﹦⁼₌+＋﹢⁺₊@＠﹫\\-－﹣−⁻₋"
#: Characters that may be dropped before a cell: white space, invisible characters, quotes.
_DROPPED = r';\s"\u00ad\u200b-\u200f\u2060-\u2064\ufeff'
#: The beginning of a cell, also for a program that splits at semicolons, tabs and line ends, within
#: quotes too.
_BEGINNING = re.compile(rf"((?:^|[;\t\r\n])[{_DROPPED}]*)([{_FORMULA}])?")
_BLANK_BEGINNING = re.compile(r"(^|;)(?=[\t\r\n])")
#: Most texts: an ordinary beginning, and nothing at which a program splits.
_PLAIN = re.compile(rf"[^{_DROPPED}{_FORMULA}][^;\t\r\n]*")
_APOSTROPHE = re.compile(_BEGINNING.pattern.replace(f"([{_FORMULA}])?", f"'(?=[{_FORMULA}])"))
_BLANK_APOSTROPHE = re.compile(r"(^|;)'(?=[\t\r\n])")


#: The longest text in a cell of a workbook.
_LONGEST_CELL = 32_767


def in_cell(text: str) -> str:
    """The text as a cell of a workbook has it; a longer one ends in an ellipsis there."""
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def harmless(text: str) -> str:
    """The text with an apostrophe before whatever would run as a formula."""
    if _PLAIN.fullmatch(text):
        return text
    return _BLANK_BEGINNING.sub(r"\1'", _BEGINNING.sub(_with_apostrophe, text))


def _with_apostrophe(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if found[2] else found[0]


def without_apostrophes(text: str) -> str:
    """The text that `harmless` makes this one of; itself, if there is none."""
    plain = _APOSTROPHE.sub(r"\1", _BLANK_APOSTROPHE.sub(r"\1", text))
    return plain if harmless(plain) == text else text
