"""Uploads that are refused, or that belong to somebody else."""

import os
import tempfile
from pathlib import Path

import pytest

from finance_api.uploads.jobs import LIFE_SECONDS, PIECE_BYTES
from finance_api.uploads.receiving import MOST_FILES
from support.browser import assert_error_page, dump, location, signed_in
from support.browser import few_users as services  # noqa: F401
from support.html import shown_text
from support.service import on_one_storage
from support.uploads import (
    OPEN,
    STATEMENT,
    body_of,
    do,
    finished,
    history_of,
    post_body,
    post_file,
    post_files,
    records_of,
    sent,
    uploads_of,
)


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
        # A file that ends within its last line is read to there: what is missing is the token.
        ends_early = each is body and body == body_of(b"a")[:-10]
        assert_error_page(response, 403 if ends_early else 400)
    assert uploads_of(service, user) == []
    assert_empty = post_file(visitor, b"", status=400)
    assert "The file is empty" in assert_empty.text
    assert "Choose a file." in post_file(visitor, b"", name="", status=400).text


@on_one_storage
def test_no_upload_leaves_a_file_behind(service, user, visitor, monkeypatch, tmp_path):
    """Tests uploads that succeed and uploads that break off; files without a name count, too."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def left():
        open_files = [Path(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
        links = [os.readlink(each) for each in open_files if each.is_symlink()]
        return os.listdir(tmp_path) + [link for link in links if link.startswith(str(tmp_path))]

    # More than is held in memory, and refused at its first byte.
    large = b"\0" * 2_000_000
    whole = body_of(large, csrf=visitor.csrf("/import"))
    assert_error_page(post_body(visitor, whole[:-500_000]), 400)
    assert left() == []
    sent(visitor, large)
    assert left() == []
    settings = service.app.registry.settings
    monkeypatch.setitem(settings, "finance_api.imports.max_upload_bytes", 1_500_000)
    post_file(visitor, large, status=413)
    assert left() == []


@on_one_storage
def test_a_slow_upload_is_ended(service, user, visitor, monkeypatch):
    now = 0.0

    def monotonic():
        nonlocal now
        now += 100.0
        return now

    monkeypatch.setattr("finance_api.uploads.receiving.time.monotonic", monotonic)
    response = post_file(visitor, b"a" * 1_000_000, status=408)
    assert_error_page(response, 408)
    assert "did not arrive within 300 seconds" in response.text
    assert uploads_of(service, user) == []


def test_a_preview_of_data_that_has_changed_is_made_again(service, user, visitor):
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
    do(visitor, path, "options", **{"column-2": "payee"})
    for fields in (old.fields, [p for p in old.fields if p[0] != "step"]):
        response = visitor.post(old.action, fields, status=303)
        assert location(response) == f"{path}?done=changed-elsewhere"
    fields = [(k, "99" if k == "revision" else v) for k, v in old.fields]
    visitor.post(old.action, fields, status=409)
    finished(service)
    assert records_of(service, user) == []
    do(visitor, path, "confirm")
    # Confirming twice imports once.
    response = visitor.post(old.action, old.fields, status=303)
    assert location(response) == f"{path}?done=already-imported"
    assert "It was not imported a second time." in shown_text(visitor.get(location(response)).text)
    assert len(records_of(service, user)) == 3


def test_somebody_else_sees_no_upload_and_sends_none_without_signing_in(service, user, visitor):
    path = sent(visitor, STATEMENT)
    stranger = signed_in(service)
    token = stranger.csrf("/import")
    before = dump(service)
    assert "bank.csv" not in stranger.get("/import").text
    stranger.cookies.clear()
    stranger.get(path, status=303)
    stranger.post(f"{path}/confirm", {"csrf_token": token}, status=403)
    assert_error_page(post_file(stranger, STATEMENT, csrf=token, status=403), 403)
    assert dump(service) == before


def test_who_signed_out_meanwhile_confirms_nothing(service, user, visitor):
    path = sent(visitor, STATEMENT)
    form = visitor.form(path, f"{path}/confirm")
    other = visitor.copy()
    other.submit("/overview", "/settings/logout", status=303)
    visitor.post(form.action, form.fields, status=403)
    assert_error_page(post_file(visitor, STATEMENT, csrf="A" * 43, status=403), 403)
    finished(service)
    assert records_of(service, user) == []
    # The file still waits after the user has signed in again.
    assert "bank.csv" in signed_in(service, user).get("/import").text


def test_uploads_share_room_and_have_an_hour(service, user, visitor, monkeypatch):
    settings = service.app.registry.settings
    monkeypatch.setitem(settings, "finance_api.imports.max_waiting_bytes", 6 * PIECE_BYTES)
    ready = [sent(visitor, STATEMENT) for _ in range(3)]
    # A small file counts as a whole piece.
    path = sent(visitor, b"a" * (2 * PIECE_BYTES + 1))
    response = post_file(visitor, b"a" * PIECE_BYTES, status=400)
    assert "your waiting files may take 1.5 MB together" in response.text
    # An imported or discarded file makes room for others.
    do(visitor, path, "discard")
    sent(visitor, b"a" * (3 * PIECE_BYTES))
    post_file(visitor, STATEMENT, status=400)
    do(visitor, ready[0], "confirm")
    path = sent(visitor, STATEMENT)
    service.clock.advance(LIFE_SECONDS)
    visitor = signed_in(service, user)
    visitor.get(path, status=404)
    assert "bank.csv" not in visitor.get("/import").text
    sent(visitor, STATEMENT)
    service.services.housekeeping._work()
    assert len(uploads_of(service, user)) == 1


def test_each_of_several_files_has_its_own_result(service, user, visitor, monkeypatch):
    settings = service.app.registry.settings
    monkeypatch.setitem(settings, "finance_api.imports.max_upload_bytes", 70_000)
    files = {
        "März.csv": STATEMENT,
        "card.csv": OPEN,
        "scan.pdf": b"%PDF-1.7 x",
        "cut.sta": b":20:A",
    }
    assert location(post_files(visitor, files)) == "/import"
    finished(service)
    page = visitor.get("/import").text
    states = [upload.state for upload in uploads_of(service, user)]
    assert sorted(states) == ["asking", "asking", "asking", "ready"]
    assert (page.count("Needs an answer"), page.count("Cannot be imported")) == (1, 2)
    for name in files:
        assert name in page and f"Continue: {name}" in page and f"Discard: {name}" in page
    # A faulty file does not affect the others.
    response = post_files(visitor, {"large.csv": b"a" * 70_001, "b.csv": STATEMENT, "none": b""})
    assert response.status_int == 413
    text = shown_text(response.text)
    assert "large.csv is larger than 68.4 KB" in text
    assert "none is empty; there is nothing to import" in text
    # While other files are checked, the page is not loaded again without this.
    assert "data-reload-seconds" not in response.text and "refresh" not in response.text
    assert "b.csv" in text and len(uploads_of(service, user)) == 5
    for upload in uploads_of(service, user):
        visitor.submit("/import", f"/import/{upload.id}/discard", status=303)
    assert uploads_of(service, user) == []
    many = {f"{number}.csv": b"a" for number in range(MOST_FILES + 1)}
    assert f"more than {MOST_FILES}" in post_files(visitor, many).text
    assert uploads_of(service, user) == []


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
