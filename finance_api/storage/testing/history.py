"""History, exchange rates, uploads and proposed pairs; lists after many rows were deleted."""

from dataclasses import replace
from decimal import Decimal

import pytest

from finance_api.resources import ACCOUNTS, LABELS, RESOURCES
from finance_api.resources.currencies import DayRates
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    NO_RATES,
    BeforeImage,
    HistoryEntry,
    Proposed,
    ProposedPair,
    RatesState,
    Upload,
    UploadState,
)
from finance_api.storage.testing.units import DAY, OneUser, Unit, make_full_row, make_id, make_row

#: A rate with more digits than a binary float has, and a very small rate.
EXACT = {"USD": Decimal("1.0842"), "JPY": Decimal("160.12345678901234567890")}
SMALL = {"VES": Decimal("0.0000000000000000001")}
#: Every byte value, then an escape sequence as text and a line end.
BYTES = bytes(range(256)) * 4 + b"\\x00\r\n"


def make_upload(upload_id: str = "one", **values: object) -> Upload:
    made = {"name": "Ünï <b>.csv", "size": 7, "created_at": 10, "state": UploadState.CHECKING}
    return Upload(id=upload_id, **{**made, **values})  # type: ignore[arg-type]


def _proposal(number: int, day: int, kind: Proposed = Proposed.TRANSFER) -> ProposedPair:
    return ProposedPair(kind, make_id(number), make_id(100 + number), day * DAY, number % 2 == 0)


def _entry(number: int) -> HistoryEntry:
    details = {"file": {"name": "ß.ofx"}, "accounts": [{"closing": [0, -(2**53) - 1]}]}
    return HistoryEntry(
        number=number, at=number * 10, action="import", by="command", revision=7, details=details
    )


class HistoryConformance(OneUser):
    """Tests of the history, exchange rates, uploads and proposed pairs."""

    # -- the history

    def test_entries_come_back_in_their_order(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            for number in (2, 1, 10):
                storage.ledger.add_entry(unit.user.id, _entry(number))
            storage.ledger.add_entry(other.user.id, _entry(1))
            storage.ledger.set_undone(unit.user.id, 1, 99)
        with unit.reading() as storage:
            found = storage.ledger.list_entries(unit.user.id)
            theirs = storage.ledger.list_entries(other.user.id)
            some = storage.ledger.list_entries(unit.user.id, [10, 2, 3])
            none = storage.ledger.list_entries(unit.user.id, [])
        assert [(entry.number, entry.undone_at) for entry in found] == [
            *((1, 99), (2, None), (10, None))
        ]
        assert (found[1], theirs) == (_entry(2), [_entry(1)])
        assert (some, none) == (found[1:], [])
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.ledger.add_entry(unit.user.id, _entry(2))

    def test_images_of_rows_come_back_as_they_were(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id
        images = []
        for resource in sorted(RESOURCES, key=lambda r: r.name):
            images.append(BeforeImage(resource, make_id(1), make_full_row(resource, 1)))
            images.append(BeforeImage(resource, make_id(2), None))
        with unit.writing() as storage:
            ledger = storage.ledger
            for user_id in (mine, theirs):
                for number in (1, 2):
                    ledger.add_entry(user_id, _entry(number))
            ledger.put_before(mine, 1, images[1:])
            # A row keeps its first image.
            second = BeforeImage(images[1].resource, make_id(2), {"id": ""})
            ledger.put_before(mine, 1, [images[0], second])
            ledger.put_before(theirs, 1, [BeforeImage(LABELS, make_id(5), None)])
            ledger.put_before(mine, 2, images[:1])
        with unit.reading() as reader:
            scan = reader.ledger.scan_before
            assert scan(mine, 1, limit=1_000) == images
            assert scan(mine, 1, after=(ACCOUNTS.name, make_id(1)), limit=2) == images[1:3]
            assert scan(mine, 3, limit=9) == []
            for image in images:
                asked = [make_id(2), image.row_id, make_id(3)]
                found = reader.ledger.get_before(mine, 1, image.resource, asked)
                assert found[image.row_id] == image
                assert set(found) == {image.row_id, make_id(2)}
            assert reader.ledger.get_before(mine, 2, LABELS, [make_id(5)]) == {}
        with unit.writing() as storage:
            changed = BeforeImage(LABELS, make_id(7), None)
            for replace in (False, True):
                storage.ledger.put_before(mine, 2, [changed], replace=replace)
                changed = BeforeImage(LABELS, make_id(7), make_row(LABELS, 7))
            found = storage.ledger.get_before(mine, 2, LABELS, [make_id(7)])
            assert found[make_id(7)] == changed
        with unit.writing() as storage:
            storage.ledger.prune_before(mine, 20)
        with unit.reading() as reader:
            scan, entries = reader.ledger.scan_before, reader.ledger.list_entries
            assert scan(mine, 1, limit=9) == []
            assert scan(mine, 2, limit=1) == images[:1]
            assert len(scan(theirs, 1, limit=9)) == 1
            assert [(e.number, e.pruned) for e in entries(mine)] == [(1, True), (2, False)]
            assert not entries(theirs)[0].pruned

    # -- exchange rates, which belong to no user

    def test_rates_are_exact_in_order_and_replaced_by_day_and_base(self, unit: Unit) -> None:
        of_days = [
            DayRates(-DAY, "EUR", SMALL),
            DayRates(0, "EUR", EXACT),
            DayRates(0, "USD", SMALL),
            DayRates(DAY, "EUR", EXACT),
        ]
        with unit.writing() as storage:
            storage.rates.put(of_days[::-1])
            storage.rates.put([])
            assert storage.rates.list_days() == of_days
        with unit.reading() as storage:
            assert storage.rates.list_days() == of_days
            assert storage.rates.list_days([0, 5 * DAY, -DAY]) == of_days[:3]
            assert storage.rates.list_days([]) == []
        changed = [DayRates(0, "EUR", SMALL), DayRates(2 * DAY, "EUR", SMALL)]
        with unit.writing() as storage:
            storage.rates.put(changed)
            storage.users.delete(unit.user.id)
        with unit.reading() as storage:
            expected = [of_days[0], changed[0], *of_days[2:], changed[1]]
            assert storage.rates.list_days() == expected

    def test_the_state_of_rates_is_the_one_that_was_set(self, unit: Unit) -> None:
        for state in (
            RatesState(1, 10, frozenset({"EUR", "USD"})),
            RatesState(2, 20, frozenset({"EUR", "USD", "CHF"})),
        ):
            with unit.writing() as storage:
                storage.rates.lock()
                storage.rates.set_state(state)
            with unit.reading() as storage:
                assert storage.rates.get_state() == state
            with unit.writing() as storage:
                assert storage.rates.lock() == state

    def test_a_reader_sees_one_state_of_rates(self, unit: Unit) -> None:
        with unit.reading() as storage:
            assert storage.rates.get_state() == NO_RATES
            with unit.writing() as writing:
                writing.rates.put([DayRates(0, "EUR", EXACT)])
                writing.rates.set_state(RatesState(1, 10, frozenset({"EUR"})))
            assert storage.rates.list_days() == []
            assert storage.rates.get_state() == NO_RATES
        with unit.reading() as storage:
            assert len(storage.rates.list_days()) == storage.rates.get_state().revision == 1
            assert storage.rates.list_days([5 * DAY]) == []

    # -- uploads

    def test_an_upload_comes_back_with_its_content(self, unit: Unit) -> None:
        upload = make_upload(options={"columns": {"a": ["ß"]}, "n": 1}, outcome={"text": None})
        with unit.writing() as storage:
            storage.uploads.add(unit.user.id, upload, [BYTES, b"", BYTES[::-1]])
        with unit.reading() as storage:
            assert storage.uploads.get(unit.user.id, "one") == upload
            pieces = [storage.uploads.get_piece(unit.user.id, "one", n) for n in range(4)]
            assert pieces == [BYTES, b"", BYTES[::-1], b""]
        with unit.writing() as storage:
            storage.uploads.drop_content(unit.user.id, "one")
            assert storage.uploads.get_piece(unit.user.id, "one", 0) == b""
            assert storage.uploads.get(unit.user.id, "one") == upload

    def test_an_upload_is_its_user_s_alone(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id
        with unit.writing() as storage:
            uploads = storage.uploads
            for user_id, name in ((mine, "mine"), (theirs, "theirs")):
                uploads.add(user_id, make_upload(name=name), [name.encode()])
            uploads.add(theirs, make_upload("two", created_at=5), [b"two"])
            with pytest.raises(NotFound):
                uploads.get(mine, "two")
            with pytest.raises(NotFound):
                uploads.change(mine, make_upload("two"), name="stolen")
            assert uploads.get_piece(mine, "two", 0) == b""
            uploads.delete(mine, "two")
            uploads.drop_content(mine, "two")
            uploads.set_alive([(mine, make_upload("two", created_at=5))], 99)
            assert [u.id for u in uploads.list_by_user(theirs)] == ["two", "one"]
            assert uploads.get(theirs, "two") == make_upload("two", created_at=5)
            assert uploads.get_piece(theirs, "two", 0) == b"two"
            assert [u.name for u in uploads.list_by_user(mine)] == ["mine"]
            storage.users.delete(mine)
            assert uploads.list_by_user(mine) == []
            assert uploads.get_piece(mine, "one", 0) == b""
            assert uploads.get_piece(theirs, "one", 0) == b"theirs"
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.uploads.add(theirs + 1, make_upload(), [b""])

    def test_a_decision_at_one_step_is_not_carried_out_at_another(self, unit: Unit) -> None:
        upload = make_upload()
        with unit.writing() as storage:
            storage.uploads.add(unit.user.id, upload, [b"x"])
            ready = storage.uploads.change(
                unit.user.id, upload, state=UploadState.READY, outcome={"a": 1}
            )
            assert (ready.step, ready.state, ready.outcome) == (1, UploadState.READY, {"a": 1})
            with pytest.raises(Conflict):
                storage.uploads.change(unit.user.id, upload, state=UploadState.DONE)
            at_work = [upload, make_upload("gone"), replace(ready, outcome={"b": 2})]
            storage.uploads.set_alive([(unit.user.id, each) for each in at_work], 70)
            later = storage.uploads.change(unit.user.id, ready, name="b", options={"c": []})
        with unit.reading() as storage:
            assert storage.uploads.get(unit.user.id, "one") == later
            assert (later.step, later.alive_at, later.name) == (2, 70, "b")
            assert (later.options, later.outcome) == ({"c": []}, {"b": 2})

    def test_old_uploads_go_unless_somebody_works_at_them(self, unit: Unit) -> None:
        with unit.writing() as storage:
            for upload_id, created_at, alive_at in (("old", 9, 0), ("work", 9, 20), ("new", 10, 0)):
                upload = make_upload(upload_id, created_at=created_at, alive_at=alive_at)
                storage.uploads.add(unit.user.id, upload, [b"x"])
            storage.uploads.prune(created_before=10, alive_before=20)
            left = storage.uploads.list_by_user(unit.user.id)
            assert [upload.id for upload in left] == ["work", "new"]
            assert storage.uploads.get_piece(unit.user.id, "old", 0) == b""
            storage.uploads.delete(unit.user.id, "work")
            storage.uploads.delete(unit.user.id, "work")
            assert storage.uploads.get_piece(unit.user.id, "work", 0) == b""
            assert len(storage.uploads.list_by_user(unit.user.id)) == 1

    # -- proposals

    def test_proposals_are_listed_from_the_newest_on_and_replaced_by_day(self, unit: Unit) -> None:
        one, two, three = _proposal(1, -5), _proposal(2, 3), _proposal(3, 3)
        kind, user_id = Proposed.TRANSFER, unit.user.id
        with unit.writing() as storage:
            proposals = [three, one, two]
            storage.ledger.replace_proposals(user_id, kind, -9 * DAY, 9 * DAY, proposals)
            assert storage.ledger.count_proposals(user_id, kind) == 3
        with unit.reading() as reader:
            assert reader.ledger.list_proposals(user_id, kind, limit=9) == [two, three, one]
            assert reader.ledger.list_proposals(user_id, kind, limit=1, offset=1) == [three]
            assert reader.ledger.count_proposals(user_id, kind) == 3
        new = _proposal(4, 0)
        with unit.writing() as storage:
            storage.ledger.replace_proposals(user_id, kind, -5 * DAY, 3 * DAY, [new])
            assert storage.ledger.list_proposals(user_id, kind, limit=9) == [two, three, new]

    def test_a_record_can_be_in_proposals_of_each_kind(self, unit: Unit) -> None:
        both = {kind: _proposal(1, 2, kind) for kind in Proposed}
        user_id = unit.user.id
        with unit.writing() as storage:
            for kind, pair in both.items():
                storage.ledger.replace_proposals(user_id, kind, 0, 9 * DAY, [pair])
            storage.ledger.replace_proposals(user_id, Proposed.TRANSFER, 0, DAY, [])
        for kind, pair in both.items():
            with unit.reading() as reader:
                assert reader.ledger.list_proposals(user_id, kind, limit=9) == [pair]
                assert reader.ledger.count_proposals(user_id, kind) == 1
        with unit.writing() as storage:
            storage.ledger.replace_proposals(user_id, Proposed.TRANSFER, 0, 9 * DAY, [])
            assert storage.ledger.count_proposals(user_id, Proposed.TRANSFER) == 0
            assert storage.ledger.count_proposals(user_id, Proposed.DUPLICATE) == 1

    def test_proposals_are_forgotten_with_either_record(self, unit: Unit) -> None:
        proposals = [_proposal(n, n) for n in (1, 2, 3)]
        with unit.writing() as storage:
            for kind in Proposed:
                of_kind = [proposal._replace(kind=kind) for proposal in proposals]
                storage.ledger.replace_proposals(unit.user.id, kind, 0, 9 * DAY, of_kind)
            storage.ledger.forget_proposals(unit.user.id, [])
            storage.ledger.forget_proposals(unit.user.id, [make_id(1), make_id(103), make_id(77)])
            for kind in Proposed:
                kept = storage.ledger.list_proposals(unit.user.id, kind, limit=9)
                assert kept == [proposals[1]._replace(kind=kind)]
