"""Readers of files: bytes -> domain objects, one folder or file per format; they store nothing."""

NATIVE = "native"
OFX = "ofx"
CSV = "csv"
QIF = "qif"
#: The formats that are read.
FORMATS = (NATIVE, OFX, QIF, CSV)
