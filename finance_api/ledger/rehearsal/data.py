"""Rows as they would be: the storage's, with what was written in their place."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any

from finance_api.ledger.rehearsal.rows import WrittenRows
from finance_api.query.evaluate import matches, sorted_rows
from finance_api.query.grouping import group_of
from finance_api.query.model import Condition, Query
from finance_api.query.records import any_of
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource, names_of
from finance_api.resources.records import VOID
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    ChangeKey,
    Changes,
    DataReader,
    DataState,
    DataWriter,
    Page,
    RecordSum,
)
from finance_api.values import Row

_PAGE = 1_000


class RehearsedData(DataWriter):
    """data: what is stored, of one user."""

    def __init__(self, data: DataReader) -> None:
        self._data = data
        self._written = WrittenRows()
        self._state: DataState | None = None
        self._empty: dict[str, bool] = {}

    def close(self) -> None:
        self._written.close()

    # -- state

    def lock(self, user_id: int) -> DataState:
        """Nobody has to wait."""
        return self.get_state(user_id)

    def get_state(self, user_id: int) -> DataState:
        return self._state or self._data.get_state(user_id)

    def set_state(self, user_id: int, state: DataState) -> None:
        self._state = state

    def forget_states(self, user_id: int, before: int) -> None:
        """No state is remembered here."""

    # -- writing

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        if new:
            known = self.get_rows(user_id, resource, [row["id"] for row in new])
            if known:
                raise Conflict(f"two of the {resource.name} have the same id")
        self._check_sources(user_id, resource, [*new, *changed])
        self._written.put(resource, changed, replaces=True)
        self._written.put(resource, new, replaces=False)

    def _check_sources(self, user_id: int, resource: Resource, rows: Sequence[Row]) -> None:
        owners: dict[tuple[str, str], str] = {
            (row["source"], row["sourceId"]): row["id"]
            for row in rows
            if row["sourceId"] is not None
        }
        ids = {row["id"] for row in rows}
        for source in {source for source, _ in owners}:
            source_ids = [source_id for of, source_id in owners if of == source]
            for row in self.get_rows_by_source(user_id, resource, source, source_ids).values():
                if row["id"] not in ids:
                    raise Conflict(f"two of the {resource.name} have the same source")

    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        self._written.delete(resource, ids)

    # -- reading

    def _is_empty(self, user_id: int, resource: Resource) -> bool:
        """Whether nothing of the resource is stored."""
        if resource.name not in self._empty:
            self._empty[resource.name] = not self._data.scan_rows(user_id, resource, limit=1)
        return self._empty[resource.name]

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        states = self._written.states(resource, ids)
        found = {row_id: row for row_id, row in states.items() if row is not None}
        left = [row_id for row_id in ids if row_id not in states]
        if left and not self._is_empty(user_id, resource):
            found |= self._data.get_rows(user_id, resource, left)
        return found

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        found = {}
        if not self._is_empty(user_id, resource):
            stored = self._data.get_rows_by_source(user_id, resource, source, source_ids)
            found = self._as_stored(resource, stored)
        return found | self._written.by_source(resource, source, source_ids)

    def _as_stored(self, resource: Resource, rows: dict[str, Row]) -> dict[str, Row]:
        """The stored rows that were not written, by the same keys."""
        written = self._written.states(resource, [row["id"] for row in rows.values()])
        return {key: row for key, row in rows.items() if row["id"] not in written}

    def get_transfers(self, user_id: int, ids: Collection[str]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self.scan_rows(user_id, RECORDS, conditions=[any_of("transferId", ids)]):
            found.setdefault(row["transferId"], []).append(row)
        return {transfer_id: same[:2] for transfer_id, same in found.items()}

    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        written = self._written.scan(resource, after_id)
        found = list(islice((row for row in written if matches(row, conditions)), limit))
        after, left = after_id, limit
        while left is None or left > 0:
            page = self._data.scan_rows(
                user_id, resource, conditions=conditions, after_id=after, limit=limit
            )
            kept = self._as_stored(resource, {row["id"]: row for row in page})
            found += kept.values()
            if limit is None or left is None or len(page) < limit:
                break
            after, left = page[-1]["id"], left - len(kept)
        return sorted(found, key=lambda row: str(row["id"]))[:limit]

    def list_rows(self, user_id: int, query: Query) -> Page:
        resource = query.resource
        if not self._written.has(resource):
            return self._data.list_rows(user_id, query)
        names, end = names_of(resource.listed_fields), query.offset + query.limit
        found = [
            {name: row[name] for name in names}
            for row in self._written.scan(resource)
            if matches(row, query.conditions)
        ]
        written = len(found)
        gone = set(self._written.replaced(resource))
        for offset in count(0, _PAGE):
            page = self._data.list_rows(user_id, replace(query, offset=offset, limit=_PAGE))
            found += [row for row in page.rows if row["id"] not in gone]
            if not page.has_more or len(found) > written + end:
                break
        rows = sorted_rows(found, query.sort)
        total = self.count_rows(user_id, query) if query.with_total else None
        return Page(rows[query.offset : end], len(rows) > end, total)

    def count_rows(self, user_id: int, query: Query) -> int:
        resource = query.resource
        written = self._written.scan(resource)
        gone = self._replaced(user_id, resource)
        return (
            self._data.count_rows(user_id, query)
            + sum(matches(row, query.conditions) for row in written)
            - sum(matches(row, query.conditions) for row in gone)
        )

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        raise NotImplementedError("a rehearsal is not exported")

    def list_changes(
        self,
        user_id: int,
        resources: Sequence[Resource],
        *,
        rows_after: ChangeKey,
        deletions_after: ChangeKey,
        limit: int,
        revisions: Collection[int] = (),
    ) -> Changes:
        raise NotImplementedError("a rehearsal makes no revisions")

    # -- sums

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        """As stored; but first and last may be those of records that are gone.

        most: imports ask for all.
        """
        assert most is None
        sums = self._data.sum_by(user_id, names, conditions, with_void=with_void)
        is_counted = _counted(conditions, with_void)
        for row in self._replaced(user_id, RECORDS):
            if is_counted(row):
                key = group_of(row, tuple(names))
                old = sums[key]
                sums[key] = old._replace(amount=old.amount - row["amount"], number=old.number - 1)
        for row in filter(is_counted, self._written.scan(RECORDS)):
            key, at = group_of(row, tuple(names)), row["recordDate"]
            one = RecordSum(row["amount"], 1, at, at)
            sums[key] = sums[key].joined(one) if key in sums else one
        return {key: each for key, each in sums.items() if each.number}

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        gone = set(self._written.replaced(RECORDS))
        stored = self._data.list_amounts(user_id, ("id", *names), conditions, with_void=with_void)
        is_counted = _counted(conditions, with_void)
        written = filter(is_counted, self._written.scan(RECORDS))
        return [
            *(tuple(values) for row_id, *values in stored if row_id not in gone),
            *((*group_of(row, tuple(names)), row["amount"]) for row in written),
        ]

    def _replaced(self, user_id: int, resource: Resource) -> Iterator[Row]:
        """The rows in whose place others were written, as they are stored."""
        ids = self._written.replaced(resource)
        for begin in range(0, len(ids), _PAGE):
            batch = ids[begin : begin + _PAGE]
            yield from self._data.get_rows(user_id, resource, batch).values()


def _counted(conditions: Sequence[Condition], with_void: bool) -> Callable[[Row], bool]:
    return lambda row: (with_void or row["recordState"] != VOID) and matches(row, conditions)
