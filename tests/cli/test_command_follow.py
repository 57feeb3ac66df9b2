"""finance-api follow: followed books are imported again if their files have changed."""

import json
import os
import time
from pathlib import Path

import pytest

from finance_api.storage.interface import UploadState, reading
from finance_api.storage.sql.backend import SqlBackend
from support.native_rows import account, record
from support.service import native_line

BOOK = "book:home"


def rows(*numbers):
    made = [account(1), *(record(n) for n in numbers)]
    return [{**each, "source": BOOK, "sourceId": each["id"]} for each in made]


def put(path, *documents, age=60):
    path.write_text("".join(map(native_line, documents)))
    os.utime(path, (time.time() - age,) * 2)


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.ndjson"
    put(path, *rows(*range(1, 61)), age=3_600)
    return path


def count_records(command, email):
    return command.done("dump", email).count(b'"Record"')


def waiting(command):
    backend = SqlBackend(command.settings["sqlalchemy.url"])
    try:
        with reading(backend) as storage:
            (user,) = storage.users.list_all()
            return storage.uploads.list_by_user(user.id)
    finally:
        backend.close()


def test_only_a_book_whose_file_has_changed_is_imported(command, anna, book):
    assert "no book is followed in a file" in command.done("follow", anna).decode()
    command.done("import", anna, str(book), "--follow")
    assert "unchanged" in command.done("follow", anna).decode()
    put(book, *rows(*range(1, 51)))
    assert "10 removed" in command.done("follow", anna).decode()
    assert count_records(command, anna) == 50
    entries = json.loads(command.done("imports", "list", anna, "--json"))
    assert len(entries) == 2
    assert "unchanged" in command.done("follow", anna).decode()


def test_the_path_is_remembered_whole(command, anna, book):
    command.done("import", anna, "book.ndjson", "--follow")
    put(book, *rows(*range(1, 51)))
    assert f"{book}: 0 created" in command.done("follow", anna).decode()


def test_a_file_that_may_still_be_written_and_an_older_one_wait(command, anna, book):
    command.done("import", anna, str(book), "--follow")
    put(book, *rows(1), age=0)
    assert "may still be being written" in command.done("follow", anna).decode()
    put(book, *rows(*range(1, 51)), age=7_200)
    assert "older than what was imported" in command.done("follow", anna).decode()
    assert count_records(command, anna) == 60


def test_a_book_that_asks_shows_on_the_page_until_it_is_answered(command, anna, book):
    command.done("import", anna, str(book), "--follow")
    put(book, *rows(*range(1, 11)))
    for _ in range(2):
        outcome = command.run("follow", anna)
        assert outcome.code == 1
        assert "50 of 60 records would go" in outcome.err
        assert f"import {anna} {book} --follow --confirm-smaller" in outcome.err
        (upload,) = waiting(command)
        assert upload.state is UploadState.FAILED
        assert "50 of 60 records would go" in upload.outcome["why"]
        assert upload.options == {"follow": True}
        assert upload.size == book.stat().st_size
    assert count_records(command, anna) == 60
    command.done("import", anna, str(book), "--follow", "--confirm-smaller")
    assert waiting(command) == []
    assert count_records(command, anna) == 10
    assert "unchanged" in command.done("follow", anna).decode()


def test_a_book_that_is_as_it_was_waits_no_longer(command, anna, book):
    command.done("import", anna, str(book), "--follow")
    put(book, *rows(*range(1, 11)))
    command.run("follow", anna)
    assert len(waiting(command)) == 1
    put(book, *rows(*range(1, 61)))
    assert "unchanged" in command.done("follow", anna).decode()
    assert waiting(command) == []


def test_a_file_that_is_moved_away_is_not_looked_for(command, anna, book, tmp_path):
    done = tmp_path / "done"
    done.mkdir()
    command.done("import", anna, str(book), "--follow", "--move-done", str(done))
    assert count_records(command, anna) == 60
    assert "no book is followed in a file" in command.done("follow", anna).decode()


def test_a_file_whose_path_is_not_utf_8_is_refused(command, anna, book):
    path = f"{book.parent}/book\udcff.ndjson"
    book.rename(path)
    outcome = command.run("import", anna, path, "--follow")
    assert outcome.code == 1
    assert f"because its path is not UTF-8: rename {book.parent}/book\\udcff.ndjson" in outcome.err
    command.done("import", anna, path)


def test_a_state_that_was_undone_is_left_alone(command, anna, book):
    command.done("import", anna, str(book), "--follow")
    new = rows(*range(1, 51))
    put(book, *new)
    command.done("follow", anna)
    number = json.loads(command.done("imports", "list", anna, "--json"))[0]["id"]
    command.done("imports", "undo", anna, number)
    assert "unchanged" in command.done("follow", anna).decode()
    put(book, *new[:1], *reversed(new[1:]), age=30)
    assert "was undone" in command.done("follow", anna).decode()
    assert count_records(command, anna) == 60
    put(book, *new, *rows(70)[1:], age=20)
    command.done("follow", anna)
    assert count_records(command, anna) == 51


def test_a_book_whose_first_import_was_undone_is_no_longer_followed(command, anna, book):
    command.done("import", anna, str(book), "--follow")
    number = json.loads(command.done("imports", "list", anna, "--json"))[0]["id"]
    command.done("imports", "undo", anna, number)
    assert "no book is followed in a file" in command.done("follow", anna).decode()


def test_a_missing_file_does_not_keep_other_books_from_being_imported(command, anna, book):
    command.done("import", anna, str(book), "--follow")
    other = Path(str(book).replace("book.", "other."))
    rows_of_other = [{**account(2), "source": "book:other", "sourceId": "1"}]
    put(other, *rows_of_other, age=3_600)
    command.done("import", anna, str(other), "--follow")
    book.unlink()
    put(other, *rows_of_other, {**account(3), "source": "book:other", "sourceId": "2"})
    outcome = command.run("follow", anna)
    assert outcome.code == 1
    assert "book.ndjson" in outcome.err
    assert "other.ndjson: 1 created" in outcome.out
