"""Files that wait to be imported, and pairs of records that look like transfers."""

import pytest

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import TransferProposal, Upload, UploadState
from finance_api.storage.testing.units import DAY, OneUser, Unit, make_id

#: Every byte, and the ends of lines and texts.
BYTES = bytes(range(256)) * 4 + b"\\x00\r\n"


def make_upload(upload_id: str = "one", **values: object) -> Upload:
    made = {"name": "Ünï <b>.csv", "size": 7, "created_at": 10, "state": UploadState.CHECKING}
    return Upload(id=upload_id, **{**made, **values})  # type: ignore[arg-type]


def _proposal(number: int, day: int) -> TransferProposal:
    return TransferProposal(make_id(number), make_id(100 + number), day * DAY, number % 2 == 0)


class UploadsConformance(OneUser):
    """Uploads of users with their content, and proposals of transfers."""

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
            uploads.set_alive([(mine, "two")], 99)
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
            storage.uploads.set_alive([(unit.user.id, "one"), (unit.user.id, "gone")], 70)
            later = storage.uploads.change(unit.user.id, ready, name="b", options={"c": []})
        with unit.reading() as storage:
            assert storage.uploads.get(unit.user.id, "one") == later
            assert (later.step, later.alive_at, later.name) == (2, 70, "b")
            assert (later.options, later.outcome) == ({"c": []}, {"a": 1})

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

    # -- proposals of transfers

    def test_proposals_are_listed_from_the_newest_on_and_replaced_by_day(self, unit: Unit) -> None:
        one, two, three = _proposal(1, -5), _proposal(2, 3), _proposal(3, 3)
        with unit.writing() as storage:
            storage.transfers.replace(unit.user.id, -9 * DAY, 9 * DAY, [three, one, two])
            assert storage.transfers.count(unit.user.id) == 3
        with unit.reading() as reader:
            assert reader.transfers.list_newest(unit.user.id, limit=9) == [two, three, one]
            assert reader.transfers.list_newest(unit.user.id, limit=1, offset=1) == [three]
            assert reader.transfers.count(unit.user.id) == 3
        new = _proposal(4, 0)
        with unit.writing() as storage:
            storage.transfers.replace(unit.user.id, -5 * DAY, 3 * DAY, [new])
            assert storage.transfers.list_newest(unit.user.id, limit=9) == [two, three, new]

    def test_proposals_are_forgotten_with_either_record(self, unit: Unit) -> None:
        proposals = [_proposal(n, n) for n in (1, 2, 3)]
        with unit.writing() as storage:
            storage.transfers.replace(unit.user.id, 0, 9 * DAY, proposals)
            storage.transfers.forget(unit.user.id, [])
            storage.transfers.forget(unit.user.id, [make_id(1), make_id(103), make_id(77)])
            assert storage.transfers.list_newest(unit.user.id, limit=9) == proposals[1:2]
