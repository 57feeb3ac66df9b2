"""Files that wait to be imported."""

import pytest

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Upload, UploadState
from finance_api.storage.testing.units import OneUser, Unit, add_user

#: Every byte, and the ends of lines and texts.
BYTES = bytes(range(256)) * 4 + b"\\x00\r\n"


def make_upload(upload_id: str = "one", **values: object) -> Upload:
    made = {"name": "Ünï <b>.csv", "size": 7, "created_at": 10, "state": UploadState.CHECKING}
    return Upload(id=upload_id, **{**made, **values})  # type: ignore[arg-type]


class UploadsConformance(OneUser):
    """Uploads of users, and their content."""

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

    def test_an_upload_is_its_user_s_alone(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for user_id, name in ((unit.user.id, "mine"), (other.id, "theirs")):
                upload = make_upload(name=name)
                storage.uploads.add(user_id, upload, [name.encode()])
            storage.uploads.add(other.id, make_upload("two", created_at=5), [b"two"])
            with pytest.raises(NotFound):
                storage.uploads.get(unit.user.id, "two")
            with pytest.raises(NotFound):
                storage.uploads.change(unit.user.id, make_upload("two"), name="stolen")
            assert storage.uploads.get_piece(unit.user.id, "two", 0) == b""
            storage.uploads.delete(unit.user.id, "two")
            storage.uploads.drop_content(unit.user.id, "two")
            storage.uploads.set_alive([(unit.user.id, "two")], 99)
            assert [u.id for u in storage.uploads.list_by_user(other.id)] == ["two", "one"]
            assert storage.uploads.get(other.id, "two") == make_upload("two", created_at=5)
            assert storage.uploads.get_piece(other.id, "two", 0) == b"two"
            assert [u.name for u in storage.uploads.list_by_user(unit.user.id)] == ["mine"]
            storage.users.delete(unit.user.id)
            assert storage.uploads.list_by_user(unit.user.id) == []
            assert storage.uploads.get_piece(unit.user.id, "one", 0) == b""
            assert storage.uploads.get_piece(other.id, "one", 0) == b"theirs"
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.uploads.add(other.id + 1, make_upload(), [b""])

    def test_what_was_decided_at_one_step_is_not_done_at_another(self, unit: Unit) -> None:
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
