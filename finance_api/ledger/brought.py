"""What files brought: the records that initial balances follow from.

A record that a person added, changed or deleted must not move an initial balance. So the field
``brought`` of records and wholes keeps what files brought, as JSON, if it differs from what the
record has. It is `NOWHERE` if no file brought the record. A deleted record that a file brought is a
whole without parts; it always has the field.
"""

import json
from typing import NamedTuple

from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: The value of the field if no file brought the record.
NOWHERE = "[]"


class Brought(NamedTuple):
    """The values that decide what a record adds to its account's balance.

    is_duplicate: whether the record was voided as a duplicate, so that it counts as if no file had
    brought it. number: that of the import that brought it, if another one created the record.
    """

    account_id: str
    date: int
    amount: int
    is_void: bool
    is_duplicate: bool = False
    number: int | None = None

    @property
    def day(self) -> int:
        """The first second of the day."""
        return self.date - self.date % DAY_SECONDS

    @property
    def counted(self) -> int:
        """The amount that the record adds to the balance."""
        return 0 if self.is_void or self.is_duplicate else self.amount


def as_stored(row: Row) -> Brought:
    """Return the values that the record or whole has itself."""
    return Brought(row["accountId"], row["recordDate"], row["amount"], row["recordState"] == VOID)


def read_brought(row: Row) -> Brought | None:
    """Return what files brought of a record or whole; None if no file brought it."""
    if row["brought"] is None:
        return as_stored(row)
    if row["brought"] == NOWHERE:
        return None
    try:
        return Brought(*json.loads(row["brought"]))
    except (TypeError, ValueError):
        # A native file can have any text.
        return as_stored(row)


def note_brought(row: Row, brought: Brought | None) -> None:
    """Note what files brought of a record, or of a whole with parts."""
    is_same = brought == as_stored(row)
    row["brought"] = None if is_same else NOWHERE if brought is None else _written(brought)


def note_by_hand(before: Row, after: Row, *, is_duplicate: bool = False) -> None:
    """Note that what files brought stays the same when a person changes a record or whole.

    is_duplicate: whether the person voids it as a duplicate.
    """
    brought = read_brought(before)
    if brought is not None:
        still = brought.is_duplicate and after["recordState"] == VOID
        brought = brought._replace(is_duplicate=is_duplicate or still)
    note_brought(after, brought)


def as_deleted(whole: Row) -> Row:
    """Return the whole of a deleted record, with what files brought."""
    brought = read_brought(whole)
    return {**whole, "brought": NOWHERE if brought is None else _written(brought)}


def _written(brought: Brought) -> str:
    return json.dumps(brought, separators=(",", ":"))
