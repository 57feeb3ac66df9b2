"""Detection of a file's format by its first bytes."""

from typing import BinaryIO

from finance_api.importers import CSV, FORMATS, NATIVE, OFX
from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx import looks_like_ofx

HEAD_BYTES = 4_096

_BOM = b"\xef\xbb\xbf"

#: How files begin that people have, and that are not read.
_NOT_READ = {
    b"PK\x03\x04": "an Excel or ZIP file: save the sheet as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "an Excel file: save the sheet as CSV",
    b"%PDF": "a PDF file",
    b"\x1f\x8b": "a gzip file: unpack it",
    b"SQLite format 3\x00": "an SQLite database",
    b"!Type:": "a QIF file",
    b"!Account": "a QIF file",
    b"{1:": "an MT940 file",
    b":20:": "an MT940 file",
}
_CAMT = b"urn:iso:std:iso:20022:tech:xsd:camt"


def detect_format(stream: BinaryIO) -> str:
    """One of FORMATS: what is neither OFX nor JSON can only be CSV. The stream is at its start.

    Raises ImportRefused for what is certainly none of them.
    """
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    if looks_like_ofx(head):
        return OFX
    begin = head.removeprefix(_BOM).lstrip()
    for signature, what in _NOT_READ.items():
        if begin.startswith(signature):
            raise ImportRefused(f"it is {what}; the formats that are read: {', '.join(FORMATS)}")
    if _CAMT in head:
        raise ImportRefused(f"it is a camt file; the formats that are read: {', '.join(FORMATS)}")
    # Nothing at all is what the dump of a user without data looks like.
    if not begin or begin.startswith(b"{"):
        return NATIVE
    return CSV
