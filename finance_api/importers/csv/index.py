"""Reads profiles, this package's and the operator's own, from TOML; finds them by their headings.

``python -m finance_api.importers.csv.index`` writes the index of this package's profiles.
"""

import difflib
import json
import tomllib
from collections import abc
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from finance_api.importers.clauses import Clause, Says, Topic, clause
from finance_api.importers.csv.dates import DateForm
from finance_api.importers.csv.mapping import FIELDS, Mapping, field_of
from finance_api.importers.csv.profile import (
    CODE,
    FEWEST_COLUMNS,
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
    folded_row,
    parse_headings,
    trim,
)
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.decoding import known_encoding
from finance_api.importers.interface import Choice, ImportRefused, quoted
from finance_api.resources.common import PAYMENT_TYPES
from finance_api.resources.currencies import CODES

SHIPPED = Path(__file__).with_name("profiles")
INDEX = SHIPPED / "index.json"

#: Keys of a profile that are fields of `Mapping`, and their types.
_OF_LAYOUT: dict[str, type] = dict.fromkeys(
    """delimiter decimal thousands date_format timezone encoding debit credit mixed_signs sign
    positive balance fee_category label_separator currency""".split(),
    str,
) | {"no_text": bool}
#: Further keys that are fields of `Profile`, and their types.
_OF_PROFILE: abc.Mapping[str, type] = {
    part.name: kind
    for part in fields(Profile)
    for kind in (str, bool, int)
    if part.type is kind and part.name not in ("name", "text")
}
_NAMES = {str: "a text", bool: "true or false", int: "a number", list: "a list", dict: "a table"}
#: Keys that a leg can map to other columns. recordDate is missing, because a row has only one date.
_OF_LEGS = (frozenset(FIELDS) | {"fee", "balance"}) - {"recordDate"}
_PREAMBLE = ("account", "accountNumber", "currency")


class Profiles:
    """All profiles, sorted by name. This package's own profiles are parsed only when requested."""

    def __init__(
        self, own: Iterable[Profile], shipped: abc.Mapping[str, abc.Mapping[str, Any]] | None = None
    ) -> None:
        """own: profiles that replace shipped ones of the same name. shipped: the shipped index."""
        self._parsed = {profile.name: profile for profile in own}
        index = {**(shipped or {}), **index_of(self._parsed.values())}
        self._index = {name: index[name] for name in sorted(index)}
        self.names = list(self._index)

    def __iter__(self) -> Iterator[Profile]:
        return map(self.get, self.names)

    @property
    def encodings(self) -> list[str]:
        """The encodings that profiles name; a profile without one reads UTF-8."""
        return sorted({entry["encoding"] for entry in self._index.values()} - {None})

    def get(self, name: str) -> Profile:
        """Return the profile with this name. Raises ImportRefused if the name is unknown."""
        key = name.strip().lower()
        if key not in self._index:
            raise ImportRefused(clause(Topic.NO_PROFILE, profile=name))
        if key not in self._parsed:
            self._parsed[key] = read_profile(SHIPPED / f"{key}.toml")
        return self._parsed[key]

    def recognise(self, headings: Sequence[str]) -> Match | None:
        """Find the profile with this heading row. Raises ImportRefused if several have it."""
        texts = trim(folded_row(tuple(headings)))
        if sum(map(bool, texts)) < FEWEST_COLUMNS:
            return None
        found = [
            match
            for name, entry in self._index.items()
            if any(
                HeadingRow(tuple(row), ()).match(texts, entry["begins"]) is not None
                for row in entry["rows"]
            )
            and (match := self.get(name).match(headings)) is not None
        ]
        if len(found) > 1:
            names = [match.profile.name for match in found]
            raise ImportRefused(
                clause(Topic.PROFILES, profiles=tuple(names)),
                choices=tuple(
                    Choice({"profile": name}, clause(Says.FILE_OF, profile=name)) for name in names
                ),
            )
        return found[0] if found else None


def load_profiles(directory: str = "") -> Profiles:
    """Load our profiles, and the profiles in ``directory``, which replace ours of the same name.

    Raises ImportRefused.
    """
    if not directory:
        return _shipped()
    if not Path(directory).is_dir():
        raise ImportRefused(
            f"finance_api.imports.profiles_directory: {directory} is not a directory"
        )
    return Profiles(map(read_profile, sorted(Path(directory).glob("*.toml"))), _shipped_index())


@cache
def _shipped() -> Profiles:
    return Profiles((), _shipped_index())


@cache
def _shipped_index() -> dict[str, dict[str, Any]]:
    index: dict[str, dict[str, Any]] = json.loads(INDEX.read_text("utf-8"))
    return index


def index_of(profiles: Iterable[Profile]) -> dict[str, dict[str, Any]]:
    """Return the name of each profile -> its entry in the index.

    rows: the heading rows that select the profile; empty if only its name selects it.
    begins: see `Profile`. encoding: the encoding of the profile's files; None for UTF-8.
    """
    return {
        profile.name: {
            "rows": [] if profile.by_name_only else [row.texts for row in profile.headings],
            "begins": profile.begins,
            "encoding": profile.mapping.encoding,
        }
        for profile in profiles
    }


def index_text() -> str:
    """Return the text of the index file: one line for each profile."""
    index = index_of(map(read_profile, sorted(SHIPPED.glob("*.toml"))))
    lines = (f"{json.dumps(n)}: {json.dumps(e, ensure_ascii=False)}" for n, e in index.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_profile(path: Path) -> Profile:
    """Read a profile's file. Raises ImportRefused that names the file and the fault."""
    try:
        return parse_profile(path.stem, path.read_text(encoding="utf-8"))
    except OSError as error:
        fault: Clause | str = str(error.strerror)
    except UnicodeDecodeError:
        fault = "it is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        fault = f"it is not TOML: {error}"
    except ImportRefused as refused:
        fault = refused.questions[0].fact
    raise ImportRefused(clause(Topic.PROFILE_IS_WRONG, path=str(path), fault=fault))


def parse_profile(name: str, text: str) -> Profile:
    """Parse a profile. Raises ImportRefused, tomllib.TOMLDecodeError."""
    table = _Table("", tomllib.loads(text))
    headings = _headings(table)
    mapping = Mapping(
        columns=_map(table.table("map"), frozenset(FIELDS)),
        fee=table.words("fee"),
        **table.take_all(_OF_LAYOUT),
    )
    parts = table.take_all(_OF_PROFILE)
    for key in ("title", "version"):
        if key not in parts:
            raise table.refused(key, "is missing")
    pairs = table.take("equal", list) or []
    if not all(_are_texts(pair) and len(pair) == 2 for pair in pairs):
        raise table.refused("equal", "is not a list of pairs of columns")
    only = table.table("only")
    profile = Profile(
        name=name,
        text=text,
        headings=headings,
        mapping=mapping,
        only={column: _selected(only.table(column)) for column in only.left()},
        legs=tuple(map(_leg, table.parts("legs"))),
        leave_out=tuple(_rows(part, "what") for part in table.parts("leave_out")),
        refuse=tuple(_rows(part, "reason") for part in table.parts("refuse")),
        opening=_condition(table, "opening"),
        fill_down=table.words("fill_down"),
        equal=tuple((one, other) for one, other in pairs),
        ignore=table.words("ignore"),
        trailer=Words(table.words("trailer")),
        preamble={n: Words(labels) for n, labels in table.table("preamble").items(_PREAMBLE)},
        payment_types=_payment_types(table.table("payment_types")),
        **parts,
    )
    table.end()
    _check(profile)
    return profile


class _Table:
    """A TOML table whose keys are taken one by one.

    where: the text before a key's name in messages.
    """

    def __init__(self, where: str, values: abc.Mapping[str, Any]) -> None:
        self._where = where
        self._values = dict(values)
        self._known: list[str] = []

    def refused(self, key: str, reason: str) -> ImportRefused:
        return ImportRefused(f"{self._where}{key} {reason}")

    def take(self, key: str, kind: type) -> Any:
        """Take a key's value; None if it is missing. Raises ImportRefused for a wrong value."""
        self._known.append(key)
        value: Any = self._values.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.refused(key, f"is not {_NAMES[kind]}")
        if value == "" or (isinstance(value, int) and value < 0):
            raise self.refused(key, "is empty" if value == "" else "is less than 0")
        return value

    def take_all(self, kinds: abc.Mapping[str, type]) -> dict[str, Any]:
        found = {key: self.take(key, kind) for key, kind in kinds.items()}
        return {key: value for key, value in found.items() if value is not None}

    def words(self, key: str) -> tuple[str, ...]:
        """Take a key whose value is a text or a list of texts."""
        self._known.append(key)
        value = self._values.pop(key, [])
        found = [value] if isinstance(value, str) else value
        if not _are_texts(found):
            raise self.refused(key, "is neither a string nor a list of strings")
        return tuple(found)

    def table(self, key: str) -> "_Table":
        return _Table(f"{self._where}{key}.", self.take(key, dict) or {})

    def parts(self, key: str) -> list["_Table"]:
        """Take an array of tables."""
        found = self.take(key, list) or []
        if not all(isinstance(part, dict) for part in found):
            raise self.refused(key, "must be written as [[…]]")
        return [_Table(f"{key} {n}: ", part) for n, part in enumerate(found, 1)]

    def left(self) -> list[str]:
        return list(self._values)

    def items(self, possible: Collection[str] = ()) -> list[tuple[str, tuple[str, ...]]]:
        """Take all remaining keys with `words`. possible: the permitted keys; empty: all."""
        for key in self.left():
            if possible and key not in possible:
                raise self.refused(key, f"is not one of {', '.join(possible)}")
        return [(key, self.words(key)) for key in self.left()]

    def end(self) -> None:
        """Raise ImportRefused if the table has a key that was not taken."""
        for key in self._values:
            near = difflib.get_close_matches(key, self._known, n=1)
            raise self.refused(
                key, "is not a key of a profile" + (f", did you mean {near[0]}?" if near else "")
            )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _headings(table: _Table) -> tuple[HeadingRow, ...]:
    own = [parse_headings(line) for line in table.words("headings")]
    if not own or not all(own):
        raise table.refused("headings", "is missing")
    rows = [HeadingRow(texts, texts) for texts in own]
    for texts in map(parse_headings, table.words("translations")):
        names = next((names for names in own if len(names) == len(texts)), None)
        if names is None:
            raise table.refused(
                "translations",
                f"has a row of {len(texts)} columns, but no heading row has that many",
            )
        rows.append(HeadingRow(texts, names))
    if len({row.texts for row in rows}) < len(rows):
        raise table.refused("headings", "has the same row twice")
    return tuple(rows)


def _map(table: _Table, fields: frozenset[str]) -> Map:
    found = {}
    for name, columns in table.items():
        if name not in fields:
            near = field_of(name)
            raise table.refused(
                name, f"is not a field{f', it is {near}' if near in fields else ''}"
            )
        found[name] = tuple(column for column in columns if column)
    return found


def _payment_types(table: _Table) -> dict[str, str]:
    found = {}
    for word, types in table.items():
        if len(types) != 1 or types[0] not in PAYMENT_TYPES:
            raise table.refused(word, f"is not one of {', '.join(PAYMENT_TYPES)}")
        found[folded(word)] = types[0]
    return found


def _rows(table: _Table, key: str) -> Rows:
    """Take a condition, and the text at ``key``: the name of the rows, or why they are refused."""
    when, text = _condition(table), table.take(key, str) or ""
    if not when or not text:
        raise table.refused(key if when else "when", "is missing")
    table.end()
    return when, text


def _selected(table: _Table) -> Selected:
    lists = [table.words(key) for key in ("keep", "leave_out", "proved")]
    table.end()
    if not any(lists):
        raise table.refused("keep", "is missing")
    keep, leave_out, proved = ({folded(word) for word in words} for words in lists)
    for word in keep & (leave_out | proved):
        raise table.refused(quoted(word), "is listed both as kept and as not kept")
    return Selected(*map(Words, lists))


def _condition(table: _Table, key: str = "when") -> Condition:
    return {
        column: TESTS.get("".join(words) if len(words) == 1 else "", Words(words).__contains__)
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
        raise table.refused("currency", "is not an ISO 4217 code such as EUR")
    if leg.ignore_sign and leg.positive is None:
        raise table.refused("ignore_sign", "needs positive")
    table.end()
    return leg


def _check(profile: Profile) -> None:
    """Raise ImportRefused if the profile contradicts itself, lacks a key or has a bad value."""
    mapping, legs = profile.mapping, profile.legs
    directions = {leg.positive is not None for leg in legs}
    ways = (mapping.debit, mapping.sign, mapping.positive, mapping.mixed_signs)
    faults = {
        "date_order is neither DMY nor MDY": profile.date_order not in ("", "DMY", "MDY"),
        "date_order and date_format exclude each other": (
            profile.date_order and mapping.date_format is not None
        ),
        "otherwise is not needed: one leg already takes all other rows": (
            profile.otherwise and not all(leg.when for leg in legs)
        ),
        "legs: only one leg can be without when": sum(not leg.when for leg in legs) > 1,
        "legs: either all of them have positive, or none": len(directions) > 1,
        "legs with positive exclude debit, sign, positive and mixed_signs": (
            True in directions and any(ways)
        ),
    }
    for reason, is_so in faults.items():
        if is_so:
            raise ImportRefused(reason)
    (replace(mapping, currency=None) if mapping.currency == CODE else mapping).checked()
    if mapping.encoding is not None:
        known_encoding(mapping.encoding)
    if mapping.date_format is not None:
        DateForm.compile(mapping.date_format)
    mapping.zone()
    if not profile.map.get("recordDate"):
        raise ImportRefused("map.recordDate is missing")
    maps = [leg.map for leg in legs] or [{}]
    if mapping.debit is None and not all(m.get("amount", profile.map.get("amount")) for m in maps):
        raise ImportRefused("either map.amount or both debit and credit must be given")
    _check_columns(profile)


def _check_columns(profile: Profile) -> None:
    """Raise ImportRefused for a column that no heading row has, and for a column that decides about
    money but is missing in a heading row.
    """
    mapping, flat = profile.mapping, chain.from_iterable
    maps = [profile.map, *(leg.map for leg in profile.legs)]
    needed = [c for each in maps for name in ("recordDate", "amount") for c in each.get(name, ())]
    needed += [side for side in (mapping.debit, mapping.credit) if side is not None]
    conditions = [leg.when for leg in profile.legs]
    conditions += [when for when, _ in (*profile.leave_out, *profile.refuse)]
    needed += [*profile.fill_down, *flat(profile.equal), *flat(conditions)]
    others = [*flat(flat(each.values()) for each in maps), *profile.opening, *profile.only]
    matches = [
        Match(profile, row.names, "EUR" if CODE in str(row) else "") for row in profile.headings
    ]
    for column in [] if profile.begins else [*needed, *others, *profile.ignore]:
        if not column.isdigit() and all(match.index(column) is None for match in matches):
            raise ImportRefused(f"no heading row has the column {quoted(column)}")
    for column in needed:
        if any(match.index(column) is None for match in matches):
            raise ImportRefused(f"a heading row lacks the column {quoted(column)}")
    for match in matches:
        for option, text in (("sign", mapping.sign), *(("fee", fee) for fee in mapping.fee)):
            if text is not None:
                match.column_and_rest(option, text)


if __name__ == "__main__":
    INDEX.write_text(index_text(), "utf-8")
