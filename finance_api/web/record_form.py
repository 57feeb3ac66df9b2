"""The form of a record: its texts, with the sign of the amount as a choice, and reading them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webob.multidict import MultiDict

from finance_api.ledger.edits.naming import editable_fields, parse_assignments, rows_called
from finance_api.ledger.edits.objects import put_new
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.values import Row
from finance_api.values.time import date_text, from_date, to_date
from finance_api.web.forms import (
    Control,
    FormFaults,
    controls_of,
    field_texts,
    read_texts,
    sent_texts,
)

FIELDS = {field.name: field for field in editable_fields(RECORDS).values()}
#: The control for the sign of the amount, and its choices.
DIRECTION, OUT, IN = "direction", "out", "in"
DIRECTIONS = ((OUT, "Money out"), (IN, "Money in"))
#: The fields for the account of somebody who has none yet.
NEW_ACCOUNT, NEW_CURRENCY = "new-account", "new-currency"
_AMOUNT, _DATE, _ACCOUNT = "amount", "recordDate", "accountId"
_HINTS = {
    "recordState": "How far it is settled. Void records count in no sum and no balance.",
    "categoryId": "If you choose none, the rules give a new record its category.",
}
_MINUS = ("-", "\N{MINUS SIGN}")
#: Dates beyond these years are typing errors.
_FIRST_YEAR, _LAST_YEAR = 1900, 2199


def texts_of_record(row: Row) -> dict[str, str]:
    """Return the texts of a stored record."""
    texts = field_texts(FIELDS, row)
    texts[DIRECTION] = OUT if row[_AMOUNT] < 0 else IN
    texts[_AMOUNT] = texts[_AMOUNT].removeprefix("-")
    return texts


def texts_of_new(today: int, given: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of a new record. given: from the query of a link."""
    defaults = {_DATE: date_text(today), "recordState": "cleared", DIRECTION: OUT}
    defaults[NEW_ACCOUNT] = "Cash"
    names = (*FIELDS, DIRECTION, NEW_ACCOUNT, NEW_CURRENCY)
    return {name: given.get(name) or defaults.get(name, "") for name in names}


def controls_of_record(owned: UserRows, texts: Mapping[str, str]) -> list[Control]:
    """The controls of the form, with hints for people who enter a payment."""
    controls = controls_of(owned, FIELDS, texts)
    return [replace(control, hint=_HINTS.get(control.name, "")) for control in controls]


def sent_record(sent: MultiDict) -> dict[str, str]:
    """Return the texts of a form that was sent."""
    direction = IN if sent.get(DIRECTION) == IN else OUT
    account = {name: str(sent.get(name, "")) for name in (NEW_ACCOUNT, NEW_CURRENCY)}
    return {**sent_texts(FIELDS, sent), DIRECTION: direction, **account}


def with_new_account(session: LedgerSession, texts: Mapping[str, str]) -> dict[str, str]:
    """Add the first account, if the user has none, and fill in its id. Raises FormFaults."""
    name, currency = texts[NEW_ACCOUNT].strip(), texts[NEW_CURRENCY]
    if session.accounts.rows:
        # The form may be sent twice.
        there = [] if texts[_ACCOUNT] or not name else rows_called(session, ACCOUNTS, name)
        return {**texts, _ACCOUNT: there[0]["id"]} if there else dict(texts)
    errors = {} if name else {NEW_ACCOUNT: "Enter the account's name, such as Cash."}
    if not currency:
        errors[NEW_CURRENCY] = "Choose the account's currency."
    if errors:
        raise FormFaults(errors)
    given = parse_assignments(session, ACCOUNTS, {"name": name, "currencyCode": currency})
    return {**texts, _ACCOUNT: str(put_new(session, ACCOUNTS, given)["id"])}


def read_record(
    session: LedgerSession, texts: Mapping[str, str], stored: Row | None = None
) -> dict[str, Any]:
    """Return the stored values of a form. Raises FormFaults.

    stored: the record to change: only values of texts that differ from it are returned.
    """
    errors: dict[str, str] = {}
    signed = {**texts, _AMOUNT: _signed(texts, errors)}
    before = {} if stored is None else field_texts(FIELDS, stored)
    if before.get(_DATE) != signed[_DATE]:
        _check_year(session, signed, errors)
    try:
        read = read_texts(session, FIELDS, signed, stored)
    except FormFaults as faults:
        raise FormFaults({**faults.errors, **errors}) from None
    values = {name: value for name, value in read.items() if before.get(name) != signed[name]}
    if stored is not None and values.get(_DATE) == from_date(to_date(stored[_DATE])):
        # The same day in another form: the record keeps its time.
        del values[_DATE]
    if errors:
        raise FormFaults(errors)
    return values


def _signed(texts: Mapping[str, str], errors: dict[str, str]) -> str:
    """Return the amount with its sign: the one that was typed, otherwise that of the choice."""
    text = texts[_AMOUNT].strip()
    if text.startswith(_MINUS):
        if texts[DIRECTION] == IN:
            errors[_AMOUNT] = (
                f"The amount {text} has a minus, but {DIRECTIONS[1][1].lower()} was chosen: leave "
                f"out the minus, or choose {DIRECTIONS[0][1].lower()}."
            )
        return f"-{text[1:].strip()}"
    if not text or text.startswith("+") or texts[DIRECTION] == IN:
        return text
    return f"-{text}"


def _check_year(session: LedgerSession, texts: Mapping[str, str], errors: dict[str, str]) -> None:
    try:
        day = read_texts(session, {_DATE: FIELDS[_DATE]}, texts)[_DATE]
    except FormFaults:
        return
    year = to_date(day).year
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        errors[_DATE] = (
            f"The year {year} cannot be right: give a date from {_FIRST_YEAR} to {_LAST_YEAR}."
        )
