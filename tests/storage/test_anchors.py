"""Pages far down a long list of records, wherever the list was changed before."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.serialization.rows import encoder_of
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.read_model.tables import ANCHOR_INTERVAL
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    make_query,
    make_row,
    number_of,
    numbers_in,
)
from finance_api.values import Row
from finance_api.values.time import date_text

#: The read model has the position of every 256th record, as an anchor.
_INTERVAL = ANCHOR_INTERVAL
_COUNT = 3 * _INTERVAL + 40
_NEW = ((5_000, 1), (5_100, 30), (5_200, 300))


def _on_days(dates: dict[int, int]) -> list[Row]:
    """Return records. dates: their days, counted from 1970-01-01, by the records' numbers."""
    return [make_row(RECORDS, number, recordDate=day * DAY) for number, day in dates.items()]


def _days(numbers: Iterable[int]) -> dict[int, int]:
    return {number: number % 97 for number in numbers}


def _page(offset: int, limit: int, with_total: bool = False, dates: Iterable[str] = ()) -> Query:
    return make_query(
        RECORDS, limit=limit, offset=offset, with_total=with_total, recordDate=[*dates]
    )


class Ledger:
    """The user's records, and how they should be listed."""

    def __init__(self, unit: Unit, dates: dict[int, int] | None = None) -> None:
        self.unit = unit
        self.dates: dict[int, int] = {}
        self.put(dates or {})

    def put(self, dates: dict[int, int]) -> None:
        """Add or move records, in one unit of work."""
        new = {n: day for n, day in dates.items() if n not in self.dates}
        moved = {n: day for n, day in dates.items() if n in self.dates}
        with self.unit.writing() as storage:
            storage.data.put_rows(
                self.unit.user.id, RECORDS, new=_on_days(new), changed=_on_days(moved)
            )
        self.dates |= dates

    def listed(self, low: int | None = None, high: int | None = None) -> list[int]:
        """Return the numbers in the default order. low, high: first and last day to include."""
        chosen = [
            (-day, number)
            for number, day in self.dates.items()
            if (low is None or day >= low) and (high is None or day <= high)
        ]
        return [number for _, number in sorted(chosen)]

    def check(self, low: int | None = None, high: int | None = None) -> None:
        """Read pages around every place where there may be an anchor, and around both ends."""
        expected = self.listed(low, high)
        texts = [f"gte.{date_text(low * DAY)}"] if low is not None else []
        texts += [f"lte.{date_text(high * DAY)}"] if high is not None else []
        for offset in sorted(set(_offsets(len(expected)))):
            for limit in (1, 30):
                with_total = offset % 3 == 0
                page = self.unit.list_json(_page(offset, limit, with_total, texts))
                assert numbers_in(page) == expected[offset : offset + limit], (offset, limit)
                assert page.has_more == (offset + limit < len(expected))
                assert page.total == (len(expected) if with_total else None)


def _offsets(size: int) -> Iterator[int]:
    """Yield offsets near multiples of the interval, counted from either end."""
    for around in range(0, size + 2 * _INTERVAL, _INTERVAL):
        for offset in range(around - 2, around + 3):
            yield from (offset, size - offset) if 0 <= offset <= size else ()
            yield max(0, offset)
    yield from (size + _INTERVAL * 3, 1_000_000)


#: By place: the first and last day to read at the end, and the new records to add in each step.
_ADDED: dict[str, tuple[int | None, int | None, list[dict[int, int]]]] = {
    "at the new end": (None, 98, [dict.fromkeys(range(n, n + count), 99) for n, count in _NEW]),
    # The ids of these records come last among the records of the oldest day.
    "at the old end": (1, 50, [dict.fromkeys(range(n, n + count), 0) for n, count in _NEW]),
    "in the middle": (
        *(None, 40),
        [{n: 20 + n % 40 for n in ns} for ns in (range(1, 2), range(10, 40), range(100, 400))],
    ),
}


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
class TestAnchors(OneUser):
    """A page is the same in whatever order the records of the list were added."""

    @pytest.fixture
    def backend(self, emptied: Callable[[str], SqlBackend], database: str) -> SqlBackend:
        return emptied(database)

    @pytest.fixture
    def ledger(self, unit: Unit) -> Ledger:
        return Ledger(unit, {number: number * 7 % 97 for number in range(1_000, 1_000 + _COUNT)})

    @pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 258, 511, 512, 513, 769])
    def test_pages_of_lists_of_every_length(self, unit: Unit, size: int) -> None:
        ledger = Ledger(unit, {number: number % 5 for number in range(1, size + 1)})
        ledger.check()
        ledger.check(high=2)

    @pytest.mark.parametrize(
        ("low", "high"),
        [
            *((None, high) for high in (None, 96, 95, 50, 10, 0)),
            *((low, None) for low in (0, 1, 90)),
            *((5, 90), (40, 41), (50, 50), (60, 20)),
        ],
    )
    def test_pages_within_dates(self, ledger: Ledger, low: int | None, high: int | None) -> None:
        ledger.check(low, high)

    def test_all_on_one_day(self, unit: Unit) -> None:
        ledger = Ledger(unit, dict.fromkeys(range(1, 700), 3))
        for low, high in ((None, None), (3, 3), (None, 2), (4, None)):
            ledger.check(low, high)

    @pytest.mark.parametrize("place", _ADDED)
    def test_after_new_records(self, ledger: Ledger, place: str) -> None:
        low, high, added = _ADDED[place]
        for dates in added:
            ledger.put(dates)
            ledger.check()
        ledger.check(low, high)

    def test_after_changes_of_dates(self, ledger: Ledger) -> None:
        first, last = 1_000, 1_000 + _COUNT - 1
        moves: tuple[dict[int, int], ...] = (
            {first: 96},
            {first: 0},
            {last: 96, first: 50},
            {ledger.listed()[0]: 0, ledger.listed()[-1]: 96},
            {n: ledger.dates[n] for n in range(first, first + 50)},
            {n: 96 - ledger.dates[n] for n in range(first, last, 2)},
        )
        for move in moves:
            ledger.put(move)
            ledger.check()
        ledger.check(10, 60)

    def test_within_and_after_a_unit_of_work_of_several_writes(self, ledger: Ledger) -> None:
        user_id = ledger.unit.user.id
        with ledger.unit.writing() as storage:
            for first in range(1, 600, 150):
                days = _days(range(first, first + 150))
                storage.data.put_rows(user_id, RECORDS, new=_on_days(days), changed=())
                moved = {n: 96 - day for n, day in days.items()}
                storage.data.put_rows(user_id, RECORDS, new=(), changed=_on_days(moved))
                ledger.dates |= moved
                expected = ledger.listed()
                for offset in (0, 255, 256, 700, len(expected) - 1, len(expected)):
                    page = storage.data.list_json(user_id, _page(offset, 2))
                    assert numbers_in(page) == expected[offset : offset + 2]
        ledger.check()

    def test_many_at_once_are_read_and_changed_in_the_same_unit_of_work(self, unit: Unit) -> None:
        user_id = unit.user.id
        rows = _on_days(_days(range(1, 1_301)))
        encode = encoder_of(RECORDS).encode
        some = [rows[n] for n in (0, 700, 1_299)]
        with unit.writing() as storage:
            storage.data.put_rows(user_id, RECORDS, new=rows, changed=())
            found = storage.data.get_json(user_id, RECORDS, [row["id"] for row in some])[1]
            assert found == [encode(row) for row in some]
            assert len(storage.data.list_json(user_id, _page(1_280, 100)).rows) == 20
            more = _on_days(dict.fromkeys(range(2_000, 2_600), 5))
            storage.data.put_rows(user_id, RECORDS, new=more, changed=())
            changed = [*rows[::3], *more[::3]]
            for row in changed:
                row["recordDate"] = 50 * DAY
            storage.data.put_rows(user_id, RECORDS, new=(), changed=changed)
        ledger = Ledger(unit)
        ledger.dates = {number_of(row["id"]): row["recordDate"] // DAY for row in [*rows, *more]}
        ledger.check()

    def test_after_a_write_that_was_given_up(self, ledger: Ledger) -> None:
        with pytest.raises(RuntimeError), ledger.unit.writing() as storage:
            rows = _on_days(dict.fromkeys(range(1, 300), 50))
            storage.data.put_rows(ledger.unit.user.id, RECORDS, new=rows, changed=())
            raise RuntimeError
        ledger.check()

    def test_anchors_are_of_one_user(self, ledger: Ledger, other: Unit) -> None:
        other.put(RECORDS, *_on_days(_days(range(1, 900))))
        ledger.check()
        other.delete()
        ledger.check()
