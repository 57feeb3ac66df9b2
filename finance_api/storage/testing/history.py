"""The history, and lists that many rows have left."""

import pytest

from finance_api.resources import ACCOUNTS, LABELS, RECORDS, RESOURCES
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    make_full_row,
    make_id,
    make_query,
    make_row,
    numbers_in,
)


def _entry(number: int) -> HistoryEntry:
    details = {"file": {"name": "ß.ofx"}, "accounts": [{"closing": [0, -(2**53) - 1]}]}
    return HistoryEntry(
        number=number, at=number * 10, action="import", by="command", revision=7, details=details
    )


class HistoryConformance(OneUser):
    """Earlier versions of rows, and deleted rows."""

    def test_lists_are_right_after_many_rows_went(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=n * DAY) for n in range(1, 1_001)))
        with unit.writing() as storage:
            gone = [make_id(n) for n in range(1, 1_001) if n % 3]
            storage.data.delete_rows(unit.user.id, RECORDS, gone)
        kept = [n for n in range(1_000, 0, -1) if n % 3 == 0]
        assert unit.ids(RECORDS, sort="-recordDate") == kept[:100]
        assert numbers_in(unit.list_json(make_query(RECORDS, offset=300))) == kept[300:]

    def test_entries_come_back_in_their_order(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            for number in (2, 1, 10):
                storage.history.add(unit.user.id, _entry(number))
            storage.history.add(other.user.id, _entry(1))
            storage.history.set_undone(unit.user.id, 1, 99)
        with unit.reading() as storage:
            found = storage.history.list_entries(unit.user.id)
            theirs = storage.history.list_entries(other.user.id)
        assert [(entry.number, entry.undone_at) for entry in found] == [
            *((1, 99), (2, None), (10, None))
        ]
        assert (found[1], theirs) == (_entry(2), [_entry(1)])
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.history.add(unit.user.id, _entry(2))

    def test_images_of_rows_come_back_as_they_were(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id
        images = []
        for resource in sorted(RESOURCES, key=lambda r: r.name):
            images.append(BeforeImage(resource, make_id(1), make_full_row(resource, 1)))
            images.append(BeforeImage(resource, make_id(2), None))
        with unit.writing() as storage:
            history = storage.history
            for user_id in (mine, theirs):
                for number in (1, 2):
                    history.add(user_id, _entry(number))
            history.put_before(mine, 1, images[1:])
            # The first image of a row stays.
            second = BeforeImage(images[1].resource, make_id(2), {"id": ""})
            history.put_before(mine, 1, [images[0], second])
            history.put_before(theirs, 1, [BeforeImage(LABELS, make_id(5), None)])
            history.put_before(mine, 2, images[:1])
        with unit.reading() as reader:
            scan = reader.history.scan_before
            assert scan(mine, 1, limit=1_000) == images
            assert scan(mine, 1, after=(ACCOUNTS.name, make_id(1)), limit=2) == images[1:3]
            assert scan(mine, 3, limit=9) == []
            for image in images:
                asked = [make_id(2), image.row_id, make_id(3)]
                found = reader.history.get_before(mine, 1, image.resource, asked)
                assert found[image.row_id] == image
                assert set(found) == {image.row_id, make_id(2)}
            assert reader.history.get_before(mine, 2, LABELS, [make_id(5)]) == {}
        with unit.writing() as storage:
            changed = BeforeImage(LABELS, make_id(7), None)
            for replace in (False, True):
                storage.history.put_before(mine, 2, [changed], replace=replace)
                changed = BeforeImage(LABELS, make_id(7), make_row(LABELS, 7))
            found = storage.history.get_before(mine, 2, LABELS, [make_id(7)])
            assert found[make_id(7)] == changed
        with unit.writing() as storage:
            storage.history.prune_before(mine, 20)
        with unit.reading() as reader:
            scan, entries = reader.history.scan_before, reader.history.list_entries
            assert scan(mine, 1, limit=9) == []
            assert scan(mine, 2, limit=1) == images[:1]
            assert len(scan(theirs, 1, limit=9)) == 1
            assert [(e.number, e.pruned) for e in entries(mine)] == [(1, True), (2, False)]
            assert not entries(theirs)[0].pruned
