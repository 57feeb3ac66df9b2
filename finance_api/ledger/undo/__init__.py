"""Undoes entries of the history: afterwards, the data is as if they had never existed.

An undo covers a whole entry, or all but the rows that were edited manually since; nothing is
merged. It adds no entry: undone entries stay in the history, with the time of the undo. Facts of
undone entries (covered days, balances, options) no longer count. Balances, names and initial
balances are derived again.
"""

from finance_api.ledger.undo.past import UndoReport
from finance_api.ledger.undo.undoing import undo

__all__ = ["UndoReport", "undo"]
