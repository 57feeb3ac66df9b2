"""Replaces command-line options in importers' messages with the labels that the pages use."""

import re
from collections.abc import Mapping
from typing import Any

from finance_api.importers.options import FILE_OPTIONS, flags, words
from finance_api.resources.field import words_of
from finance_api.resources.records import STATED

#: Option -> choice -> label.
CHOICES = {
    "ids": {
        "stable": "Stable: an id is always one transaction",
        "reused": "Reused: an id can be another transaction later",
    },
    "first_day": {"same": "The same transactions", "new": "Other transactions"},
    "decimal": {".": "Point (1,234.50)", ",": "Comma (1.234,50)"},
    "mixed_signs": {
        "plus": "Positive: as the column says; negative: the opposite",
        "minus": "Negative: as the column says; positive: the opposite",
        "ignore": "Nothing: only the column counts",
    },
    "units": {"major": "Whole units", "minor": "Hundredths, such as cents"},
    "positive": {"in": "Money coming in", "out": "Money going out"},
    "card_balance": {"owed": "Money that is owed", "owned": "Money on the card"},
}
#: Field -> label of the column that contains it.
COLUMNS = {
    "recordDate": "Date column",
    "amount": "Amount column",
    "payee": "Payee column",
    "note": "Note column",
    "category": "Category column",
    "labels": "Labels column",
    "id": "Bank id column",
    "account": "Account column",
    "accountNumber": "Account number column",
    "currency": "Currency column",
    "paymentType": "Payment type column",
    **{name: f"{words_of(name)} column" for name in STATED},
    "counterpartyAccount": "Other account column",
    "originalCurrencyCode": "Original currency column",
}
#: Words of a command line -> their label on the pages.
_LABELS = {
    **{option.flag: option.label for option in FILE_OPTIONS},
    **{
        f"{option.flag} {choice}": f"{option.label}: {label}"
        for option in FILE_OPTIONS
        for choice, label in CHOICES.get(option.name, {}).items()
    },
    **{f"--map {field}": label for field, label in COLUMNS.items()},
    "--with-later": "Undo later changes as well",
    "--keep-changed": "Keep later manual edits",
    "'finance-api transfers find'": "Transfers",
}
#: After ``=`` comes a column, or nothing if the field has no column. Quoted words come from the
#: file and are left alone.
_WORDS = re.compile(
    f"(?P<words>{'|'.join(map(re.escape, sorted(_LABELS, key=len, reverse=True)))})"
    r"(?![\w-])(?:=…|(?P<none>=)(?=[\s),;]|$)|(?P<column>=)"
    rf"| (?:NAME|CODE|N|…)(?![\w=]))?"
    r"|(?<!\w)'[^']*'(?!\w)"
)


def in_labels(message: str) -> str:
    """Return an importer's message, with the labels of the form in place of options."""
    return _WORDS.sub(_label, message)


def changes_in_labels(changes: Mapping[str, Any]) -> str:
    """Return the text that the form shows for a choice without a meaning of its own."""
    added = " ".join(words(changes))
    if not added:
        return f"without {in_labels(', '.join(flags(changes)))}"
    return in_labels(added.replace(" --", ", --"))


def _label(match: re.Match[str]) -> str:
    if match["words"] is None:
        return match[0]
    label = f"“{_LABELS[match['words']]}”"
    if match["none"]:
        return f"no {label}"
    return f"{label} " if match["column"] else label
