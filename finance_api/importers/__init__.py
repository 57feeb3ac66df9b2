"""Readers of files: bytes -> domain objects, one folder or file per format; they store nothing."""

NATIVE = "native"
OFX = "ofx"
CSV = "csv"
QIF = "qif"
SPREADSHEET = "spreadsheet"
#: The formats that are read.
FORMATS = (NATIVE, OFX, QIF, CSV, SPREADSHEET)
