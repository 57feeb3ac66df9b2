"""How messages name entries and records."""

from finance_api.importers.interface import Entry
from finance_api.ledger.matching.model import Candidate
from finance_api.values.number import decimal_text
from finance_api.values.text import shown
from finance_api.values.time import DAY_SECONDS, date_text

_LONGEST = 60


def described(entry: Entry) -> str:
    """An entry of the file."""
    texts = " ".join(text for text in (entry.payee, entry.note) if text)
    if len(texts) > _LONGEST:
        texts = texts[: _LONGEST - 1] + "…"
    bank_id = f" (id {shown(entry.bank_id)})" if entry.bank_id is not None else ""
    text = f" {shown(texts)}" if texts else ""
    day_and_amount = _day_and_amount(entry.date // DAY_SECONDS, entry.amount)
    return f"{day_and_amount}{text}{bank_id} in line {entry.line}"


def stored_described(stored: Candidate) -> str:
    """A stored record, as its file stated it."""
    return f"the record of {_day_and_amount(stored.day, stored.amount)} (id {stored.record})"


def _day_and_amount(day: int, amount: int) -> str:
    return f"{date_text(day * DAY_SECONDS)} {decimal_text(amount)}"
