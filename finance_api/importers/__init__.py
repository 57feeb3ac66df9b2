"""Readers of files: bytes -> domain objects, one folder or file per format; they store nothing."""

#: What is read from these two is stored under the source of this name.
NATIVE, CSV = "native", "csv"
