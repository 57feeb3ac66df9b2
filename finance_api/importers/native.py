"""Reads and writes rows as NDJSON: one JSON object per line, with its ``reserved_model_type``.

A file is read to its end before any of it is stored. Each field's reader is made only once, because
reading a million records takes some ten million calls to readers.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache, partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any, BinaryIO, NamedTuple

import orjson

from finance_api.importers import NATIVE
from finance_api.importers.interface import ImportRefused
from finance_api.resources import BY_MODEL_TYPE, RECORDS, RESOURCES, SPLITS
from finance_api.resources.field import (
    MAX_SOURCE_CHARACTERS,
    MAX_SOURCE_ID_CHARACTERS,
    Field,
    Kind,
    Resource,
)
from finance_api.serialization.rows import RowEncoder
from finance_api.serialization.values import Writer
from finance_api.values import Row
from finance_api.values.ids import parse_id
from finance_api.values.number import decimal_text, to_units
from finance_api.values.period_limits import limit_texts
from finance_api.values.text import TextError, clean, clean_or_none
from finance_api.values.time import date_text, instant_text, parse_date, parse_time

MAX_LIST_ELEMENTS = 1_000
_LONGEST = {"source": MAX_SOURCE_CHARACTERS, "sourceId": MAX_SOURCE_ID_CHARACTERS}

#: JSON value (never null) -> stored value; raises ValueRefused.
Reader = Callable[[Any], Any]


MAX_EXTRA_CHARACTERS = 1_000_000
_MAX_DEPTH = 20
_MAX_EXPONENT = 30


class ValueRefused(ValueError):
    """The value cannot be stored in the field; the message says why."""


def _reader(expected: type | tuple[type, ...], what: str, parse: Callable[[Any], Any]) -> Reader:
    """Return a reader for JSON values of a type. parse: raises a ValueError that says why."""

    def read(value: Any) -> Any:
        # In Python, true and false are integers as well.
        if not isinstance(value, expected) or isinstance(value, bool):
            raise ValueRefused(f"is not a {what}")
        try:
            return parse(value)
        except ValueError as error:
            raise ValueRefused(str(error)) from None

    return read


def _text(field: Field) -> Reader:
    longest = _LONGEST.get(field.name)

    def parse(value: str) -> str | None:
        text = clean_or_none(value)
        if text is not None and longest is not None and len(text) > longest:
            raise ValueRefused(f"has {len(text)} characters; at most {longest} are allowed")
        return text

    return _reader(str, "text", clean_or_none if longest is None else parse)


def _id(field: Field) -> Reader:
    # Cache references: files name the same few accounts, categories and labels again and again.
    return _reader(str, "UUID", lru_cache(maxsize=4096)(parse_id) if field.references else parse_id)


def _choice(field: Field) -> Reader:
    choices = frozenset(field.choices)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueRefused(f"is not one of {', '.join(field.choices)}")
        return value

    return read


def _read_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueRefused("is neither true nor false")
    return value


def _list(element: Callable[[Field], Reader]) -> Callable[[Field], Reader]:
    def reader(field: Field) -> Reader:
        read_element = element(field)

        def read(value: Any) -> tuple[str, ...]:
            # Removes repetitions and keeps the order.
            elements = dict.fromkeys(map(read_element, _elements(value)))
            elements.pop(None, None)
            return tuple(elements)

        return read

    return reader


def _elements(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueRefused("is not a list")
    if len(value) > MAX_LIST_ELEMENTS:
        raise ValueRefused(f"has {len(value)} elements; at most {MAX_LIST_ELEMENTS} are allowed")
    return value


_LIMIT_READERS: dict[str, Reader] = {
    "periodStart": _reader(str, "date", parse_date),
    "limit": _reader((int, Decimal), "number", to_units),
}


def _read_limits(value: Any) -> tuple[str, ...]:
    limits: dict[int, int] = {}
    for element in _elements(value):
        if not isinstance(element, dict):
            raise ValueRefused("has an element that is no object with periodStart and limit")
        if element.keys() != _LIMIT_READERS.keys():
            raise ValueRefused(
                f"has an object with {', '.join(element) or 'nothing in it'}: each has periodStart "
                "and limit alone"
            )
        day, limit = (_read_member(element, name) for name in _LIMIT_READERS)
        if limit < 0:
            raise ValueRefused(f"has the limit {decimal_text(limit)}, which is below 0")
        if day in limits:
            raise ValueRefused(f"has two limits for {date_text(day)}: give one")
        limits[day] = limit
    return limit_texts(limits)


def _read_member(element: dict[str, Any], name: str) -> int:
    try:
        value: int = _LIMIT_READERS[name](element[name])
    except ValueRefused as error:
        raise ValueRefused(f"has a {name} that {error}") from None
    return value


_OF_KIND: dict[Kind, Callable[[Field], Reader]] = {
    Kind.TEXT: _text,
    Kind.NUMBER: lambda field: _reader(
        (int, Decimal), "number", partial(to_units, decimals=field.decimals)
    ),
    Kind.DATE: lambda field: _reader(str, "date", parse_time if field.keeps_time else parse_date),
    Kind.DATETIME: lambda field: _reader(str, "date-time", parse_time),
    Kind.ID: _id,
    Kind.CHOICE: _choice,
    Kind.BOOLEAN: lambda field: _read_boolean,
    Kind.TEXT_LIST: _list(_text),
    Kind.ID_LIST: _list(_id),
    Kind.LIMIT_LIST: lambda field: _read_limits,
}


def reader_of(field: Field) -> Reader:
    return _OF_KIND[field.kind](field)


def extra_text(members: dict[str, Any]) -> str | None:
    """Return the members as one line of JSON with exact numbers; None if there are no members."""
    if not members:
        return None
    text = _json(members, _MAX_DEPTH)
    if len(text) > MAX_EXTRA_CHARACTERS:
        raise ValueRefused(
            f"other fields have {len(text)} characters; at most {MAX_EXTRA_CHARACTERS} are allowed"
        )
    return text


def _json(value: Any, depth: int) -> str:
    if depth == 0:
        raise ValueRefused(f"is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        keys = [clean_key(key) for key in value]
        if len(set(keys)) != len(keys):
            raise ValueRefused(
                "has the same key twice after control characters and accents are normalised"
            )
        return "{" + ",".join(f"{_string(k)}:{_json(v, depth - 1)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_json(v, depth - 1) for v in value) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Decimal):
        if not value:
            return "0"
        if not value.is_finite() or abs(value.adjusted()) > _MAX_EXPONENT:
            raise ValueRefused("contains a number that is out of range")
        return format(value, "f")
    return json.dumps(value)


def clean_key(key: str) -> str:
    """Return the key as it is stored. Raises ValueRefused."""
    try:
        return clean(key)
    except TextError as error:
        raise ValueRefused(f"has a key that {error}") from None


def _string(text: str) -> str:
    try:
        return json.dumps(clean(text), ensure_ascii=False)
    except TextError as error:
        raise ValueRefused(str(error)) from None


TYPE_KEY = "reserved_model_type"
#: The ``bookState`` of an object that the user deleted, so that its book does not bring it back.
DELETED = "deleted"
#: The fields that such an object needs.
_OF_DELETED = ("source", "sourceId")
#: Maximum bytes of text in all values of an object. Such an object is always written as a line
#: below MAX_LINE_BYTES, even if all of its text has to be escaped.
MAX_TEXT_BYTES = 4_194_304
# Shorter lines cannot exceed MAX_TEXT_BYTES, even if Unicode normalization makes them longer.
_LONG_LINE_BYTES = MAX_TEXT_BYTES // 4


MAX_LINE_BYTES = 16_777_216
_BOM = b"\xef\xbb\xbf"
#: Model type -> fields whose lists become tuples after reading: JSON has no tuples.
_LISTS = {
    resource.model_type: {field.name for field in resource.native_fields if field.kind.is_list}
    for resource in RESOURCES
}
#: Up to this many bytes of records stay in memory, and as many of all other objects.
_SPOOLED_BYTES = 1 << 20


class _ObjectReader:
    """Reads the objects of one type. Looks up the fields' readers only once."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self._readers = {f.name: reader_of(f) for f in resource.native_fields}
        self._required = [f.name for f in resource.native_fields if f.required]

    def read(self, members: dict[str, Any]) -> dict[str, Any]:
        """Return the stored values of the object's fields; null counts as a missing field.

        Raises ValueRefused.
        """
        values: dict[str, Any] = {}
        others: dict[str, Any] = {}
        readers = self._readers
        open_ended = self.resource.open_ended
        for name, value in members.items():
            if open_ended:
                name = clean_key(name)
                if name in values or name in others:
                    raise ValueRefused(f'the key "{name}" appears twice in one object')
            read = readers.get(name)
            if read is None:
                if not open_ended:
                    raise ValueRefused(
                        f'"{name}" is not a field of {self.resource.model_type}; '
                        f"its fields are {', '.join(readers)}"
                    )
                others[name] = value
            elif value is not None:
                try:
                    values[name] = read(value)
                except ValueRefused as error:
                    raise ValueRefused(f"{name} {error}") from None
        if open_ended:
            values["extra"] = extra_text(others)
        return values

    def complete(self, values: dict[str, Any]) -> None:
        """Check that no required field is missing, and add the source. Raises ValueRefused."""
        if values.get("sourceId") is not None:
            if values.get("source") is None:
                values["source"] = NATIVE
        elif "id" not in values:
            raise ValueRefused("has neither id nor sourceId")
        for name in _OF_DELETED if is_deleted(self.resource, values) else self._required:
            if values.get(name) is None:
                raise ValueRefused(f"{self.resource.model_type} needs {name}")


def is_deleted(resource: Resource, values: Mapping[str, Any]) -> bool:
    """Return whether an object only says that the user deleted it. No record does."""
    return resource not in (RECORDS, SPLITS) and values.get("bookState") == DELETED


_READERS = {model_type: _ObjectReader(r) for model_type, r in BY_MODEL_TYPE.items()}


class NativeRow(NamedTuple):
    """One object of the file.

    values: the stored values of the native fields that the object has; null counts as missing.
    size: the approximate size in bytes.
    """

    line: int
    resource: Resource
    values: dict[str, Any]
    size: int = 0


#: Yields objects of a file in order; each call starts from the first object.
NativeRows = Callable[[], Iterator[NativeRow]]


def _rows(spool: IO[bytes]) -> Iterator[NativeRow]:
    spool.seek(0)
    for line in spool:
        number, model_type, values = orjson.loads(line)
        for name in _LISTS[model_type] & values.keys():
            values[name] = tuple(values[name])
        yield NativeRow(number, BY_MODEL_TYPE[model_type], values, len(line))


class NativeFile(NamedTuple):
    """A file of objects that was read to its end.

    documents: all objects except Records. size: the approximate size of all objects in bytes.
    source: the only source of its objects, except parts of splits, which have none; None if there
    is no such source. is_book: whether it is a book of another program.
    remarks: sentences for the user. balances: the balance of accounts as the file has it, by id, in
    ten-thousandths.
    """

    documents: NativeRows
    records: NativeRows
    size: int
    source: str | None = None
    is_book: bool = False
    remarks: Sequence[str] = ()
    balances: Mapping[str, int] = {}

    def objects(self) -> Iterator[NativeRow]:
        yield from self.documents()
        yield from self.records()

    def mapped(self, change: Callable[[Iterator[NativeRow]], Iterator[NativeRow]]) -> "NativeFile":
        """Return the file with other objects. change: returns them for those of this file."""
        return self._replace(
            documents=lambda: change(self.documents()), records=lambda: change(self.records())
        )

    def check_source(self, what: str) -> None:
        """Raise ImportRefused if no source names the book. what: what else could be done."""
        if self.source in (None, NATIVE):
            raise ImportRefused(
                f"{what} if the file is a book of another program, or if all of its objects have "
                "the same source, which names the book"
            )


@contextmanager
def native_file(stream: BinaryIO) -> Iterator[NativeFile]:
    """Read a file to its end. Raises ImportRefused with the line at fault."""
    with spooled(_parse(number, line) for number, line in _lines(stream)) as file:
        yield file._replace(size=stream.tell())


@contextmanager
def spooled(objects: Iterable[NativeRow]) -> Iterator[NativeFile]:
    """Read all objects into temporary files, so memory use does not grow with their number.

    Raises ImportRefused for a file without objects.
    """
    with (
        SpooledTemporaryFile(_SPOOLED_BYTES) as documents,
        SpooledTemporaryFile(_SPOOLED_BYTES) as records,
    ):
        sources: set[str | None] = set()
        for number, resource, values, _ in objects:
            if "splitId" not in values:
                sources.add(values.get("source"))
            spool = records if resource is RECORDS else documents
            row = (number, resource.model_type, values)
            spool.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        size = documents.tell() + records.tell()
        if not size:
            raise ImportRefused("the file is empty; there is nothing to import")
        source = sources.pop() if len(sources) == 1 else None
        yield NativeFile(partial(_rows, documents), partial(_rows, records), size, source)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise ImportRefused(f"the line is longer than {MAX_LINE_BYTES} bytes", number)
        if number == 1:
            line = line.removeprefix(_BOM)
        if not line.isspace() and line:
            yield number, line


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueRefused(f'the key "{repeated}" appears twice in one object')
    return members


def _no_constant(text: str) -> Any:
    raise ValueRefused(f"{text} is not a JSON number")


_decoder = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=Decimal, parse_constant=_no_constant
)


def _object_reader(document: dict[str, Any]) -> _ObjectReader:
    """Remove the type of an object, and return its reader. Raises ValueRefused."""
    model_type = document.pop(TYPE_KEY, None)
    reader = _READERS.get(model_type) if isinstance(model_type, str) else None
    if reader is None:
        known = ", ".join(BY_MODEL_TYPE)
        raise ValueRefused(f"{TYPE_KEY} {model_type!r} is not one of {known}")
    return reader


def native_object(document: dict[str, Any]) -> NativeRow:
    """Return an object that a reader of another format made; it has no line.

    Raises ValueRefused.
    """
    reader = _object_reader(document)
    values = reader.read(document)
    reader.complete(values)
    return NativeRow(0, reader.resource, values)


def _parse(number: int, line: bytes) -> NativeRow:
    try:
        document = _decoder.decode(line.decode("utf-8"))
        if not isinstance(document, dict):
            raise ValueRefused("is not a JSON object")
        reader = _object_reader(document)
        values = reader.read(document)
        if len(line) > _LONG_LINE_BYTES:
            size = sum(len(str(value).encode()) for value in values.values())
            if size > MAX_TEXT_BYTES:
                raise ValueRefused(
                    f"has {size} bytes of text; at most {MAX_TEXT_BYTES} are allowed"
                )
        reader.complete(values)
        return NativeRow(number, reader.resource, values)
    except ValueRefused as error:
        raise ImportRefused(str(error), number) from None
    except json.JSONDecodeError as error:
        raise ImportRefused(f"is not JSON: {error.msg} at column {error.colno}", number) from None
    except UnicodeDecodeError as error:
        raise ImportRefused(f"is not UTF-8 at byte {error.start + 1}", number) from None
    except RecursionError:
        raise ImportRefused("is nested too deeply", number) from None
    except (ValueError, ArithmeticError):
        # Python refuses integers with thousands of digits, and exponents with many.
        raise ImportRefused("contains a number that is out of range", number) from None


class NativeWriter:
    """Writes the rows of one resource: keys in the order of its fields, null for missing values."""

    def __init__(self, resource: Resource) -> None:
        self._type = resource.model_type
        with_time: dict[str, Writer] = {
            f.name: instant_text for f in resource.native_fields if f.keeps_time
        }
        self._encoder = RowEncoder(resource.native_fields, with_time)
        self._open_ended = resource.open_ended

    def line(self, row: Row) -> bytes:
        """Return the row as one line, including its newline."""
        document = {TYPE_KEY: self._type, **self._encoder.document(row)}
        if self._open_ended and row["extra"] is not None:
            text = orjson.dumps(document)
            return text[:-1] + b"," + str(row["extra"])[1:].encode() + b"\n"
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
