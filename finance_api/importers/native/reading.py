"""NDJSON -> rows: one JSON object a line, with its ``reserved_model_type``.

A file is read once and wholly, before any of it is stored.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from tempfile import SpooledTemporaryFile
from typing import IO, Any, BinaryIO, NamedTuple

import orjson

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native.objects import read_object
from finance_api.importers.native.values import ValueRefused
from finance_api.resources import BY_MODEL_TYPE, RECORDS, RESOURCES
from finance_api.resources.field import Resource

MAX_LINE_BYTES = 16_777_216

_BOM = b"\xef\xbb\xbf"
#: JSON has no tuples.
_LISTS = {
    resource.model_type: {field.name for field in resource.native_fields if field.kind.is_list}
    for resource in RESOURCES
}
#: How much of the records, and of all other objects, is in memory.
_SPOOLED_BYTES = 1 << 20


class NativeRow(NamedTuple):
    """One object of the file.

    values: stored values of the native fields that the object gives, and of no others; null counts
        as not given.
    size: how many bytes it takes, about.
    """

    line: int
    resource: Resource
    values: dict[str, Any]
    size: int = 0


class NativeFile:
    """The objects of a file, read and checked.

    They are kept in files of their own, so that memory stays flat however many there are.
    """

    def __init__(self, documents: IO[bytes], records: IO[bytes]) -> None:
        self._documents = documents
        self._records = records

    def documents(self) -> Iterator[NativeRow]:
        """The objects of every type but Record, in the file's order."""
        return _rows(self._documents)

    def records(self) -> Iterator[NativeRow]:
        """The Record objects, in the file's order."""
        return _rows(self._records)


def _rows(spool: IO[bytes]) -> Iterator[NativeRow]:
    spool.seek(0)
    for line in spool:
        number, model_type, values = orjson.loads(line)
        for name in _LISTS[model_type] & values.keys():
            values[name] = tuple(values[name])
        yield NativeRow(number, BY_MODEL_TYPE[model_type], values, len(line))


@contextmanager
def native_file(stream: BinaryIO) -> Iterator[NativeFile]:
    """Reads a file to its end. Raises ImportRefused with the line at fault."""
    with (
        SpooledTemporaryFile(_SPOOLED_BYTES) as documents,
        SpooledTemporaryFile(_SPOOLED_BYTES) as records,
    ):
        for number, line in _lines(stream):
            _, resource, values, _ = _parse(number, line)
            spool = records if resource is RECORDS else documents
            row = (number, resource.model_type, values)
            spool.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        if not documents.tell() and not records.tell():
            raise ImportRefused("the file is empty; there is nothing to import")
        yield NativeFile(documents, records)


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
        raise ValueRefused(f'the key "{repeated}" stands twice in one object')
    return members


def _no_constant(text: str) -> Any:
    raise ValueRefused(f"{text} is not a JSON number")


_decoder = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=Decimal, parse_constant=_no_constant
)


def _parse(number: int, line: bytes) -> NativeRow:
    try:
        return NativeRow(number, *read_object(_decoder.decode(line.decode("utf-8")), len(line)))
    except ValueRefused as error:
        raise ImportRefused(str(error), number) from None
    except json.JSONDecodeError as error:
        raise ImportRefused(f"is not JSON: {error.msg} at column {error.colno}", number) from None
    except UnicodeDecodeError as error:
        raise ImportRefused(f"is not UTF-8 at byte {error.start + 1}", number) from None
    except RecursionError:
        raise ImportRefused("is nested too deeply", number) from None
    except (ValueError, ArithmeticError):
        # Python refuses whole numbers of thousands of digits, and exponents of many.
        raise ImportRefused("holds a number that is out of range", number) from None
