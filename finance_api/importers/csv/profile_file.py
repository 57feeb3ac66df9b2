"""Profiles as TOML files: reads and checks them, and writes one from saved answers."""

import csv
import difflib
import io
import json
import tomllib
from collections import abc
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from finance_api.importers.clauses import Clause, Option, Topic, clause
from finance_api.importers.csv.amounts import AmountColumns
from finance_api.importers.csv.cells import SignWords
from finance_api.importers.csv.dates import DateForm
from finance_api.importers.csv.mapping import FIELDS, Mapping, field_of
from finance_api.importers.csv.profile import (
    CODE,
    TESTS,
    Condition,
    HeadingRow,
    Leg,
    Map,
    Match,
    Profile,
    Refused,
    Rows,
    Selected,
    Words,
    parse_headings,
)
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.decoding import known_encoding
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.resources.common import PAYMENT_TYPES
from finance_api.resources.currencies import CODES

#: Keys that are fields of `Mapping`, and their types.
_OF_MAPPING: dict[str, type] = dict.fromkeys(
    """delimiter decimal thousands date_format timezone encoding debit credit mixed_signs sign
    positive card_balance units balance fee_category label_separator currency""".split(),
    str,
) | {"no_text": bool}
#: Keys of answers, other than the columns of fields.
_ANSWERS = (*_OF_MAPPING, "fee", "only", "leave_out", "ignore", "fill_down")
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
#: The place of a key: the names of its tables, the number of a table in an array, and its name.
_Path = tuple[str | int, ...]


class _Fault(Exception):
    """A fault of a profile. path: the key that has it."""

    def __init__(self, path: _Path, fault: Clause | str) -> None:
        super().__init__(fault)
        self.path = path
        self.fault = fault


def read_profile(path: Path) -> Profile:
    """Read a profile's file. Raises ImportRefused that names the file, the key and the line."""
    line = 0
    try:
        text = path.read_bytes().decode()
        return parse_profile(path.stem, text)
    except OSError as error:
        fault: Clause | str = str(error.strerror)
    except UnicodeDecodeError as error:
        fault, line = "it is not UTF-8", error.object.count(b"\n", 0, error.start) + 1
    except ValueError as error:
        # Not only tomllib.TOMLDecodeError: numbers can have too many digits.
        fault = f"it is not TOML: {error}"
    except _Fault as error:
        fault, line = error.fault, _line_of(error.path, text)
    place = f" (line {line})" if line else ""
    raise ImportRefused(clause(Topic.PROFILE_IS_WRONG, path=str(path), fault=fault, place=place))


def _line_of(path: _Path, text: str) -> int:
    """Return the line of a key, or of the innermost table that should have it; 0 if neither."""
    found = most = end = 0
    lines = text.splitlines()
    for count in range(1, len(lines) + 1):
        with suppress(tomllib.TOMLDecodeError):
            value: Any = tomllib.loads("\n".join(lines[:count]))
            depth = 0
            with suppress(LookupError, TypeError):
                for part in path:
                    value = value[part - 1 if isinstance(part, int) else part]
                    depth += 1
            if depth > most:
                found, most = end + 1, depth
            end = count
    return found


def parse_profile(name: str, text: str) -> Profile:
    """Parse a profile. Raises _Fault, tomllib.TOMLDecodeError."""
    table = _Table((), tomllib.loads(text))
    headings = _headings(table)
    mapping = Mapping(
        columns=_map(table.table("map"), frozenset(FIELDS)),
        fee=table.words("fee"),
        only=table.words("only") if table.has_texts("only") else (),
        leave_out=table.words("leave_out") if table.has_texts("leave_out") else (),
        **table.take_all(_OF_MAPPING),
    )
    parts = table.take_all(_OF_PROFILE)
    for key in ("title", "version"):
        if key not in parts:
            raise table.fault(key, "is missing")
    only = table.table("only")
    profile = Profile(
        name=name,
        text=text,
        headings=headings,
        mapping=mapping,
        only={column: _selected(only.table(column)) for column in only.left()},
        legs=tuple(map(_leg, table.parts("legs"))),
        leave_out=tuple(_rows(part, "what") for part in table.parts("leave_out")),
        refuse=tuple(map(_refused, table.parts("refuse"))),
        opening=_condition(table, "opening"),
        currencies=table.words("currencies"),
        fill_down=table.words("fill_down"),
        equal=table.pairs("equal"),
        names=table.pairs("names"),
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
    """A TOML table whose keys are taken one by one."""

    def __init__(self, path: _Path, values: abc.Mapping[str, Any]) -> None:
        self._path = path
        self._values = dict(values)
        self._known: list[str] = []

    def fault(self, key: str, reason: str) -> _Fault:
        where = ""
        for part in self._path:
            where = f"{where}{part}." if isinstance(part, str) else f"{where[:-1]} {part}: "
        return _Fault((*self._path, key), f"{where}{key} {reason}")

    def take(self, key: str, kind: type) -> Any:
        """Take a key's value; None if it is missing. Raises _Fault for a wrong value."""
        self._known.append(key)
        value: Any = self._values.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fault(key, f"is not {_NAMES[kind]}")
        if value == "" or (isinstance(value, int) and value < 0):
            raise self.fault(key, "is empty" if value == "" else "is less than 0")
        return value

    def take_all(self, kinds: abc.Mapping[str, type]) -> dict[str, Any]:
        found = {key: self.take(key, kind) for key, kind in kinds.items()}
        return {key: value for key, value in found.items() if value is not None}

    def has_texts(self, key: str) -> bool:
        return _are_texts(self._values.get(key))

    def words(self, key: str) -> tuple[str, ...]:
        """Take a key whose value is a text or a list of texts."""
        self._known.append(key)
        value = self._values.pop(key, [])
        found = [value] if isinstance(value, str) else value
        if not _are_texts(found):
            raise self.fault(key, "is neither a string nor a list of strings")
        return tuple(found)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        found = self.take(key, list) or []
        if not all(_are_texts(pair) and len(pair) == 2 for pair in found):
            raise self.fault(key, "is not a list of pairs of columns")
        return tuple((one, other) for one, other in found)

    def table(self, key: str) -> "_Table":
        return _Table((*self._path, key), self.take(key, dict) or {})

    def parts(self, key: str) -> list["_Table"]:
        """Take an array of tables."""
        found = self.take(key, list) or []
        if not all(isinstance(part, dict) for part in found):
            raise self.fault(key, "must be written as [[…]]")
        return [_Table((key, number), part) for number, part in enumerate(found, 1)]

    def left(self) -> list[str]:
        return list(self._values)

    def items(self, possible: Collection[str] = ()) -> list[tuple[str, tuple[str, ...]]]:
        """Take all remaining keys with `words`. possible: the permitted keys; empty: all."""
        for key in self.left():
            if possible and key not in possible:
                raise self.fault(key, f"is not one of {', '.join(possible)}")
        return [(key, self.words(key)) for key in self.left()]

    def end(self) -> None:
        """Raise _Fault if the table has a key that was not taken."""
        for key in self._values:
            near = difflib.get_close_matches(key, self._known, n=1)
            meant = f", did you mean {near[0]}?" if near else ""
            raise self.fault(key, f"is not a key of a profile{meant}")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _headings(table: _Table) -> tuple[HeadingRow, ...]:
    own = _parsed(table, "headings")
    if not own or not all(own):
        raise table.fault("headings", "is missing")
    rows = [HeadingRow(texts, texts) for texts in own]
    for texts in _parsed(table, "translations"):
        names = next((names for names in own if len(names) == len(texts)), None)
        if names is None:
            fault = f"has a row of {len(texts)} columns, but no heading row has that many"
            raise table.fault("translations", fault)
        rows.append(HeadingRow(texts, names))
    if len({row.texts for row in rows}) < len(rows):
        raise table.fault("headings", "has the same row twice")
    return tuple(rows)


def _parsed(table: _Table, key: str) -> list[tuple[str, ...]]:
    try:
        return [parse_headings(line) for line in table.words(key)]
    except csv.Error as error:
        raise table.fault(key, f"is no line of CSV: {error}") from None


def _map(table: _Table, names: frozenset[str]) -> Map:
    found = {}
    for name, columns in table.items():
        if name not in names:
            near = field_of(name)
            raise table.fault(name, f"is not a field{f', it is {near}' if near in names else ''}")
        found[name] = tuple(column for column in columns if column)
    return found


def _payment_types(table: _Table) -> dict[str, str]:
    found = {}
    for word, types in table.items():
        if len(types) != 1 or types[0] not in PAYMENT_TYPES:
            raise table.fault(word, f"is not one of {', '.join(PAYMENT_TYPES)}")
        found[folded(word)] = types[0]
    return found


def _refused(table: _Table) -> Refused:
    only = table.words("only")
    return *_rows(table, "reason"), only


def _rows(table: _Table, key: str) -> Rows:
    """Take a condition, and the text at ``key``: the name of the rows, or why they are refused."""
    when, text = _condition(table), table.take(key, str) or ""
    if not when or not text:
        raise table.fault(key if when else "when", "is missing")
    table.end()
    return when, text


def _selected(table: _Table) -> Selected:
    lists = [table.words(key) for key in ("keep", "leave_out", "proved")]
    table.end()
    if not any(lists):
        raise table.fault("keep", "is missing")
    keep, leave_out, proved = ({folded(word) for word in words} for words in lists)
    for word in keep & (leave_out | proved):
        raise table.fault("keep", f"{quoted(word)} is listed both as kept and as not kept")
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
        raise table.fault("positive", "is neither in nor out")
    if leg.currency and leg.currency not in CODES:
        raise table.fault("currency", "is not an ISO 4217 code such as EUR")
    if leg.ignore_sign and leg.positive is None:
        raise table.fault("ignore_sign", "needs positive")
    table.end()
    return leg


def _check(profile: Profile) -> None:
    """Raise _Fault if the profile contradicts itself, lacks a key or has a bad value."""
    mapping, legs = profile.mapping, profile.legs
    directions = {leg.positive is not None for leg in legs}
    says_twice = profile.says_direction and any(
        (mapping.debit, mapping.sign, mapping.positive, mapping.mixed_signs)
    )
    others = [leg for leg in legs if not leg.when]
    has_days = profile.partial or profile.map.get("recordDate")
    maps = [{**profile.map, **leg.map} for leg in legs or [Leg()]]
    has_money = profile.partial or mapping.debit or all(map_.get("amount") for map_ in maps)
    faults = {
        "date_order is neither DMY nor MDY": profile.date_order not in ("", "DMY", "MDY"),
        "date_order and date_format exclude each other": profile.date_order and mapping.date_format,
        "otherwise is not needed: one leg already takes all other rows": (
            profile.otherwise and others
        ),
        "legs: only one leg can be without when": len(others) > 1,
        "legs: either all of them have positive, or none": len(directions) > 1,
        "legs with positive exclude debit, sign, positive and mixed_signs": says_twice,
        "map.recordDate is missing": not has_days,
        "either map.amount or both debit and credit must be given": not has_money,
    }
    for reason, is_so in faults.items():
        if is_so:
            keys = ("date_order", "otherwise", "legs", "map")
            raise _Fault((next(key for key in keys if key in reason),), reason)
    _checked(replace(mapping, currency=None if mapping.currency == CODE else mapping.currency))
    _check_columns(profile)


def _checked(mapping: Mapping) -> None:
    try:
        mapping.checked()
        AmountColumns(mapping.decimal, mapping.thousands)
        if mapping.encoding is not None:
            known_encoding(mapping.encoding)
        if mapping.date_format is not None:
            DateForm.compile(mapping.date_format)
        mapping.zone()
    except ImportRefused as refused:
        fact = refused.questions[0].fact
        facts = fact.facts.values() if isinstance(fact, Clause) else ()
        named = [option for option in facts if isinstance(option, Option)]
        paths = [("map", o.field) if o.name == "columns" else (o.name,) for o in named]
        raise _Fault(paths[0] if paths else (), fact) from None


def _check_columns(profile: Profile) -> None:
    """Raise _Fault for a column that no heading row has, and for a column that decides about money
    but is missing in a heading row.
    """
    mapping, legs = profile.mapping, [*enumerate(profile.legs, 1)]
    columns: list[tuple[_Path, Sequence[str]]]
    columns = [(("map", name), each) for name, each in profile.map.items()]
    columns += [(("legs", n, "map", name), c) for n, leg in legs for name, c in leg.map.items()]
    needed = [(path, each) for path, each in columns if path[-1] in ("recordDate", "amount")]
    sides = {"debit": mapping.debit, "credit": mapping.credit}
    needed += [((name,), (side,)) for name, side in sides.items() if side is not None]
    needed += [(("legs", n, "when"), tuple(leg.when)) for n, leg in legs]
    for key in ("leave_out", "refuse"):
        rows = enumerate(getattr(profile, key), 1)
        needed += [((key, n, "when"), tuple(when)) for n, (when, *_) in rows]
    needed += [(("fill_down",), profile.fill_down)]
    needed += [(("equal",), pair) for pair in profile.equal]
    needed += [(("names",), pair) for pair in profile.names]
    others = [*columns, (("opening",), tuple(profile.opening)), (("ignore",), profile.ignore)]
    others += [(("only", column), (column,)) for column in profile.only]
    others += [(("balance",), (mapping.balance,))] if mapping.balance is not None else []
    matches = [Match(profile, row.names, "") for row in profile.headings]
    for path, names in [] if profile.begins else [*needed, *others]:
        for column in names:
            if not column.isdigit() and all(match.index(column) is None for match in matches):
                raise _Fault(path, f"no heading row has the column {quoted(column)}")
    for path, names in needed:
        for column in names:
            if any(match.index(column) is None for match in matches):
                raise _Fault(path, f"a heading row lacks the column {quoted(column)}")
    _check_values(mapping, matches)


def _check_values(mapping: Mapping, matches: Sequence[Match]) -> None:
    """Raise _Fault for a value such as ``COLUMN=WORDS`` whose column or rest is wrong."""
    options = [("sign", mapping.sign), *(("fee", fee) for fee in mapping.fee)]
    options += [(key, text) for key in ("only", "leave_out") for text in getattr(mapping, key)]
    for option, text in options:
        for match in matches if text is not None else ():
            try:
                _, rest = match.column_and_rest(option, text or "")
                if option == "sign":
                    SignWords(0, rest)
            except ImportRefused as refused:
                raise _Fault((option,), refused.questions[0].fact) from None
            if rest is None and option in ("only", "leave_out"):
                raise _Fault((option,), f"{option}: {quoted(text or '')} is not COLUMN=VALUE")


def profile_text(title: str, headings: Sequence[str], answers: abc.Mapping[str, Any]) -> str:
    """Return a profile's file. answers: as `Mapping.stated` returns them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(headings)
    table = {
        "title": title,
        "version": 1,
        "by_name_only": True,
        "partial": True,
        "headings": line.getvalue(),
        **{key: answers[key] for key in _ANSWERS if key in answers},
    }
    lines = [*_lines(table), "[map]", *_lines(answers.get("columns", {}))]
    return "".join(f"{line}\n" for line in lines)


def _lines(table: abc.Mapping[str, Any]) -> list[str]:
    # A text, list, number or boolean of JSON is one of TOML, except for the character DEL.
    texts = {key: json.dumps(value, ensure_ascii=False) for key, value in table.items()}
    return [f"{key} = {text}".replace("\x7f", "\\u007f") for key, text in texts.items()]
