"""Reads and checks the TOML file of a profile."""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from finance_api.importers.csv.columns import FIELDS, field_of
from finance_api.importers.csv.date_form import DateForm
from finance_api.importers.csv.decoding import known_encoding
from finance_api.importers.csv.layout import Layout
from finance_api.importers.csv.profile import (
    CODE,
    TESTS,
    Condition,
    HeadingRow,
    Leg,
    Map,
    Match,
    Profile,
    Rows,
    Selected,
    Words,
    parse_headings,
)
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused
from finance_api.importers.marks import CODES
from finance_api.importers.texts import quoted
from finance_api.resources.common import PAYMENT_TYPES

#: Keys that are parts of a `Layout`, and their types.
_OF_LAYOUT: Mapping[str, type] = {
    **dict.fromkeys(
        """delimiter decimal thousands date_format timezone encoding debit credit mixed_signs sign
        positive balance fee_category label_separator currency""".split(),
        str,
    ),
    "no_text": bool,
}
#: Further keys whose value is a part of the `Profile`.
_OF_PROFILE: Mapping[str, type] = {
    part.name: kind
    for part in fields(Profile)
    for kind in (str, bool, int)
    if part.type is kind and part.name not in ("name", "text")
}
_NAMES = {str: "a text", bool: "true or false", int: "a number", list: "a list", dict: "a table"}
#: Fields and more that legs may take from other columns; a row has one date.
_OF_LEGS = (frozenset(FIELDS) | {"fee", "balance"}) - {"recordDate"}
_PREAMBLE = ("account", "accountNumber", "currency")


def read_profile(path: Path) -> Profile:
    """Raises ImportRefused with the file's name and what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
        return parse_profile(path.stem, text)
    except OSError as error:
        reason = str(error.strerror)
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"it is no TOML: {error}"
    except ImportRefused as refused:
        reason = refused.reason
    raise ImportRefused(f"the profile {path}: {reason}")


def parse_profile(name: str, text: str) -> Profile:
    """Raises ImportRefused, tomllib.TOMLDecodeError."""
    table = _Table("", tomllib.loads(text))
    headings = _headings(table)
    layout = Layout(
        columns=_map(table.table("map"), frozenset(FIELDS)),
        fee=table.words("fee"),
        **table.take_all(_OF_LAYOUT),
    )
    parts = table.take_all(_OF_PROFILE)
    for key in ("title", "version"):
        if key not in parts:
            raise table.refused(key, "is missing")
    profile = Profile(
        name=name,
        text=text,
        headings=headings,
        layout=layout,
        only={column: _selected(part) for column, part in table.tables("only")},
        legs=tuple(_leg(part) for part in table.parts("legs")),
        leave_out=_rows(table, "leave_out", "what"),
        refuse=_rows(table, "refuse", "reason"),
        opening=_condition(table, "opening"),
        fill_down=table.words("fill_down"),
        equal=tuple(_pair(pair) for pair in table.take("equal", list) or ()),
        ignore=table.words("ignore"),
        trailer=Words(table.words("trailer")),
        preamble=_preamble(table.table("preamble")),
        payment_types=_payment_types(table.table("payment_types")),
        **parts,
    )
    table.end()
    _check(profile)
    return profile


class _Table:
    """A table of the file, whose keys are taken one by one.

    where: as it stands in messages.
    """

    def __init__(self, where: str, values: Mapping[str, Any]) -> None:
        self._where = where
        self._values = dict(values)
        self._known: list[str] = []

    def refused(self, key: str, reason: str) -> ImportRefused:
        return ImportRefused(f"{self._where}{key} {reason}")

    def take(self, key: str, kind: type) -> Any:
        """None if it is not there."""
        self._known.append(key)
        value: Any = self._values.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.refused(key, f"is not {_NAMES[kind]}")
        if value == "" or (isinstance(value, int) and value < 0):
            raise self.refused(key, "is empty" if value == "" else "is less than 0")
        return value

    def take_all(self, kinds: Mapping[str, type]) -> dict[str, Any]:
        """Take the keys that are there, with their values."""
        found = {key: self.take(key, kind) for key, kind in kinds.items()}
        return {key: value for key, value in found.items() if value is not None}

    def required(self, key: str) -> str:
        value: str | None = self.take(key, str)
        if value is None:
            raise self.refused(key, "is missing")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """A text, or several in a list."""
        self._known.append(key)
        value = self._values.pop(key, [])
        found = [value] if isinstance(value, str) else value
        if not _are_texts(found):
            raise self.refused(key, "is neither a text nor a list of texts")
        return tuple(found)

    def table(self, key: str) -> "_Table":
        return _Table(f"{self._where}{key}.", self.take(key, dict) or {})

    def tables(self, key: str) -> list[tuple[str, "_Table"]]:
        """Take a table of tables: name and table of each."""
        table = self.table(key)
        return [(name, table.table(name)) for name in table.left()]

    def parts(self, key: str) -> list["_Table"]:
        """Take an array of tables."""
        found = self.take(key, list) or []
        for part in found:
            if not isinstance(part, dict):
                raise self.refused(key, "is not written [[…]]")
        return [_Table(f"{key} {n}: ", part) for n, part in enumerate(found, 1)]

    def left(self) -> list[str]:
        """The keys that were not taken."""
        return list(self._values)

    def items(self) -> list[tuple[str, tuple[str, ...]]]:
        """All that is left, each as `words`."""
        return [(key, self.words(key)) for key in self.left()]

    def end(self) -> None:
        """Raise ImportRefused if a key is left that nobody knows."""
        for key in self._values:
            near = difflib.get_close_matches(key, self._known, n=1)
            raise self.refused(
                key, "is no key of a profile" + (f", did you mean {near[0]}?" if near else "")
            )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _headings(table: _Table) -> tuple[HeadingRow, ...]:
    own = [parse_headings(line) for line in table.words("headings")]
    if not own or not all(own):
        raise table.refused("headings", "is missing")
    rows = [HeadingRow(texts, texts) for texts in own]
    for texts in (parse_headings(line) for line in table.words("translations")):
        names = next((names for names in own if len(names) == len(texts)), None)
        if names is None:
            raise table.refused(
                "translations", f"has a row of {len(texts)} columns, and no heading row has as many"
            )
        rows.append(HeadingRow(texts, names))
    if len({row.texts for row in rows}) < len(rows):
        raise table.refused("headings", "has a row twice")
    return tuple(rows)


def _map(table: _Table, fields: frozenset[str]) -> Map:
    found = {}
    for name, columns in table.items():
        if name not in fields:
            near = field_of(name)
            raise table.refused(name, f"is no field{f', it is {near}' if near in fields else ''}")
        found[name] = tuple(column for column in columns if column)
    return found


def _preamble(table: _Table) -> dict[str, Words]:
    found = {name: Words(labels) for name, labels in table.items()}
    for name in found.keys() - set(_PREAMBLE):
        raise table.refused(name, f"is none of {', '.join(_PREAMBLE)}")
    return found


def _payment_types(table: _Table) -> dict[str, str]:
    found = {word: types[0] if len(types) == 1 else "" for word, types in table.items()}
    for word, payment_type in found.items():
        if payment_type not in PAYMENT_TYPES:
            raise table.refused(word, f"is none of {', '.join(PAYMENT_TYPES)}")
    return {folded(word): payment_type for word, payment_type in found.items()}


def _rows(table: _Table, key: str, text: str) -> tuple[Rows, ...]:
    found = []
    for part in table.parts(key):
        when = _condition(part)
        if not when:
            raise part.refused("when", "is missing")
        found.append(Rows(when, part.required(text)))
        part.end()
    return tuple(found)


def _selected(table: _Table) -> Selected:
    lists = [table.words(key) for key in ("keep", "leave_out", "proved")]
    table.end()
    if not any(lists):
        raise table.refused("keep", "is missing")
    keep, leave_out, proved = ({folded(word) for word in words} for words in lists)
    for word in keep & (leave_out | proved):
        raise table.refused(quoted(word), "is kept, and not kept")
    return Selected(*map(Words, lists))


def _condition(table: _Table, key: str = "when") -> Condition:
    return {
        column: words[0] if len(words) == 1 and words[0] in TESTS else Words(words)
        for column, words in table.table(key).items()
    }


def _leg(table: _Table) -> Leg:
    leg = Leg(
        _condition(table),
        table.take("positive", str),
        table.take("ignore_sign", bool) or False,
        table.take("currency", str) or "",
        _map(table.table("map"), _OF_LEGS),
    )
    if leg.positive not in (None, "in", "out"):
        raise table.refused("positive", "is neither in nor out")
    if leg.currency and leg.currency not in CODES:
        raise table.refused("currency", "is no ISO 4217 code such as EUR")
    if leg.ignore_sign and leg.positive is None:
        raise table.refused("ignore_sign", "needs positive")
    table.end()
    return leg


def _pair(value: Any) -> tuple[str, str]:
    if not _are_texts(value) or len(value) != 2:
        raise ImportRefused("equal is not a list of pairs of columns")
    return value[0], value[1]


def _check(profile: Profile) -> None:
    """Raise ImportRefused if the profile contradicts itself or names what is not there."""
    layout, legs = profile.layout, profile.legs
    directions = {leg.positive is not None for leg in legs}
    ways = (layout.debit, layout.sign, layout.positive, layout.mixed_signs)
    faults = {
        "date_order is neither DMY nor MDY": profile.date_order not in ("", "DMY", "MDY"),
        "date_order and date_format exclude each other": (
            profile.date_order and layout.date_format is not None
        ),
        "otherwise: there is a leg for all other rows": (
            profile.otherwise and not all(leg.when for leg in legs)
        ),
        "legs: only one of them can be without when": sum(not leg.when for leg in legs) > 1,
        "legs: all of them say positive, or none": len(directions) > 1,
        "legs that say positive exclude debit, sign, positive and mixed_signs": (
            True in directions and any(ways)
        ),
    }
    for reason, is_so in faults.items():
        if is_so:
            raise ImportRefused(reason)
    (replace(layout, currency=None) if layout.currency == CODE else layout).checked()
    if layout.encoding is not None:
        known_encoding(layout.encoding)
    if layout.date_format is not None:
        DateForm.compile(layout.date_format)
    layout.zone()
    if not profile.map.get("recordDate"):
        raise ImportRefused("map.recordDate is missing")
    maps = [leg.map for leg in legs] or [{}]
    if layout.debit is None and not all(m.get("amount", profile.map.get("amount")) for m in maps):
        raise ImportRefused("map.amount is missing, or debit and credit")
    _check_columns(profile)


def _check_columns(profile: Profile) -> None:
    """Raise ImportRefused for a column that the headings lack."""
    layout = profile.layout
    needed, others = _columns(profile)
    matches = [
        Match(profile, row.names, "EUR" if CODE in str(row) else "") for row in profile.headings
    ]
    for column in [] if profile.begins else [*needed, *others]:
        if not column.isdigit() and all(match.index(column) is None for match in matches):
            raise ImportRefused(f"no heading row has the column {quoted(column)}")
    for column in needed:
        if any(match.index(column) is None for match in matches):
            raise ImportRefused(f"a heading row lacks the column {quoted(column)}")
    for match in matches:
        for option, text in (("sign", layout.sign), *(("fee", fee) for fee in layout.fee)):
            if text is not None:
                match.column_and_rest(option, text)


def _columns(profile: Profile) -> tuple[list[str], list[str]]:
    """The columns that every heading row needs, as they decide about money, and all others."""
    layout, maps = profile.layout, [leg.map for leg in profile.legs]
    needed = [column for name in ("recordDate", "amount") for column in profile.map.get(name, ())]
    needed += [side for side in (layout.debit, layout.credit) if side is not None]
    needed += [column for legs_map in maps for column in legs_map.get("amount", ())]
    needed += [column for condition in profile.conditions for column in condition]
    needed += [*profile.fill_down, *(column for pair in profile.equal for column in pair)]
    others = [
        column for each in (profile.map, *maps) for columns in each.values() for column in columns
    ]
    return needed, [*others, *profile.opening, *profile.only, *profile.ignore]
