"""Rows of the resources. Every method takes the user as an argument."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from finance_api.query.model import Condition, Query
from finance_api.resources.field import Resource
from finance_api.serialization.rows import encoder_of
from finance_api.values import Row
from finance_api.values.ids import new_tag

#: Number of rows in each part of a stream. Other threads wait while a part is formatted: with 100
#: rows, a quarter of the requests of 50 clients got 503 during a CSV export.
STREAMED_ROWS = 25


@dataclass(frozen=True, slots=True)
class DataState:
    """The state of a user's data.

    revision: the number of changes. Not unique: after a restore, or a failover that lost a change,
    the next change reuses a number. changed_at: the time of the last change, or of adding the user.
    tag: random for each state. If two states have the same tag, the data is the same.
    """

    revision: int
    changed_at: int
    tag: int = field(default_factory=new_tag)


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list, in the order of the list.

    total: the number of rows of the whole list, if the query asks for it.
    """

    rows: list[Row] = field(default_factory=list)
    has_more: bool = False
    total: int | None = None


@dataclass(frozen=True, slots=True)
class JsonPage:
    """A `Page` whose rows are JSON objects, as `serialization.rows` writes them.

    state: the state of the data when the rows were read. lines: one object per line; the last line
    has no line end.
    """

    state: DataState
    lines: bytes = b""
    has_more: bool = False
    total: int | None = None

    @property
    def rows(self) -> list[bytes]:
        return self.lines.split(b"\n") if self.lines else []


class RecordSum(NamedTuple):
    """A sum of records. amount: the exact sum, in ten-thousandths. number: the number of records.

    first, last: the recordDate of the oldest and of the newest record.
    """

    amount: int
    number: int
    first: int
    last: int

    def joined(self, other: "RecordSum") -> "RecordSum":
        """Return the sum of both sums."""
        return RecordSum(
            self.amount + other.amount,
            self.number + other.number,
            min(self.first, other.first),
            max(self.last, other.last),
        )


class TooManySums(Exception):
    """There are more sums than the caller accepts."""


#: The position of a change: (revision, name of the resource, id of the row).
ChangeKey = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Changes:
    """The newest changes to some rows, in the order of their keys.

    state: the state of the data when the changes were read. tags: the tags of the requested
    revisions, by revision, if they are still stored. lines: the changes as
    `serialization.rows.change_line` writes them, with rows as in `DataReader.list_json`.
    """

    state: DataState
    tags: dict[int, int]
    lines: list[bytes]


class DataReader(ABC):
    @cached_property
    def worked_out(self) -> dict[Hashable, Any]:
        """What was worked out from what is read, for whoever asks the same again."""
        return {}

    @abstractmethod
    def get_state(self, user_id: int) -> DataState:
        """Return the state of the user's data. Raises NotFound."""

    @abstractmethod
    def list_rows(self, user_id: int, query: Query) -> Page:
        """Return a page of a resource, with the fields in `listed_fields`.

        Missing values come last in both directions, and ties are ordered by id. Text is
        compared by code point.
        """

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        """Return the page of `list_rows`, each row as the JSON object of a response.

        The resource must have no computed fields. Raises NotFound if there is no such user.
        """
        state = self.get_state(user_id)
        page = self.list_rows(user_id, query)
        lines = encoder_of(query.resource).lines(page.rows)
        return JsonPage(state, lines, page.has_more, page.total)

    @abstractmethod
    def count_rows(self, user_id: int, query: Query) -> int:
        """Return the number of rows of the whole list; limit and offset are ignored."""

    @abstractmethod
    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        """Yield all rows of the list in its order: lines as in `JsonPage`, several at a time.

        The resource must have no computed fields; limit and offset are ignored. A unit of work can
        have one stream at a time. Rows are read only as they are consumed.
        """

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        """Return the state of the data, and the rows with these ids, in this order.

        The rows are as in `list_json`; a missing row is b"". Raises NotFound if the user
        does not exist.
        """
        state = self.get_state(user_id)
        encode = encoder_of(resource).encode
        rows = self.get_rows(user_id, resource, ids)
        return state, [encode(rows[row_id]) if row_id in rows else b"" for row_id in ids]

    @abstractmethod
    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        """Return the existing rows with these ids, by id, with their persisted fields."""

    @abstractmethod
    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        """Return the existing rows with these source ids of ``source``, by source id."""

    def record_times(self, user_id: int) -> dict[str, tuple[int, int, int]]:
        """Return (first createdAt, last createdAt, last updatedAt) of records, by account id.

        Leaves out void records. Reads every record.
        """
        found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for account_id, *times, _ in self.list_amounts(
            user_id, ("accountId", "createdAt", "updatedAt"), ()
        ):
            found[account_id].append((times[0], times[1]))
        return {
            account_id: (min(times)[0], max(times)[0], max(updated for _, updated in times))
            for account_id, times in found.items()
        }

    @abstractmethod
    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        """Return rows with ids after ``after_id``, ordered by id, with their persisted fields."""

    def scan_pages(
        self, user_id: int, resource: Resource, size: int, *, conditions: Sequence[Condition] = ()
    ) -> Iterator[list[Row]]:
        """Yield rows as `scan_rows` does, in pages. The caller may change rows of earlier pages."""
        after = ""
        while page := self.scan_rows(
            user_id, resource, conditions=conditions, after_id=after, limit=size
        ):
            after = page[-1]["id"]
            yield page

    @abstractmethod
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
        """Return the first changes after two positions, one for rows and one for deletions.

        resources: public resources. If a resource has computed fields, only its deletions are
        returned. revisions: revisions whose tags are returned, too. If a revision's tag is still
        stored, so are all deletions after that revision.
        Raises NotFound if there is no such user.
        """

    def has_sums(self, names: Sequence[str], conditions: Sequence[Condition]) -> bool:
        """Whether stored sums suffice for `sum_by`, even if only some of the groups are read.

        `sum_by` may still read a few rows at the two ends of a range of dates.
        """
        return False

    def has_few_others(
        self, user_id: int, conditions: tuple[Condition, ...], others: tuple[Condition, ...]
    ) -> bool:
        """Whether the others can be added up faster than the records that meet the conditions.

        others: the conditions that the others meet, the last one that they do not meet all.
        """
        return False

    @abstractmethod
    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        """Return the sums of the records that match the conditions, by group.

        names: the fields or `query.evaluate.DERIVED_GROUPS` to group by, at least one. A key has
        their values in this order, and a date's day instead of the date. with_void: whether to
        include void records. most: the maximum number of sums; if there are more, raises
        TooManySums.
        """

    @abstractmethod
    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        """Return the amounts that `sum_by` would add up, one for each record, in any order.

        Each item has the values of ``names``, then the amount.
        """


class DataWriter(DataReader):
    @property
    def worked_out(self) -> dict[Hashable, Any]:
        # What is read changes.
        return {}

    @abstractmethod
    def lock(self, user_id: int) -> DataState:
        """Return the state of the user's data, and make its other writers wait.

        They wait until this unit of work ends. Raises NotFound.
        """

    @abstractmethod
    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        """Add the new rows and replace the changed rows, with all their persisted fields.

        A row whose JSON changes gets the stored revision plus one; rows of resources with computed
        fields need no revision. Raises Conflict if the id of a new row already exists, or if two
        rows would have the same (source, sourceId).
        """

    def put_prepared(self, user_id: int, resource: Resource, *, new: Any, changed: Any) -> None:
        """Put rows as `put_rows` does. new, changed: from `StorageBackend.prepare_rows`."""
        self.put_rows(user_id, resource, new=new, changed=changed)

    @abstractmethod
    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        """Delete rows; their deletions get the stored revision plus one. Ignores unknown ids."""

    @abstractmethod
    def set_state(self, user_id: int, state: DataState) -> None:
        """Store the state after this unit of work's changes. Call it after writing the rows."""

    @abstractmethod
    def forget_states(self, user_id: int, before: int) -> None:
        """Delete the states that were replaced before that time.

        Also forget the deletions up to the oldest state that is left.
        """
