"""Readers of files: bytes -> domain objects, one folder or file per format; they store nothing."""

#: The sources under which rows of these two formats are stored.
NATIVE, CSV = "native", "csv"
