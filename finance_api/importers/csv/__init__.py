"""Reads bank statements in CSV (RFC 4180), whatever their columns.

No two banks write the same CSV. Nothing is guessed: a file that leaves something open is refused,
and the refusal names the option that decides it.
"""

from finance_api.importers.csv.importer import CsvImporter
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.mapping import Mapping

__all__ = ["CsvImporter", "Mapping", "Profiles", "load_profiles"]
