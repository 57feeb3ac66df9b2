"""Cells whose value is none: an error, or a formula that no program has worked out.

calamine takes them for empty cells.
"""

import struct
from typing import IO, BinaryIO
from zipfile import ZipFile

from finance_api.importers.spreadsheet.container import (
    MAX_ELEMENTS,
    damaged,
    too_many,
    with_password,
)
from finance_api.importers.spreadsheet.markup import Attributes, local, read_part, value_of

#: How many sheets a workbook may have: each of them is looked at.
MAX_SHEETS = 256

_ERROR = "is an error of a formula"
_NOT_WORKED_OUT = (
    "is a formula whose result the file does not have: open it in a spreadsheet and save it"
)

_OVERLAPPING = ": two of its sheets are one part of it"

#: Records of xls, as [MS-XLS] 2.3 has them.
_FORMULA, _EOF, _FILEPASS, _BOUNDSHEET, _BOOLERR = 0x0006, 0x000A, 0x002F, 0x0085, 0x0205
_HEAD = struct.Struct("<HH")


def faults_in_xlsx(archive: ZipFile) -> dict[int, str]:
    """The number of a sheet, from 0 -> the first cell of it that has no value, and why."""
    ids: list[str | None] = []
    calculation: list[Attributes] = []

    def add_sheet(attributes: Attributes) -> None:
        ids.append(value_of(attributes, "id"))
        _check_count(len(ids))

    with archive.open("xl/workbook.xml") as book:
        read_part(book, {"sheet": add_sheet, "calcPr": calculation.append})
    begins_anew = any(each.get("fullCalcOnLoad") in ("1", "true") for each in calculation)
    faults = {}
    for number, path in enumerate(_sheet_paths(archive, ids)):
        sheet = _XlsxSheet(begins_anew)
        with archive.open(path) as part:
            sheet.read(part)
        if sheet.fault is not None:
            faults[number] = sheet.fault
    return faults


def _sheet_paths(archive: ZipFile, ids: list[str | None]) -> list[str]:
    """Each sheet's part."""
    targets: dict[str | None, str] = dict.fromkeys(ids, "")

    def add_target(attributes: Attributes) -> None:
        if attributes.get("Id") in targets:
            targets[attributes["Id"]] = attributes.get("Target", "")

    with archive.open("xl/_rels/workbook.xml.rels") as relations:
        read_part(relations, {"Relationship": add_target})
    paths = [targets[relation] for relation in ids]
    paths = [path[1:] if path.startswith("/") else f"xl/{path}" for path in paths]
    # calamine reads a part once for each sheet.
    if len(set(paths)) < len(paths):
        raise damaged(_OVERLAPPING)
    return paths


class _XlsxSheet:
    """begins_anew: whether formulas are worked out when the file is opened."""

    def __init__(self, begins_anew: bool) -> None:
        self.fault: str | None = None
        self._begins_anew = begins_anew
        self._cell: Attributes = {}
        # Whether the cell is a formula of which no value has come.
        self._is_open = False
        self._in_value = False

    def read(self, part: IO[bytes]) -> None:
        handlers = {"c": self._begin, "f": self._formula, "v": self._value, "is": self._inline}
        read_part(part, handlers, self._text)
        self._begin({})

    def _begin(self, attributes: Attributes) -> None:
        if self._is_open:
            self._report(_NOT_WORKED_OUT)
        self._cell = attributes
        self._is_open = self._in_value = False
        if attributes.get("t") == "e":
            self._report(_ERROR)

    def _formula(self, _: Attributes) -> None:
        if self._begins_anew:
            self._report(_NOT_WORKED_OUT)
        self._is_open = self._cell.get("t") != "str"

    def _value(self, _: Attributes) -> None:
        self._in_value = self._is_open

    def _inline(self, _: Attributes) -> None:
        self._is_open = False

    def _text(self, text: str) -> None:
        if self._in_value and not text.isspace():
            self._is_open = self._in_value = False

    def _report(self, why: str) -> None:
        if self.fault is None:
            self.fault = f"{self._cell.get('r', 'a cell')} {why}"


def faults_in_ods(archive: ZipFile) -> dict[int, str]:
    """As `faults_in_xlsx`."""
    reader = _OdsReader()
    with archive.open("content.xml") as part:
        read_part(
            part,
            {
                "table": reader.begin_table,
                "table-row": reader.begin_row,
                "table-cell": reader.begin_cell,
                "covered-table-cell": reader.begin_cell,
            },
        )
    return reader.faults


class _OdsReader:
    def __init__(self) -> None:
        self.faults: dict[int, str] = {}
        self._sheet = -1
        self._row = self._next_row = self._column = 0

    def begin_table(self, _: Attributes) -> None:
        self._sheet += 1
        _check_count(self._sheet + 1)
        self._next_row = 0

    def begin_row(self, attributes: Attributes) -> None:
        self._row = self._next_row
        self._column = 0
        self._next_row += _repeated(attributes, "number-rows-repeated")

    def begin_cell(self, attributes: Attributes) -> None:
        if not attributes:
            self._column += 1
            return
        # calcext:value-type stands beside office:value-type.
        kinds = [value for key, value in attributes.items() if local(key) == "value-type"]
        has_formula = not kinds and value_of(attributes, "formula") is not None
        if "error" in kinds or has_formula:
            why = _NOT_WORKED_OUT if has_formula else _ERROR
            self.faults.setdefault(self._sheet, f"{_place(self._row, self._column)} {why}")
        self._column += _repeated(attributes, "number-columns-repeated")


def _repeated(attributes: Attributes, name: str) -> int:
    return int(value_of(attributes, name) or 1)


def faults_in_xls(book: BinaryIO) -> dict[int, str]:
    """As `faults_in_xlsx`, of the records of a book: errors alone, a formula without a result has
    an empty text there.
    """
    records = book.read()
    # Where sheets begin, and their numbers.
    begins: dict[int, int] = {}
    faults: dict[int, str] = {}
    sheet = at = count = number = met = 0
    is_open = False
    while at + 4 <= len(records):
        kind, size = _HEAD.unpack_from(records, at)
        count += 1
        if count > MAX_ELEMENTS:
            raise too_many(MAX_ELEMENTS, "cells and other records")
        if at in begins:
            if is_open:
                break
            sheet, is_open, met = begins[at], True, met + 1
        if kind == _EOF:
            is_open = False
        elif kind == _FILEPASS:
            raise with_password()
        elif kind == _BOUNDSHEET:
            begins.setdefault(int.from_bytes(records[at + 4 : at + 8], "little"), number)
            number += 1
            _check_count(number)
        elif kind in (_BOOLERR, _FORMULA) and _is_error(kind, body := records[at + 4 : at + 24]):
            place = _place(*struct.unpack_from("<HH", body))
            faults.setdefault(sheet, f"{place} {_ERROR}")
        at += 4 + size
    # calamine reads each sheet from where it begins to its end.
    if met < number:
        raise damaged(_OVERLAPPING)
    return faults


def _is_error(kind: int, body: bytes) -> bool:
    if kind == _BOOLERR:
        return body[7:8] == b"\1"
    return body[6:7] == b"\2" and body[12:14] == b"\xff\xff"


def _check_count(sheets: int) -> None:
    if sheets > MAX_SHEETS:
        raise too_many(MAX_SHEETS, "sheets")


def _place(row: int, column: int) -> str:
    """``C7`` for row 6 and column 2."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return f"{letters}{row + 1}"
