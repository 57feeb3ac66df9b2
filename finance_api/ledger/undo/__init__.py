"""Undoes entries of the history: afterwards, the data is as if they had never existed.

An undo reverts all rows of an entry, or all except the rows that were edited manually since. Only
accounts are merged: they keep values that later entries set. An undo adds no entry: undone entries
stay in the history, with the time of the undo. Facts of undone entries (covered days, balances,
options) no longer count. Balances, names and initial balances are derived again.
"""

from finance_api.ledger.undo.past import UndoReport
from finance_api.ledger.undo.plan import UndoBlocked
from finance_api.ledger.undo.undoing import UndoTooLarge, undo

__all__ = ["UndoBlocked", "UndoReport", "UndoTooLarge", "undo"]
