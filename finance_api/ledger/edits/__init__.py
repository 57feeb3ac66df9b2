"""Edits: changes of a user's data that no file brings.

Each function works in a `LedgerSession` and closes it; all of them raise ChangeRefused with a
sentence for the person who asked. Commands and pages call the same ones.
"""
