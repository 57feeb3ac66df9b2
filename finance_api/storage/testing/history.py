"""The history, and lists that many rows have left."""

import pytest

from finance_api.resources import ACCOUNTS, LABELS, RECORDS, RESOURCES
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.storage.testing.units import FULL, OneUser, Unit, make_id, make_row


def _entry(number: int) -> HistoryEntry:
    details = {"file": {"name": "ß.ofx"}, "accounts": [{"closing": [0, -(2**53) - 1]}]}
    return HistoryEntry(
        number=number, at=number * 10, action="import", by="command", revision=7, details=details
    )


class HistoryConformance(OneUser):
    """Earlier versions of rows, and deleted rows."""

    def test_lists_are_right_after_many_rows_went(self, unit: Unit) -> None:
        day = 86_400
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=n * day) for n in range(1, 1_001)))
        with unit.writing() as storage:
            gone = [make_id(n) for n in range(1, 1_001) if n % 3]
            storage.data.delete_rows(unit.user.id, RECORDS, gone)
        kept = [n for n in range(1_000, 0, -1) if n % 3 == 0]
        assert unit.ids(RECORDS, sort="-recordDate") == kept[:100]
        assert unit.page(RECORDS, offset=300) == kept[300:]

    def test_entries_come_back_in_their_order(self, unit: Unit) -> None:
        other = Unit(unit.backend, "other")
        with unit.writing() as storage:
            for number in (2, 1, 10):
                storage.history.add(unit.user.id, _entry(number))
            storage.history.add(other.user.id, _entry(1))
            storage.history.set_undone(unit.user.id, 1, 99)
        with unit.reading() as storage:
            found = storage.history.list_entries(unit.user.id)
            theirs = storage.history.list_entries(other.user.id)
        assert [entry.number for entry in found] == [1, 2, 10]
        assert [entry.undone_at for entry in found] == [99, None, None]
        assert (found[1], theirs) == (_entry(2), [_entry(1)])
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.history.add(unit.user.id, _entry(2))

    def test_images_of_rows_come_back_as_they_were(self, unit: Unit) -> None:
        other = Unit(unit.backend, "other")
        images = []
        for resource in sorted(RESOURCES, key=lambda r: r.name):
            full = {f.name: FULL[f.kind](f.choices) for f in resource.persisted_fields}
            images.append(BeforeImage(resource, make_id(1), {**full, "id": make_id(1)}))
            images.append(BeforeImage(resource, make_id(2), None))
        with unit.writing() as storage:
            for user in (unit.user, other.user):
                for number in (1, 2):
                    storage.history.add(user.id, _entry(number))
            storage.history.put_before(unit.user.id, 1, images[1:])
            # The first image of a row stays.
            storage.history.put_before(
                unit.user.id,
                1,
                [images[0], BeforeImage(images[1].resource, make_id(2), {"id": ""})],
            )
            storage.history.put_before(other.user.id, 1, [BeforeImage(LABELS, make_id(5), None)])
            storage.history.put_before(unit.user.id, 2, images[:1])
        with unit.reading() as storage:
            scan = storage.history.scan_before
            assert scan(unit.user.id, 1, limit=1_000) == images
            assert scan(unit.user.id, 1, after=(ACCOUNTS.name, make_id(1)), limit=2) == images[1:3]
            assert scan(unit.user.id, 3, limit=9) == []
            for image in images:
                wanted = [make_id(2), image.row_id, make_id(3)]
                found = storage.history.get_before(unit.user.id, 1, image.resource, wanted)
                assert found[image.row_id] == image
                assert set(found) == {image.row_id, make_id(2)}
            assert storage.history.get_before(unit.user.id, 2, LABELS, [make_id(5)]) == {}
        with unit.writing() as storage:
            changed = BeforeImage(LABELS, make_id(7), None)
            for replace in (False, True):
                storage.history.put_before(unit.user.id, 2, [changed], replace=replace)
                changed = BeforeImage(LABELS, make_id(7), make_row(LABELS, 7))
            found = storage.history.get_before(unit.user.id, 2, LABELS, [make_id(7)])
            assert found[make_id(7)] == changed
        with unit.writing() as storage:
            storage.history.prune_before(unit.user.id, 20)
        with unit.reading() as storage:
            assert storage.history.scan_before(unit.user.id, 1, limit=9) == []
            assert storage.history.scan_before(unit.user.id, 2, limit=1) == images[:1]
            assert len(storage.history.scan_before(other.user.id, 1, limit=9)) == 1
            entries = storage.history.list_entries(unit.user.id)
            assert [(entry.number, entry.pruned) for entry in entries] == [(1, True), (2, False)]
            (theirs, _) = storage.history.list_entries(other.user.id)
            assert not theirs.pruned
