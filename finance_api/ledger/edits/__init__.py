"""Edits: changes to a user's data that do not come from imports.

Each function works in a `LedgerSession` and closes it; all of them raise ChangeRefused with a
sentence for the user. Commands and pages call the same functions.
"""
