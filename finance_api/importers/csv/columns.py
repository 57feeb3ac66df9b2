"""The columns of the fields."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finance_api.importers.csv.options import CsvOptions
from finance_api.importers.csv.wording import listed, quoted
from finance_api.importers.interface import ImportRefused
from finance_api.values.text import TextError, clean, fold

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
    "currency": ("currencyCode",),
    "paymentType": (),
}
_BY_NAME = {fold(name): field for field, more in FIELDS.items() for name in (field, *more)}

# The nearest heading is looked for among so many headings of so many characters:
# difflib takes quadratic time.
_COMPARED = 100


@dataclass(frozen=True)
class Wanted:
    """The columns that the user named, before any file is seen.

    columns: field -> column as the user wrote it; with "debit" and "credit" beside FIELDS.
    unmapped: fields that must not map by themselves.
    """

    columns: Mapping[str, str]
    unmapped: frozenset[str]
    has_account: bool

    @classmethod
    def of(cls, options: CsvOptions) -> "Wanted":
        """Raises ImportRefused if the options contradict each other."""
        columns: dict[str, str] = {}
        unmapped: set[str] = set()
        for name, column in options.columns.items():
            field = _BY_NAME.get(fold(name.strip()))
            if field is None:
                raise ImportRefused(
                    f"--map {quoted(name)}: there is no such field; the fields are "
                    + ", ".join(FIELDS)
                )
            if field in columns or field in unmapped:
                raise ImportRefused(f"--map {field} is given twice")
            if column.strip():
                columns[field] = column.strip()
            else:
                unmapped.add(field)
        for side, column_ in (("debit", options.debit), ("credit", options.credit)):
            if column_ is not None:
                columns[side] = column_.strip()
        for field, column in columns.items():
            try:
                clean(column)
            except TextError as error:
                raise ImportRefused(f"the heading {quoted(column)} for {field} {error}") from None
        _check(columns, options)
        if "debit" in columns:
            unmapped.add("amount")
        return cls(columns, frozenset(unmapped), options.account is not None)


def _check(columns: Mapping[str, str], options: CsvOptions) -> None:
    sides = [side for side in ("debit", "credit") if side in columns]
    if sides and "amount" in columns:
        raise ImportRefused(f"--map amount and --{sides[0]} exclude each other")
    if len(sides) == 1:
        other = "credit" if sides == ["debit"] else "debit"
        raise ImportRefused(f"--{sides[0]} needs --{other} beside it")
    if sides and options.invert:
        raise ImportRefused(
            "--invert is for an amount column; exchange --debit and --credit instead"
        )
    if "account" in columns and options.account is not None:
        raise ImportRefused("--account and --map account exclude each other")
    if "currency" in columns and options.currency is not None:
        raise ImportRefused("--currency and --map currency exclude each other")


def find_columns(
    wanted: Wanted, headings: Sequence[str] | None, width: int, line: int
) -> dict[str, int]:
    """Field (also "debit", "credit") -> index of its column.

    headings: trimmed; None if the file has none, and then columns go by number.
    line: where the headings stand, for messages.
    Raises ImportRefused for a column that is not there, not unique, or missing.
    """
    found = {
        field: _position(field, column, headings, width, line)
        for field, column in wanted.columns.items()
    }
    if "debit" in found and found["debit"] == found["credit"]:
        raise ImportRefused("--debit and --credit name the same column", line)
    by_itself: dict[str, int] = {}
    for index, heading in enumerate(headings or ()):
        field = _BY_NAME.get(_key(heading), "")
        if not field or field in found or field in wanted.unmapped:
            continue
        if field in by_itself:
            raise ImportRefused(
                f"columns {by_itself[field] + 1} and {index + 1} both have a heading of "
                f"{field}: name one by its number, --map {field}={by_itself[field] + 1}, or "
                f"neither, --map {field}=",
                line,
            )
        by_itself[field] = index
    found |= by_itself
    _require(found, wanted, headings, line)
    return found


def _position(
    field: str, column: str, headings: Sequence[str] | None, width: int, line: int
) -> int:
    option = f"--{field}" if field in ("debit", "credit") else f"--map {field}"
    if headings is not None:
        places = [i for i, heading in enumerate(headings) if heading == column]
        if not places:
            key = _key(column)
            places = [i for i, heading in enumerate(headings) if heading and _key(heading) == key]
        if len(places) > 1:
            numbers = ", ".join(str(i + 1) for i in places)
            raise ImportRefused(
                f"{option}: several columns have the heading {quoted(column)}; name one by its "
                f"number: {numbers}",
                line,
            )
        if places:
            return places[0]
    if column.isascii() and column.isdigit() and len(column) < 9:
        if 1 <= int(column) <= width:
            return int(column) - 1
        raise ImportRefused(f"{option}: there is no column {column}, only {width}", line)
    if headings is None:
        raise ImportRefused(
            f"{option}: with --no-header a column goes by its number from 1, not {quoted(column)}"
        )
    near = difflib.get_close_matches(
        column[:_COMPARED], [heading[:_COMPARED] for heading in headings[:_COMPARED]], n=1
    )
    raise ImportRefused(
        f"{option}: there is no heading {quoted(column)}"
        + (f", did you mean {quoted(near[0])}?" if near else "")
        + f"; {_found(headings)}",
        line,
    )


def _require(
    found: Mapping[str, int], wanted: Wanted, headings: Sequence[str] | None, line: int
) -> None:
    if "recordDate" not in found:
        raise ImportRefused(
            f"no column is the date; name it with --map recordDate=…; {_found(headings)}", line
        )
    if "amount" not in found and "debit" not in found:
        raise ImportRefused(
            "no column is the amount; name it with --map amount=…, or two with --debit … "
            f"--credit …; {_found(headings)}",
            line,
        )
    if "account" not in found and not wanted.has_account:
        raise ImportRefused(
            "the file does not say which account it is about; name it with --account, or its "
            f"column with --map account=…; {_found(headings)}"
        )


def _found(headings: Sequence[str] | None) -> str:
    if headings is None:
        return "columns go by their number from 1"
    return f"the headings are {listed(heading for heading in headings if heading)}"


def _key(heading: str) -> str:
    """The form in which headings are compared: NFC, without case."""
    return fold(clean(heading)).strip()
