"""Pages far down a long list of records, wherever it has changed before."""

from collections.abc import Iterator

import pytest

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import RECORDS
from finance_api.resources.wire import encoder_of
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_row
from finance_api.values import Row
from finance_api.values.time import date_text

#: Implementations may remember every so many-th record.
_INTERVAL = 256
_DAY = 86_400
_DATE = RECORDS["recordDate"]


class Ledger:
    """The user's records as they should be listed."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.dates: dict[int, int] = {}

    def put(self, dates: dict[int, int]) -> None:
        """Adds or moves records, in one unit of work. dates: by their numbers, in days."""
        rows: dict[bool, list[Row]] = {True: [], False: []}
        for number, day in dates.items():
            is_new = number not in self.dates
            rows[is_new].append(make_row(RECORDS, number, recordDate=day * _DAY))
        with self.unit.writing() as storage:
            storage.data.put_rows(self.unit.user.id, RECORDS, new=rows[True], changed=rows[False])
        self.dates |= dates

    def listed(self, low: int | None = None, high: int | None = None) -> list[int]:
        """The numbers, in the default order. low, high: days, both within."""
        chosen = [
            (-day, number)
            for number, day in self.dates.items()
            if (low is None or day >= low) and (high is None or day <= high)
        ]
        return [number for _, number in sorted(chosen)]

    def check(self, low: int | None = None, high: int | None = None) -> None:
        """Pages around all anchors that may be remembered, and around the ends."""
        expected = self.listed(low, high)
        texts = [f"gte.{date_text(low * _DAY)}"] if low is not None else []
        texts += [f"lte.{date_text(high * _DAY)}"] if high is not None else []
        conditions = tuple(c for text in texts for c in parse_conditions(_DATE, text))
        keys = parse_sort(RECORDS, RECORDS.default_sort)
        for offset in sorted(set(_offsets(len(expected)))):
            for limit in (1, 30):
                with_total = offset % 3 == 0
                query = Query(RECORDS, conditions, keys, limit, offset, with_total)
                with self.unit.reading() as storage:
                    found = storage.data.list_json(self.unit.user.id, query)
                numbers = [int(body.partition(b'"id":"')[2][:8], 16) for body in found.rows]
                assert numbers == expected[offset : offset + limit], (offset, limit)
                assert found.has_more == (offset + limit < len(expected))
                assert found.total == (len(expected) if with_total else None)


def _offsets(size: int) -> Iterator[int]:
    """From either end."""
    for around in range(0, size + 2 * _INTERVAL, _INTERVAL):
        for offset in range(around - 2, around + 3):
            yield from (offset, size - offset) if 0 <= offset <= size else ()
            yield max(0, offset)
    yield from (size + _INTERVAL * 3, 1_000_000)


_COUNT = 3 * _INTERVAL + 40


class AnchorsConformance(OneUser):
    """A page is the same, however the list came to be."""

    @pytest.fixture
    def ledger(self, unit: Unit) -> Ledger:
        ledger = Ledger(unit)
        ledger.put({number: number * 7 % 97 for number in range(1_000, 1_000 + _COUNT)})
        return ledger

    def test_pages_around_every_anchor(self, ledger: Ledger) -> None:
        ledger.check()

    @pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 258, 511, 512, 513, 769])
    def test_pages_of_lists_of_every_length(self, unit: Unit, size: int) -> None:
        ledger = Ledger(unit)
        if size:
            ledger.put({number: number % 5 for number in range(1, size + 1)})
        ledger.check()
        ledger.check(high=2)

    @pytest.mark.parametrize(
        ("low", "high"),
        [
            (None, 96),
            (None, 95),
            (None, 50),
            (None, 10),
            (None, 0),
            (0, None),
            (1, None),
            (90, None),
            (5, 90),
            (40, 41),
            (50, 50),
            (60, 20),
        ],
    )
    def test_pages_within_dates(self, ledger: Ledger, low: int | None, high: int | None) -> None:
        ledger.check(low, high)

    def test_all_on_one_day(self, unit: Unit) -> None:
        ledger = Ledger(unit)
        ledger.put(dict.fromkeys(range(1, 700), 3))
        ledger.check()
        ledger.check(3, 3)
        ledger.check(high=2)
        ledger.check(low=4)

    def test_after_new_records_at_the_new_end(self, ledger: Ledger) -> None:
        for number, count in ((5_000, 1), (5_100, 30), (5_200, 300)):
            ledger.put(dict.fromkeys(range(number, number + count), 99))
            ledger.check()
        ledger.check(high=98)

    def test_after_new_records_at_the_old_end(self, ledger: Ledger) -> None:
        # Their ids come last among those of the oldest day.
        for number, count in ((5_000, 1), (5_100, 30), (5_200, 300)):
            ledger.put(dict.fromkeys(range(number, number + count), 0))
            ledger.check()
        ledger.check(1, 50)

    def test_after_new_records_in_the_middle(self, ledger: Ledger) -> None:
        for number, count in ((1, 1), (10, 30), (100, 300)):
            ledger.put({n: 20 + n % 40 for n in range(number, number + count)})
            ledger.check()
        ledger.check(high=40)

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

    def test_after_several_writes_in_one_unit_of_work(self, ledger: Ledger) -> None:
        unit = ledger.unit
        with unit.writing() as storage:
            for number in range(1, 400, 40):
                rows = [
                    make_row(RECORDS, n, recordDate=n % 97 * _DAY)
                    for n in range(number, number + 40)
                ]
                storage.data.put_rows(unit.user.id, RECORDS, new=rows, changed=())
                for row in rows:
                    row["recordDate"] = (96 - int(row["id"][:8], 16) % 97) * _DAY
                storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=rows)
        ledger.dates |= {n: 96 - n % 97 for n in range(1, 401)}
        ledger.check()

    def test_while_the_unit_of_work_goes_on(self, ledger: Ledger) -> None:
        unit = ledger.unit
        with unit.writing() as storage:
            for number in range(1, 600, 300):
                rows = [
                    make_row(RECORDS, n, recordDate=50 * _DAY) for n in range(number, number + 300)
                ]
                storage.data.put_rows(unit.user.id, RECORDS, new=rows, changed=())
                ledger.dates |= dict.fromkeys(range(number, number + 300), 50)
                expected = ledger.listed()
                for offset in (0, 255, 256, 700, len(expected) - 1, len(expected)):
                    query = Query(RECORDS, (), parse_sort(RECORDS, RECORDS.default_sort), 2, offset)
                    found = storage.data.list_json(unit.user.id, query)
                    numbers = [int(body.partition(b'"id":"')[2][:8], 16) for body in found.rows]
                    assert numbers == expected[offset : offset + 2]

    def test_many_at_once_are_read_and_changed_in_the_same_unit_of_work(self, unit: Unit) -> None:
        ledger = Ledger(unit)
        numbers = range(1, 1_301)
        rows = [make_row(RECORDS, n, recordDate=n % 97 * _DAY) for n in numbers]
        encode = encoder_of(RECORDS).encode
        query = Query(RECORDS, (), parse_sort(RECORDS, RECORDS.default_sort), 100, 1_280)
        ids = [rows[n]["id"] for n in (0, 700, 1_299)]
        with unit.writing() as storage:
            storage.data.put_rows(unit.user.id, RECORDS, new=rows, changed=())
            found = storage.data.get_json(unit.user.id, RECORDS, ids)[1]
            assert found == [encode(rows[n]) for n in (0, 700, 1_299)]
            assert len(storage.data.list_json(unit.user.id, query).rows) == 20
            more = [make_row(RECORDS, n, recordDate=5 * _DAY) for n in range(2_000, 2_600)]
            storage.data.put_rows(unit.user.id, RECORDS, new=more, changed=())
            for row in (*rows[::3], *more[::3]):
                row["recordDate"] = 50 * _DAY
            changed = [*rows[::3], *more[::3]]
            storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=changed)
        for row in (*rows, *more):
            ledger.dates[int(row["id"][:8], 16)] = row["recordDate"] // _DAY
        ledger.check()

    def test_after_a_write_that_was_given_up(self, ledger: Ledger) -> None:
        unit = ledger.unit
        with pytest.raises(RuntimeError), unit.writing() as storage:
            rows = [make_row(RECORDS, n, recordDate=50 * _DAY) for n in range(1, 300)]
            storage.data.put_rows(unit.user.id, RECORDS, new=rows, changed=())
            raise RuntimeError
        ledger.check()

    def test_anchors_are_of_one_user(self, ledger: Ledger) -> None:
        with ledger.unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            rows = [make_row(RECORDS, n, recordDate=n % 97 * _DAY) for n in range(1, 900)]
            storage.data.put_rows(other.id, RECORDS, new=rows, changed=())
        ledger.check()
        with ledger.unit.writing() as storage:
            storage.users.delete(other.id)
        ledger.check()
