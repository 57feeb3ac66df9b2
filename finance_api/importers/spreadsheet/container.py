"""The containers of spreadsheets: ZIP (xlsx, ods), and OLE (xls, and xlsx with a password)."""

import errno
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import olefile

from finance_api.importers.interface import ImportRefused

#: How large a file may be, and what it unpacks to.
MAX_BYTES = 100_000_000
#: How many elements of XML, or records of xls, it may have: 100 MB of ordinary cells have fewer.
MAX_ELEMENTS = 10_000_000
_PIECE_BYTES = 1 << 18

_ZIP = b"PK\x03\x04"
_CONTENT_TYPES, _BOOK = "[Content_Types].xml", "xl/workbook.xml"
_MIMETYPE = b"application/vnd.oasis.opendocument.spreadsheet"
#: The beginning of a ZIP file whose end, with the list of its members, is missing.
_CUT_OFF = re.compile(rb"PK\x03\x04.*(?:xl/|%s)" % _MIMETYPE, re.DOTALL)
_HEAD_BYTES = 4_096
#: Exceptions of damaged files.
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(OSError, RuntimeError, ValueError, LookupError, OverflowError),
)

#: A full disk is no fault of the file.
_FULL = (errno.ENOSPC, errno.EDQUOT)


def looks_like_spreadsheet(stream: BinaryIO) -> bool:
    """Whether the file is one, a damaged one too; the stream is at its start, before and after."""
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
    """xlsx, ods, or nothing."""
    names = archive.namelist()
    if _CONTENT_TYPES in names and any(name.startswith("xl/") for name in names):
        return "xlsx"
    if "mimetype" in names and archive.getinfo("mimetype").file_size < _HEAD_BYTES:
        return "ods" if archive.read("mimetype").startswith(_MIMETYPE) else ""
    return ""


@contextmanager
def opened_archive(stream: BinaryIO, copy: Path) -> Iterator[tuple[str, zipfile.ZipFile]]:
    """An xlsx or ods file whose members are whole: which it is, and its members, unpacked.

    copy: is written, and has these members, as they were checked, and nothing else.
    Raises ImportRefused, also for what is found damaged while it is open.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > MAX_BYTES:
                raise _too_large("unpacks to", size)
            if any(member.flag_bits & 1 for member in members) or _is_encrypted(archive):
                raise with_password()
            kind = _kind(archive)
            if not kind or (kind == "xlsx" and _BOOK not in archive.namelist()):
                raise no_spreadsheet()
            _unpack(archive, copy)
        with zipfile.ZipFile(copy) as unpacked:
            yield kind, unpacked
    except _DAMAGES as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            raise
        raise damaged() from None


def _unpack(archive: zipfile.ZipFile, copy: Path) -> None:
    """Write the members without packing them."""
    names: set[str] = set()
    elements = 0
    with zipfile.ZipFile(copy, "w") as unpacked:
        for member in archive.infolist():
            name = member.filename
            # calamine takes them for the same.
            if name.lower() in names:
                raise damaged(f": its part {name!r} is there twice")
            names.add(name.lower())
            with unpacked.open(name, "w") as target:
                for piece in _pieces(archive, member):
                    elements += piece.count(b"<") - piece.count(b"</")
                    target.write(piece)
            if elements > MAX_ELEMENTS:
                raise too_many(MAX_ELEMENTS, "cells and other elements")


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(member) as part:
            while piece := part.read(_PIECE_BYTES):
                yield piece
    except zipfile.BadZipFile:
        raise damaged(f": its part {member.filename!r} is not whole") from None


def _is_encrypted(archive: zipfile.ZipFile) -> bool:
    """An ods file has the keys of its members in the manifest."""
    manifest = "META-INF/manifest.xml"
    return manifest in archive.namelist() and b":encryption-data" in archive.read(manifest)


@contextmanager
def opened_book(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The records of an xls file. Raises ImportRefused as `opened_archive`."""
    if stream.seek(0, 2) > MAX_BYTES:
        raise _too_large("has", stream.tell())
    stream.seek(0)
    try:
        with olefile.OleFileIO(stream, raise_defects=olefile.DEFECT_INCORRECT) as container:
            if container.exists("EncryptedPackage"):
                raise with_password()
            name = next((name for name in ("Workbook", "Book") if container.exists(name)), None)
            if name is None:
                raise no_spreadsheet()
            yield container.openstream(name)
    except _DAMAGES:
        raise damaged() from None


def is_book(stream: BinaryIO) -> bool:
    start = stream.read(len(olefile.MAGIC))
    stream.seek(0)
    return bool(start == olefile.MAGIC)


def damaged(how: str = "") -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet is damaged or cut short{how}: download it again, or save it as CSV with "
        "the program that opens it"
    )


def no_spreadsheet() -> ImportRefused:
    return ImportRefused("the file is no spreadsheet of the kinds xlsx, xls and ods")


def _too_large(has: str, size: int) -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet {has} {size / 1_000_000:,.1f} MB, and at most "
        f"{MAX_BYTES // 1_000_000} MB are read: save it as CSV"
    )


def too_many(limit: int, what: str) -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet has more than {limit:,} {what}, which is the limit: save the sheet with "
        "the statement as CSV"
    )


def with_password() -> ImportRefused:
    return ImportRefused(
        "the spreadsheet is protected by a password: save it without one, or as CSV"
    )
