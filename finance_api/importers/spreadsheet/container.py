"""The containers of spreadsheets: ZIP (xlsx, ods), and OLE (xls, and xlsx with a password)."""

import errno
import lzma
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import olefile

from finance_api.importers.interface import ImportRefused
from finance_api.importers.spreadsheet.faults import (
    MAX_ELEMENTS,
    damaged,
    faults_in_ods,
    faults_in_xls,
    faults_in_xlsx,
    too_many,
    with_password,
)

#: Maximum size of a file, both packed and unpacked, in bytes.
MAX_BYTES = 100_000_000
_PIECE_BYTES = 1 << 18

_ZIP = b"PK\x03\x04"
_CONTENT_TYPES, _BOOK = "[Content_Types].xml", "xl/workbook.xml"
_MIMETYPE = b"application/vnd.oasis.opendocument.spreadsheet"
#: How a spreadsheet begins: for a ZIP file cut off before its end, which lists the members.
_CUT_OFF = re.compile(rb"PK\x03\x04.*(?:xl/|%s)" % _MIMETYPE, re.DOTALL)
_HEAD_BYTES = 4_096
#: Exceptions that damaged files cause.
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(OSError, RuntimeError, ValueError, LookupError, OverflowError),
)

#: Errors of a full disk, for which the file is not to blame.
_FULL = (errno.ENOSPC, errno.EDQUOT)


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

    The result maps the number of a sheet, from 0, to its first cell without a value, and why. The
    copy of an xlsx or ods file contains only its checked members, unpacked.
    Raises ImportRefused.
    """
    try:
        start = stream.read(len(olefile.MAGIC))
        stream.seek(0)
        if start == olefile.MAGIC:
            return _copy_book(stream, copy)
        kind = _unpack(stream, copy)
        with zipfile.ZipFile(copy) as archive:
            return faults_in_xlsx(archive) if kind == "xlsx" else faults_in_ods(archive)
    except _DAMAGES as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            raise
        raise damaged() from None


def _copy_book(stream: BinaryIO, copy: Path) -> dict[int, str]:
    if stream.seek(0, 2) > MAX_BYTES:
        raise _too_large("has", stream.tell())
    stream.seek(0)
    with olefile.OleFileIO(stream, raise_defects=olefile.DEFECT_INCORRECT) as container:
        if container.exists("EncryptedPackage"):
            raise with_password()
        name = next((name for name in ("Workbook", "Book") if container.exists(name)), None)
        if name is None:
            raise _no_spreadsheet()
        faults = faults_in_xls(container.openstream(name))
    stream.seek(0)
    with copy.open("wb") as target:
        shutil.copyfileobj(stream, target)
    return faults


def _unpack(stream: BinaryIO, copy: Path) -> str:
    """Write the members unpacked; return the kind of spreadsheet. Raises ImportRefused."""
    names: set[str] = set()
    elements = 0
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if size > MAX_BYTES:
            raise _too_large("unpacks to", size)
        if any(member.flag_bits & 1 for member in members) or _is_encrypted(archive):
            raise with_password()
        kind = _kind(archive)
        if not kind or (kind == "xlsx" and _BOOK not in archive.namelist()):
            raise _no_spreadsheet()
        with zipfile.ZipFile(copy, "w") as unpacked:
            for member in members:
                name = member.filename
                # calamine ignores case in the names of members.
                if name.lower() in names:
                    raise damaged(f": its part {name!r} is there twice")
                names.add(name.lower())
                with unpacked.open(name, "w") as target:
                    for piece in _pieces(archive, member):
                        elements += piece.count(b"<") - piece.count(b"</")
                        target.write(piece)
                if elements > MAX_ELEMENTS:
                    raise too_many(MAX_ELEMENTS, "cells and other elements")
    return kind


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(member) as part:
            while piece := part.read(_PIECE_BYTES):
                yield piece
    except zipfile.BadZipFile:
        raise damaged(f": its part {member.filename!r} is incomplete") from None


def _is_encrypted(archive: zipfile.ZipFile) -> bool:
    """Return whether an ods file is encrypted, which its manifest shows."""
    manifest = "META-INF/manifest.xml"
    return manifest in archive.namelist() and b":encryption-data" in archive.read(manifest)


def _no_spreadsheet() -> ImportRefused:
    return ImportRefused("the file is not an xlsx, xls or ods spreadsheet")


def _too_large(has: str, size: int) -> ImportRefused:
    return ImportRefused(
        f"the spreadsheet {has} {size / 1_000_000:,.1f} MB, but at most "
        f"{MAX_BYTES // 1_000_000} MB are allowed: save it as CSV"
    )
