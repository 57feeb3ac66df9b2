"""Readers of files: bytes -> domain objects, one folder or file per format; they store nothing."""

NATIVE = "native"
OFX = "ofx"
CAMT = "camt"
MT940 = "mt940"
CSV = "csv"
QIF = "qif"
SPREADSHEET = "spreadsheet"
#: The formats that are read.
FORMATS = (NATIVE, OFX, CAMT, MT940, QIF, CSV, SPREADSHEET)
