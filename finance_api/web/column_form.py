"""The part of an upload's form that says what each column of the file is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finance_api.importers.csv.first_rows import OTHER_ROLE
from finance_api.importers.csv.mapping import FIELDS, JOINED
from finance_api.web.option_labels import COLUMNS

_FEES = {"unsigned": "Fee, paid in addition", "signed": "Fee, with its own sign"}
_IGNORE = "ignore"
#: Role of a column -> its label. A role is a field, or another option that names columns.
ROLES = {
    "recordDate": "Date",
    "amount": "Amount",
    "debit": "Money out",
    "credit": "Money in",
    "sign": "Direction: in or out",
    "balance": "Balance",
    **{name: label.removesuffix(" column") for name, label in COLUMNS.items()},
    **{f"fee={kind}": label for kind, label in _FEES.items()},
    _IGNORE: "Leave out",
}
_RECOGNISED = {**ROLES, "fee": "Fee", OTHER_ROLE: "Selects rows"}
#: The options that this part of the form sets.
COLUMN_OPTIONS = ("columns", "debit", "credit", "sign", "balance", "fee", _IGNORE)
_SINGLE = ("debit", "credit", "sign", "balance")


@dataclass(frozen=True)
class ColumnField:
    """The control for a column. role: the role that the person chose, or "".

    recognised: the label of the role that the column has if none is chosen, or "".
    """

    key: str
    label: str
    values: Sequence[str]
    role: str
    recognised: str


def column_fields(
    columns: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> list[ColumnField]:
    """Return the controls. columns: the columns in the upload's outcome. given: options by name."""
    roles = dict(_roles(columns, given))
    return [
        ColumnField(
            key=f"column-{index}",
            label=column["heading"] or f"Column {index + 1}",
            values=column["values"],
            role=roles.get(index, ""),
            recognised=_RECOGNISED.get(column["role"], "").lower(),
        )
        for index, column in enumerate(columns)
    ]


def _roles(
    columns: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> Iterator[tuple[int, str]]:
    """Yield the index and role of the columns that the options name."""
    for field, names in given.get("columns", {}).items():
        for name in names:
            yield from ((index, field) for index in _places(columns, name))
    for role in _SINGLE:
        if text := given.get(role):
            yield from ((index, role) for index in _places(columns, text))
    for text in given.get("fee", ()):
        name, _, kind = text.rpartition("=")
        yield from ((index, f"fee={kind}") for index in _places(columns, name))
    for name in given.get(_IGNORE, ()):
        yield from ((index, _IGNORE) for index in _places(columns, name))


def _places(columns: Sequence[Mapping[str, Any]], text: str) -> Iterator[int]:
    """Yield the index of the column that an option's text names, if it names one."""
    for key in (text, text.partition("=")[0]):
        for index, column in enumerate(columns):
            if key.strip() and key.strip() in (column["name"], column["heading"], str(index + 1)):
                yield index
                return


def given_columns(
    columns: Sequence[Mapping[str, Any]], before: Mapping[str, Any], form: Mapping[str, Any]
) -> tuple[dict[str, Any], str | None]:
    """Return the options that a sent form sets, and what is wrong with them.

    before: the options so far. form: the values of each field, by the field's name.
    """
    given: dict[str, Any] = {"columns": {}}
    error = None
    for index, column in enumerate(columns):
        role, name = next(iter(form.get(f"column-{index}", ())), ""), column["name"]
        if role not in ROLES:
            continue
        is_twice = role in given or (role in given["columns"] and role not in JOINED)
        if role == _IGNORE or role.startswith("fee="):
            option, _, kind = role.partition("=")
            text = f"{name}={kind}" if kind else name
            given[option] = [*given.get(option, ()), text]
        elif is_twice:
            error = f"Two columns are “{ROLES[role]}”; choose one."
        elif role in FIELDS:
            given["columns"][role] = [*given["columns"].get(role, ()), name]
        else:
            kept = before.get(role, "")
            given[role] = kept if role == "sign" and kept.startswith(f"{name}=") else name
    return given, error
