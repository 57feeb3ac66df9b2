"""The values that sums of records are grouped by: fields, and values derived from them."""

from collections.abc import Callable, Mapping
from typing import Any

from finance_api.resources.records import VOID
from finance_api.values.periods import Period, start_of

#: Values derived from the fields, by name: the day of a recordDate, also where its time is kept. A
#: day or month is the second that it begins at.
DERIVED_GROUPS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "recordDate": lambda record: start_of(Period.DAY, record["recordDate"]),
    "month": lambda record: start_of(Period.MONTH, record["recordDate"]),
    "isVoid": lambda record: record["recordState"] == VOID,
    "isTransfer": lambda record: record["transferId"] is not None,
}


def group_of(record: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    """The record's values of some fields and of `DERIVED_GROUPS`."""
    return tuple([DERIVED_GROUPS[n](record) if n in DERIVED_GROUPS else record[n] for n in names])
