"""Reads bank statements in CSV (RFC 4180), whatever their columns.

No two banks write the same CSV. Nothing is guessed: a file that leaves something open is refused,
and the refusal names the option that decides it.

A file passes four rooms: `sniff` (the tables it may have), `mapping` (what options, saved answers
or a profile say about it), `guess` (what its content says), `rows` (its entries).
"""

from finance_api.importers.csv.importer import CsvImporter
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.mapping import Mapping

__all__ = ["CsvImporter", "Mapping", "Profiles", "load_profiles"]
