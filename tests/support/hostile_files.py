"""Files that are made to keep a server busy. Sizes are those of the unpacked contents."""

import io
import zipfile
from collections.abc import Callable

from xlwt import CompoundDoc

from support.bank_files import mt940, mt940_entry
from support.ledger import an_id
from support.service import native_line
from support.sheets import ods as sheets_ods
from support.sheets import xlsx as sheets_xlsx

_RELATION = (
    '<Relationship Id="r{0}" Target="{1}" Type="'
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/>'
)
_END_OF_BOOK = (
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>'
    '<calcPr calcId="124519" fullCalcOnLoad="1"/></workbook>'
)
_BOUNDSHEET, _BOOLERR = 0x0085, 0x0205


def _changed(data: bytes, changes: dict[str, tuple[str, str]]) -> bytes:
    """Return a ZIP file with changed parts. changes: part -> (old text, new text)."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for member in old.infolist():
            text = old.read(member).decode()
            before, after = changes.get(member.filename, ("", ""))
            assert before in text
            new.writestr(member, text.replace(before, after) if before else text)
    return stream.getvalue()


def xlsx(rows: str, *, in_book: str = "", sheets: int = 1) -> bytes:
    """rows: of the only sheet, which the workbook lists ``sheets`` times. in_book: more
    elements.
    """
    numbers = range(1, sheets + 1)
    names = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    relations = "".join(_RELATION.format(n, "worksheets/sheet1.xml") for n in numbers)
    return _changed(
        sheets_xlsx([[]]),
        {
            "xl/workbook.xml": (_END_OF_BOOK, f"{names}</sheets>{in_book}</workbook>"),
            "xl/_rels/workbook.xml.rels": ("</Relationships>", f"{relations}</Relationships>"),
            "xl/worksheets/sheet1.xml": ("<sheetData/>", f"<sheetData>{rows}</sheetData>"),
        },
    )


def ods(tables: str) -> bytes:
    end = "</office:spreadsheet>"
    return _changed(sheets_ods([["a"]]), {"content.xml": (end, tables + end)})


def xls(records: bytes) -> bytes:
    stream = io.BytesIO()
    CompoundDoc.XlsDoc().save(stream, records)
    return stream.getvalue()


def _record(kind: int, body: bytes = b"") -> bytes:
    return kind.to_bytes(2, "little") + len(body).to_bytes(2, "little") + body


def _repeated(piece: str, size: int) -> str:
    return piece * (size // len(piece))


def _rows(cell: str, size: int) -> str:
    return _repeated(f"<row>{cell * 20}</row>", size)


def _chain(size: int) -> bytes:
    """Return categories, each of which has the next one as its parent."""
    count = size // 150
    rows = [
        {"id": an_id(n), "name": f"n{n}", "parentId": None if n == count else an_id(n + 1)}
        for n in range(1, count + 1)
    ]
    return "".join(native_line({"reserved_model_type": "Category", **row}) for row in rows).encode()


def _csv(first: str, further: str = "") -> bytes:
    return f"{first}\n2026-01-05,-1.00,x\n{further}".encode()


def _mt940(details: str, size: int) -> bytes:
    """details: repeated up to ``size`` in the details of one entry."""
    entry = mt940_entry("2026-01-05", "-1") + _repeated(details, size)
    return mt940([entry], opening=("1", "2026-01-05"), closing=("0", "2026-01-05")).encode()


_HEADINGS = "date,amount,payee"

#: Functions that make a file of each kind, which unpacks to about the number of bytes passed.
HOSTILE: dict[str, Callable[[int], bytes]] = {
    "xlsx: a cell of many errors": lambda size: xlsx("<c " + _repeated('t="e" ', size)),
    "xlsx: cells of errors": lambda size: xlsx(_rows('<c t="e"><v>#N/A</v></c>', size)),
    "xlsx: blanks in a formula's cell": lambda size: xlsx(
        f'<row><c r="A1"><f>1</f>{" " * size}<x/></c></row>'
    ),
    "xlsx: elements in the workbook": lambda size: xlsx("", in_book=_repeated("<a/>", size)),
    "xlsx: elements in a sheet": lambda size: xlsx(_repeated("<a/>", size)),
    "xlsx: rows without cells": lambda size: xlsx(_repeated("<row/>", size)),
    "xlsx: attributes": lambda size: xlsx(
        "<row " + " ".join(f'a{n}=""' for n in range(size // 9)) + "/>"
    ),
    "xlsx: sheets of one part": lambda size: xlsx(
        _rows("<c><v>1</v></c>", size), sheets=size // 10_000
    ),
    "ods: elements": lambda size: ods('<a table:formula=""/>' + _repeated("<a/>", size)),
    "ods: cells": lambda size: ods(
        '<table:table table:name="a"><table:table-row>'
        + _repeated("<table:table-cell/>", size)
        + '<table:table-cell table:formula=""/></table:table-row></table:table>'
    ),
    "xls: sheets": lambda size: xls(_record(_BOUNDSHEET, bytes(8)) * (size // 12)),
    "xls: empty records": lambda size: xls(_record(_BOUNDSHEET) * (size // 4)),
    "xls: sheets and errors": lambda size: xls(
        _record(_BOUNDSHEET, bytes(8)) * (size // 24)
        + _record(_BOOLERR, bytes(7) + b"\1") * (size // 24)
    ),
    "csv: headings": lambda size: _csv(
        ",".join([_HEADINGS, *(f"heading{n}" for n in range(size // 14))])
    ),
    "csv: equal headings": lambda size: _csv(_HEADINGS + _repeated(",a", size)),
    "csv: headings of one field": lambda size: _csv(_HEADINGS + _repeated(",note", size)),
    "csv: headings of one line each": lambda size: _csv(_HEADINGS + _repeated(',"\n"', size)),
    "csv: headings that are empty": lambda size: _csv(_HEADINGS + "," * size),
    "csv: lines like headings": lambda size: _csv(
        "Account:,A", _repeated("a1" + ",b1" * 10_000 + "\n", size)
    ),
    "csv: cells in a row": lambda size: _csv(_HEADINGS, "2026-01-06,-1.00" + _repeated(",a", size)),
    "csv: empty cells in a row": lambda size: _csv(_HEADINGS, "2026-01-06,-1.00,x" + "," * size),
    "csv: blanks in an amount": lambda size: _csv(_HEADINGS, f"2026-01-06,-1{' ' * size}EUR,x\n"),
    "csv: blanks in a date": lambda size: _csv(_HEADINGS, f"2026-01-06{' ' * size}1,-1,x\n"),
    "csv: blanks in a heading": lambda size: _csv(f"{_HEADINGS} ({' ' * size}EUR{' ' * size}x"),
    "mt940: details without text": lambda size: _mt940(":86:\n", size),
    "mt940: details of blanks": lambda size: _mt940(f":86:{' ' * 60}\n", size),
    "qif: splits": lambda size: (
        f"!Type:Bank\nD2026-01-05\nT-1\n{_repeated('SA' + chr(10), size)}^\n".encode()
    ),
    "native: categories in a chain": _chain,
}

#: A part of the reason why each kind of file is refused -> the kinds, or how they begin.
_REASONS = {
    "damaged or cut short": (
        *("xlsx: a cell of many", "xlsx: blanks", "xlsx: attributes", "xlsx: sheets of one part"),
    ),
    "error of a formula": ("xlsx: cells of errors",),
    "spreadsheet is empty": ("xlsx: elements", "xlsx: rows"),
    "no column is the date": ("ods: ", "csv: lines like headings"),
    "more than 256 sheets": ("xls: ",),
    "at most 16,384 are read": (
        *("csv: headings", "csv: equal headings", "csv: cells", "csv: empty cells"),
    ),
    "longer than 131072": ("csv: blanks in an amount", "csv: blanks in a date"),
    "is not divided by": ("csv: blanks in a heading",),
    "more than 100,000 characters": ("mt940: ",),
    "more than 100,000 lines": ("qif: ",),
    "at most 20 levels": ("native: ",),
}


def reason(kind: str) -> str:
    """Return a part of the reason why a file of a kind of HOSTILE is refused."""
    (found,) = (text for text, kinds in _REASONS.items() if kind.startswith(kinds))
    return found
