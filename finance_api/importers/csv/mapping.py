"""Mappings: how a table is read. Headings: the names by which a mapping finds its columns.

The user's options, the answers saved for an account, and a profile are partial mappings.
"""

from collections import abc
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast
from zoneinfo import ZoneInfo

from finance_api.importers.clauses import Option, Says, Topic, clause
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import (
    OWED,
    OWNED,
    Choice,
    ImportRefused,
    excluding,
    quoted,
    stated_code,
    wrong_option,
    wrong_value,
)
from finance_api.importers.options import ImportOptions
from finance_api.resources.records import STATED
from finance_api.values.text import TextError, clean, clean_or_none, fold

#: Field -> its other names. A column whose heading is one of these names is mapped automatically.
FIELDS: abc.Mapping[str, tuple[str, ...]] = {
    "recordDate": ("date",),
    "amount": (),
    "payee": (),
    "note": (),
    "category": (),
    "labels": (),
    "id": ("sourceId",),
    "account": ("accountName",),
    "accountNumber": (),
    "currency": ("currencyCode",),
    "paymentType": (),
    "recordState": (),
    **dict.fromkeys(STATED, ()),
}
FIELD_NAMES = {fold(name): field for field, more in FIELDS.items() for name in (field, *more)}
#: Fields that may be made of several columns, joined by one space.
JOINED = frozenset(("recordDate", "payee", "note", "category", "labels", "reference", "account"))


def field_of(name: str) -> str:
    """Return the field that ``--map`` names, else ``name`` itself."""
    return FIELD_NAMES.get(fold(name.strip()), name)


#: Field, or "debit", "credit", "sign", "balance", "fee" -> the indexes of its columns.
Columns = dict[str, tuple[int, ...]]


#: Name of a delimiter -> the delimiter.
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_NO_DELIMITER = '"\r\n\x00'

FEE_CATEGORY = "Bank fees"
LABEL_SEPARATOR = ";"

#: Drops the options that say what a positive number means.
POSITIVE: ImportOptions = {"positive": None, "invert": None}
_SIDES: ImportOptions = {"debit": None, "credit": None}
#: Parts that are not saved: each file has its own rows around the data; the account is the key.
_NOT_SAVED = frozenset(("profile", "no_profile", "skip_rows", "skip_last", "account", "header"))
_MAP = "--map "
_WAYS = ("sign", "positive", "invert")
#: Part of a mapping -> the parts that it replaces in the mapping below it.
_DISPLACED = {
    _MAP + "amount": ("debit", "credit", "mixed_signs"),
    **dict.fromkeys(("debit", "credit"), (_MAP + "amount", *_WAYS)),
    **dict.fromkeys(_WAYS, ("debit", "credit", "mixed_signs", *_WAYS)),
    "currency": (_MAP + "currency",),
    _MAP + "currency": ("currency",),
    "account": (_MAP + "account",),
}


@dataclass(frozen=True)
class Mapping:
    """Options for reading a file. Each part is named after its option, which `importers.options`
    explains. None: the part is decided by the saved mapping, a profile, or the file itself.

    columns: ``--map``: field -> the heading of its column, or the column's number from 1 as text,
        or several of these. If a heading is that very number, the heading counts. "" leaves out a
        field that would be mapped automatically.
    thousands: what groups the digits: ".", ",", "'" or a space (of any width).
    mixed_signs: what the sign means in a debit or credit column with both signs: "plus" (a positive
        number follows its column, a negative one goes the other way), "minus" (the reverse) or
        "ignore".
    sign: ``COLUMN[=OUT,…[|IN,…]]``: the column that says which way the money goes, and its words
        if they are not the usual ones.
    units: "major": amounts are in whole units, whatever their heading says; or "minor".
    leave_out: ``COLUMN=VALUE``: these rows are not transactions. ``COLUMN=``: no text of this
        column names a total.
    fee: ``COLUMN=signed`` or ``COLUMN=unsigned``; the fees of several columns are added up.
    skip_rows: physical lines before the headings, or before the rows if there are no headings.
    account: if given, a column mapped automatically to the account may have only one value.
    currency: if given, a column mapped automatically to the currency must equal it or be empty.
    """

    profile: str | None = None
    no_profile: bool = False
    columns: abc.Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_format: str | None = None
    timezone: str | None = None
    encoding: str | None = None
    force_encoding: bool = False
    debit: str | None = None
    credit: str | None = None
    mixed_signs: str | None = None
    sign: str | None = None
    positive: str | None = None
    card_balance: str | None = None
    invert: bool = False
    units: str | None = None
    only: Sequence[str] = ()
    leave_out: Sequence[str] = ()
    ignore: Sequence[str] = ()
    fill_down: Sequence[str] = ()
    balance: str | None = None
    fee: Sequence[str] = ()
    fee_category: str | None = None
    no_text: bool = False
    label_separator: str | None = None
    skip_rows: int = 0
    skip_last: int = 0
    header: bool = True
    account: str | None = None
    currency: str | None = None

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """Field, "debit", "credit" or "balance" -> its columns, if options name any."""
        sides = {name: getattr(self, name) for name in ("debit", "credit", "balance")}
        return {
            **{name: each for name, value in self.columns.items() if any(each := _several(value))},
            **{name: (column.strip(),) for name, column in sides.items() if column is not None},
        }

    @property
    def unmapped(self) -> frozenset[str]:
        """The fields to which no column is mapped automatically."""
        left_out = {name for name, value in self.columns.items() if not any(_several(value))}
        return frozenset(left_out | ({"amount"} if self.debit is not None else set()))

    def zone(self) -> ZoneInfo | None:
        """Return the time zone; None if none is set. Raises ImportRefused if it does not exist."""
        if self.timezone is None:
            return None
        try:
            return ZoneInfo(self.timezone)
        except (OSError, ValueError, LookupError):
            fault = "is not a time zone such as Europe/Berlin"
            raise wrong_value("timezone", self.timezone, fault) from None

    def checked(self) -> "Mapping":
        """Return the mapping with each part in its normal form.

        Raises ImportRefused for a part that is invalid, and for parts that contradict each other.
        """
        for name, count in (("skip_rows", self.skip_rows), ("skip_last", self.skip_last)):
            if count < 0:
                raise wrong_option(Option(name), f"{count} is less than 0")
        mapping = replace(self, columns=_checked_columns(self.columns))
        for name, column in ((name, each) for name, all_ in mapping.named.items() for each in all_):
            try:
                clean(column)
            except TextError as error:
                raise ImportRefused(f"the heading {quoted(column)} for {name} {error}") from None
        _check_ways(mapping)
        if self.units not in (None, "major", "minor"):
            raise wrong_value("units", self.units, "is neither major nor minor")
        if "account" in mapping.named and mapping.account is not None:
            raise excluding({"account": None}, {"columns": {"account": None}})
        if "currency" in mapping.named and mapping.currency is not None:
            raise excluding({"currency": None}, {"columns": {"currency": None}})
        if self.no_profile and self.profile is not None:
            raise excluding({"profile": None}, {"no_profile": None})
        currency = None if self.currency is None else stated_code(self.currency, Option("currency"))
        return replace(
            mapping,
            delimiter=_character(self.delimiter),
            positive="out" if self.invert else self.positive,
            invert=False,
            fee_category=_name(self.fee_category, "fee_category"),
            account=_name(self.account, "account"),
            currency=currency,
        )

    def stated(self) -> dict[str, Any]:
        """Return all parts that are set, as JSON, to save for an account."""
        stated: dict[str, Any] = {
            name: list(value) if isinstance(value, tuple | list) else value
            for name, value in vars(self).items()
            if name not in _NOT_SAVED and value not in (None, False, (), [], {})
        }
        if self.columns:
            stated["columns"] = {
                field_of(name): list(_several(value)) for name, value in self.columns.items()
            }
        return stated

    def about_amounts(self, fields: Container[str] = ()) -> ImportOptions:
        """Return a change that drops all options that name columns of amounts or of these fields,
        or say which way amounts go.
        """
        stated = self.stated()
        names = [n for n in stated.get("columns", ()) if n == "amount" or n in fields]
        columns: ImportOptions = {"columns": dict.fromkeys(names)} if names else {}
        ways: ImportOptions = {**_SIDES, "sign": None, **POSITIVE}
        given = {name: None for name in ways if name in stated}
        return cast("ImportOptions", {**columns, **given})

    def over(self, below: abc.Mapping[str, Any]) -> tuple["Mapping", dict[str, Any]]:
        """Return this mapping, completed by ``below``, and the parts taken from ``below``.

        Parts of ``below`` that contradict a part of this mapping are not taken.
        """
        stated = self.stated()
        mapped, before = stated.get("columns", {}), below.get("columns", {})
        names = {*stated, *(_MAP + name for name in mapped), *(["account"] if self.account else [])}
        names |= {other for name in names for other in _DISPLACED.get(name, ())}
        # If this mapping maps a column to one field, ``below`` cannot map it to another field.
        columns = ((name, column) for name, value in mapped.items() for column in value)
        moved = {folded(column) for name, column in columns if column not in before.get(name, ())}
        known = vars(self).keys() - _NOT_SAVED - {"columns"} - names
        taken = {name: value for name, value in below.items() if name in known}
        kept = {name: value for name, value in before.items() if _MAP + name not in names}
        left = {name: [c for c in value if folded(c) not in moved] for name, value in kept.items()}
        left = {name: value for name, value in left.items() if value}
        both = replace(self, **taken, columns={**left, **self.columns})
        return both, taken | ({"columns": left} if left else {})


def _several(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (str(value),)


def _checked_columns(columns: abc.Mapping[str, str | Sequence[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, given in columns.items():
        key = field_of(name)
        if key not in FIELDS:
            fault = f"{quoted(name)}: there is no such field; the fields are {', '.join(FIELDS)}"
            raise wrong_option(Option("columns"), fault)
        named = tuple(column.strip() for column in _several(given))
        if key in found or (len(named) > 1 and key not in JOINED):
            raise wrong_option(Option("columns", key), "is given twice")
        found[key] = named
    return found


def _check_ways(mapping: Mapping) -> None:
    """Raise ImportRefused if parts that say which way money goes contradict each other."""
    named = mapping.named
    sides = [side for side in ("debit", "credit") if side in named]
    if mapping.invert and mapping.positive == "in":
        raise excluding({"invert": None}, {"positive": None})
    if mapping.positive not in (None, "in", "out"):
        raise wrong_value("positive", mapping.positive, "is neither in nor out")
    if mapping.card_balance not in (None, OWED, OWNED):
        raise wrong_value("card_balance", mapping.card_balance, "is neither owed nor owned")
    positive = "out" if mapping.invert else mapping.positive
    if sides and "amount" in named:
        raise excluding({"columns": {"amount": None}}, _SIDES)
    if len(sides) == 1:
        other = "credit" if sides == ["debit"] else "debit"
        raise ImportRefused(clause(Topic.ALSO_NEEDS, first=Option(sides[0]), second=Option(other)))
    if sides and positive:
        choices = [Choice(POSITIVE, clause(Says.OUT_IN, column=named["debit"][0]))]
        if positive == "out":
            (debit,), (credit,) = named["debit"], named["credit"]
            exchanged: ImportOptions = {"debit": credit, "credit": debit, **POSITIVE}
            choices.append(Choice(exchanged, clause(Says.OUT_IN, column=credit)))
        named_option = Option("invert" if mapping.invert else "positive")
        fact = clause(Topic.ONLY_FOR_AMOUNT, named=named_option)
        raise ImportRefused(fact, choices=tuple(choices))
    if mapping.sign is not None and (sides or positive):
        raise excluding({"sign": None}, _SIDES if sides else POSITIVE)
    if mapping.mixed_signs not in (None, "plus", "minus", "ignore"):
        fault = "is not one of plus, minus and ignore"
        raise wrong_value("mixed_signs", mapping.mixed_signs, fault)


def _character(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    character = _NAMED_DELIMITERS.get(delimiter.lower(), delimiter)
    if len(character) != 1 or character in _NO_DELIMITER:
        raise wrong_value("delimiter", delimiter, "is not one character such as , ; | or tab")
    return character


def _name(text: str | None, option: str) -> str | None:
    """Return the text as it is stored. Raises ImportRefused if it is empty or invalid."""
    if text is None:
        return None
    try:
        name = clean_or_none(text.strip())
    except TextError as error:
        raise wrong_option(Option(option), str(error)) from None
    if name is None:
        raise wrong_option(Option(option), "is empty")
    return name
