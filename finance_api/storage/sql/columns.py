"""The columns of stored values, the same on SQLite and PostgreSQL.

Numbers and times are 64-bit integers, which both databases store and add exactly. Text compares by
code point on both. Lists are packed into one text. Texts that can be searched ignoring case have a
second column with the folded text, because neither database folds as Unicode does.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Integer, Text

from finance_api.resources.field import Field, Kind, names_of
from finance_api.resources.naming import snake_case
from finance_api.runtime.time_limit import in_time
from finance_api.values import Row
from finance_api.values.text import fold

#: Text in the order of its code points: SQLite's default, PostgreSQL's "C".
CodePointText = Text().with_variant(Text(collation="C"), "postgresql")

#: A key that the database assigns.
AutoKey = BigInteger().with_variant(Integer(), "sqlite")

#: Separate the elements of a packed list, which have no control characters and no commas.
SEPARATORS: dict[Kind, str] = {Kind.TEXT_LIST: "\x1f", Kind.ID_LIST: ","}

_TYPES: dict[Kind, Any] = {
    Kind.NUMBER: BigInteger(),
    Kind.DATE: BigInteger(),
    Kind.DATETIME: BigInteger(),
    Kind.BOOLEAN: Boolean(),
    Kind.SERIAL: BigInteger(),
}


def pack(elements: Sequence[str], separator: str) -> str:
    """Return a list as one text, each element between two separators; '' for the empty list.

    Search with the separators for a whole element, and without them for a part of one.
    """
    return separator + separator.join(elements) + separator if elements else ""


def column_name(field: Field) -> str:
    return snake_case(field.name)


def folded_name(field: Field) -> str:
    """Return the name of the column with the folded form of a text field."""
    return column_name(field) + "_folded"


def columns_of(field: Field, *, searchable: bool) -> list[Column[Any]]:
    """Make the column of a field and, for searchable text, the column of its folded form."""
    columns = [
        Column(
            column_name(field),
            _TYPES.get(field.kind, CodePointText),
            primary_key=field.name == "id",
            nullable=field.nullable,
        )
    ]
    if searchable and field.kind.is_text:
        columns.append(Column(folded_name(field), CodePointText, nullable=field.nullable))
    return columns


def packed(kind: Kind) -> Callable[[Sequence[str]], str]:
    """Return a function that makes the column's value of a list."""
    return partial(pack, separator=SEPARATORS[kind])


def packed_folded(kind: Kind) -> Callable[[Sequence[str]], str]:
    """Return a function that makes the folded column's value of a list."""
    separator = SEPARATORS[kind]
    return lambda elements: fold(pack(elements, separator))


def loader_of(kind: Kind) -> Callable[[Any], Any] | None:
    """Return a function that makes a field's value of the column's; None if they are equal."""
    if kind is Kind.BOOLEAN:
        # SQLite has no booleans.
        return lambda value: None if value is None else bool(value)
    if kind.is_list:
        separator = SEPARATORS[kind]
        return lambda value: tuple(value[1:-1].split(separator)) if value else ()
    return None


class RowLoader:
    """Makes rows of selected columns, which are those of some fields in their order."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._names = names_of(fields)
        self._loaders = [(f.name, load) for f in fields if (load := loader_of(f.kind)) is not None]

    def load(self, found: Iterable[Sequence[Any]]) -> list[Row]:
        rows: list[Row] = [dict(zip(self._names, values, strict=True)) for values in in_time(found)]
        for name, load in self._loaders:
            for row in in_time(rows):
                row[name] = load(row[name])
        return rows
