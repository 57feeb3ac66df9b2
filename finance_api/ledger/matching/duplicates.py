"""Finds records of one account that look like duplicates."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from finance_api.ledger.rows import batched
from finance_api.query.model import Condition
from finance_api.resources import RECORDS
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.storage.interface import Proposed, ProposedPair, Storage
from finance_api.values import Row
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

#: Payee and note.
_Texts = tuple[str | None, str | None]
#: The name in ``setByHand`` of records of which the user said that they are no duplicates.
CONFIRMED = "duplicate"
#: Two formats may report the same transaction up to this many days apart.
_REACH_DAYS = 3
#: The values of a record, in the order in which records of one account are compared; then the
#: amount follows.
_FIELDS = (
    *("accountId", "recordDate", "id", "createdAt", "importId"),
    *("source", "splitId", "setByHand", "payee", "note"),
)
_Record = tuple[Any, ...]


class Duplicate(NamedTuple):
    """Two records that look like one transaction, as whole rows; ``later`` was stored later."""

    earlier: Row
    later: Row


class _Kind(NamedTuple):
    """What decides whether records of one account and amount look doubled."""

    day: int
    source: str | None
    split_id: str | None
    is_confirmed: bool
    texts: _Texts


def find_duplicates(
    storage: Storage, user_id: int, about: Sequence[Condition] = ()
) -> list[ProposedPair]:
    """Return pairs with the same account and amount on near days; no record is in two pairs.

    about: conditions on the records to pair. The first record of a pair was stored earlier. Two
    records of one import are never a pair, because a file does not repeat itself. Records of one
    source must be on the same day, records of two sources at most three days apart. Two records
    that the user confirmed are no pair.
    """
    imports = {number for (number,) in storage.data.sum_by(user_id, ["importId"], about)}
    if len(imports) == 1 and all(imports):
        return []
    groups: defaultdict[tuple[str, int], list[_Record]] = defaultdict(list)
    for record in in_time(storage.data.list_amounts(user_id, _FIELDS, about)):
        groups[record[0], record[-1]].append(record)
    pairs = (pair for _, group in sorted(groups.items()) for pair in _pairs(group))
    return [_proposed(*sorted(pair, key=_stored_at)) for pair in pairs]


def _proposed(earlier: _Record, later: _Record) -> ProposedPair:
    day = earlier[1] - earlier[1] % DAY_SECONDS
    return ProposedPair(Proposed.DUPLICATE, earlier[2], later[2], day)


def _stored_at(record: _Record) -> tuple[int, int, str]:
    _, _, record_id, created, import_id, *_ = record
    return created, import_id or 0, record_id


def read_duplicates(
    storage: Storage, user_id: int, pairs: Sequence[ProposedPair]
) -> Iterator[Duplicate]:
    """Yield the rows of pairs."""
    for page in batched(pairs):
        ids = [row_id for pair in page for row_id in pair.ids]
        rows = storage.data.get_rows(user_id, RECORDS, ids)
        for pair in page:
            yield Duplicate(rows[pair.first_id], rows[pair.second_id])


def _pairs(records: list[_Record]) -> Iterator[tuple[_Record, _Record]]:
    """Pair records of one account and amount.

    Records of one kind are compared once, so that many equal records take no longer than others.
    """
    imports = {record[4] for record in records}
    if len(imports) == 1 and all(imports):
        return
    #: The records without a partner, by import and kind.
    waiting: defaultdict[int | None, dict[_Kind, deque[_Record]]] = defaultdict(dict)
    last = 0
    for record in sorted(records):
        check_time()
        _, at, _, _, record_import, source, split_id, by_hand, *texts, _ = record
        day = at // DAY_SECONDS
        own = _Kind(day, source, split_id, CONFIRMED in by_hand, tuple(texts))
        if day != last:
            last = day
            for kinds in waiting.values():
                for kind in [kind for kind in kinds if day - kind.day > _REACH_DAYS]:
                    del kinds[kind]
        others = (
            kinds
            for import_id, kinds in waiting.items()
            if not import_id or import_id != record_import
        )
        alike = [
            (equal[0], kind, kinds)
            for kinds in others
            for kind, equal in in_time(kinds.items())
            if _looks_doubled(kind, own)
        ]
        if not alike:
            waiting[record_import].setdefault(own, deque()).append(record)
            continue
        found, kind, kinds = min(alike)
        kinds[kind].popleft()
        if not kinds[kind]:
            del kinds[kind]
        yield found, record


def _looks_doubled(one: _Kind, other: _Kind) -> bool:
    if one.split_id is not None and one.split_id == other.split_id:
        return False
    if one.is_confirmed and other.is_confirmed:
        return False
    if one.source == other.source and one.day != other.day:
        return False
    return not (any(one.texts) and any(other.texts)) or are_alike(one.texts, other.texts)


def are_alike(one: _Texts, other: _Texts) -> bool:
    """Return whether the payees and notes of two rows look alike; False if a row has neither."""
    (text, names), (other_text, other_names) = _folded(one), _folded(other)
    if not text or not other_text:
        return False
    return text in other_text or other_text in text or not names.isdisjoint(other_names)


@lru_cache(maxsize=32_768)
def _folded(texts: _Texts) -> tuple[str, frozenset[str]]:
    """Return the folded text, and its words that are long enough for a name."""
    text = fold(" ".join(filter(None, texts))).strip()
    return text, frozenset(word for word in text.split() if len(word) >= 4)
