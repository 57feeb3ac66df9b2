"""Changes a user's data in a separate transaction, completely or not at all.

A dry run works on a *rehearsal*: a unit of work that reads from the storage, but writes to memory,
and sees what it wrote. A dry run reports what the change itself would report, and makes no other
change wait.

A change that decides first works on a rehearsal as well, and stores at its end what it wrote there.
So the transaction that writes computes nothing, and other changes wait only for its writes.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain, count, islice
from operator import itemgetter
from typing import Any

import transaction

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.ledger.edits.transfer_pairs import propose_transfers
from finance_api.ledger.rows import batched
from finance_api.ledger.session import IMPORT, KEEP_DAYS, LedgerSession
from finance_api.query.evaluate import group_of, matching, sorted_rows
from finance_api.query.model import Condition, Query, Span
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource, names_of
from finance_api.runtime.time_limit import check_time, no_time_limit
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    COMMAND,
    LOCK_TIMEOUT_SECONDS,
    AuditAction,
    BeforeImage,
    DataReader,
    DataState,
    DataWriter,
    HistoryEntry,
    HistoryReader,
    HistoryWriter,
    Page,
    RecordSum,
    Storage,
    StorageBackend,
    TransferProposal,
    TransferReader,
    TransferWriter,
    WritableStorage,
    reading,
)
from finance_api.values import Row

_PAGE = 1_000


class _WrittenRows:
    """The rows of one resource that a rehearsal writes, as tuples, which are smaller than dicts.

    replaced: ids of stored rows that the rehearsal changed or deleted.
    """

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._names = tuple(field.name for field in resource.persisted_fields)
        self._values_of: Callable[[Row], tuple[Any, ...]] = itemgetter(*self._names)
        #: The rows by id; None for a deleted row.
        self._rows: dict[str, tuple[Any, ...] | None] = {}
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
                    raise Conflict(f"two of the {self._resource.name} have the same source")
            self._rows[row_id] = self._values_of(row)

    def delete(self, ids: Collection[str]) -> None:
        self.replaced.update(row_id for row_id in ids if row_id not in self._rows)
        for row_id in ids:
            row = self.get(row_id)
            if row is not None and row["sourceId"] is not None:
                del self._ids_by_source[row["source"], row["sourceId"]]
            self._rows[row_id] = None
        self._sorted_ids = self._by_day = None

    def get(self, row_id: str) -> Row | None:
        values = self._rows.get(row_id)
        return None if values is None else dict(zip(self._names, values, strict=True))

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
        day, by = self._names.index("recordDate"), Operator.EQ
        spans = (c.operand for c in conditions if (c.field.name, c.operator) == ("recordDate", by))
        span = next((each for each in spans if isinstance(each, Span)), None)
        if span is None:
            return self.scan()
        if self._by_day is None:
            rows = self._rows.items()
            self._by_day = sorted((values[day], row_id) for row_id, values in rows if values)
        first, end = (bisect_left(self._by_day, (at,)) for at in (span.first, span.end))
        return filter(None, (self.get(row_id) for _, row_id in self._by_day[first:end]))

    def prepare(self, user_id: int, backend: StorageBackend) -> "_Write":
        """Return a function that writes the rows to the storage."""
        gone = [row_id for row_id in self.replaced if self._rows[row_id] is None]
        ids = sorted(self._rows)
        new, changed = (
            backend.prepare_rows(user_id, self._resource, filter(None, map(self.get, each)))
            for each in (
                [row_id for row_id in ids if row_id not in self.replaced],
                [row_id for row_id in ids if row_id in self.replaced],
            )
        )
        has_rows = len(self._rows) > len(gone)

        def write(storage: WritableStorage) -> None:
            if gone:
                storage.data.delete_rows(user_id, self._resource, gone)
            if has_rows:
                storage.data.put_prepared(user_id, self._resource, new=new, changed=changed)

        return write


class RehearsedData(DataWriter):
    """One user's data as the change would leave it. data: the user's stored data."""

    def __init__(self, data: DataReader) -> None:
        self._data = data
        self._written = {resource.name: _WrittenRows(resource) for resource in RESOURCES}
        self._state: DataState | None = None

    def lock(self, user_id: int) -> DataState:
        """Return the state without locking anything: a rehearsal makes nobody wait."""
        return self.get_state(user_id)

    def get_state(self, user_id: int) -> DataState:
        return self._state or self._data.get_state(user_id)

    def set_state(self, user_id: int, state: DataState) -> None:
        self._state = state

    def prepare(self, user_id: int, backend: StorageBackend) -> "list[_Write]":
        """Return functions that write everything that was written here to the storage."""
        writes = [each.prepare(user_id, backend) for each in self._written.values()]
        if (state := self._state) is not None:
            writes.append(lambda storage: storage.data.set_state(user_id, state))
        return writes

    def forget_states(self, user_id: int, before: int) -> None:
        """Do nothing: a rehearsal stores no states."""

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        if new:
            known = self.get_rows(user_id, resource, [row["id"] for row in new])
            if known:
                raise Conflict(f"two of the {resource.name} have the same id")
        self._check_sources(user_id, resource, [*new, *changed])
        self._written[resource.name].put(new, changed)

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
        self._written[resource.name].delete(ids)

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        written = self._written[resource.name]
        found = {row_id: row for row_id in ids if (row := written.get(row_id)) is not None}
        left = [row_id for row_id in ids if row_id not in written]
        if left:
            found |= self._data.get_rows(user_id, resource, left)
        return found

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        written = self._written[resource.name]
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
        written = self._written[resource.name]
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
        written, end = self._written[query.resource.name], query.offset + query.limit
        names = names_of(query.resource.listed_fields)
        found = [
            {name: row[name] for name in names}
            for row in _matching(written.scan(), query.conditions)
        ]
        enough = len(found) + end
        for offset in count(0, _PAGE):
            page = self._data.list_rows(user_id, replace(query, offset=offset, limit=_PAGE))
            found += [row for row in page.rows if row["id"] not in written]
            if not page.has_more or len(found) > enough:
                break
        rows = sorted_rows(found, query.sort)
        return Page(rows[query.offset : end], len(rows) > end)

    def _is_never_read(self, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError("no change reads this")

    count_rows = get_transfers = stream_json = list_changes = _is_never_read

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
        gone = self._replaced(user_id, RECORDS)
        written = self._written[RECORDS.name].of_days(conditions)
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
        written = self._written[RECORDS.name]
        stored = self._data.list_amounts(user_id, ("id", *names), conditions, with_void=with_void)
        return [
            *(tuple(values) for row_id, *values in stored if row_id not in written),
            *(
                (*group_of(row, tuple(names)), row["amount"])
                for row in _matching(written.of_days(conditions), conditions, with_void=with_void)
            ),
        ]

    def _replaced(self, user_id: int, resource: Resource) -> Iterator[Row]:
        """Yield the stored versions of the rows that the rehearsal changed or deleted."""
        for batch in batched(self._written[resource.name].replaced):
            yield from self._data.get_rows(user_id, resource, batch).values()


def _matching(
    rows: Iterable[Row], conditions: Sequence[Condition], *, with_void: bool = True
) -> Iterator[Row]:
    """Yield the same rows as `matching`, but prepare the conditions only if there are rows."""
    left = iter(rows)
    for first in left:
        yield from matching(chain((first,), left), conditions, with_void=with_void)


#: A write to another part of the storage than the data, to be repeated when the change is stored.
_Write = Callable[[WritableStorage], None]


class _History(HistoryWriter):
    """One user's history as the change would leave it. history: the user's stored history."""

    def __init__(self, history: HistoryReader, writes: list[_Write]) -> None:
        self._history = history
        self._writes = writes
        self._entries: dict[int, HistoryEntry] = {}
        self._replaced: dict[tuple[int, str, str], BeforeImage] = {}

    def list_entries(
        self, user_id: int, numbers: Collection[int] | None = None
    ) -> list[HistoryEntry]:
        entries = {entry.number: entry for entry in self._history.list_entries(user_id, numbers)}
        entries |= {n: e for n, e in self._entries.items() if numbers is None or n in numbers}
        return [entry for _, entry in sorted(entries.items())]

    def scan_before(
        self, user_id: int, number: int, *, after: tuple[str, str] = ("", ""), limit: int
    ) -> list[BeforeImage]:
        stored = self._history.scan_before(user_id, number, after=after, limit=limit)
        images = {(image.resource.name, image.row_id): image for image in stored}
        for (of, *key), image in self._replaced.items():
            if of == number and tuple(key) > after:
                images[image.resource.name, image.row_id] = image
        return [images[key] for key in sorted(images)][:limit]

    def get_before(
        self, user_id: int, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        stored = self._history.get_before(user_id, number, resource, ids)
        keys = ((row_id, (number, resource.name, row_id)) for row_id in ids)
        return stored | {i: self._replaced[key] for i, key in keys if key in self._replaced}

    def add(self, user_id: int, entry: HistoryEntry) -> None:
        if any(entry.number == known.number for known in self.list_entries(user_id)):
            raise Conflict(f"entry {entry.number} of the history already exists")
        self._entries[entry.number] = entry
        self._writes.append(lambda storage: storage.history.add(user_id, entry))

    def set_undone(self, user_id: int, number: int, at: int) -> None:
        (entry,) = (each for each in self.list_entries(user_id) if each.number == number)
        self._entries[number] = replace(entry, undone_at=at)
        self._writes.append(lambda storage: storage.history.set_undone(user_id, number, at))

    def put_before(
        self, user_id: int, number: int, images: Iterable[BeforeImage], *, replace: bool = False
    ) -> None:
        """Show images to later reads only if they replace or complete those of earlier entries.

        Other images belong to the change itself: only a later undo would read them.
        """
        kept = list(images)
        if replace:
            self._replaced |= {(number, i.resource.name, i.row_id): i for i in kept}
        self._writes.append(
            lambda storage: storage.history.put_before(user_id, number, kept, replace=replace)
        )

    def prune_before(self, user_id: int, at: int) -> None:
        """Delete nothing yet: pruning is a change's last step, so nothing reads its effect."""
        self._writes.append(lambda storage: storage.history.prune_before(user_id, at))


class _Transfers(TransferWriter):
    """The stored proposals: no change reads the proposals it has written."""

    def __init__(self, transfers: TransferReader, writes: list[_Write]) -> None:
        self._transfers = transfers
        self._writes = writes

    def count(self, user_id: int) -> int:
        return self._transfers.count(user_id)

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        return self._transfers.list_newest(user_id, limit=limit, offset=offset)

    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        self._writes.append(
            lambda storage: storage.transfers.replace(user_id, first, end, proposals)
        )

    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        self._writes.append(lambda storage: storage.transfers.forget(user_id, record_ids))


@dataclass(frozen=True, kw_only=True)
class Rehearsal(WritableStorage):
    """A unit of work that writes to memory: data, history, transfers and the audit log."""

    data: RehearsedData
    writes: list[_Write]

    def note(self, user_id: int | None, action: AuditAction, at: int, detail: str = "") -> None:
        self.writes.append(lambda storage: storage.note(user_id, action, at, detail))

    def prepare(self, user_id: int, backend: StorageBackend) -> Callable[[WritableStorage], None]:
        """Return a function that writes everything that was written here to the storage."""
        writes = [*self.data.prepare(user_id, backend), *self.writes]

        def store(storage: WritableStorage) -> None:
            for write in writes:
                write(storage)

        return store


def rehearse(storage: Storage, origin: str = COMMAND) -> Rehearsal:
    """Return a rehearsal that reads from the storage. origin: see `WritableStorage`."""
    parts: dict[str, Any] = {part.name: getattr(storage, part.name) for part in fields(Storage)}
    del parts["close"]
    writes: list[_Write] = []
    parts["data"] = RehearsedData(storage.data)
    parts["history"] = _History(storage.history, writes)
    parts["transfers"] = _Transfers(storage.transfers, writes)
    return Rehearsal(**parts, writes=writes, origin=origin)


@contextmanager
def changing(
    backend: StorageBackend,
    email: str,
    now: int,
    *,
    action: str | None,
    origin: str = COMMAND,
    keep_days: int = KEEP_DAYS,
    dry_run: bool = False,
    decides_first: bool = False,
    lock_timeout_seconds: int = LOCK_TIMEOUT_SECONDS,
    check: Callable[[Storage], None] = lambda storage: None,
) -> Iterator[LedgerSession]:
    """Yield a session for a user, in a separate transaction that is committed at the end.

    Other changes to the user's data wait until then. dry_run: nothing is stored, and nobody waits.
    decides_first: nobody waits until the end of the block, or until the change calls
    `LedgerSession.begin_storing`. Either raises DataMoved if the data has changed meanwhile, and
    TookTooLong if no time is left. Storing has no time limit.
    lock_timeout_seconds, origin: see `StorageBackend.write`. check: called in each unit of work.
    Raises ChangeRefused, storage.errors.NotFound, StorageNotReady, StorageUnavailable.
    """
    tm = transaction.TransactionManager(explicit=True)
    tm.begin()
    with ExitStack() as rehearsal:

        def open_writing() -> WritableStorage:
            rehearsal.close()
            return backend.write(tm, lock_timeout_seconds=lock_timeout_seconds, origin=origin)

        try:
            storage: WritableStorage
            if dry_run or decides_first:
                reader = rehearsal.enter_context(reading(backend, newest=True))
                storage = rehearse(reader, origin)
            else:
                storage = open_writing()
            session = LedgerSession(
                storage,
                storage.users.get(email),
                now,
                action=action,
                keep_days=keep_days,
                on_days=propose_transfers,
                open_writing=None if dry_run or not decides_first else open_writing,
                prepare=partial(storage.prepare, backend=backend)
                if isinstance(storage, Rehearsal)
                else None,
                is_dry_run=dry_run,
            )
            check(storage)
            yield session
            if isinstance(storage, Rehearsal) and storage.writes and not dry_run:
                check_time()
                with no_time_limit():
                    session.begin_storing()
                    check(session.storage)
        except Conflict as error:
            tm.abort()
            raise (ImportRefused if action == IMPORT else ChangeRefused)(str(error)) from None
        except ChangeRefused as error:
            tm.abort()
            if action != IMPORT or isinstance(error, ImportRefused):
                raise
            raise ImportRefused(error.reason, error.line) from None
        except BaseException as error:
            tm.abort()
            if isinstance(error, Exception) and (dry_run or decides_first):
                # If an upgrade of the tables changed what this reads, say that instead.
                backend.check()
            raise
    # In a dry run, there is nothing to commit.
    tm.commit()
