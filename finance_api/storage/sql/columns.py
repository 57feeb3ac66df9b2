"""How stored values become columns, the same on SQLite and PostgreSQL.

Numbers and times are 64-bit integers, which both databases keep and add exactly; text compares by
code point on both; lists are packed into one text. Beside each text that can be searched without
regard to case stands its folded form, because neither database folds as Unicode does.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from finance_api.resources.field import Field, Kind
from finance_api.resources.naming import snake_case
from finance_api.values.text import fold

#: Text in the order of its code points: SQLite's default, PostgreSQL's "C".
CodePointText = Text().with_variant(Text(collation="C"), "postgresql")

#: A key that the database hands out.
AutoKey = BigInteger().with_variant(Integer(), "sqlite")

#: Stands between the elements of a packed list of text; control characters are never in text.
_UNIT_SEPARATOR = "\x1f"


class PackedList(TypeDecorator[tuple[str, ...]]):
    """A list of texts in one text, each element between two separators; the empty list is ''.

    An element is found by looking for it with its separators, a part of one without them.
    """

    impl = CodePointText
    cache_ok = True

    def __init__(self, separator: str = _UNIT_SEPARATOR) -> None:
        super().__init__()
        self.separator = separator

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return value if isinstance(value, str) else pack(value, self.separator)

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[str, ...] | None:
        return tuple(value[1:-1].split(self.separator)) if value else ()

    def coerce_compared_value(self, op: Any, value: Any) -> TypeEngine[Any]:
        return self


def pack(elements: tuple[str, ...], separator: str = _UNIT_SEPARATOR) -> str:
    return separator + separator.join(elements) + separator if elements else ""


#: The types of lists.
LIST_TYPES: dict[Kind, PackedList] = {
    Kind.TEXT_LIST: PackedList(),
    Kind.ID_LIST: PackedList(","),
}

_TYPES: dict[Kind, Any] = {
    Kind.TEXT: CodePointText,
    Kind.NUMBER: BigInteger(),
    Kind.DATE: BigInteger(),
    Kind.DATETIME: BigInteger(),
    Kind.ID: CodePointText,
    Kind.CHOICE: CodePointText,
    Kind.BOOLEAN: Boolean(),
    **LIST_TYPES,
}


def column_name(field: Field) -> str:
    return snake_case(field.name)


def folded_name(field: Field) -> str:
    """Where the folded form of a text field is kept."""
    return column_name(field) + "_folded"


def columns_of(field: Field, *, searchable: bool) -> list[Column[Any]]:
    """The column of a field and, for searchable text, that of its folded form."""
    columns = [
        Column(
            column_name(field),
            _TYPES[field.kind],
            primary_key=field.name == "id",
            nullable=field.nullable,
        )
    ]
    if searchable and field.kind.is_text:
        columns.append(Column(folded_name(field), CodePointText, nullable=field.nullable))
    return columns


def stored(field: Field, value: Any) -> Any:
    """What the column of ``field`` holds for ``value``, as a driver takes it."""
    if field.kind.is_list:
        return pack(value, LIST_TYPES[field.kind].separator)
    return value


def folded(field: Field, value: Any) -> str | None:
    """What the folded column of ``field`` holds for ``value``."""
    if value is None:
        return None
    return fold(value) if isinstance(value, str) else fold(pack(value))
