"""The columns of stored values, the same on SQLite and PostgreSQL.

Numbers and times are 64-bit integers, which both databases store and add exactly; text compares by
code point on both; lists are packed into one text. Beside each text that can be searched without
regard to case stands its folded form, because neither database folds as Unicode does.
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

#: A key that the database hands out.
AutoKey = BigInteger().with_variant(Integer(), "sqlite")

#: Stand between the elements of a packed list, and in none of them: text has no control characters.
SEPARATORS: dict[Kind, str] = {Kind.TEXT_LIST: "\x1f", Kind.ID_LIST: ","}

_TYPES: dict[Kind, Any] = {
    Kind.NUMBER: BigInteger(),
    Kind.DATE: BigInteger(),
    Kind.DATETIME: BigInteger(),
    Kind.BOOLEAN: Boolean(),
    Kind.SERIAL: BigInteger(),
}


def pack(elements: Sequence[str], separator: str) -> str:
    """A list in one text, each element between two separators; the empty list is ''.

    An element is found by looking for it with its separators, a part of one without them.
    """
    return separator + separator.join(elements) + separator if elements else ""


def column_name(field: Field) -> str:
    return snake_case(field.name)


def folded_name(field: Field) -> str:
    """The column of the folded form of a text field."""
    return column_name(field) + "_folded"


def columns_of(field: Field, *, searchable: bool) -> list[Column[Any]]:
    """The column of a field and, for searchable text, that of its folded form."""
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
    """Makes the column's value of a list."""
    return partial(pack, separator=SEPARATORS[kind])


def packed_folded(kind: Kind) -> Callable[[Sequence[str]], str]:
    """Makes the folded column's value of a list."""
    separator = SEPARATORS[kind]
    return lambda elements: fold(pack(elements, separator))


def loader_of(kind: Kind) -> Callable[[Any], Any] | None:
    """Makes a field's value of the column's, where they differ."""
    if kind is Kind.BOOLEAN:
        # SQLite has no booleans.
        return lambda value: None if value is None else bool(value)
    if kind.is_list:
        separator = SEPARATORS[kind]
        return lambda value: tuple(value[1:-1].split(separator)) if value else ()
    return None


class RowLoader:
    """Makes rows of what is selected: the columns of some fields, in their order."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._names = names_of(fields)
        self._loaders = [(f.name, load) for f in fields if (load := loader_of(f.kind)) is not None]

    def load(self, found: Iterable[Sequence[Any]]) -> list[Row]:
        rows: list[Row] = [dict(zip(self._names, values, strict=True)) for values in in_time(found)]
        for name, load in self._loaders:
            for row in in_time(rows):
                row[name] = load(row[name])
        return rows
