"""Tell whether a cell looks like a date, an amount or text."""

import re
from collections.abc import Sequence

from finance_api.importers.csv.amounts import DECIMAL_MARKS
from finance_api.importers.csv.dates import CANDIDATES
from finance_api.importers.csv.number_form import number_pattern, plain_number, shape_of

_DIGIT = re.compile("[0-9]")
_WORD = re.compile(r"[^\W\d_]+")
_ACCOUNT = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}|[0-9*Xx/.\-]{5,34}")


def is_date(text: str) -> bool:
    return any(form.read(text) is not None for form in CANDIDATES)


def is_amount(text: str) -> bool:
    """Under some decimal mark."""
    written = shape_of(text)
    return written is not None and any(
        plain_number(written.digits, number_pattern(mark, None)) for mark in DECIMAL_MARKS
    )


def is_account(text: str) -> bool:
    """It may be an IBAN or the number of an account or a card."""
    return _ACCOUNT.fullmatch("".join(text.split())) is not None


def is_text(text: str) -> bool:
    """It has a letter, and is neither a date nor an amount."""
    return _WORD.search(text) is not None and not is_date(text) and not is_amount(text)


def looks_like_data(cells: Sequence[str]) -> bool:
    """A row with a date and, elsewhere, an amount."""
    texts = [text for cell in cells if (text := cell.strip())]
    dates = [text for text in texts if is_date(text)]
    return bool(dates) and any(is_amount(text) and text not in dates for text in texts)


def looks_like_headings(cells: Sequence[str]) -> bool:
    texts = [text for cell in cells if (text := cell.strip())]
    return len(texts) > 1 and not any(
        is_date(text) or is_amount(text) for text in texts if _DIGIT.search(text)
    )
