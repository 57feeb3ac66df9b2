"""How messages name entries and records."""

from sqlite3 import Row as Found

from finance_api.values.number import decimal_text
from finance_api.values.text import shown
from finance_api.values.time import DAY_SECONDS, date_text

_LONGEST = 60


def described(entry: Found) -> str:
    """An entry of the file."""
    texts = " ".join(text for text in (entry["payee"], entry["note"]) if text)
    if len(texts) > _LONGEST:
        texts = texts[: _LONGEST - 1] + "…"
    bank_id = f" (id {shown(entry['bank_id'])})" if entry["bank_id"] is not None else ""
    text = f" {shown(texts)}" if texts else ""
    return f"{_day_and_amount(entry)}{text}{bank_id} in line {entry['line']}"


def stored_described(stored: Found) -> str:
    """A stored record, as its file said it."""
    return f"the record of {_day_and_amount(stored)} (id {stored['record']})"


def _day_and_amount(row: Found) -> str:
    return f"{date_text(row['day'] * DAY_SECONDS)} {decimal_text(row['amount'])}"
