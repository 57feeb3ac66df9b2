"""A *rehearsal*: a unit of work that reads from the storage, but writes to memory, and sees what it
wrote. What was written there can be stored later, in the same order.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from typing import Any

from finance_api.ledger.rows import batched
from finance_api.query.evaluate import group_of, matching, sorted_rows
from finance_api.query.model import Condition, Query, Span
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource, names_of
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    COMMAND,
    AuditAction,
    BeforeImage,
    DataReader,
    DataState,
    DataWriter,
    HistoryEntry,
    LedgerReader,
    LedgerWriter,
    Page,
    Proposed,
    ProposedPair,
    RecordSum,
    Storage,
    StorageBackend,
    WritableStorage,
)
from finance_api.values import Row

#: Repeats a write in another unit of work.
_Write = Callable[[WritableStorage], None]
_Proposals = Iterable[ProposedPair]


class _WrittenRows:
    """The rows of a user and resource that a rehearsal writes.

    replaced: ids of stored rows that the rehearsal changed or deleted.
    """

    def __init__(self) -> None:
        #: The rows by id; None for a deleted row.
        self._rows: dict[str, Row | None] = {}
        self._ids_by_source: dict[tuple[str, str], str] = {}
        #: The sorted ids of all rows, and pairs of day and id of records; None after a change.
        self._sorted_ids: list[str] | None = None
        self._by_day: list[tuple[int, str]] | None = None
        self.replaced: set[str] = set()

    def __contains__(self, row_id: str) -> bool:
        return row_id in self._rows

    def put(self, new: Collection[Row], changed: Collection[Row]) -> None:
        """Keep written rows. Raises Conflict if two of them have the same source id."""
        # Delete all changed rows first: they may exchange their source ids.
        self.delete([row["id"] for row in changed])
        for row in (*new, *changed):
            row_id = row["id"]
            if row["sourceId"] is not None:
                source = row["source"], row["sourceId"]
                if self._ids_by_source.setdefault(source, row_id) != row_id:
                    raise Conflict(f"two rows have the source id {row['sourceId']}")
            self._rows[row_id] = row

    def delete(self, ids: Collection[str]) -> None:
        self.replaced.update(row_id for row_id in ids if row_id not in self._rows)
        for row_id in ids:
            row = self.get(row_id)
            if row is not None and row["sourceId"] is not None:
                del self._ids_by_source[row["source"], row["sourceId"]]
            self._rows[row_id] = None
        self._sorted_ids = self._by_day = None

    def get(self, row_id: str) -> Row | None:
        row = self._rows.get(row_id)
        return None if row is None else dict(row)

    def get_by_source(self, source: str, source_id: str) -> Row | None:
        return self.get(self._ids_by_source.get((source, source_id), ""))

    def scan(self, after_id: str = "") -> Iterator[Row]:
        """Yield the written rows in the order of their ids."""
        if self._sorted_ids is None:
            self._sorted_ids = sorted(self._rows)
        for place in range(bisect_right(self._sorted_ids, after_id), len(self._sorted_ids)):
            row = self.get(self._sorted_ids[place])
            if row is not None:
                yield row

    def of_days(self, conditions: Sequence[Condition]) -> Iterator[Row]:
        """Yield the written records, only those of the days that the conditions name, if any."""
        by_day = "recordDate", Operator.EQ
        spans = (c.operand for c in conditions if (c.field.name, c.operator) == by_day)
        span = next((each for each in spans if isinstance(each, Span)), None)
        if span is None:
            return self.scan()
        if self._by_day is None:
            rows = filter(None, self._rows.values())
            self._by_day = sorted((row["recordDate"], row["id"]) for row in rows)
        first, end = (bisect_left(self._by_day, (at,)) for at in (span.first, span.end))
        return filter(None, (self.get(row_id) for _, row_id in self._by_day[first:end]))


@dataclass
class _Put:
    """Puts rows that were prepared before, so that the unit of work computes nothing."""

    user_id: int
    resource: Resource
    new: Any
    changed: Any

    def prepare(self, backend: StorageBackend) -> None:
        self.new = backend.prepare_rows(self.user_id, self.resource, self.new)
        self.changed = backend.prepare_rows(self.user_id, self.resource, self.changed)

    def __call__(self, storage: WritableStorage) -> None:
        rows = {"new": self.new, "changed": self.changed}
        storage.data.put_prepared(self.user_id, self.resource, **rows)


class _Data(DataWriter):
    """The data as the change would leave it. data: the stored data."""

    def __init__(self, data: DataReader, writes: list[_Write]) -> None:
        self._data = data
        self._writes = writes
        self._written: defaultdict[tuple[int, str], _WrittenRows] = defaultdict(_WrittenRows)
        self._states: dict[int, DataState] = {}

    def lock(self, user_id: int) -> DataState:
        """Return the state without locking anything: a rehearsal makes nobody wait."""
        return self.get_state(user_id)

    def get_state(self, user_id: int) -> DataState:
        return self._states.get(user_id) or self._data.get_state(user_id)

    def set_state(self, user_id: int, state: DataState) -> None:
        self._states[user_id] = state
        self._writes.append(lambda storage: storage.data.set_state(user_id, state))

    def forget_states(self, user_id: int, before: int) -> None:
        """Forget them only in the storage: no change reads earlier states."""
        self._writes.append(lambda storage: storage.data.forget_states(user_id, before))

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        if self.get_rows(user_id, resource, [row["id"] for row in new]):
            raise Conflict(f"two of the {resource.name} have the same id")
        self._check_sources(user_id, resource, [*new, *changed])
        put = _Put(user_id, resource, list(map(dict, new)), list(map(dict, changed)))
        self._written[user_id, resource.name].put(put.new, put.changed)
        self._writes.append(put)

    def _check_sources(self, user_id: int, resource: Resource, rows: Sequence[Row]) -> None:
        ids = {row["id"] for row in rows}
        source_ids: defaultdict[str, list[str]] = defaultdict(list)
        for row in rows:
            if row["sourceId"] is not None:
                source_ids[row["source"]].append(row["sourceId"])
        for source, wanted in source_ids.items():
            for row in self.get_rows_by_source(user_id, resource, source, wanted).values():
                if row["id"] not in ids:
                    raise Conflict(f"two of the {resource.name} have the same source")

    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        gone = tuple(ids)
        self._written[user_id, resource.name].delete(gone)
        self._writes.append(lambda storage: storage.data.delete_rows(user_id, resource, gone))

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        written = self._written[user_id, resource.name]
        found = {row_id: row for row_id in ids if (row := written.get(row_id)) is not None}
        left = [row_id for row_id in ids if row_id not in written]
        if left:
            found |= self._data.get_rows(user_id, resource, left)
        return found

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        written = self._written[user_id, resource.name]
        rows = ((source_id, written.get_by_source(source, source_id)) for source_id in source_ids)
        found = {source_id: row for source_id, row in rows if row is not None}
        stored = self._data.get_rows_by_source(user_id, resource, source, source_ids)
        return found | {key: row for key, row in stored.items() if row["id"] not in written}

    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        written = self._written[user_id, resource.name]
        found = list(islice(_matching(written.scan(after_id), conditions), limit))
        after, left = after_id, limit
        while left is None or left > 0:
            page = self._data.scan_rows(
                user_id, resource, conditions=conditions, after_id=after, limit=limit
            )
            kept = [row for row in page if row["id"] not in written]
            found += kept
            if limit is None or left is None or len(page) < limit:
                break
            after, left = page[-1]["id"], left - len(kept)
        return sorted(found, key=lambda row: str(row["id"]))[:limit]

    def list_rows(self, user_id: int, query: Query) -> Page:
        assert not query.with_total
        written, end = self._written[user_id, query.resource.name], query.offset + query.limit
        names = names_of(query.resource.listed_fields)
        found = [
            {name: row[name] for name in names}
            for row in _matching(written.scan(), query.conditions)
        ]
        enough = end + len(written.replaced)
        page = self._data.list_rows(user_id, replace(query, offset=0, limit=enough))
        found += [row for row in page.rows if row["id"] not in written]
        rows = sorted_rows(found, query.sort)
        return Page(rows[query.offset : end], page.has_more or len(rows) > end)

    def _is_never_read(self, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError("no change reads this")

    count_rows = stream_json = list_changes = _is_never_read

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        """Sum as the storage does. most: always None, because changes ask for all groups."""
        assert most is None
        sums = self._data.sum_by(user_id, names, conditions, with_void=with_void)
        gone = self._replaced(user_id)
        written = self._written[user_id, RECORDS.name].of_days(conditions)
        for row in _matching(gone, conditions, with_void=with_void):
            key = group_of(row, tuple(names))
            old = sums[key]
            if row["recordDate"] in old[2:]:
                # Another record is the oldest or the newest of its group now.
                return self._counted(user_id, names, conditions, with_void=with_void)
            sums[key] = old._replace(amount=old.amount - row["amount"], number=old.number - 1)
        for row in _matching(written, conditions, with_void=with_void):
            key, at = group_of(row, tuple(names)), row["recordDate"]
            one = RecordSum(row["amount"], 1, at, at)
            sums[key] = sums[key].joined(one) if key in sums else one
        return {key: each for key, each in sums.items() if each.number}

    def _counted(
        self, user_id: int, names: Sequence[str], conditions: Sequence[Condition], **options: Any
    ) -> dict[tuple[Any, ...], RecordSum]:
        """Return the sums of `sum_by` from all records one by one."""
        sums: dict[tuple[Any, ...], RecordSum] = {}
        for *key, at, amount in self.list_amounts(
            user_id, (*names, "recordDate"), conditions, **options
        ):
            one, group = RecordSum(amount, 1, at, at), tuple(key)
            sums[group] = sums[group].joined(one) if group in sums else one
        return sums

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        written = self._written[user_id, RECORDS.name]
        stored = self._data.list_amounts(user_id, ("id", *names), conditions, with_void=with_void)
        return [
            *(tuple(values) for row_id, *values in stored if row_id not in written),
            *(
                (*group_of(row, tuple(names)), row["amount"])
                for row in _matching(written.of_days(conditions), conditions, with_void=with_void)
            ),
        ]

    def _replaced(self, user_id: int) -> Iterator[Row]:
        """Yield the stored versions of the records that the rehearsal changed or deleted."""
        for batch in batched(self._written[user_id, RECORDS.name].replaced):
            yield from self._data.get_rows(user_id, RECORDS, batch).values()


def _matching(
    rows: Iterable[Row], conditions: Sequence[Condition], *, with_void: bool = True
) -> Iterator[Row]:
    """Yield the same rows as `matching`, but prepare the conditions only if there are rows."""
    left = iter(rows)
    for first in left:
        yield from matching(chain((first,), left), conditions, with_void=with_void)


class _Ledger(LedgerWriter):
    """History and proposals as the change would leave them. ledger: what is stored."""

    def __init__(self, ledger: LedgerReader, writes: list[_Write]) -> None:
        self._ledger = ledger
        self._writes = writes
        self._entries: defaultdict[int, dict[int, HistoryEntry]] = defaultdict(dict)
        self._replaced: dict[tuple[int, int, str, str], BeforeImage] = {}
        #: What each write leaves of the proposals before it, and adds to them.
        self._proposals: defaultdict[tuple[int, Proposed], list[Callable[[_Proposals], _Proposals]]]
        self._proposals = defaultdict(list)

    def list_entries(
        self, user_id: int, numbers: Collection[int] | None = None
    ) -> list[HistoryEntry]:
        entries = {entry.number: entry for entry in self._ledger.list_entries(user_id, numbers)}
        own = self._entries[user_id]
        entries |= {n: e for n, e in own.items() if numbers is None or n in numbers}
        return [entry for _, entry in sorted(entries.items())]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        stored = self._ledger.scan_before(user_id, number, after=after, limit=limit)
        images = {(image.resource.name, image.row_id): image for image in stored}
        for (*of, name, row_id), image in self._replaced.items():
            if of == [user_id, number] and (name, row_id) > after:
                images[image.resource.name, image.row_id] = image
        return [images[key] for key in sorted(images)][:limit]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        stored = self._ledger.get_before(user_id, number, resource, ids)
        keys = ((row_id, (user_id, number, resource.name, row_id)) for row_id in ids)
        return stored | {i: self._replaced[key] for i, key in keys if key in self._replaced}

    def add_entry(self, user_id: int, entry: HistoryEntry) -> None:
        if self.list_entries(user_id, [entry.number]):
            raise Conflict(f"entry {entry.number} of the history already exists")
        self._entries[user_id][entry.number] = entry
        self._writes.append(lambda storage: storage.ledger.add_entry(user_id, entry))

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        (entry,) = self.list_entries(user_id, [number])
        self._entries[user_id][number] = replace(entry, undone_at=at)
        self._writes.append(lambda storage: storage.ledger.set_undone(user_id, number, at))

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        """Show images to later reads only if they replace or complete those of earlier entries.

        Other images belong to the change itself: only a later undo would read them.
        """
        kept = list(images)
        if replace:
            self._replaced |= {(user_id, number, i.resource.name, i.row_id): i for i in kept}
        self._writes.append(
            lambda storage: storage.ledger.put_before(user_id, number, kept, replace=replace)
        )

    def prune_before(self, user_id: int, at: int) -> None:
        """Delete nothing yet: pruning is a change's last step, so nothing reads its effect."""
        self._writes.append(lambda storage: storage.ledger.prune_before(user_id, at))

    def _all_proposals(self, user_id: int, kind: Proposed) -> list[ProposedPair]:
        number = self._ledger.count_proposals(user_id, kind)
        found: _Proposals = self._ledger.list_proposals(user_id, kind, limit=number)
        for change in self._proposals[user_id, kind]:
            found = change(found)
        return sorted(found, key=lambda proposal: (-proposal.day, proposal.first_id))

    def count_proposals(self, user_id: int, kind: Proposed) -> int:
        return len(self._all_proposals(user_id, kind))

    def list_proposals(
        self, user_id: int, kind: Proposed, *, limit: int, offset: int = 0
    ) -> list[ProposedPair]:
        return self._all_proposals(user_id, kind)[offset : offset + limit]

    def replace_proposals(
        self, user_id: int, kind: Proposed, first: int, end: int, proposals: Sequence[ProposedPair]
    ) -> None:
        self._proposals[user_id, kind].append(
            lambda before: [*(p for p in before if not first <= p.day < end), *proposals]
        )
        self._writes.append(
            lambda storage: storage.ledger.replace_proposals(user_id, kind, first, end, proposals)
        )

    def forget_proposals(self, user_id: int, record_ids: Collection[str]) -> None:
        if not record_ids:
            return
        gone = frozenset(record_ids)
        for kind in Proposed:
            self._proposals[user_id, kind].append(
                lambda before: [p for p in before if gone.isdisjoint(p.ids)]
            )
        self._writes.append(lambda storage: storage.ledger.forget_proposals(user_id, gone))


@dataclass(frozen=True, kw_only=True)
class Rehearsal(WritableStorage):
    """A unit of work that writes to memory: data, and what belongs to it."""

    writes: list[_Write]

    def note(self, user_id: int | None, action: AuditAction, at: int, detail: str = "") -> None:
        self.writes.append(lambda storage: storage.note(user_id, action, at, detail))

    def set_address(self, user_id: int, question_id: str, address: str, at: int) -> None:
        self.writes.append(lambda storage: storage.set_address(user_id, question_id, address, at))

    def prepare(self, backend: StorageBackend) -> None:
        """Prepare the rows that were written here, so that storing them computes nothing."""
        for write in self.writes:
            if isinstance(write, _Put):
                write.prepare(backend)

    def store(self, storage: WritableStorage) -> None:
        """Write to a storage what was written here, in the same order. Call `prepare` first."""
        for write in self.writes:
            write(storage)


def rehearse(storage: Storage, origin: str = COMMAND) -> Rehearsal:
    """Return a rehearsal that reads from the storage. origin: see `WritableStorage`."""
    parts: dict[str, Any] = {part.name: getattr(storage, part.name) for part in fields(Storage)}
    del parts["close"]
    writes: list[_Write] = []
    parts["data"] = _Data(storage.data, writes)
    parts["ledger"] = _Ledger(storage.ledger, writes)
    return Rehearsal(**parts, writes=writes, origin=origin)
