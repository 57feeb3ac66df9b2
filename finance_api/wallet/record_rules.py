"""Record rules below /wallet."""

from finance_api.resources import RECORD_RULES
from finance_api.wallet.members import TIMES, Shape, members
from finance_api.wallet.names import category, labels

RECORD_RULE = Shape(
    "RecordRule",
    members(
        RECORD_RULES,
        f"id name keywords category labels fromAccountId=accountId {TIMES}",
        *(category, labels),
    ),
)
