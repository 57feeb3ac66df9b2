"""Detection of a file's format by its first bytes."""

import re
from codecs import BOM_UTF8
from typing import BinaryIO

from finance_api.importers.charsets import opening_text, utf_16_of
from finance_api.importers.formats import FORMAT_NAMES, FORMATS, Format
from finance_api.importers.interface import HEAD_BYTES, ImportRefused

#: How files begin that people have, and that are not read. The first that fits counts.
_NOT_READ = {
    rb"PK\x03\x04.*(?:\[Content_Types\]\.xml|opendocument\.)": (
        "a document that is no spreadsheet: download the statement in another format"
    ),
    rb"PK\x03\x04|PK\x05\x06": "a ZIP file: unpack it",
    rb"%PDF": "a PDF file: download the statement in another format",
    rb"\x1f\x8b": "a gzip file: unpack it",
    rb"BZh[1-9]1AY|\xfd7zXZ|7z\xbc\xaf|Rar!": "a compressed file: unpack it",
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\x00|MM\x00\*": (
        "an image: download the statement in another format"
    ),
    rb"\{\\rtf": "a text document: download the statement in another format",
    rb"(?:Received|Return-Path|Delivered-To|MIME-Version): ": (
        "an e-mail: save the file that came with it"
    ),
    rb"SQLite format 3\x00": "an SQLite database",
    rb"(?i:<!DOCTYPE html|<html|<head|<table|<script)": (
        "an HTML page: a page to sign in, if it was to be another file, or a table under the name "
        "of a spreadsheet; download the statement again, or open it in a spreadsheet and save it "
        "as xlsx"
    ),
    rb"<\?xml\b.*(?:Excel\.Sheet|office:spreadsheet|opendocument\.spreadsheet)": (
        "a spreadsheet in one XML file: open it in a spreadsheet and save it as xlsx"
    ),
    rb"<\?xml\b|<Document\b": (
        "an XML file of another kind: download the statement as camt, OFX or CSV"
    ),
    rb"\[\s*[\[{\"]|\{\s*[\r\n]": (
        "a JSON file: native data has one object in each line, statements are in other formats"
    ),
}
_SIGNATURES = [(re.compile(pattern, re.DOTALL), what) for pattern, what in _NOT_READ.items()]


def detect_format(stream: BinaryIO) -> Format:
    """The stream is at its start, before and after.

    Raises ImportRefused for a file that is certainly of no format.
    """
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    text = opening_text(head)
    if not text:
        raise ImportRefused("the file is empty; there is nothing to import")
    for each in (each for each in FORMATS if each.is_certain):
        if each.recognises(text, stream):
            return each
    # Most of these are no text.
    data = text.encode() if utf_16_of(head) else head.removeprefix(BOM_UTF8).lstrip()
    for signature, what in _SIGNATURES:
        if signature.match(data):
            raise ImportRefused(
                f"it is {what}; the formats that are read: {', '.join(FORMAT_NAMES)}"
            )
    return next(each for each in FORMATS if not each.is_certain and each.recognises(text, stream))
