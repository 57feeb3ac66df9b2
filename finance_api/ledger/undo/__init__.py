"""Taking entries of the history back: what was there before them is there again.

An entry goes back whole, or up to the rows that a hand changed since; nothing is merged. Taking
back is no entry itself: the entries that went keep standing in the history, with the time of it.
What they taught (covered days, balances, options) is read from entries that are not undone, and so
is gone by itself; balances, names and what follows from a bank's balances are worked out anew.
"""

from finance_api.ledger.undo.report import UndoReport
from finance_api.ledger.undo.taking_back import undo

__all__ = ["UndoReport", "undo"]
