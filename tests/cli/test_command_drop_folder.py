"""finance-api import of a folder: imported files leave it, refused files stay."""

import json
import os
import time

import pytest

from support.native_rows import account, record
from support.service import native_line


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "drop"
    made.mkdir()
    (tmp_path / "done").mkdir()
    return made


def put(path, *rows, age=60):
    path.write_text("".join(map(native_line, rows)) or "no statement at all")
    os.utime(path, (time.time() - age,) * 2)


def names(path):
    return sorted(p.name for p in path.iterdir())


def test_what_is_imported_is_moved_and_what_is_refused_stays(command, anna, folder, tmp_path):
    put(folder / "1.ndjson", account(), record(1))
    put(folder / "2.txt")
    put(folder / "3.ndjson", record(2))
    put(folder / "5.txt")
    put(folder / ".hidden.ndjson", record(3))
    put(folder / "new.ndjson", record(4), age=-60)
    (folder / "link.ndjson").symlink_to(folder / "new.ndjson")
    (folder / "sub").mkdir()
    outcome = command.run("import", anna, str(folder), "--move-done", str(tmp_path / "done"))
    assert outcome.code == 1
    assert "2.txt" in outcome.err and "5.txt" in outcome.err
    assert names(tmp_path / "done") == ["1.ndjson", "3.ndjson"]
    assert names(folder) == [".hidden.ndjson", "2.txt", "5.txt", "link.ndjson", "new.ndjson", "sub"]
    assert command.done("dump", anna).count(b'"Record"') == 2


def test_nothing_in_the_other_folder_is_replaced(command, anna, folder, tmp_path):
    put(tmp_path / "done" / "1.ndjson", record(9))
    put(folder / "1.ndjson", account(), record(1))
    command.done("import", anna, str(folder), "--move-done", str(tmp_path / "done"))
    assert names(tmp_path / "done") == ["1.2.ndjson", "1.ndjson"]
    assert native_line(record(9)) == (tmp_path / "done" / "1.ndjson").read_text()


def test_an_empty_folder_is_no_fault(command, anna, folder, tmp_path):
    out = command.done("import", anna, str(folder), "--json", "--move-done", str(tmp_path / "done"))
    assert json.loads(out)["files"] == []


def test_a_folder_needs_another_to_move_to(command, anna, folder, tmp_path):
    assert "directory" in command.refused("import", anna, str(folder))
    refused = ("import", anna, str(folder), "--move-done")
    assert "--move-done" in command.refused(*refused, str(folder), code=2)
    assert "missing" in command.refused(*refused, str(tmp_path / "missing"), code=2)
    done = str(tmp_path / "done")
    assert "--dry-run" in command.refused(*refused, done, "--dry-run", code=2)
    assert "--move-done" in command.refused("import", anna, "-", "--move-done", done, code=2)


def test_a_file_that_changes_meanwhile_stays(command, anna, folder, tmp_path, monkeypatch):
    from finance_api.cli import importing

    put(folder / "1.ndjson", account(), record(1))
    import_one = importing._import_one

    def growing(*arguments, **options):
        report = import_one(*arguments, **options)
        with open(folder / "1.ndjson", "a") as file:
            file.write(native_line(record(2)))
        return report

    monkeypatch.setattr(importing, "_import_one", growing)
    call = ("import", anna, str(folder), "--move-done", str(tmp_path / "done"))
    assert "was changed" in command.run(*call).err
    assert names(folder) == ["1.ndjson"]
    monkeypatch.undo()
    os.utime(folder / "1.ndjson", (time.time() - 60,) * 2)
    command.done(*call)
    assert names(folder) == []
    assert command.done("dump", anna).count(b'"Record"') == 2
