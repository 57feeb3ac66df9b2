"""The page Import: from a file to a preview to data, on every storage."""

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from finance_api.ledger.importing import ImportSettings
from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import UploadState, reading, unit_of_work
from finance_api.uploads.jobs import UploadJobs
from finance_api.uploads.stored_uploads import DEAD_SECONDS, LIFE_SECONDS, MOST_WAITING
from finance_api.uploads.work import UploadWork
from finance_api.web.upload_form import in_labels
from support.browser import (
    assert_error_page,
    changed_tables,
    dump,
    few_users,  # noqa: F401
    forms,
    location,
    new_user,
    shown_text,
    signed_in,
)
from support.ledger import ofx_file, ofx_statement
from support.service import Service, on_one_storage
from support.uploads import (
    OPEN,
    STATEMENT,
    body_of,
    do,
    finished,
    post_body,
    post_file,
    sent,
    uploads_of,
)


def records_of(service, user):
    with reading(service.backend) as storage:
        return storage.data.scan_rows(user.id, RECORDS)


def history_of(service, user):
    return service.change(lambda storage: storage.history.list_entries(user.id))


# -- the walk ------------------------------------------------------------------------------------


def test_a_file_is_looked_at_and_stored_once_it_is_confirmed(service, user, visitor):
    before = dump(service)
    path = sent(visitor, STATEMENT, name="Umsätze März.csv")
    text = shown_text(visitor.get(path).text)
    for expected in ("Preview", "Umsätze März.csv", "Format csv", "utf-8"):
        assert expected in text
    for expected in (
        "Current account New account, 1 Mar 2026 to 3 Mar 2026",
        "New 3 Updated 0",
    ):
        assert expected in text
    # In, out and balance; then the records, newest first.
    assert "2,000.00 −16.50 1,983.50 EUR" in text
    assert "Café 3 Mar 2026 None Current account −4.00 EUR Employer" in text
    assert changed_tables(before, dump(service)) <= {"uploads", "upload_pieces", "sessions"}

    assert do(visitor, path, "confirm") == path
    text = shown_text(visitor.get(path).text)
    assert "The file is imported." in text
    found = {(row["payee"], row["amount"]) for row in records_of(service, user)}
    assert found == {("Corner Shop", -125_000), ("Employer", 20_000_000), ("Café", -40_000)}
    (entry,) = history_of(service, user)
    assert (entry.action, entry.by, entry.details["file"]["name"]) == (
        "import",
        "page",
        "Umsätze März.csv",
    )
    # The result stays for its hour, the file itself goes.
    (upload,) = uploads_of(service, user)
    assert upload.state is UploadState.DONE
    with reading(service.backend) as storage:
        assert storage.uploads.get_piece(user.id, upload.id, 0) == b""
    # The same file again brings nothing.
    again = sent(visitor, STATEMENT)
    assert "Already there 3" in shown_text(visitor.get(again).text)
    assert not [f for f in forms(visitor.get(again).text) if f.action.endswith("confirm")]


def test_what_is_missing_is_asked_for_and_given_in_a_form(service, user, visitor):
    path = sent(visitor, OPEN)
    page = visitor.get(path)
    (upload,) = uploads_of(service, user)
    for question in upload.outcome["questions"]:
        assert in_labels(question["reason"])[1:] in shown_text(page.text)
    assert "--" not in shown_text(page.text)
    asked = next(form for form in forms(page.text) if form.action.endswith("options"))
    # The way of money is never chosen for the person.
    assert dict(asked.fields)["positive"] == ""
    given = {"positive": "out", "new-account-name": "Card", "currency": "eur"}
    given |= {"columns-payee": ["Text"]}
    assert do(visitor, path, "options", **given) == path
    text = shown_text(visitor.get(path).text)
    assert "Preview" in text and "−32.50" in text and "Card New account" in text
    do(visitor, path, "confirm")
    rows = {(row["payee"], row["amount"]) for row in records_of(service, user)}
    assert rows == {("Corner Shop", -125_000), ("Bakery", -200_000)}
    (entry,) = history_of(service, user)
    assert entry.details["options"]["positive"] == "out"
    # What was given is remembered: the file of the next month needs the account alone.
    path = sent(visitor, OPEN.replace(b"2026-03", b"2026-04"))
    if "Preview" not in shown_text(visitor.get(path).text):
        do(visitor, path, "options", account="Card")
    assert "New 2" in shown_text(visitor.get(path).text)


def test_a_preview_can_be_read_otherwise_and_a_file_discarded(service, user, visitor):
    path = sent(visitor, STATEMENT)
    do(visitor, path, "options", positive="in")
    page = visitor.get(path).text
    assert "Preview" in shown_text(page)
    do(visitor, path, "options", **{"columns-payee": ["note"]})
    assert "there is no heading" in shown_text(visitor.get(path).text)
    assert do(visitor, path, "discard") == "/import?done=discarded"
    visitor.get(path, status=404)
    assert uploads_of(service, user) == []
    assert records_of(service, user) == []


@on_one_storage
def test_what_would_be_updated_or_matched_is_shown_with_both_sides(service, user, visitor):
    rows = STATEMENT.replace(b"date,", b"id,date,").replace(b"2026-", b"n,2026-")
    numbered = b"".join(
        line.replace(b"n,2", b"%d,2" % number)
        for number, line in enumerate(rows.splitlines(keepends=True))
    )
    do(visitor, sent(visitor, numbered), "confirm")
    path = sent(visitor, numbered.replace(b"-12.50", b"-13"))
    text = shown_text(visitor.get(path).text)
    assert "Would be updated 1 Line 2 Amount: −12.50 → −13.00" in text
    ofx = ofx_file(ofx_statement([("20260301", "-12.50", "9", "Shop")])).encode()
    path = sent(visitor, ofx)
    do(visitor, path, "options", account="Current account")
    text = shown_text(visitor.get(path).text)
    assert "Matched 1" in text
    assert "2026-03-01, −12.50, Shop = is 2026-03-01, −12.50, Corner Shop" in text


def test_one_of_several_answers_is_chosen(service, user, visitor):
    path = sent(visitor, OPEN)
    (upload,) = uploads_of(service, user)
    number, question = next(
        (n, q) for n, q in enumerate(upload.outcome["questions"]) if len(q["answers"]) == 2
    )
    assert list(question["answers"][1]["words"]) == ["--positive", "out"]
    given = {"new-account-name": "Card", "currency": "EUR"}
    # What is no answer is none.
    for chosen in ("2", "-1", "x"):
        do(visitor, path, "options", **given, **{f"answer-{number}": chosen})
        assert "no amount is negative" in shown_text(visitor.get(path).text).lower()
        (upload,) = uploads_of(service, user)
        assert len(upload.outcome["questions"]) == 1
        number, given = 0, {}
    do(visitor, path, "options", **{"answer-0": "1"})
    assert "−32.50" in shown_text(visitor.get(path).text)
    form = visitor.form(f"{path}/options")
    for text in ("x", "-1", "1.5", "9" * 99):
        response = visitor.post(form.action, form.filled({"skip_rows": text}), status=400)
        assert "is not a whole number" in response.text
    response = visitor.post(form.action, form.filled({"match_days": "32"}), status=400)
    assert "Days apart: 32 is more than 31." in response.text


@on_one_storage
def test_a_database_that_is_busy_changes_nothing(service, user, visitor, monkeypatch):
    path = sent(visitor, STATEMENT)
    with monkeypatch.context() as away:

        def fail(*arguments, **options):
            raise StorageUnavailable("the database at db.example does not answer")

        away.setattr("finance_api.uploads.work.import_file", fail)
        do(visitor, path, "confirm")
    text = shown_text(visitor.get(path).text)
    assert "The database was unavailable" in text
    assert "db.example" not in text
    do(visitor, path, "again")
    do(visitor, path, "confirm")
    assert len(records_of(service, user)) == 3


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"%PDF-1.7 x", "PDF"),
        (b"PK\x03\x04 nothing", "ZIP"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"OFXHEADER:100\r\nDATA:OFXSGML\r\n<OFX><BANKMSGSRSV1>", ""),
        (b'{"reserved_model_type": "Nothing"}\n', "line 1"),
        (b"\x00\xff\x00\xff" * 99, ""),
        (b"a,b\n1\n", ""),
    ],
)
@on_one_storage
def test_a_file_that_cannot_be_read_is_refused_with_its_reason(service, visitor, content, why):
    path = sent(visitor, content)
    text = shown_text(visitor.get(path).text)
    assert "The file leaves something open" in text or "The file cannot be imported" in text
    assert why in text
    assert "Traceback" not in text


@on_one_storage
def test_native_data_spreadsheets_and_bank_files_come_in_by_the_page(service, user, visitor):
    account = {
        "reserved_model_type": "Account",
        "id": "0e2b6a1c-91a5-4c0f-8a5e-5c1f1f0c7d21",
        "name": "Own",
        "currencyCode": "EUR",
    }
    path = sent(visitor, json.dumps(account).encode())
    assert "Format native" in shown_text(visitor.get(path).text)
    do(visitor, path, "confirm")
    assert "imported" in shown_text(visitor.get(path).text)
    from support.sheets import xlsx  # type: ignore[attr-defined]

    path = sent(visitor, xlsx([["date", "amount", "payee"], ["2026-03-01", "-1.5", "Bakery"]]))
    do(visitor, path, "options", account="Own")
    assert "−1.50" in shown_text(visitor.get(path).text)


# -- what may not happen -------------------------------------------------------------------------


def test_without_the_token_nothing_of_the_file_is_kept(service, user, visitor):
    stranger = signed_in(service)
    for csrf in (None, "", "A" * 43, stranger.csrf("/import")):
        before = dump(service)
        response = post_file(visitor, STATEMENT, csrf=csrf, status=403)
        assert_error_page(response, 403)
        assert "This page has expired" in response.text
        assert dump(service) == before
    # A token that comes after the file is too late.
    token = visitor.csrf("/import")
    whole = body_of(STATEMENT, csrf=token)
    edge = whole.split(b"\r\n", 1)[0]
    first, second = whole.removeprefix(edge).removesuffix(edge + b"--\r\n").split(edge)
    response = post_body(visitor, edge + second + edge + first + edge + b"--\r\n", status=403)
    assert_error_page(response, 403)
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    visitor.request("POST", "/import", body=b"", headers={**headers, **kind}, status=403)
    assert uploads_of(service, user) == []


def test_a_file_that_is_too_large_is_refused_with_a_sentence(service, user, visitor, monkeypatch):
    settings = service.app.registry.settings
    monkeypatch.setitem(settings, "finance_api.imports.max_upload_bytes", 70_000)
    for size in (70_001, 200_000, 1_000_000):
        response = post_file(visitor, b"a" * size, status=413)
        assert "The file is larger than" in shown_text(response.text)
        assert uploads_of(service, user) == []
    path = sent(visitor, b"a" * 70_000)
    assert path.startswith("/import/")


def test_without_the_token_no_form_of_an_upload_does_anything(service, user, visitor):
    path = sent(visitor, STATEMENT)
    (upload,) = uploads_of(service, user)
    fields = {"step": upload.step, "revision": upload.outcome["revision"]}
    wrong = (None, "", "A" * 43, signed_in(service).csrf("/import"))
    for token in wrong:
        before = dump(service)
        given = fields if token is None else {**fields, "csrf_token": token}
        for below in ("/options", "/confirm", "/again", "/discard"):
            assert_error_page(visitor.post(path + below, given), 403)
        assert dump(service) == before


@on_one_storage
def test_only_this_form_takes_files_and_it_takes_nothing_else(service, user, visitor):
    token = visitor.csrf("/import")
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/mixed; boundary=x"):
        assert_error_page(post_body(visitor, b"csrf_token=" + token.encode(), kind=kind), 415)
    path = sent(visitor, STATEMENT)
    for elsewhere in (f"{path}/confirm", f"{path}/options", f"{path}/discard", "/imports/1/undo"):
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        response = visitor.post(elsewhere, headers=headers)
        assert_error_page(response, 415)
        visitor.request("POST", elsewhere, body=b"x" * 70_000, headers=headers, status=413)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        body_of(b"a")[:-10],
        body_of(b"a").replace(b"filename", b"fulename"),
        body_of(b"a", field="other"),
        body_of(b"a").replace(b"\r\n\r\n", b"\r\n", 1),
        body_of(b"a").replace(b"Content-Disposition", b"X" * 99_000),
    ],
)
@on_one_storage
def test_a_form_that_is_broken_off_leaves_nothing(service, user, visitor, body):
    token = visitor.csrf("/import")
    whole = body_of(b"", csrf=token)
    edge = whole.split(b"\r\n", 1)[0]
    with_token = edge + whole.split(edge)[1] + body
    for each in (body, with_token):
        response = post_body(visitor, each)
        assert response.status_int in (400, 403)
        assert_error_page(response, response.status_int)
    assert uploads_of(service, user) == []
    assert_empty = post_file(visitor, b"", status=400)
    assert "The file is empty" in assert_empty.text
    assert "Choose a file." in post_file(visitor, b"", name="", status=400).text


@on_one_storage
def test_no_upload_leaves_a_file_behind(service, user, visitor, monkeypatch, tmp_path):
    """Neither one that is taken, nor one that breaks off; a file without a name counts too."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def left():
        open_files = [Path(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
        links = [os.readlink(each) for each in open_files if each.is_symlink()]
        return os.listdir(tmp_path) + [link for link in links if link.startswith(str(tmp_path))]

    large = b"date,amount\n" * 300_000
    whole = body_of(large, csrf=visitor.csrf("/import"))
    assert_error_page(post_body(visitor, whole[:-1_000_000]), 400)
    assert left() == []
    sent(visitor, large)
    assert left() == []
    settings = service.app.registry.settings
    monkeypatch.setitem(settings, "finance_api.imports.max_upload_bytes", 3_000_000)
    post_file(visitor, large, status=413)
    assert left() == []


@on_one_storage
def test_a_slow_upload_is_ended(service, user, visitor, monkeypatch):
    now = 0.0

    def monotonic():
        nonlocal now
        now += 100.0
        return now

    monkeypatch.setattr("finance_api.web.receiving.time.monotonic", monotonic)
    response = post_file(visitor, b"a" * 1_000_000, status=408)
    assert_error_page(response, 408)
    assert "did not arrive within 300 seconds" in response.text
    assert uploads_of(service, user) == []


def test_a_preview_of_data_that_has_changed_is_made_anew(service, user, visitor):
    first, second = sent(visitor, STATEMENT), sent(visitor, STATEMENT)
    do(visitor, first, "confirm")
    assert len(records_of(service, user)) == 3
    do(visitor, second, "confirm")
    text = shown_text(visitor.get(second).text)
    assert "Your data has changed since the preview, so this is a new one." in text
    assert "Already there 3" in text
    assert len(records_of(service, user)) == 3
    assert len(history_of(service, user)) == 1


def test_a_form_of_another_step_does_nothing(service, user, visitor):
    path = sent(visitor, STATEMENT)
    old = visitor.form(path, f"{path}/confirm")
    do(visitor, path, "options", **{"columns-payee": []})
    for fields in (old.fields, [p for p in old.fields if p[0] != "step"]):
        response = visitor.post(old.action, fields, status=303)
        assert location(response) == f"{path}?done=changed-elsewhere"
    fields = [(k, "99" if k == "revision" else v) for k, v in old.fields]
    visitor.post(old.action, fields, status=409)
    finished(service)
    assert records_of(service, user) == []
    do(visitor, path, "confirm")
    # Twice is once.
    response = visitor.post(old.action, old.fields, status=303)
    assert location(response) == f"{path}?done=already-imported"
    assert "It was not imported a second time." in shown_text(visitor.get(location(response)).text)
    assert len(records_of(service, user)) == 3


def test_another_user_s_upload_is_nowhere(service, user, visitor):
    path = sent(visitor, STATEMENT)
    stranger = signed_in(service)
    token = stranger.csrf("/import")
    before = dump(service)
    for below in ("", "/options"):
        stranger.get(path + below, status=404)
    (upload,) = uploads_of(service, user)
    sent_fields = {"csrf_token": token, "step": upload.step, "revision": 0}
    for below in ("/options", "/confirm", "/again", "/discard"):
        assert_error_page(stranger.post(path + below, sent_fields), 404)
    assert dump(service) == before
    assert "bank.csv" not in stranger.get("/import").text
    anonymous = signed_in(service)
    anonymous.cookies.clear()
    anonymous.get(path, status=303)
    anonymous.post(f"{path}/confirm", {"csrf_token": token}, status=403)
    assert_error_page(post_file(anonymous, STATEMENT, csrf=token, status=403), 403)


def test_who_signed_out_meanwhile_confirms_nothing(service, user, visitor):
    path = sent(visitor, STATEMENT)
    form = visitor.form(path, f"{path}/confirm")
    other = visitor.copy()
    other.submit("/overview", "/settings/logout", status=303)
    visitor.post(form.action, form.fields, status=403)
    assert_error_page(post_file(visitor, STATEMENT, csrf="A" * 43, status=403), 403)
    finished(service)
    assert records_of(service, user) == []
    # The file waits for whoever signs in again.
    assert "bank.csv" in signed_in(service, user).get("/import").text


def test_uploads_are_few_and_have_an_hour(service, user, visitor):
    for _ in range(MOST_WAITING):
        sent(visitor, STATEMENT)
    response = post_file(visitor, STATEMENT, status=400)
    assert f"{MOST_WAITING} files are waiting already" in response.text
    path = f"/import/{uploads_of(service, user)[0].id}"
    service.clock.advance(LIFE_SECONDS)
    visitor = signed_in(service, user)
    visitor.get(path, status=404)
    assert "bank.csv" not in visitor.get("/import").text
    sent(visitor, STATEMENT)
    service.services.housekeeping._work()
    assert len(uploads_of(service, user)) == 1


@on_one_storage
def test_a_name_that_is_markup_is_text(service, user, visitor):
    name = "<img src=x onerror=alert(1)>{{ 7*7 }}\u202e.csv"
    path = sent(visitor, STATEMENT, name=f"C:\\x\\{name}")
    (upload,) = uploads_of(service, user)
    assert upload.name == name.replace("\u202e", "\\u202e")
    for page in (path, "/import", f"{path}/options"):
        text = visitor.get(page).text
        assert "<img src=x" not in text and "&lt;img src=x" in text and "{{ 7*7 }}" in text
    do(visitor, path, "confirm")
    for page in (path, "/imports", "/imports/1", "/imports/1/undo"):
        text = visitor.get(page).text
        assert "<img src=x" not in text and "&lt;img src=x" in text


# -- work off the request ------------------------------------------------------------------------


@pytest.fixture
def held(monkeypatch):
    """Nobody begins the work at uploads until the test says so."""
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
    # A double click shows the progress too.
    assert location(visitor.post(confirm.action, confirm.fields, status=303)) == path
    # What is being imported cannot be discarded.
    visitor.post(f"{path}/discard", {"csrf_token": visitor.csrf(path)}, status=303)
    held()
    assert "The file is imported." in visitor.get(path).text


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
    # One of the two is of a step before; should it come back to life, it changes nothing.
    held()
    assert records_of(service, user) == []
    assert history_of(service, user) == []
    do(visitor, path, "confirm")
    held()
    assert "The file is imported." in visitor.get(path).text
    assert len(records_of(service, user)) == 3


@pytest.mark.parametrize("service", ["sqlite"], indirect=True)
def test_work_that_writes_is_not_taken_for_gone(service, user, visitor, held):
    """Another process, which cannot say that it is alive while it has the database."""
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
    settings = ImportSettings.of(service.app.registry.settings)

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
def test_an_error_of_ours_is_told_without_its_message(service, user, visitor, monkeypatch):
    path = sent(visitor, STATEMENT)

    def fail(*arguments):
        raise RuntimeError("Corner Shop")

    monkeypatch.setattr("finance_api.uploads.work.preview_of", fail)
    do(visitor, path, "confirm")
    text = visitor.get(path).text
    assert "Something went wrong on the server. Nothing was changed." in text
    assert "Corner Shop" not in text


@pytest.mark.parametrize("service", ["sqlite", "postgresql"], indirect=True)
def test_two_files_sent_at_once_are_two_uploads(service, user, visitor):
    """What the second one showed is stale once the first is imported: it is looked at again."""
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


@pytest.mark.parametrize("service", ["sqlite", "postgresql"], indirect=True)
def test_two_processes_share_uploads(service, user, visitor):
    """One looks at the file, another one imports it; of two who confirm one does."""
    url = service.backend.engine.url.render_as_string(hide_password=False)
    other = Service(service.kind, {"sqlalchemy.url": url}, clock=service.clock)
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


# -- undoing -------------------------------------------------------------------------------------


def test_an_import_is_undone_after_a_preview(service, user, visitor):
    assert "No imports yet" in visitor.get("/imports").text
    path = sent(visitor, STATEMENT)
    do(visitor, path, "confirm")
    text = shown_text(visitor.get("/imports").text)
    assert "bank.csv 1 · csv · by page" in text and "Current account" in text
    text = shown_text(visitor.get("/imports/1").text)
    for expected in ("Import 1", "Records left 3", "Created 3", "1 Mar 2026 3 Mar 2026"):
        assert expected in text
    before = dump(service)
    text = shown_text(visitor.get("/imports/1/undo").text)
    assert "Removed 1 account, 3 records" in text
    assert changed_tables(before, dump(service)) <= {"sessions"}
    assert len(records_of(service, user)) == 3
    form = visitor.form("/imports/1/undo")
    response = visitor.post(form.action, form.fields, status=303)
    assert location(response) == "/imports/1?done=undone"
    assert records_of(service, user) == []
    text = shown_text(visitor.get("/imports/1").text)
    assert "Undone" in text
    assert location(visitor.get("/imports/1/undo", status=303)) == "/imports/1"
    response = visitor.post(form.action, form.fields, status=409)
    assert "entry 1 is already undone" in shown_text(response.text).lower()
    visitor.get("/imports/2", status=404)
    visitor.get("/imports/2/undo", status=404)
    visitor.get("/imports/x", status=404)


def test_an_undo_of_data_that_has_changed_is_shown_anew(service, user, visitor):
    do(visitor, sent(visitor, STATEMENT), "confirm")
    form = visitor.form("/imports/1/undo")
    later = STATEMENT.replace(b"2026-03-03,-4", b"2026-03-04,-5")
    do(visitor, sent(visitor, later), "confirm")
    response = visitor.post(form.action, form.fields, status=409)
    assert "Your data has changed since this page was made" in response.text
    text = shown_text(visitor.get("/imports/1/undo").text)
    assert "It cannot be undone on its own" in text
    assert len(records_of(service, user)) == 4
    page = "/imports/1/undo?with_later=yes"
    assert "Undone 2, 1" in shown_text(visitor.get(page).text)
    form = visitor.form(page)
    visitor.post(form.action, form.fields, status=303)
    assert records_of(service, user) == []


def test_another_user_s_imports_are_nowhere(service, user, visitor):
    do(visitor, sent(visitor, STATEMENT), "confirm")
    stranger = signed_in(service, new_user(service))
    before = dump(service)
    for page in ("/imports/1", "/imports/1/undo"):
        stranger.get(page, status=404)
    fields = {"csrf_token": stranger.csrf("/imports"), "revision": "1", "with_later": "yes"}
    assert_error_page(stranger.post("/imports/1/undo", fields), 404)
    assert_error_page(visitor.post("/imports/1/undo", {"revision": "1"}), 403)
    assert dump(service) == before
    assert len(records_of(service, user)) == 3
