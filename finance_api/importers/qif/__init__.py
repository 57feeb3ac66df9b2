"""QIF, the Quicken Interchange Format: registers of accounts, line by line.

========================  ======================================================
``records``               lines -> headers, and records with their fields
``register``              records -> transactions, each with its account
``importer``              transactions -> statements and entries
========================  ======================================================

Dates and amounts are read by the engine of CSV. The format:
https://en.wikipedia.org/wiki/Quicken_Interchange_Format
"""

from finance_api.importers.qif.importer import QifImporter, QifOptions

__all__ = ["QifImporter", "QifOptions"]
