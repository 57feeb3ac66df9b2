"""Stores imported data: identity, references, rules, balances, one revision.

`importing.import_file` is the entry point: importers read, the ledger decides, the storage keeps.
"""
