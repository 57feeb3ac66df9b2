"""Cells whose value is none: an error, or a formula that no program has worked out.

calamine takes them for empty cells.
"""

import re
import struct
from typing import BinaryIO
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from defusedxml import ElementTree

from finance_api.importers.spreadsheet.container import with_password

_ERROR = "is an error of a formula"
_NOT_WORKED_OUT = (
    "is a formula whose result the file does not have: open it in a spreadsheet and save it"
)

#: A cell of xlsx whose value is an error; one with a formula; and one without a result.
_ERROR_CELL = re.compile(rb"""<(?:\w+:)?c\s[^<>]*?\bt=["']e["'][^<>]*>""")
_FORMULA_CELL = re.compile(rb"<(?:\w+:)?c\s[^<>]*>\s*<(?:\w+:)?f[\s/>]")
_EMPTY_CELL = re.compile(
    rb"""<(?:\w+:)?c\s(?![^<>]*\bt=["']str["'])[^<>]*>\s*"""
    rb"<(?:\w+:)?f\b[^<>]*(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_REFERENCE = re.compile(rb"""\br=["']([A-Z]+[0-9]+)["']""")
_CALCULATES_ON_LOAD = re.compile(rb"""\bfullCalcOnLoad=["'](?:1|true)["']""")

#: Records of xls, as [MS-XLS] 2.3 has them.
_FORMULA, _FILEPASS, _BOUNDSHEET, _BOOLERR = 0x0006, 0x002F, 0x0085, 0x0205


def faults_in_xlsx(archive: ZipFile) -> dict[int, str]:
    """The number of a sheet, from 0 -> the first cell of it that has no value, and why."""
    book = archive.read("xl/workbook.xml")
    begins_anew = _CALCULATES_ON_LOAD.search(book) is not None
    faults: dict[int, str] = {}
    for number, path in enumerate(_sheet_paths(archive, book)):
        sheet = archive.read(path)
        patterns = {
            _ERROR_CELL: _ERROR,
            _FORMULA_CELL if begins_anew else _EMPTY_CELL: _NOT_WORKED_OUT,
        }
        for pattern, why in patterns.items():
            if (cell := pattern.search(sheet)) is not None:
                place = _REFERENCE.search(cell[0])
                faults.setdefault(number, f"{place[1].decode() if place else 'a cell'} {why}")
    return faults


def _sheet_paths(archive: ZipFile, book: bytes) -> list[str]:
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {relation.get("Id"): relation.get("Target", "") for relation in relations}
    sheets = [e for e in ElementTree.fromstring(book).iter() if _local(e.tag) == "sheet"]
    ids = [next((v for name, v in e.items() if _local(name) == "id"), None) for e in sheets]
    paths = [targets.get(relation, "") for relation in ids]
    return [path[1:] if path.startswith("/") else f"xl/{path}" for path in paths]


def faults_in_ods(archive: ZipFile) -> dict[int, str]:
    """As `faults_in_xlsx`."""
    if b":formula=" not in archive.read("content.xml"):
        return {}
    faults: dict[int, str] = {}
    sheet, row, column = -1, 0, 0
    with archive.open("content.xml") as content:
        for event, element in ElementTree.iterparse(content, ("start", "end")):
            name = _local(element.tag)
            attributes = {_local(key): value for key, value in element.items()}
            if event == "end":
                if name == "table-row":
                    row += int(attributes.get("number-rows-repeated", 1))
                    element.clear()
            elif name == "table":
                sheet, row = sheet + 1, 0
            elif name == "table-row":
                column = 0
            elif name in ("table-cell", "covered-table-cell"):
                why = _fault_of(element)
                if why:
                    faults.setdefault(sheet, f"{_place(row, column)} {why}")
                column += int(attributes.get("number-columns-repeated", 1))
    return faults


def _fault_of(cell: Element) -> str:
    kinds = [value for name, value in cell.items() if _local(name) == "value-type"]
    if "error" in kinds:
        return _ERROR
    has_formula = any(_local(name) == "formula" for name, _ in cell.items())
    return _NOT_WORKED_OUT if has_formula and not kinds else ""


def faults_in_xls(book: BinaryIO) -> dict[int, str]:
    """As `faults_in_xlsx`, of the records of a book: errors alone, a formula without a result has
    an empty text there.
    """
    records = book.read()
    begins: list[int] = []
    faults: dict[int, str] = {}
    at = 0
    while at + 4 <= len(records):
        kind, size = struct.unpack_from("<HH", records, at)
        body = records[at + 4 : at + 4 + size]
        if kind == _FILEPASS:
            raise with_password()
        if kind == _BOUNDSHEET:
            begins.append(int.from_bytes(body[:4], "little"))
        elif (kind == _BOOLERR and body[7:8] == b"\1") or (
            kind == _FORMULA and body[6:7] == b"\2" and body[12:14] == b"\xff\xff"
        ):
            before = [(begin, number) for number, begin in enumerate(begins) if begin <= at]
            place = _place(*struct.unpack_from("<HH", body))
            faults.setdefault(max(before)[1] if before else 0, f"{place} {_ERROR}")
        at += 4 + size
    return faults


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _place(row: int, column: int) -> str:
    """``C7`` for row 6 and column 2."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"
