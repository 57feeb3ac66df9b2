"""CSV bank statements (RFC 4180), read with the user's mapping of columns.

No two banks write the same CSV. What a file does not decide by itself is never guessed: the file is
refused, and the refusal names the option that decides it.
"""

from finance_api.importers.csv.importer import CsvImporter
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.layout import Layout

__all__ = ["CsvImporter", "Layout", "Profiles", "load_profiles"]
