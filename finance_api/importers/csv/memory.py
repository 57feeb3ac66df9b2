"""The options of an account's files, as they are remembered from one file to the next."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from finance_api.importers.csv.columns import field_of
from finance_api.importers.csv.options import CsvOptions
from finance_api.importers.csv.table import filled
from finance_api.importers.csv.vocabulary import folded

#: How many rows a file has before and after its data is each file's own; the account is the key.
_NOT_REMEMBERED = frozenset(
    ("profile", "no_profile", "skip_rows", "skip_last", "account", "header")
)
_MAP = "--map "
SIDES = ("debit", "credit", "mixed_signs")
SIGNS = ("sign", "positive", "invert")
#: What is given -> what is then not taken of what is remembered.
_DISPLACED = {
    _MAP + "amount": SIDES,
    "debit": (_MAP + "amount", *SIGNS),
    "credit": (_MAP + "amount", *SIGNS),
    "sign": (*SIDES, *SIGNS),
    "positive": (*SIDES, *SIGNS),
    "invert": (*SIDES, *SIGNS),
    "currency": (_MAP + "currency",),
    _MAP + "currency": ("currency",),
    "account": (_MAP + "account",),
}


def heading_digest(headings: Sequence[str] | None, width: int) -> str:
    """Of the folded heading row, without what is blank at its end; of the number of columns in a
    file without one.
    """
    content: int | list[str] = width
    if headings is not None:
        content = [folded(heading) for heading in headings[: filled(headings)]]
    return sha256(json.dumps(content).encode()).hexdigest()[:32]


def to_remember(options: CsvOptions) -> dict[str, Any]:
    """The options that differ from their defaults, as JSON."""
    kept: dict[str, Any] = {}
    for field in dataclasses.fields(CsvOptions):
        value = getattr(options, field.name)
        if field.name not in _NOT_REMEMBERED and value not in (None, False, (), {}):
            kept[field.name] = value
    if "columns" in kept:
        kept["columns"] = {
            field_of(name): [column] if isinstance(column, str) else list(column)
            for name, column in kept["columns"].items()
        }
    for name in ("only", "leave_out", "ignore", "fee"):
        if name in kept:
            kept[name] = list(kept[name])
    return kept


def merged(
    options: CsvOptions, remembered: Mapping[str, Any] | None
) -> tuple[CsvOptions, dict[str, Any]]:
    """The options with those remembered under them, and which of these were taken."""
    if not remembered:
        return options, {}
    given = to_remember(options)
    names = {*given, *(_MAP + name for name in given.get("columns", ()))}
    if options.account is not None:
        names.add("account")
    names |= {other for name in names for other in _DISPLACED.get(name, ())}
    # A column that makes another field than before makes no longer that one.
    before = remembered.get("columns", {})
    moved = {
        folded(column)
        for name, value in given.get("columns", {}).items()
        for column in value
        if column not in before.get(name, ())
    }
    known = {field.name for field in dataclasses.fields(CsvOptions)} - _NOT_REMEMBERED
    taken = {
        name: value
        for name, value in remembered.items()
        if name in known and name != "columns" and name not in names
    }
    columns = {
        name: left
        for name, value in before.items()
        if _MAP + name not in names
        and (left := [column for column in value if folded(column) not in moved])
    }
    mapped = {"columns": columns} if columns else {}
    both = {**columns, **options.columns}
    return dataclasses.replace(options, **taken, columns=both), taken | mapped


def words(options: Mapping[str, Any]) -> list[str]:
    """The options as words of a command line."""
    found: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "columns":
            for field, columns in value.items():
                for column in [columns] if isinstance(columns, str) else columns:
                    found += ["--map", f"{field}={column}"]
        elif value is True:
            found.append(option)
        elif isinstance(value, list | tuple):
            for part in value:
                found += [option, part]
        else:
            found += [option, str(value)]
    return found
