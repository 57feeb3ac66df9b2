"""Rows of the resources, with queries, sums and changes."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from finance_api.query.evaluate import group_of, matching, sorted_rows
from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource, names_of
from finance_api.serialization.rows import RowEncoder, change_line, encoder_of
from finance_api.storage.interface import (
    STREAMED_ROWS,
    ChangeKey,
    Changes,
    DataState,
    DataWriter,
    Page,
    RecordSum,
    TooManySums,
)
from finance_api.storage.memory.database import Part, Table
from finance_api.values import Row


@cache
def _encode_shown(resource: Resource) -> Callable[[Row], bytes]:
    """Return an encoder for the listed fields of a row, without the computed fields."""
    return RowEncoder(resource.listed_fields).encode


class MemoryData(Part, DataWriter):
    def get_state(self, user_id: int) -> DataState:
        return self._unit.user(user_id).data

    def _table(self, user_id: int, resource: Resource) -> Table:
        return self._database.tables.get((user_id, resource.name)) or Table()

    def _rows(self, user_id: int, resource: Resource) -> dict[str, Row]:
        return self._table(user_id, resource).rows

    def _matching(self, user_id: int, query: Query) -> list[Row]:
        """Return all rows that match the query, unsorted."""
        rows = self._rows(user_id, query.resource).values()
        return list(matching(rows, query.conditions))

    def list_rows(self, user_id: int, query: Query) -> Page:
        found = sorted_rows(self._matching(user_id, query), query.sort)
        names = names_of(query.resource.listed_fields)
        end = query.offset + query.limit
        page = [{name: row[name] for name in names} for row in found[query.offset : end]]
        return Page(page, len(found) > end, len(found) if query.with_total else None)

    def count_rows(self, user_id: int, query: Query) -> int:
        return len(self._matching(user_id, query))

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        found = sorted_rows(self._matching(user_id, query), query.sort)
        for start in range(0, len(found), STREAMED_ROWS):
            yield encoder_of(query.resource).lines(found[start : start + STREAMED_ROWS])

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        rows = self._rows(user_id, resource)
        return {row_id: dict(rows[row_id]) for row_id in ids if row_id in rows}

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        table = self._table(user_id, resource)
        keys = (
            (source_id, table.ids_by_source.get((source, source_id))) for source_id in source_ids
        )
        return {source_id: dict(table.rows[row_id]) for source_id, row_id in keys if row_id}

    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        rows = self._rows(user_id, resource)
        later = (rows[row_id] for row_id in sorted(rows) if row_id > after_id)
        return [dict(row) for row in islice(matching(later, conditions), limit)]

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
        by_name = {resource.name: resource for resource in resources}
        found: list[ChangeKey] = []
        for name, resource in by_name.items():
            table = self._table(user_id, resource)
            deletions = [(n, name, row_id) for row_id, n in table.deletions.items()]
            found += [key for key in deletions if key > deletions_after]
            if not resource.computed_fields:
                rows = [(n, name, row_id) for row_id, n in table.revisions.items()]
                found += [key for key in rows if key > rows_after]
        lines = []
        for key in sorted(found)[:limit]:
            row = self._rows(user_id, by_name[key[1]]).get(key[2])
            json = None if row is None else _encode_shown(by_name[key[1]])(row)
            lines.append(change_line(key, json))
        known = self._database.states
        tags = {n: known[user_id, n].tag for n in revisions if (user_id, n) in known}
        return Changes(self.get_state(user_id), tags, lines)

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        sums: dict[tuple[Any, ...], RecordSum] = {}
        for row in self._counted(user_id, conditions, with_void):
            key, at = group_of(row, tuple(names)), row["recordDate"]
            one = RecordSum(row["amount"], 1, at, at)
            sums[key] = sums[key].joined(one) if key in sums else one
        if most is not None and len(sums) > most:
            raise TooManySums
        return sums

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        found = self._counted(user_id, conditions, with_void)
        return [(*group_of(row, tuple(names)), row["amount"]) for row in found]

    def _counted(
        self, user_id: int, conditions: Sequence[Condition], with_void: bool
    ) -> Iterator[Row]:
        return matching(self._rows(user_id, RECORDS).values(), conditions, with_void=with_void)

    def lock(self, user_id: int) -> DataState:
        return self.get_state(user_id)

    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        table, revision = self._own_table(user_id, resource), self.get_state(user_id).revision + 1
        shown = _encode_shown(resource)
        unchanged = {
            row["id"]
            for row in changed
            if row["id"] in table.rows and shown(table.rows[row["id"]]) == shown(row)
        }
        # Remove all rows before adding any, because rows may exchange their source ids.
        for row in changed:
            table.delete(row["id"])
        for row in (*new, *changed):
            table.add(row)
            if row["id"] not in unchanged:
                table.revisions[row["id"]] = revision
            table.deletions.pop(row["id"], None)

    def _own_table(self, user_id: int, resource: Resource) -> Table:
        """Return the table in a form that this unit of work may change."""
        key = (user_id, resource.name)
        if key not in self._unit.copied:
            table = self._table(user_id, resource).copy()
            self._unit.change(tables=self._database.tables | {key: table})
            self._unit.copied.add(key)
        return self._database.tables[key]

    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        table, revision = self._own_table(user_id, resource), self.get_state(user_id).revision + 1
        for row_id in ids:
            if table.delete(row_id):
                del table.revisions[row_id]
                table.deletions[row_id] = revision

    def set_state(self, user_id: int, state: DataState) -> None:
        self._unit.update_user(user_id, data=state)
        states = self._database.states | {(user_id, state.revision): state}
        self._unit.change(states=states)

    def forget_states(self, user_id: int, before: int) -> None:
        states = self._database.states
        old = [k[1] for k, s in states.items() if k[0] == user_id and s.changed_at < before]
        if not old:
            return
        first = max(old)
        kept = {k: s for k, s in states.items() if k[0] != user_id or k[1] >= first}
        self._unit.change(states=kept)
        for resource in RESOURCES:
            table = self._own_table(user_id, resource)
            for row_id in [i for i, revision in table.deletions.items() if revision <= first]:
                del table.deletions[row_id]
