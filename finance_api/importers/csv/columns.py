"""The columns of the fields."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finance_api.importers.csv.options import POSITIVE, CsvOptions, positive_of
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import Answer, ImportRefused
from finance_api.importers.questions import excluding
from finance_api.importers.texts import listed, quoted
from finance_api.values.text import TextError, clean, fold

_SIDES = ("--debit", "--credit")

#: Field -> its other names. A column with one of these headings maps by itself.
FIELDS: Mapping[str, tuple[str, ...]] = {
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
    "valueDate": (),
    "counterpartyAccount": (),
    "reference": (),
    "originalAmount": (),
    "originalCurrencyCode": (),
}
_BY_NAME = {fold(name): field for field, more in FIELDS.items() for name in (field, *more)}
#: Fields that may be made of several columns, joined by one space.
JOINED = frozenset(("recordDate", "payee", "note", "category", "labels", "reference", "account"))

# The nearest heading is looked for among so many headings of so many characters:
# difflib takes quadratic time.
_COMPARED = 100


def field_of(name: str) -> str:
    """The field that ``--map`` names, ``name`` itself if there is none."""
    return _BY_NAME.get(fold(name.strip()), name)


#: Field, or "debit", "credit", "sign", "balance", "fee" -> the indexes of its columns.
Columns = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Wanted:
    """The columns that the user named, before any file is seen.

    columns: field -> columns as the user wrote them; with "debit", "credit" and "balance".
    sign, fee, only: as in the options.
    unmapped: fields that must not map by themselves.
    """

    columns: Mapping[str, tuple[str, ...]]
    unmapped: frozenset[str]
    sign: str | None
    fee: tuple[str, ...]
    only: tuple[str, ...]

    @classmethod
    def of(cls, options: CsvOptions) -> "Wanted":
        """Raises ImportRefused if the options contradict each other."""
        columns: dict[str, tuple[str, ...]] = {}
        unmapped: set[str] = set()
        for name, given in options.columns.items():
            field = field_of(name)
            if field not in FIELDS:
                raise ImportRefused(
                    f"--map {quoted(name)}: there is no such field; the fields are "
                    + ", ".join(FIELDS)
                )
            named = tuple(
                column.strip() for column in ((given,) if isinstance(given, str) else given)
            )
            if field in columns or field in unmapped or (len(named) > 1 and field not in JOINED):
                raise ImportRefused(f"--map {field} is given twice")
            if any(named):
                columns[field] = named
            else:
                unmapped.add(field)
        for option in ("debit", "credit", "balance"):
            column = getattr(options, option)
            if column is not None:
                columns[option] = (column.strip(),)
        for field, named in columns.items():
            for column in named:
                try:
                    clean(column)
                except TextError as error:
                    raise ImportRefused(
                        f"the heading {quoted(column)} for {field} {error}"
                    ) from None
        _check(columns, options)
        if "debit" in columns:
            unmapped.add("amount")
        return cls(
            columns, frozenset(unmapped), options.sign, tuple(options.fee), tuple(options.only)
        )


def _check(columns: Mapping[str, tuple[str, ...]], options: CsvOptions) -> None:
    sides = [side for side in ("debit", "credit") if side in columns]
    positive = positive_of(options)
    if sides and "amount" in columns:
        raise excluding(("--map amount",), [f"--{side}" for side in sides])
    if len(sides) == 1:
        other = "credit" if sides == ["debit"] else "debit"
        raise ImportRefused(f"--{sides[0]} needs --{other} beside it")
    if sides and positive:
        raise ImportRefused(
            f"--{'invert' if options.invert else 'positive'} is for an amount column; exchange "
            "--debit and --credit instead",
            answers=_of_inverted_sides(columns, positive),
        )
    if options.sign is not None and (sides or positive):
        raise excluding(("--sign",), _SIDES if sides else POSITIVE)
    if options.mixed_signs not in (None, "plus", "minus", "ignore"):
        raise ImportRefused(
            f"--mixed-signs {quoted(options.mixed_signs)} is none of plus, minus and ignore"
        )
    if options.mixed_signs and not sides and options.sign is None:
        raise ImportRefused(
            "--mixed-signs is for --debit and --credit, or --sign",
            answers=(Answer(instead_of=("--mixed-signs",)),),
        )
    if "account" in columns and options.account is not None:
        raise excluding(("--account",), ("--map account",))
    if "currency" in columns and options.currency is not None:
        raise excluding(("--currency",), ("--map currency",))


def _of_inverted_sides(columns: Mapping[str, tuple[str, ...]], positive: str) -> tuple[Answer, ...]:
    left_out = Answer(instead_of=POSITIVE, meaning=_outgoing(columns["debit"]))
    if positive == "in":
        return (left_out,)
    exchanged = ("--debit", *columns["credit"], "--credit", *columns["debit"])
    meaning = _outgoing(columns["credit"])
    return left_out, Answer(exchanged, (*POSITIVE, *_SIDES), meaning)


def _outgoing(columns: tuple[str, ...]) -> str:
    return f"money going out is in {listed(columns)}"


@dataclass(frozen=True)
class Headings:
    """The heading row, or the first row of a file without one.

    texts: trimmed; None if the file has none, and then columns go by number.
    line: where the headings stand, for messages.
    """

    texts: Sequence[str] | None
    width: int
    line: int

    def position(self, option: str, column: str) -> int:
        """The index of the column that ``option`` names; ImportRefused."""
        headings = self.texts
        if headings is not None:
            places = [i for i, heading in enumerate(headings) if heading == column]
            if not places:
                key = folded(column)
                places = [
                    i for i, heading in enumerate(headings) if heading and folded(heading) == key
                ]
            if len(places) > 1:
                numbers = ", ".join(str(i + 1) for i in places)
                raise ImportRefused(
                    f"{option}: several columns have the heading {quoted(column)}; name one by "
                    f"its number: {numbers}",
                    self.line,
                )
            if places:
                return places[0]
        if column.isascii() and column.isdigit() and len(column) < 9:
            if 1 <= int(column) <= self.width:
                return int(column) - 1
            raise ImportRefused(
                f"{option}: there is no column {column}, only {self.width}", self.line
            )
        if headings is None:
            raise ImportRefused(
                f"{option}: with --no-header a column goes by its number from 1, not "
                f"{quoted(column)}"
            )
        near = difflib.get_close_matches(
            column[:_COMPARED], [heading[:_COMPARED] for heading in headings[:_COMPARED]], n=1
        )
        raise ImportRefused(
            f"{option}: there is no heading {quoted(column)}"
            + (f", did you mean {quoted(near[0])}?" if near else "")
            + f"; {self.found()}",
            self.line,
        )

    def position_and_rest(self, option: str, text: str) -> tuple[int, str | None]:
        """``COLUMN`` or ``COLUMN=REST``, where either may have further equals signs."""
        try:
            return self.position(option, text.strip()), None
        except ImportRefused:
            if "=" not in text:
                raise
        parts = text.split("=")
        refusal: ImportRefused | None = None
        for count in range(1, len(parts)):
            try:
                column = self.position(option, "=".join(parts[:count]).strip())
            except ImportRefused as refused:
                refusal = refusal or refused
            else:
                return column, "=".join(parts[count:])
        assert refusal is not None
        raise refusal

    def named(self, index: int) -> str:
        """What names the column in an option: its heading, or its number from 1."""
        headings = self.texts
        if headings is None or not headings[index] or "\n" in headings[index]:
            return str(index + 1)
        is_only_one = self._counts[folded(headings[index])] == 1
        return headings[index] if is_only_one and len(headings[index]) <= 60 else str(index + 1)

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(map(folded, self.texts or ()))

    def found(self) -> str:
        if self.texts is None:
            return "columns go by their number from 1"
        return f"the headings are {listed(heading for heading in self.texts if heading)}"


def find_columns(wanted: Wanted, headings: Headings) -> tuple[Columns, dict[str, list[int]]]:
    """The columns, and the fields that several of them map to by themselves: the others' indexes.

    Raises ImportRefused for a column that is not there, or not unique.
    """
    found: Columns = {}
    for field, named in wanted.columns.items():
        option = f"--{field}" if field in ("debit", "credit", "balance") else f"--map {field}"
        found[field] = tuple(headings.position(option, column) for column in named)
    if "debit" in found and found["debit"] == found["credit"]:
        raise ImportRefused("--debit and --credit name the same column", headings.line)
    if wanted.sign is not None:
        found["sign"] = (headings.position_and_rest("--sign", wanted.sign)[0],)
    if wanted.fee:
        found["fee"] = tuple(headings.position_and_rest("--fee", fee)[0] for fee in wanted.fee)
    for condition in wanted.only:
        headings.position_and_rest("--only", condition)
    by_itself: Columns = {}
    doubled: dict[str, list[int]] = {}
    for index, heading in enumerate(headings.texts or ()):
        field = _BY_NAME.get(folded(heading), "")
        if not field or field in found or field in wanted.unmapped:
            continue
        if field in by_itself:
            doubled.setdefault(field, []).append(index)
        else:
            by_itself[field] = (index,)
    return found | by_itself, doubled
