"""Storing imported data: identity, references, rules, balances, one revision.

`importing.import_file` is the way in; importers read, the ledger decides, the storage keeps.
"""
