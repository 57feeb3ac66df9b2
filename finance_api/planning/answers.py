"""Answers to requests for data, as values; the API and the pages each write them in their forms.

An answer is made by a plain function of a `Reading` and the validated parameters. It raises
`ParametersRefused` if it cannot be made of them.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.resources.field import Field, Resource
from finance_api.storage.interface import DataState, Storage, User
from finance_api.values import Row
from finance_api.values.text import count_text, message
from finance_api.values.time import day_in

#: The parameter with the revision that the data must have.
REVISION = "revision"
#: The member that says why there are no rows.
HINTS = "hints"


class ParametersRefused(Exception):
    """No answer has these parameters. faults: the name of each parameter, and a message."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{name}: {message}" for name, message in faults))
        self.faults = faults


class OtherRevision(Exception):
    """The page must be of another revision of the data; the message says which it has now."""


class Reading(NamedTuple):
    """The storage, user and moment that an answer is read for. now: in seconds.

    is_for_link: whether everybody who knows a link sees the answer, so that it must tell nothing
    else about the user. as_values: whether rows are read as values, where their stored JSON would
    be faster. known_state: the state of the data, if it has been read and is only shown.
    """

    storage: Storage
    user: User
    now: int
    is_for_link: bool = False
    as_values: bool = False
    known_state: DataState | None = None

    @property
    def user_id(self) -> int:
        return self.user.id

    @property
    def today(self) -> int:
        """The day in the user's time zone, as its first second."""
        return day_in(self.user.time_zone, self.now)

    def get_state(self) -> DataState:
        """Return the state of the data. Raises NotFound if a replica does not know the user yet."""
        return self.known_state or self.storage.data.get_state(self.user.id)


@dataclass(slots=True, kw_only=True)
class Answer:
    """Rows, and what the answer says about them.

    name: the name of the rows, such as ``records``. columns: the columns to show, in the order of
    JSON. table_columns: the columns of tables, if the client has chosen them and their order.
    rows: the rows; or lines: their stored JSON, one object per line, with all fields of `resource`.
    instead: the member that forms without an envelope have in place of the rows, without pages.
    members: what stands after the rows in the envelope. Where a member is a function, only
    `read_members` calls it.
    headers: take the place of members in forms without an envelope.
    next_offset: the offset of the next page; None on the last page, or if there are no pages.
    total: the number of rows on all pages, if it is known.
    """

    state: DataState
    name: str
    columns: Sequence[Field]
    table_columns: Sequence[Field] | None = None
    rows: Sequence[Row] = ()
    lines: bytes | None = None
    instead: str | None = None
    resource: Resource | None = None
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Sequence[tuple[str, str]] = ()
    next_offset: int | None = None
    total: int | None = None

    @property
    def count(self) -> int:
        """The number of rows."""
        if self.lines is None:
            return len(self.rows)
        return self.lines.count(b"\n") + 1 if self.lines else 0

    @property
    def remark(self) -> str:
        """The sentence about rows that match and are missing; "" if none are."""
        if self.next_offset is None:
            return ""
        total = "" if self.total is None else f" of {count_text(self.total)}"
        last = f"{count_text(self.next_offset)}{total}"
        return message(f"More rows match; the last one here is number {last}.")

    def read_members(self) -> dict[str, Any]:
        """Return the members with the results of functions, without those that are empty."""
        read = {}
        for name, member in self.members.items():
            if not callable(member):
                read[name] = member
            elif value := member():
                read[name] = value
        return read


@dataclass(frozen=True, slots=True)
class Document:
    """An answer that exists as JSON only. next_offset: as in `Answer`. headers: further headers."""

    state: DataState
    json: bytes
    next_offset: int | None = None
    headers: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """All rows, read while they are sent.

    name: the name of the file, without day and suffix. columns, table_columns: as in `Answer`.
    resource: the resource of the rows; None: the pages are lines of the native format.
    pages: JSON objects, one per line; no page is empty. has_trailer: whether a last line counts
    the rows.
    """

    state: DataState
    count: int
    name: str
    pages: Generator[bytes, None, None]
    resource: Resource | None = None
    columns: Sequence[Field] = ()
    table_columns: Sequence[Field] | None = None
    has_trailer: bool = False


#: Makes an answer: an `Answer`, a `Document`, an `Export`, or what the endpoint's view expects.
Answering = Callable[..., Any]
