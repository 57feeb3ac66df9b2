"""Finds records of one account that look like duplicates."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from finance_api.resources import RECORDS
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

_PAGE = 1_000
#: Payee and note.
_Texts = tuple[str | None, str | None]
#: Two formats may report the same transaction up to this many days apart.
_REACH_DAYS = 3


class Duplicate(NamedTuple):
    """Two records that look like one transaction, as whole rows; ``later`` was stored later."""

    earlier: Row
    later: Row


def find_duplicates(storage: Storage, user_id: int) -> Iterator[Duplicate]:
    """Yield pairs with the same account and amount on near days; no record is in two pairs.

    Two records of one import are never a pair, because a file does not repeat itself. Records of
    one source must be on the same day, records of two sources at most three days apart.
    """
    found: defaultdict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    stored = storage.data.list_amounts(user_id, ("accountId", "recordDate", "id"), ())
    for account_id, day, row_id, amount in in_time(stored):
        found[account_id, amount].append((day // DAY_SECONDS, row_id))
    for _, days in sorted(in_time(found.items())):
        pairs = (pair for pair in pairwise(sorted(days)) if pair[1][0] - pair[0][0] <= _REACH_DAYS)
        # Read only records that are near another record of the same amount.
        if near := list(dict.fromkeys(row_id for pair in pairs for _, row_id in pair)):
            yield from _pairs(storage, user_id, near)


def _pairs(storage: Storage, user_id: int, ids: list[str]) -> Iterator[Duplicate]:
    """Pair records of one account and amount. ids: the records' ids, sorted by day."""
    waiting: list[Row] = []
    for begin in range(0, len(ids), _PAGE):
        rows = storage.data.get_rows(user_id, RECORDS, ids[begin : begin + _PAGE])
        for row in sorted(rows.values(), key=lambda row: (row["recordDate"], row["id"])):
            waiting = [other for other in waiting if _days(other, row) <= _REACH_DAYS]
            found = next((other for other in waiting if _looks_doubled(other, row)), None)
            if found is None:
                waiting.append(row)
            else:
                waiting.remove(found)
                yield Duplicate(*sorted((found, row), key=_stored_at))


def _stored_at(row: Row) -> tuple[int, int, str]:
    return row["createdAt"], row["importId"] or 0, row["id"]


def _days(one: Row, other: Row) -> int:
    return abs(int(one["recordDate"]) // DAY_SECONDS - int(other["recordDate"]) // DAY_SECONDS)


def _looks_doubled(one: Row, other: Row) -> bool:
    if one["splitId"] is not None and one["splitId"] == other["splitId"]:
        return False
    if one["importId"] is not None and one["importId"] == other["importId"]:
        return False
    if one["source"] == other["source"] and _days(one, other) > 0:
        return False
    texts = [(row["payee"], row["note"]) for row in (one, other)]
    return not all(map(any, texts)) or are_alike(*texts)


def are_alike(one: _Texts, other: _Texts) -> bool:
    """Return whether the payees and notes of two rows look alike; False if a row has neither."""
    texts = [fold(" ".join(text for text in each if text)).strip() for each in (one, other)]
    if not all(texts):
        return False
    if texts[0] in texts[1] or texts[1] in texts[0]:
        return True
    words = texts[1].split()
    # They share a word that is long enough for a name.
    return any(len(word) >= 4 and word in words for word in texts[0].split())
