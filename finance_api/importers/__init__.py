"""Readers of files, one folder or file per format. They return domain objects and store nothing."""

#: The sources under which rows of these two formats are stored.
NATIVE, CSV = "native", "csv"
