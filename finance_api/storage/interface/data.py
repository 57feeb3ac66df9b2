"""Rows of the resources. The user is an argument of every call: no row can be read without one."""

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.query.model import Condition, Query
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Resource
from finance_api.resources.records import VOID
from finance_api.resources.wire import encoder_of, lines_with_time
from finance_api.storage.errors import StorageDamaged
from finance_api.values import Row

#: How many rows of a stream come at once. While they are written other threads wait: with 100, a
#: quarter of 50 clients' requests got 503 while a CSV was read.
STREAMED_ROWS = 25


def new_tag() -> int:
    """Random; 64 bits with a sign, as databases keep whole numbers."""
    return secrets.randbits(64) - 2**63


@dataclass(frozen=True, slots=True)
class DataState:
    """The state of a user's data.

    revision: the number of changes, for people: after a restore, or a failover that lost a change,
    the next change has a number that another one had. changed_at: when the last one was made (or
    the user). tag: the state's own; another one is drawn for each state that is made. What has the
    same tag is the same data.
    """

    revision: int
    changed_at: int
    tag: int = field(default_factory=new_tag)


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list, in its order.

    total: the number of rows of the whole list, where the query wants it.
    """

    rows: list[Row] = field(default_factory=list)
    has_more: bool = False
    total: int | None = None


@dataclass(frozen=True, slots=True)
class JsonPage:
    """A `Page` whose rows are JSON objects, as `resources.wire` writes them.

    state: of the data that they are from. lines: one object on each; none ends after the last.
    """

    state: DataState
    lines: bytes = b""
    has_more: bool = False
    total: int | None = None

    @property
    def rows(self) -> list[bytes]:
        return self.lines.split(b"\n") if self.lines else []


class RecordSum(NamedTuple):
    """amount: the exact sum, in ten-thousandths. number: of the records in it.

    first, last: the recordDate of its oldest and of its newest record.
    """

    amount: int
    number: int
    first: int
    last: int

    def joined(self, other: "RecordSum") -> "RecordSum":
        """The sum of both."""
        return RecordSum(
            self.amount + other.amount,
            self.number + other.number,
            min(self.first, other.first),
            max(self.last, other.last),
        )


class TooManySums(Exception):
    """There are more sums than were asked for."""


#: Changes as JSON objects: of the resource's path, id and revision, and of the row.
PUT_LINE = '{"type":"%s","id":"%s","op":"put","revision":%s,"data":%s}'
DELETE_LINE = '{"type":"%s","id":"%s","op":"delete","revision":%s}'
_WRITTEN = re.compile(
    rb'\{"type":"([^"]+)","id":"([^"]+)","op":"[a-z]+","revision":([0-9]+)(?:,"data":(.+))?\}'
)
_BY_PATH = {str(resource.path).encode(): resource for resource in PUBLIC_RESOURCES}


class Change(NamedTuple):
    """The newest change of a row.

    json: the row as `DataReader.list_json` shows it; None: it was deleted.
    """

    revision: int
    resource: Resource
    row_id: str
    json: bytes | None

    @classmethod
    def of(cls, line: bytes) -> "Change":
        """The change of its `line`. Raises StorageDamaged."""
        found = _WRITTEN.fullmatch(line)
        if found is None:
            raise StorageDamaged("a change is not as it was written")
        path, row_id, revision, json = found.groups()
        return cls(int(revision), _BY_PATH[path], row_id.decode(), json)

    @property
    def line(self) -> bytes:
        """The JSON object of a response."""
        names = self.resource.path, self.row_id, self.revision
        if self.json is None:
            return (DELETE_LINE % names).encode()
        return (PUT_LINE % (*names, self.json.decode())).encode()

    @property
    def key(self) -> "ChangeKey":
        return self.revision, self.resource.name, self.row_id


#: A place in the order of changes: revision, name of the resource, id of the row.
ChangeKey = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Changes:
    """Some changes, in the order of their keys.

    state: of the data that they are of. tags: of the states that were asked about, by revision, as
    far as they are remembered. lines: of each `Change`.
    """

    state: DataState
    tags: dict[int, int]
    lines: list[bytes]

    @property
    def changes(self) -> list[Change]:
        return [Change.of(line) for line in self.lines]


class DataReader(ABC):
    @abstractmethod
    def get_state(self, user_id: int) -> DataState:
        """Raises NotFound."""

    @abstractmethod
    def list_rows(self, user_id: int, query: Query) -> Page:
        """One page of a resource: its listed fields.

        Missing values come last in both directions and ties are broken by id, ascending. Text
        compares by code point.
        """

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        """As `list_rows`, each row as the JSON object of a response.

        query: of a resource without computed fields. Raises NotFound if there is no such user.
        """
        state = self.get_state(user_id)
        page = self.list_rows(user_id, query)
        encode = lines_with_time if query.with_time else encoder_of(query.resource).lines
        return JsonPage(state, encode(page.rows), page.has_more, page.total)

    @abstractmethod
    def count_rows(self, user_id: int, query: Query) -> int:
        """The number of rows of the whole list."""

    @abstractmethod
    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        """All rows of the list in its order: lines as of `JsonPage`, some at a time, none empty.

        query: of a resource without computed fields; its page does not matter. There is one stream
        of a unit of work at a time. Nothing is read beyond what is asked for.
        """

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        """The rows with these ids in their order, as `list_json` gives them.

        Empty where there is none. Raises NotFound if there is no such user.
        """
        state = self.get_state(user_id)
        encode = encoder_of(resource).encode
        rows = self.get_rows(user_id, resource, ids)
        return state, [encode(rows[row_id]) if row_id in rows else b"" for row_id in ids]

    @abstractmethod
    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        """The rows that exist among ``ids``, by id: their persisted fields."""

    @abstractmethod
    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        """The rows of ``source`` that exist among ``source_ids``, by source id."""

    @abstractmethod
    def get_transfers(self, user_id: int, ids: Collection[str]) -> dict[str, list[Row]]:
        """The records of transfers, by the transfer's id: of each the two first by their ids."""

    def record_times(self, user_id: int) -> dict[str, tuple[int, int, int]]:
        """The first and last createdAt and the last updatedAt of each account's records, by its id.

        Void records are left out. Reads every record.
        """
        found: dict[str, list[Row]] = {}
        for row in self.scan_rows(user_id, RECORDS):
            if row["recordState"] != VOID:
                found.setdefault(row["accountId"], []).append(row)
        return {
            account_id: (
                min(row["createdAt"] for row in rows),
                max(row["createdAt"] for row in rows),
                max(row["updatedAt"] for row in rows),
            )
            for account_id, rows in found.items()
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
        """Rows in the order of their ids, after ``after_id``: their persisted fields."""

    def scan_pages(
        self,
        user_id: int,
        resource: Resource,
        size: int,
        *,
        conditions: Sequence[Condition] = (),
    ) -> Iterator[list[Row]]:
        """As `scan_rows`, so many at a time; those of pages before may be changed, or gone."""
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
        """The first changes after these keys.

        resources: public ones; of those with computed fields there are deletions only.
        revisions: of states that are asked about. If one is remembered, all deletions after it are.
        Raises NotFound if there is no such user.
        """

    def has_sums(self, names: Sequence[str], conditions: Sequence[Condition]) -> bool:
        """Whether `sum_by` needs no rows for this, so that little costs little: parts of it, too.

        A few rows at the ends of its dates do not matter.
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
        """The sums of the records that meet the conditions.

        names: of what tells the sums apart, fields and `query.grouping.DERIVED_GROUPS`, at least
        one; the keys have the values in that order. Of a date it is the day.
        with_void: whether void records count too. most: no more sums are read; raises TooManySums
        if there are more.
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
        """What `sum_by` would add up, record by record, in no order.

        The values of the names, and then the amount.
        """


class DataWriter(DataReader):
    @abstractmethod
    def lock(self, user_id: int) -> DataState:
        """Makes other writers of this user's data wait until this unit of work ends.

        Raises NotFound.
        """

    @abstractmethod
    def put_rows(
        self, user_id: int, resource: Resource, *, new: Sequence[Row], changed: Sequence[Row]
    ) -> None:
        """Adds and replaces whole rows: their persisted fields.

        What is shown of a row otherwise than before is a change of the revision after the stored
        one. Raises Conflict if a new row's id, or a row's (source, sourceId), exists already.
        """

    @abstractmethod
    def delete_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> None:
        """Deletes rows: changes of the revision after the stored one. Unknown ids: ignored."""

    @abstractmethod
    def set_state(self, user_id: int, state: DataState) -> None:
        """Stores the state that this unit of work makes, with a tag of its own, and remembers it.

        To be called when the rows are written.
        """

    @abstractmethod
    def forget_states(self, user_id: int, before: int) -> None:
        """Forgets the states that others followed before then, and what was deleted until then."""
