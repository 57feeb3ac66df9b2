"""The labels that the pages use for the options of an import, and for their choices."""

from collections.abc import Iterator, Mapping
from typing import Any

from finance_api.importers.clauses import options_in
from finance_api.importers.options import option_named
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
    "recordState": "State column",
    **{name: f"{words_of(name)} column" for name in STATED},
    "counterpartyAccount": "Other account column",
    "originalCurrencyCode": "Original currency column",
}


def label_of(name: str, field: str = "") -> str:
    """Return the label of an option; of ``columns``, the label of the field's column."""
    return COLUMNS[field] if field in COLUMNS else option_named(name).label


def changes_in_labels(changes: Mapping[str, Any]) -> str:
    """Return the text that the form shows for a choice without a meaning of its own."""
    told = [text for name, value in changes.items() for text in _told(name, value)]
    dropped = (f"“{label_of(*option)}”" for option in options_in(changes))
    return ", ".join(told) or f"without {', '.join(dropped)}"


def _told(name: str, value: Any) -> Iterator[str]:
    """Yield what an option is set to; nothing if it is dropped."""
    if name == "columns":
        for field, columns in (value or {}).items():
            label = f"“{label_of(name, field)}”"
            yield from (
                f"{label} {column}" if column else f"no {label}" for column in columns or ()
            )
    elif name in CHOICES and value is not None:
        yield f"“{label_of(name)}: {CHOICES[name][value]}”"
    elif value is True:
        yield f"“{label_of(name)}”"
    elif value is not None:
        values = value if isinstance(value, list | tuple) else (value,)
        yield from (f"“{label_of(name)}” {each}" for each in values)
