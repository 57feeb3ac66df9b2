"""Files made to keep a server busy, of any size: of what they unpack to, where they are packed."""

import io
import json
import zipfile
from collections.abc import Callable

from xlwt import CompoundDoc

from support.ledger import an_id
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
    """A packed file whose parts have other texts: part -> what is replaced there, and by what."""
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
    """rows: of the sheet, which the workbook names several times. in_book: further elements."""
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


def _chain(size: int) -> str:
    lines = []
    for number in range(1, size // 150):
        row = {"reserved_model_type": "Category", "id": an_id(number), "name": f"n{number}"}
        lines.append(json.dumps(row | {"parentId": an_id(number + 1)}))
    row = {"reserved_model_type": "Category", "id": an_id(size // 150), "name": "top"}
    return "\n".join([*lines, json.dumps(row)])


def _csv(headings: str, rest: str = "") -> bytes:
    return f"{headings}\n{rest}".encode()


ROW = "date,amount,payee\n2026-01-05,-1.00,x\n"

#: Of each kind: a number of bytes -> a file that unpacks to about as many.
HOSTILE: dict[str, Callable[[int], bytes]] = {
    "xlsx: one cell with many errors": lambda size: xlsx("<c " + _repeated('t="e" ', size)),
    "xlsx: cells with errors": lambda size: xlsx(_rows('<c t="e"><v>#N/A</v></c>', size)),
    "xlsx: blanks within a formula": lambda size: xlsx(
        f'<row><c r="A1"><f>1</f>{" " * size}<x/></c></row>'
    ),
    "xlsx: elements in the workbook": lambda size: xlsx("", in_book=_repeated("<a/>", size)),
    "xlsx: elements in the sheet": lambda size: xlsx(_repeated("<a/>", size)),
    "xlsx: rows without cells": lambda size: xlsx(_repeated("<row/>", size)),
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
        ",".join(f"heading{n}" for n in range(size // 14)) + ",date,amount"
    ),
    "csv: equal headings": lambda size: _csv("date,amount" + _repeated(",a", size)),
    "csv: equal headings of a field": lambda size: _csv("date,amount" + _repeated(",payee", size)),
    "csv: headings on many lines": lambda size: _csv("date,amount" + _repeated(',"\n"', size)),
    "csv: cells in a row": lambda size: _csv(ROW + "2026-01-06,-1.00" + _repeated(",a", size)),
    "csv: empty cells in a row": lambda size: _csv(ROW + "2026-01-06,-1.00,x" + "," * size),
    "csv: rows of headings": lambda size: _csv(ROW + _repeated("a1" + ",1" * 50_000 + "\n", size)),
    "csv: blanks in an amount": lambda size: _csv(ROW, f"2026-01-06,-1{' ' * size}EUR,x"),
    "csv: blanks in a date": lambda size: _csv(ROW, f"2026-01-06{' ' * size}1,-1,x"),
    "csv: blanks in a heading": lambda size: _csv(f"date,amount ({' ' * size}EUR{' ' * size}x\n"),
    "mt940: blank details": lambda size: (
        ":20:A\n:25:1\n:60F:C260101EUR1,\n:61:2601010101D1,NTRFNONREF\n"
        + _repeated(":86:\n", size)
        + ":62F:C260101EUR0,\n-\n"
    ).encode(),
    "mt940: details of blanks": lambda size: (
        ":20:A\n:25:1\n:60F:C260101EUR1,\n:61:2601010101D1,NTRFNONREF\n"
        + _repeated(f":86:{' ' * 60}\n", size)
        + ":62F:C260101EUR0,\n-\n"
    ).encode(),
    "native: a chain of categories": lambda size: _chain(size).encode(),
}
