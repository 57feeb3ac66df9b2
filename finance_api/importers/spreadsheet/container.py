"""The containers of spreadsheets: ZIP (xlsx, ods), and OLE (xls, and xlsx with a password).

calamine reads cells without a usable value as empty: errors, and formulas without a stored result.
This module finds such cells. expat reads the XML in pieces, so memory use does not grow with the
size of the file. Entities are refused, and nothing is downloaded.
"""

import lzma
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO
from xml.parsers import expat

import olefile

from finance_api.importers.interface import ImportRefused
from finance_api.values.text import count_text

#: Maximum number of elements in a part, or of xls records: 100 MB of ordinary cells have fewer.
MAX_ELEMENTS = 10_000_000
#: Maximum number of sheets in a workbook: all of them are checked.
MAX_SHEETS = 256
_PIECE_BYTES = 1 << 16
#: Maximum size of a tag, text or comment. Spreadsheet programs write far smaller ones.
_MAX_TAG_BYTES = 1_000_000
#: Maximum number of different names: expat keeps them all in memory. The formats have hundreds.
_MAX_NAMES = 5_000

_ERROR = "is an error of a formula"
_NOT_WORKED_OUT = (
    "is a formula without a stored result: open the file in a spreadsheet program and save it"
)
_OVERLAPPING = ": two of its sheets share one part of the file"

#: Types of xls records, from [MS-XLS] 2.3.
_FORMULA, _EOF, _FILEPASS, _BOUNDSHEET, _BOOLERR = 0x0006, 0x000A, 0x002F, 0x0085, 0x0205
_HEAD = struct.Struct("<HH")

_Attributes = dict[str, str]
#: An opening tag: its name without prefix, its attributes, "". Or a text: "", {}, the text.
_Event = tuple[str, _Attributes, str]


class MarkupError(ValueError):
    """The part is not XML that a spreadsheet program would write."""


def damaged(how: str = "") -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet is damaged or cut short{how}: download it again, or save it as CSV with "
        "the program that opens it"
    )


def too_many(limit: int, what: str) -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet has more than {count_text(limit)} {what}, which is the limit: save the "
        "sheet with the statement as CSV"
    )


def with_password() -> ImportRefused:
    return ImportRefused(
        "the spreadsheet is protected by a password: save it without one, or as CSV"
    )


def _events(part: IO[bytes], *names: str, with_text: bool = False) -> Iterator[_Event]:
    """Yield the elements with these names, and all texts if ``with_text``. Raises MarkupError."""
    known: dict[str, str] = {}
    events: list[_Event] = []

    def start(name: str, attributes: _Attributes) -> None:
        local = known.get(name)
        if local is None:
            local = _local(name)
            local = known[name] = local if local in names else ""
        if local:
            events.append((local, attributes, ""))

    def refuse(*_: object) -> None:
        raise MarkupError

    interned: dict[str, str] = {}
    parser = expat.ParserCreate(intern=interned)
    parser.StartElementHandler = start
    if with_text:
        parser.CharacterDataHandler = lambda text: events.append(("", {}, text))
    parser.EntityDeclHandler = refuse
    read = elements = 0
    try:
        while piece := part.read(_PIECE_BYTES):
            read += len(piece)
            elements += piece.count(b"<") - piece.count(b"</")
            if elements > MAX_ELEMENTS:
                raise too_many(MAX_ELEMENTS, "cells and other elements")
            parser.Parse(piece)
            # expat buffers incomplete tags and comments.
            if read - parser.CurrentByteIndex > _MAX_TAG_BYTES or len(interned) > _MAX_NAMES:
                raise MarkupError
            yield from events
            events.clear()
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise MarkupError from None
    yield from events


def _local(name: str) -> str:
    """Return the name of an element or attribute without its prefix."""
    return name.rpartition(":")[2]


def _value_of(attributes: _Attributes, name: str) -> str | None:
    """Return the value of the attribute with that name and any prefix."""
    return next((value for key, value in attributes.items() if _local(key) == name), None)


def faults_in_xlsx(archive: zipfile.ZipFile) -> dict[int, str]:
    """Return the sheets' faults in the form that `checked_copy` describes."""
    ids: list[str | None] = []
    begins_anew = False
    with archive.open("xl/workbook.xml") as book:
        for name, attributes, _ in _events(book, "sheet", "calcPr"):
            if name == "sheet":
                ids.append(_value_of(attributes, "id"))
                _check_count(len(ids))
            else:
                begins_anew |= attributes.get("fullCalcOnLoad") in ("1", "true")
    targets = dict.fromkeys(ids, "")
    with archive.open("xl/_rels/workbook.xml.rels") as relations:
        for _, attributes, _ in _events(relations, "Relationship"):
            if attributes.get("Id") in targets:
                targets[attributes["Id"]] = attributes.get("Target", "")
    paths = [targets[relation] for relation in ids]
    paths = [path[1:] if path.startswith("/") else f"xl/{path}" for path in paths]
    # calamine would read a part again for each sheet that refers to it.
    if len(set(paths)) < len(paths):
        raise damaged(_OVERLAPPING)
    faults: dict[int, str] = {}
    for number, path in enumerate(paths):
        with archive.open(path) as part:
            # Read the part to its end, so that any damage is noticed.
            for fault in _faults_in_sheet(part, begins_anew):
                faults.setdefault(number, fault)
    return faults


def _faults_in_sheet(part: IO[bytes], begins_anew: bool) -> Iterator[str]:
    """Yield the faults of a sheet.

    begins_anew: whether programs compute all formulas again when they open the file.
    """
    place = "a cell"
    cell: _Attributes = {}
    # is_open: the cell has a formula, and its value was not read yet. in_value: inside its <v>.
    is_open = in_value = False
    for name, attributes, text in _events(part, "c", "f", "v", "is", with_text=True):
        if name == "c":
            if is_open:
                yield f"{place} {_NOT_WORKED_OUT}"
            cell, place = attributes, attributes.get("r", "a cell")
            is_open = in_value = False
            if cell.get("t") == "e":
                yield f"{place} {_ERROR}"
        elif name == "f":
            if begins_anew:
                yield f"{place} {_NOT_WORKED_OUT}"
            is_open = cell.get("t") != "str"
        elif name == "v":
            in_value = is_open
        elif name == "is" or (in_value and not text.isspace()):
            is_open = in_value = False
    if is_open:
        yield f"{place} {_NOT_WORKED_OUT}"


def faults_in_ods(archive: zipfile.ZipFile) -> dict[int, str]:
    """Return the sheets' faults, like `faults_in_xlsx`."""
    faults: dict[int, str] = {}
    sheet, row, next_row, column = -1, 0, 0, 0
    names = ("table", "table-row", "table-cell", "covered-table-cell")
    with archive.open("content.xml") as part:
        for name, attributes, _ in _events(part, *names):
            if name == "table":
                sheet, next_row = sheet + 1, 0
                _check_count(sheet + 1)
            elif name == "table-row":
                row, column = next_row, 0
                next_row += int(_value_of(attributes, "number-rows-repeated") or 1)
            elif not attributes:
                column += 1
            else:
                # A cell can have both office:value-type and calcext:value-type.
                kinds = [v for key, v in attributes.items() if _local(key) == "value-type"]
                has_formula = not kinds and _value_of(attributes, "formula") is not None
                if "error" in kinds or has_formula:
                    why = _NOT_WORKED_OUT if has_formula else _ERROR
                    faults.setdefault(sheet, f"{_place(row, column)} {why}")
                column += int(_value_of(attributes, "number-columns-repeated") or 1)
    return faults


def faults_in_xls(book: BinaryIO) -> dict[int, str]:
    """Return the sheets' faults, like `faults_in_xlsx`, from the records of an xls workbook.

    Finds only errors: a formula without a result looks like a formula whose result is empty text.
    """
    records = book.read()
    # The offset at which each sheet begins -> the number of the sheet.
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
    # Overlapping sheets: calamine would read the same records again for each of them.
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
    """Return the name of a cell: ``C7`` for row 6 and column 2, both counted from 0."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return f"{letters}{row + 1}"


#: Maximum size of a file, both packed and unpacked, in bytes.
MAX_BYTES = 100_000_000

_ZIP = b"PK\x03\x04"
_CONTENT_TYPES, _BOOK = "[Content_Types].xml", "xl/workbook.xml"
_MIMETYPE = b"application/vnd.oasis.opendocument.spreadsheet"
#: The beginning of a spreadsheet. If the list of members at the end of a ZIP file is cut off, this
#: shows what the file is.
_CUT_OFF = re.compile(rb"PK\x03\x04.*(?:xl/|%s)" % _MIMETYPE, re.DOTALL)
_HEAD_BYTES = 4_096
#: Exceptions that damaged files cause.
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(OSError, RuntimeError, ValueError, LookupError, OverflowError),
)


def looks_like_spreadsheet(stream: BinaryIO) -> bool:
    """Return whether a file is a spreadsheet, even a damaged one; rewind the stream."""
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    if head.startswith(olefile.MAGIC):
        return True
    if not head.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(stream) as archive:
            return _kind(archive) != ""
    except _DAMAGES:
        return _CUT_OFF.match(head) is not None
    finally:
        stream.seek(0)


def _kind(archive: zipfile.ZipFile) -> str:
    """Return "xlsx", "ods" or ""."""
    names = archive.namelist()
    if _CONTENT_TYPES in names and any(name.startswith("xl/") for name in names):
        return "xlsx"
    if "mimetype" in names and archive.getinfo("mimetype").file_size < _HEAD_BYTES:
        return "ods" if archive.read("mimetype").startswith(_MIMETYPE) else ""
    return ""


def checked_copy(stream: BinaryIO, copy: Path) -> dict[int, str]:
    """Write a copy for calamine to read, and return the faults that calamine would miss.

    The result maps the number of a sheet, from 0, to a text that names the sheet's first cell
    without a value and says why it has none. Raises ImportRefused.
    """
    size = stream.seek(0, 2)
    if size > MAX_BYTES:
        raise _too_large("has", size)
    stream.seek(0)
    with copy.open("wb") as target:
        shutil.copyfileobj(stream, target)
    try:
        if olefile.isOleFile(copy):
            return _faults_in_ole(copy)
        with zipfile.ZipFile(copy) as archive:
            kind = _check_members(archive)
            return faults_in_xlsx(archive) if kind == "xlsx" else faults_in_ods(archive)
    except _DAMAGES:
        raise damaged() from None


def _faults_in_ole(copy: Path) -> dict[int, str]:
    with olefile.OleFileIO(copy, raise_defects=olefile.DEFECT_INCORRECT) as container:
        if container.exists("EncryptedPackage"):
            raise with_password()
        name = next((name for name in ("Workbook", "Book") if container.exists(name)), None)
        if name is None:
            raise _no_spreadsheet()
        return faults_in_xls(container.openstream(name))


def _check_members(archive: zipfile.ZipFile) -> str:
    """Return the kind of spreadsheet. Raises ImportRefused."""
    members = archive.infolist()
    size = sum(member.file_size for member in members)
    if size > MAX_BYTES:
        raise _too_large("unpacks to", size)
    if any(member.flag_bits & 1 for member in members) or _is_encrypted(archive):
        raise with_password()
    kind = _kind(archive)
    if not kind or (kind == "xlsx" and _BOOK not in archive.namelist()):
        raise _no_spreadsheet()
    names: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        # calamine ignores case in the names of members.
        if names.setdefault(member.filename.lower(), member) is not member:
            raise damaged(f": its part {member.filename!r} is there twice")
    # calamine does not read all parts to their end.
    if (incomplete := archive.testzip()) is not None:
        raise damaged(f": its part {incomplete!r} is incomplete")
    return kind


def _is_encrypted(archive: zipfile.ZipFile) -> bool:
    manifest = "META-INF/manifest.xml"
    return manifest in archive.namelist() and b":encryption-data" in archive.read(manifest)


def _no_spreadsheet() -> ImportRefused:
    return ImportRefused("the file is not an xlsx, xls or ods spreadsheet")


def _too_large(has: str, size: int) -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet {has} {size / 1_000_000:,.1f} MB, but at most "
        f"{MAX_BYTES // 1_000_000} MB are allowed: save it as CSV"
    )
