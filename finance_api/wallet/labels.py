"""Labels below /wallet."""

from finance_api.resources import LABELS
from finance_api.wallet.members import TIMES, Shape, members

LABEL = Shape("Label", members(LABELS, f"id name color archived {TIMES}"))
