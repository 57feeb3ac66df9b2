"""Undo entries of the history: the data is as if they had never been.

An entry is undone whole, or without the rows that were edited manually since; nothing is merged.
An undo is no entry itself: undone entries stay in the history, with the time of the undo. Facts of
files (covered days, balances, options) are read only from entries that are not undone; balances,
names and initial balances are derived again.
"""

from finance_api.ledger.undo.report import UndoReport
from finance_api.ledger.undo.taking_back import undo

__all__ = ["UndoReport", "undo"]
