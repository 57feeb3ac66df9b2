"""NDJSON -> rows: one JSON object a line, with its ``reserved_model_type``.

A file is read twice: first every document, then every record, so that a record may stand before
the account it belongs to, and memory stays flat however many records there are.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native.objects import read_object
from finance_api.importers.native.values import ValueRefused
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource

MAX_LINE_BYTES = 16_777_216

_TYPE = re.compile(rb'"reserved_model_type"[ \t]*:[ \t]*"([A-Za-z]*)"')
_BOM = b"\xef\xbb\xbf"


class NativeRow(NamedTuple):
    """One object of the file.

    values: stored values of the native fields that the object gives, and of no others; null counts
        as not given.
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


_decoder = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=Decimal, parse_constant=_no_constant
)


def _decode(text: str) -> Any:
    """The one JSON value in the line.

    `JSONDecoder.decode` looks for white space around the value, which takes longer than to see
    that there is none.
    """
    if text.startswith("{"):
        document, end = _decoder.raw_decode(text)
        if text[end:] in ("\n", "\r\n", ""):
            return document
    return _decoder.decode(text)


def _parse(number: int, line: bytes) -> NativeRow:
    try:
        return NativeRow(number, *read_object(_decode(line.decode("utf-8")), len(line)))
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
