"""The background work on uploads."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from finance_api.storage.interface import UploadState, unit_of_work
from finance_api.uploads.jobs import DEAD_SECONDS, UploadJobs, _Job
from finance_api.uploads.work import UploadWork
from support.browser import changed_tables, dump, location
from support.browser import few_users as services  # noqa: F401
from support.html import shown_text
from support.service import Service, on_one_storage
from support.uploads import (
    STATEMENT,
    do,
    finished,
    history_of,
    post_file,
    records_of,
    sent,
    uploads_of,
)


@pytest.fixture
def held(monkeypatch):
    """Hold back the work on uploads; return a function that starts it."""
    waiting = []
    start = UploadJobs.start
    monkeypatch.setattr(UploadJobs, "start", lambda *call: waiting.append(call))

    def work():
        while waiting:
            jobs, user, upload, origin = waiting.pop()
            start(jobs, user, upload, origin)
            jobs.wait(user.id, upload.id)

    return work


def test_work_that_takes_long_has_a_page_of_its_own(service, user, visitor, held):
    path = location(post_file(visitor, STATEMENT))
    page = visitor.get(path)
    assert "Reading the file" in page.text
    assert '<meta http-equiv="refresh" content="2">' in page.text
    held()
    assert "Preview" in shown_text(visitor.get(path).text)
    confirm = visitor.form(path, f"{path}/confirm")
    do(visitor, path, "confirm")
    assert "Importing the file" in visitor.get(path).text
    # A second click on Confirm shows the progress, too.
    assert location(visitor.post(confirm.action, confirm.fields, status=303)) == path
    # A file cannot be discarded while it is being imported.
    visitor.post(f"{path}/discard", {"csrf_token": visitor.csrf(path)}, status=303)
    held()
    assert "The file is imported." in visitor.get(path).text


def test_a_book_that_waited_for_an_answer_is_kept_for_an_hour_after_its_import(
    service, user, visitor
):
    path = sent(visitor, STATEMENT)
    (upload,) = uploads_of(service, user)
    later = upload.created_at + 10 * 365 * 86_400
    service.change(lambda storage: storage.uploads.change(user.id, upload, created_at=later))
    do(visitor, path, "confirm")
    (imported,) = uploads_of(service, user)
    assert imported.state is UploadState.DONE
    assert imported.created_at == upload.created_at


@on_one_storage
def test_progress_is_counted_and_shown_to_whoever_comes_back(service, user, visitor, monkeypatch):
    """Reads the page of an upload of two thousand rows at each change of its progress."""
    seen = []
    note = _Job.note

    def look(job, progress):
        note(job, progress)
        upload = job.upload
        jobs = service.services.upload_jobs
        seen.append((upload.state, jobs.progress(user.id, upload)))
        shown.append(jobs.progress(user.id, replace(upload, step=upload.step + 1)))

    shown = []
    monkeypatch.setattr(_Job, "note", look)
    rows = "".join(f"2026-03-01,-{n},Shop {n},Current account,EUR\n" for n in range(1, 2_002))
    path = sent(visitor, b"date,amount,payee,account,currency\n" + rows.encode())
    checking = [(1_000, None), (2_000, None), (1_000, 2_001), (2_000, 2_001), (2_001, 2_001)]
    assert seen == [(UploadState.CHECKING, each) for each in checking]
    # No later step of the upload has begun.
    assert set(shown) == {None}
    seen.clear()
    do(visitor, path, "confirm")
    assert seen == [(UploadState.IMPORTING, each) for each in checking]


def test_progress_is_on_both_pages_while_a_file_is_checked(service, user, visitor, held):
    path = location(post_file(visitor, STATEMENT))
    (upload,) = uploads_of(service, user)
    for progress, words in (
        (None, "Being checked"),
        ((1, None), "Read 1 row"),
        ((120_000, 346_656), "Checked 120,000 of 346,656 rows"),
    ):
        alive = replace(upload, outcome={"progress": progress})
        now = service.clock.now()
        service.change(lambda s, alive=alive, now=now: s.uploads.set_alive([(user.id, alive)], now))
        assert words in shown_text(visitor.get("/import").text)
        assert words in shown_text(visitor.get(path).text) or progress is None
    assert '<progress aria-labelledby="progress-title" value="120000" max="346656">' in (
        visitor.get(path).text
    )
    held()
    assert "Ready to import" in shown_text(visitor.get("/import").text)


def test_work_of_a_process_that_is_gone_is_found_and_done_again(service, user, visitor, held):
    path = sent(visitor, STATEMENT)
    service.clock.advance(DEAD_SECONDS - 1)
    assert "Reading the file" in visitor.get(path).text
    service.clock.advance(1)
    before = dump(service)
    assert "The server stopped while it was reading this file" in visitor.get(path).text
    assert changed_tables(before, dump(service)) <= {"sessions"}
    do(visitor, path, "again")
    held()
    do(visitor, path, "confirm")
    service.clock.advance(DEAD_SECONDS)
    assert "The server stopped while it was reading this file" in visitor.get(path).text
    do(visitor, path, "again")
    # The work on the earlier step may come back to life, but must not change anything.
    held()
    assert records_of(service, user) == []
    assert history_of(service, user) == []
    do(visitor, path, "confirm")
    held()
    assert "The file is imported." in visitor.get(path).text
    assert len(records_of(service, user)) == 3


@pytest.mark.parametrize("storage_of_service", ["sqlite"])
def test_work_that_writes_is_not_taken_for_gone(service, user, visitor, held):
    """Another process works on it, and cannot report that it is alive while it locks the
    database.
    """
    path = sent(visitor, STATEMENT)
    service.clock.advance(DEAD_SECONDS)
    with unit_of_work(service.backend):
        assert "Reading the file" in visitor.get(path).text
    assert "The server stopped while it was reading this file" in visitor.get(path).text
    held()


def test_an_import_and_its_result_are_kept_together(service, user, visitor, held, monkeypatch):
    path = location(post_file(visitor, STATEMENT))
    held()
    do(visitor, path, "confirm")
    (upload,) = uploads_of(service, user)
    settings = service.app.registry.settings

    def fail(*arguments):
        raise RuntimeError("Corner Shop")

    with monkeypatch.context() as broken:
        broken.setattr("finance_api.uploads.work.preview_of", fail)
        work = UploadWork(service.backend, settings, user, upload, service.clock.now(), "-")
        with pytest.raises(RuntimeError):
            work.run()
        assert records_of(service, user) == []
        assert history_of(service, user) == []
    held()
    assert len(records_of(service, user)) == 3


@on_one_storage
def test_an_error_of_ours_is_reported_without_its_message(service, user, visitor, monkeypatch):
    path = sent(visitor, STATEMENT)

    def fail(*arguments):
        raise RuntimeError("Corner Shop")

    monkeypatch.setattr("finance_api.uploads.work.preview_of", fail)
    do(visitor, path, "confirm")
    text = visitor.get(path).text
    assert "Something went wrong on the server. Nothing was changed." in text
    assert "Corner Shop" not in text


@pytest.mark.parametrize("storage_of_service", ["sqlite", "postgresql"])
def test_two_files_sent_at_once_are_two_uploads(service, user, visitor):
    """Importing the first file makes the preview of the second stale, so it is made again."""
    other = STATEMENT.replace(b"-12.50", b"-7.25").replace(b"2026-03", b"2026-04")
    both = (visitor, visitor.copy())
    with ThreadPoolExecutor(2) as pool:
        responses = list(pool.map(post_file, both, (STATEMENT, other)))
    finished(service)
    paths = [location(response) for response in responses]
    assert len(set(paths)) == 2 and len(uploads_of(service, user)) == 2
    assert records_of(service, user) == []
    do(visitor, paths[0], "confirm")
    assert len(records_of(service, user)) == 3
    do(visitor, paths[1], "confirm")
    assert len(records_of(service, user)) == 3
    do(visitor, paths[1], "confirm")
    assert len(records_of(service, user)) == 6
    assert len(history_of(service, user)) == 2


@pytest.mark.parametrize("storage_of_service", ["sqlite", "postgresql"])
def test_two_processes_share_uploads(service, user, visitor):
    """One process checks the file, another one imports it; if both confirm, one of them imports
    it.
    """
    other = Service(service.kind, service.settings, clock=service.clock)
    try:
        there = visitor.copy(other)
        path = sent(visitor, STATEMENT)
        form = there.form(path, f"{path}/confirm")
        with ThreadPoolExecutor(2) as pool:
            responses = list(
                pool.map(lambda each: each.post(form.action, form.fields), (there, visitor))
            )
        finished(other)
        finished(service)
        assert {location(r) for r in responses} <= {path, f"{path}?done=already-imported"}
        assert "The file is imported." in visitor.get(path).text
        assert len(history_of(service, user)) == 1
        assert len(records_of(service, user)) == 3
    finally:
        other.stop()
