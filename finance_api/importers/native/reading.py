"""NDJSON -> rows: one JSON object a line, with its ``reserved_model_type``.

A file is read twice: first every document, then every record, so that a record may stand before
the account it belongs to, and memory stays flat however many records there are.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, BinaryIO

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native.extra import clean_key, extra_text
from finance_api.importers.native.values import ValueRefused, reader_of
from finance_api.resources import BY_MODEL_TYPE, RECORDS
from finance_api.resources.field import Field, Resource

TYPE_KEY = "reserved_model_type"
MAX_LINE_BYTES = 16_777_216
#: Of all values of an object together, as they are kept. Written out they stay below the limit of
#: a line, whatever has to be escaped.
MAX_TEXT_BYTES = 4_194_304
# A shorter one cannot have more, however Unicode composes it.
_LONG_LINE_BYTES = MAX_TEXT_BYTES // 4

_TYPE = re.compile(rb'"reserved_model_type"[ \t]*:[ \t]*"([A-Za-z]*)"')
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class NativeRow:
    """One object of the file.

    values: stored values of the native fields that the object gives; null counts as not given.
    """

    line: int
    resource: Resource
    values: dict[str, Any]


class NativeReader:
    """Reads one seekable file. Every method raises ImportRefused with the line at fault."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._document_lines: set[int] = set()

    def documents(self) -> Iterator[NativeRow]:
        """The objects of every type but Record, in the file's order. Comes before `records`."""
        for number, line in self._lines():
            # An object within the object could hold another type.
            if line.count(b"{") == 1 and _TYPE.findall(line) == [b"Record"]:
                continue
            row = _parse(number, line)
            if row.resource is not RECORDS:
                self._document_lines.add(number)
                yield row

    def records(self) -> Iterator[NativeRow]:
        """The Record objects, in the file's order."""
        for number, line in self._lines():
            if number not in self._document_lines:
                yield _parse(number, line)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        self._stream.seek(0)
        number = 0
        while line := self._stream.readline(MAX_LINE_BYTES + 1):
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
        raise ValueRefused(f'the key "{repeated}" stands twice in one object')
    return members


def _no_constant(text: str) -> Any:
    raise ValueRefused(f"{text} is not a JSON number")


_decode = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=Decimal, parse_constant=_no_constant
).decode


def _parse(number: int, line: bytes) -> NativeRow:
    try:
        document = _decode(line.decode("utf-8"))
        return _row(number, document, len(line))
    except ValueRefused as error:
        raise ImportRefused(str(error), number) from None
    except json.JSONDecodeError as error:
        raise ImportRefused(f"is not JSON: {error.msg} at column {error.colno}", number) from None
    except UnicodeDecodeError as error:
        raise ImportRefused(f"is not UTF-8 at byte {error.start + 1}", number) from None
    except RecursionError:
        raise ImportRefused("is nested too deeply", number) from None
    except ValueError:
        # Python refuses whole numbers of thousands of digits.
        raise ImportRefused("holds a number that is out of range", number) from None


def _row(number: int, document: Any, len_of_line: int) -> NativeRow:
    if not isinstance(document, dict):
        raise ValueRefused("is not a JSON object")
    model_type = document.pop(TYPE_KEY, None)
    resource = BY_MODEL_TYPE.get(model_type) if isinstance(model_type, str) else None
    if resource is None:
        known = ", ".join(BY_MODEL_TYPE)
        raise ValueRefused(f"{TYPE_KEY} {model_type!r} is not one of {known}")
    fields = _fields_by_name(resource)
    values: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for written, value in document.items():
        name = clean_key(written) if resource.open_ended else written
        field = fields.get(name)
        if name in values or name in others:
            raise ValueRefused(f'the key "{name}" stands twice in one object')
        if field is None:
            if not resource.open_ended:
                raise ValueRefused(
                    f'"{name}" is not a field of {model_type}; its fields are {", ".join(fields)}'
                )
            others[name] = value
        elif value is not None:
            try:
                values[name] = reader_of(field)(field, value)
            except ValueRefused as error:
                raise ValueRefused(f"{name} {error}") from None
    if resource.open_ended:
        values["extra"] = extra_text(others)
    if len_of_line > _LONG_LINE_BYTES:
        _check_length(values)
    _complete(resource, values)
    return NativeRow(number, resource, values)


def _check_length(values: dict[str, Any]) -> None:
    """That the object can be written as a line that is read again."""
    total = sum(len(str(value).encode()) for value in values.values())
    if total > MAX_TEXT_BYTES:
        raise ValueRefused(f"has {total} bytes of text; at most {MAX_TEXT_BYTES} are kept")


def _complete(resource: Resource, values: dict[str, Any]) -> None:
    """Checks that what must be given is."""
    if values.get("sourceId") is not None and values.get("source") is None:
        values["source"] = "native"
    if "id" not in values and values.get("sourceId") is None:
        raise ValueRefused("has neither id nor sourceId")
    for field in resource.native_fields:
        if field.required and values.get(field.name) is None:
            raise ValueRefused(f"{resource.model_type} needs {field.name}")


_FIELDS: dict[str, dict[str, Field]] = {
    r.name: {f.name: f for f in r.native_fields} for r in BY_MODEL_TYPE.values()
}


def _fields_by_name(resource: Resource) -> dict[str, Field]:
    return _FIELDS[resource.name]
