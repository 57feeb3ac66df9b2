"""Finds records of one account that look like duplicates."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from finance_api.resources import RECORDS
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

_PAGE = 1_000
#: Payee and note.
_Texts = tuple[str | None, str | None]
#: Two formats may report the same transaction up to this many days apart.
_REACH_DAYS = 3
_FIELDS = ("recordDate", "id", "createdAt", "source", "splitId", "payee", "note")


class Duplicate(NamedTuple):
    """Two records that look like one transaction, as whole rows; ``later`` was stored later."""

    earlier: Row
    later: Row


class _Kind(NamedTuple):
    """What decides whether records of one account and amount look doubled."""

    day: int
    source: str | None
    split_id: str | None
    texts: _Texts


class _Record(NamedTuple):
    """A record. at: its date-time. import_id: 0 if it was not imported."""

    at: int
    record_id: str
    created: int
    import_id: int
    kind: _Kind


def find_duplicates(storage: Storage, user_id: int) -> list[tuple[str, str]]:
    """Return pairs with the same account and amount on near days; no record is in two pairs.

    Each pair has the id of the record that was stored earlier, then of the other. Two records of
    one import are never a pair, because a file does not repeat itself. Records of one source must
    be on the same day, records of two sources at most three days apart.
    """
    groups: defaultdict[tuple[str, int], list[_Record]] = defaultdict(list)
    stored = storage.data.list_amounts(user_id, ("accountId", "importId", *_FIELDS), ())
    for account_id, import_id, at, row_id, created, *values, amount in in_time(stored):
        source, split_id, *texts = values
        kind = _Kind(at // DAY_SECONDS, source, split_id, tuple(texts))
        groups[account_id, amount].append(_Record(at, row_id, created, import_id or 0, kind))
    pairs = (pair for _, group in sorted(groups.items()) for pair in _pairs(sorted(group)))
    ordered = (sorted(pair, key=_stored_at) for pair in pairs)
    return [(earlier.record_id, later.record_id) for earlier, later in ordered]


def _stored_at(record: _Record) -> tuple[int, int, str]:
    return record.created, record.import_id, record.record_id


def read_duplicates(
    storage: Storage, user_id: int, pairs: Sequence[tuple[str, str]]
) -> Iterator[Duplicate]:
    """Yield the rows of pairs of ids."""
    for begin in range(0, len(pairs), _PAGE):
        page = pairs[begin : begin + _PAGE]
        rows = storage.data.get_rows(user_id, RECORDS, [row_id for pair in page for row_id in pair])
        for earlier, later in page:
            yield Duplicate(rows[earlier], rows[later])


def _pairs(records: Sequence[_Record]) -> Iterator[tuple[_Record, _Record]]:
    """Pair records of one account and amount, sorted by time.

    Records of one kind are compared once, so that many equal records take no longer than others.
    """
    #: The records without a partner, by import and kind.
    waiting: defaultdict[int, dict[_Kind, deque[_Record]]] = defaultdict(dict)
    day = 0
    for record in records:
        check_time()
        if record.kind.day != day:
            day = record.kind.day
            for kinds in waiting.values():
                for kind in [kind for kind in kinds if day - kind.day > _REACH_DAYS]:
                    del kinds[kind]
        others = (
            kinds
            for import_id, kinds in waiting.items()
            if not import_id or import_id != record.import_id
        )
        alike = [
            (equal[0], kinds)
            for kinds in others
            for kind, equal in in_time(kinds.items())
            if _looks_doubled(kind, record.kind)
        ]
        if not alike:
            own = waiting[record.import_id].setdefault(record.kind, deque())
            own.append(record)
            continue
        found, kinds = min(alike, key=lambda each: each[0])
        kinds[found.kind].popleft()
        if not kinds[found.kind]:
            del kinds[found.kind]
        yield found, record


def _looks_doubled(one: _Kind, other: _Kind) -> bool:
    if one.split_id is not None and one.split_id == other.split_id:
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
