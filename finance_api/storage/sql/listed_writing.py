"""Keeping `listed_records` and `record_places` as the records are."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import (
    Connection,
    and_,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from finance_api.resources import RECORDS
from finance_api.resources.wire import encoder_of
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.tables import (
    DATA_TABLES,
    PLACE_DISTANCE,
    listed_records,
    record_places,
    users,
)
from finance_api.values import Row
from finance_api.values.text import fold

_LISTED = listed_records.c
_PLACES = record_places.c

#: A record's place in the list: newest_first and id.
Place = tuple[int, str]


class Entry(NamedTuple):
    """A row of `listed_records` without the user and the search key."""

    newest_first: int
    id: str
    payee_folded: str | None
    note_folded: str | None
    body: str


_encode = encoder_of(RECORDS).encode


def _entry(row: Row) -> Entry:
    payee, note = row["payee"], row["note"]
    return Entry(
        -row["recordDate"],
        row["id"],
        None if payee is None else fold(payee),
        None if note is None else fold(note),
        _encode(row).decode(),
    )


_place: Callable[[Entry], Place] = itemgetter(0, 1)


class ListedRecords(ABC):
    """One user's, in one unit of work."""

    def __init__(self, connection: Connection, user_id: int) -> None:
        self.connection = connection
        self.user_id = user_id
        #: The place nearest to the end of the list that is new or gone.
        self._last_change: Place | None = None

    @abstractmethod
    def insert(self, entries: list[Entry]) -> None:
        """entries: in the order of the list."""

    @abstractmethod
    def delete(self, places: list[Place]) -> None:
        """places: of entries that are there, in the order of the list."""

    def finish(self) -> None:  # noqa: B027 (not every database has something left to do)
        """Brings everything to where it is read."""

    def take_out(self, ids: Sequence[str]) -> set[Place]:
        """Removes stored records, and says where they were."""
        if not ids:
            return set()
        table = DATA_TABLES[RECORDS.name]
        row_id = table.columns["id"]
        of_user = select(-table.columns["recordDate"], row_id).where(table.user_id == self.user_id)
        found = self.connection.execute(of_user.where(row_id.in_(ids)))
        places = sorted((int(at), str(of_id)) for at, of_id in found)
        if places:
            self.delete(places)
        return set(places)

    def put_in(self, rows: Sequence[Row], taken_out: set[Place]) -> None:
        """Adds records. taken_out: where some of them were before."""
        entries = sorted(map(_entry, rows), key=_place)
        if entries:
            self.insert(entries)
        moved = taken_out.symmetric_difference(map(_place, entries))
        if moved:
            last = max(moved)
            self._last_change = last if self._last_change is None else max(last, self._last_change)

    def settle_places(self) -> None:
        """Counts the places anew from the last change on, and how many records there are."""
        self.finish()
        if self._last_change is None:
            return
        at, row_id = self._last_change
        self._last_change = None
        of_user = _PLACES.user_id == self.user_id
        execute = self.connection.execute
        # Written out, not as a comparison of tuples: that one needs the types of both.
        changed = or_(
            _PLACES.newest_first < at, and_(_PLACES.newest_first == at, _PLACES.id <= row_id)
        )
        execute(delete(record_places).where(of_user, changed))
        kept = execute(
            select(_PLACES.position, _PLACES.newest_first, _PLACES.id)
            .where(of_user)
            .order_by(_PLACES.position.desc())
            .limit(1)
        ).first()
        start, above = 0, [_LISTED.user_id == self.user_id]
        if kept is not None:
            start = kept.position + 1
            place = tuple_(literal(kept.newest_first), literal(kept.id, CodePointText))
            above.append(tuple_(_LISTED.newest_first, _LISTED.id) < place)
        number = func.row_number().over(order_by=(_LISTED.newest_first.desc(), _LISTED.id.desc()))
        counted = (
            select(
                _LISTED.user_id,
                (number + literal(start - 1)).label("position"),
                _LISTED.newest_first,
                _LISTED.id,
            )
            .where(*above)
            .subquery("counted")
        )
        execute(
            insert(record_places).from_select(
                ["user_id", "position", "newest_first", "id"],
                select(counted).where(counted.c.position % PLACE_DISTANCE == 0),
            )
        )
        count = execute(select(func.count()).select_from(listed_records).where(*above)).scalar_one()
        execute(update(users).where(users.c.id == self.user_id).values(record_count=start + count))
