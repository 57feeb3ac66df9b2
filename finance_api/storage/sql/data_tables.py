"""The tables of the resources, one per resource; they convert rows to columns and back.

Numbers and times are 64-bit integers, which both databases store and add exactly. Both compare
text by code point. Lists are packed into one text. Texts that can be searched ignoring case have a
second column with the folded text, because neither database folds as Unicode does.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Field, Kind, Resource, names_of, snake_case
from finance_api.runtime.time_limit import in_time
from finance_api.serialization.rows import encoder_of
from finance_api.storage.sql.tables import CodePointText, metadata, owner_column, revision_column
from finance_api.values import Row
from finance_api.values.text import fold, plain

#: Separators of elements in packed lists. No text has \x1f, and no id or limit has a comma.
SEPARATORS: dict[Kind, str] = {Kind.TEXT_LIST: "\x1f", Kind.ID_LIST: ",", Kind.LIMIT_LIST: ","}

_TYPES: dict[Kind, Any] = {
    Kind.NUMBER: sa.BigInteger(),
    Kind.DATE: sa.BigInteger(),
    Kind.DATETIME: sa.BigInteger(),
    Kind.BOOLEAN: sa.Boolean(),
    Kind.SERIAL: sa.BigInteger(),
}


def pack(elements: Sequence[str], separator: str) -> str:
    """Return a list as one text, each element between two separators; '' for the empty list.

    To search for a whole element, include the separators; for a part of an element, leave them out.
    """
    return separator + separator.join(elements) + separator if elements else ""


def column_name(field: Field) -> str:
    return snake_case(field.name)


def folded_name(field: Field) -> str:
    """Return the name of the column with the folded form of a text field."""
    return column_name(field) + "_folded"


def columns_of(field: Field, *, searchable: bool) -> list[sa.Column[Any]]:
    """Make the column of a field and, for searchable text, the column of its folded form."""
    columns = [
        sa.Column(
            column_name(field),
            _TYPES.get(field.kind, CodePointText),
            primary_key=field.name == "id",
            nullable=field.nullable,
        )
    ]
    if searchable and field.kind.is_text:
        columns.append(sa.Column(folded_name(field), CodePointText, nullable=field.nullable))
    return columns


def packed(kind: Kind) -> Callable[[Sequence[str]], str]:
    """Return a function that packs a list into the value of its column."""
    return partial(pack, separator=SEPARATORS[kind])


def packed_folded(kind: Kind) -> Callable[[Sequence[str]], str]:
    """Return a function that packs and folds a list for its folded column."""
    separator = SEPARATORS[kind]
    return lambda elements: fold(pack(elements, separator))


def loader_of(kind: Kind) -> Callable[[Any], Any] | None:
    """Return a function that converts a column's value to the field's value.

    Returns None if both values are the same.
    """
    if kind is Kind.BOOLEAN:
        # SQLite has no booleans: convert its integers.
        return lambda value: None if value is None else bool(value)
    if kind.is_list:
        separator = SEPARATORS[kind]
        return lambda value: tuple(value[1:-1].split(separator)) if value else ()
    return None


class RowLoader:
    """Makes rows from the values of selected columns: the columns of some fields, in order."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._names = names_of(fields)
        self._loaders = [(f.name, load) for f in fields if (load := loader_of(f.kind)) is not None]

    def load(self, found: Iterable[Sequence[Any]]) -> list[Row]:
        rows: list[Row] = []
        for values in in_time(found):
            row = dict(zip(self._names, values, strict=True))
            for name, load in self._loaders:
                row[name] = load(row[name])
            rows.append(row)
        return rows


@dataclass(eq=False)
class ConditionTable:
    """The columns that conditions use, by the names of their fields.

    folded: the columns of folded texts. lists: the names of the fields stored as packed lists.
    plain: the columns of PLAIN_TEXTS, if the table has them.
    """

    user_id: sa.ColumnElement[int]
    columns: Mapping[str, sa.ColumnElement[Any]]
    folded: Mapping[str, sa.ColumnElement[Any]]
    lists: Collection[str]
    plain: Mapping[str, sa.ColumnElement[Any]] = dataclasses.field(default_factory=dict)

    def alias(self) -> "ConditionTable":
        """Return the same table under another name, to select its rows beside those of this one."""
        other = self.user_id.table.alias()
        columns = {name: other.c[column.name] for name, column in self.columns.items()}
        return ConditionTable(other.c[self.user_id.name], columns, {}, self.lists)


#: Stands between texts: no text to search for has it.
_SEPARATOR = SEPARATORS[Kind.TEXT_LIST]


def _names(row: Row) -> str:
    """Return all names of a record."""
    return _SEPARATOR.join([row["category"] or "", *row["labels"], row["accountName"]])


def _payees(row: Row) -> str | None:
    """Return the payee, and after it the original one."""
    payees = row["payee"], row["originalPayee"]
    return None if payees == (None, None) else _SEPARATOR.join(filter(None, payees))


#: The texts of a record in which words are looked for: payees, note, and the names of its category,
#: labels and account. Each has a column without case and accents; see `values.text.plain`.
PLAIN_TEXTS: Mapping[str, Callable[[Row], str | None]] = {
    "payee": _payees,
    "note": itemgetter("note"),
    "names": _names,
}


#: PostgreSQL allows no text above 2,704 bytes in an index; a character has up to 4 bytes.
_LONG: sa.ColumnElement[int] = sa.literal_column("501")


def has_long_payee(payee: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether PostgreSQL's index by payee leaves the record out.

    An equality, because PostgreSQL expects few rows to be equal if it has no statistics.
    """
    length: sa.ColumnElement[int] = sa.func.coalesce(sa.func.length(payee), sa.literal_column("0"))
    shortened: sa.ColumnElement[int] = sa.func.least(length, _LONG)
    return shortened == _LONG


class DataTable(ConditionTable):
    """The table of one resource; it converts rows to columns and back.

    columns: the columns of the persisted fields, by field name. listed, persisted: the columns of
    the listed and the persisted fields. load_listed, load_persisted: functions that make rows from
    the values of these columns. revision: the column with the revision that last changed the row's
    JSON; None if the resource is not public or has computed fields. json: the column with rows as
    JSON objects; None without a revision, and for records, whose JSON is in `records_by_date`.
    """

    def __init__(self, resource: Resource) -> None:
        listed = resource.listed_fields
        has_revision = resource.path is not None and not resource.computed_fields
        own_json = has_revision and resource is not RECORDS
        self._plain_texts = PLAIN_TEXTS if resource is RECORDS else {}
        plain_columns = {
            name: sa.Column(f"{name}_plain", CodePointText) for name in self._plain_texts
        }
        # Searched texts first: PostgreSQL reads a row's columns up to the last that a query needs.
        fields = sorted(resource.persisted_fields, key=lambda f: f.name not in self._plain_texts)
        self.table = sa.Table(
            snake_case(resource.name),
            metadata,
            owner_column(),
            *plain_columns.values(),
            *(column for f in fields for column in columns_of(f, searchable=f in listed)),
            *([sa.Column("json", CodePointText, nullable=False)] if own_json else []),
            *([revision_column()] if has_revision else []),
            sa.UniqueConstraint("user_id", "source", "source_id"),
        )
        self.revision = self.table.c.revision if has_revision else None
        self.json = self.table.c.json if own_json else None
        if self.revision is not None:
            sa.Index(None, self.table.c.user_id, self.revision, self.table.c.id)
        super().__init__(
            self.table.c.user_id,
            {f.name: self.table.c[column_name(f)] for f in resource.persisted_fields},
            {f.name: self.table.c[folded_name(f)] for f in listed if f.kind.is_text},
            {f.name for f in resource.persisted_fields if f.kind.is_list},
            plain_columns,
        )
        self.listed = [self.columns[name] for name in names_of(listed)]
        self.persisted = list(self.columns.values())
        self.load_listed = RowLoader(listed).load
        self.load_persisted = RowLoader(resource.persisted_fields).load
        # For each column: its field, and a function that converts the field's value.
        plan: list[tuple[Field, Callable[[Any], Any] | None]] = []
        for field in fields:
            is_list = field.kind.is_list
            plan.append((field, packed(field.kind) if is_list else None))
            if field in listed and field.kind.is_text:
                plan.append((field, packed_folded(field.kind) if is_list else fold))
        self._values = itemgetter(*(field.name for field, _ in plan))
        self._converters = [
            (place, convert) for place, (_, convert) in enumerate(plan) if convert is not None
        ]
        self._encode = encoder_of(resource).encode if has_revision else None

    def encode(self, row: Row) -> str:
        """Return the row as the JSON object of a response, if the table has a revision."""
        return "" if self._encode is None else self._encode(row).decode()

    def values(self, user_id: int, row: Row, json: str, revision: int = 0) -> list[Any]:
        """Return the values of all columns of the table for a whole row, as drivers take them.

        json: from `encode`.
        """
        own = list(self._values(row))
        for place, convert in self._converters:
            value = own[place]
            if value is not None:
                own[place] = convert(value)
        texts = [text_of(row) for text_of in self._plain_texts.values()]
        values = [user_id, *(None if text is None else plain(text) for text in texts), *own]
        if self.json is not None:
            values.append(json)
        if self.revision is not None:
            values.append(revision)
        return values


DATA_TABLES: dict[str, DataTable] = {r.name: DataTable(r) for r in RESOURCES}
