"""Importing a file: choose it, answer open questions, check the preview, confirm."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyramid.httpexceptions import HTTPBadRequest
from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request, origin_of
from finance_api.http.surfaces import UPLOADS
from finance_api.importers.csv import load_profiles
from finance_api.importers.formats import BOOKS
from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.errors import Conflict, StorageUnavailable
from finance_api.storage.interface import Upload, UploadState
from finance_api.uploads import jobs
from finance_api.uploads.receiving import (
    MOST_FILES,
    NotAForm,
    SentFile,
    TooLarge,
    TooSlow,
    sent_files,
)
from finance_api.uploads.work import Progress
from finance_api.web import page as pages
from finance_api.web.column_form import ROLES
from finance_api.web.csrf import require_token
from finance_api.web.errors import error_page
from finance_api.web.forms import label_of, named_options
from finance_api.web.import_texts import PageWriter
from finance_api.web.option_labels import COLUMNS
from finance_api.web.rendering import size
from finance_api.web.routes import get, post
from finance_api.web.upload_form import Given, can_be_read, read_form, upload_form

#: How long an upload waits if another upload of its user is running: a browser would not send the
#: files again.
_PLACE_SECONDS = 5
#: How long a request waits for the work on an upload, which is enough for most files.
_WAIT_SECONDS = 1.5
_WRITE = Permission.DATA_WRITE
#: The states in which options can be chosen.
_WAITING = (UploadState.READY, UploadState.ASKING)
_SILENT = "The server stopped while it was reading this file. Nothing was changed."
_ELSEWHERE = "This file was changed in another window. This is its current state."


@get("import", _WRITE, "import", place=pages.Place.CHEAP)
def show_uploads(request: Request) -> dict[str, Any]:
    return _choose(request, ())


def _choose(request: Request, faults: Sequence[str]) -> dict[str, Any]:
    user_id, now = request.user.id, request.now
    uploads = jobs.waiting_uploads(request.storage, user_id, now)
    return pages.page(
        "import",
        "Import",
        errors={f"file-{number}" if number else "file": why for number, why in enumerate(faults)},
        uploads=uploads,
        now=now,
        progress={upload.id: _progress(request, upload) for upload in uploads},
        asking={each.id for each in uploads if upload_form(each, (), (), request.region).is_asked},
        # The page is loaded again then, and would lose what it says of other files.
        is_working=not faults and any(upload.state in jobs.AT_WORK for upload in uploads),
        max_bytes=request.registry.settings["finance_api.imports.max_upload_bytes"],
        life_seconds=jobs.LIFE_SECONDS,
        is_lasting=request.services.storage.persistent,
    )


def _progress(request: Request, upload: Upload) -> Progress | None:
    user_id = request.user.id
    return _jobs(request).progress(user_id, upload) if upload.state in jobs.AT_WORK else None


def _refused(request: Request, status: int, sentences: Sequence[str]) -> dict[str, Any]:
    choose = partial(_choose, request, sentences)
    return pages.refused(request, request.in_place(choose, request.user.id, is_cheap=True), status)


# The CSRF token is in the body, which this view reads and checks.
@post("import", _WRITE, "import", require_csrf=False, place=pages.Place.OWN)
def receive(request: Request) -> Any:
    settings, user_id = request.registry.settings, request.user.id
    max_bytes, region = settings["finance_api.imports.max_upload_bytes"], request.region
    max_seconds = settings["finance_api.imports.upload_seconds"]
    # Waiting for the browser needs no connection to the database.
    request.close_storage()
    try:
        with (
            request.services.downloads.running(user_id, wait_seconds=_PLACE_SECONDS),
            sent_files(
                request.body_file,
                request.environ.get("CONTENT_TYPE", ""),
                "file",
                lambda fields: require_token(request, fields.get("csrf_token", "")),
                length=request.content_length,
                max_bytes=max_bytes,
                max_seconds=max_seconds,
            ) as files,
        ):
            store = partial(_store, request, files)
            uploads, faults = request.in_place(store, user_id, is_cheap=True)
            is_too_large = any(file.is_too_large for file in files)
    except NotAForm:
        raise HTTPBadRequest from None
    except TooLarge:
        why = (
            f"The file is larger than {size(max_bytes, region)}, or several are larger than "
            f"{size(2 * max_bytes, region)} together, or there are more than {MOST_FILES}. Send "
            f"fewer at once, or export a shorter period from your bank."
        )
        return _refused(request, 413, [why])
    except TooSlow:
        why = f"The files did not arrive within {max_seconds} seconds. None was kept."
        return error_page(request, 408, why)
    _begin(request, *uploads)
    if faults:
        return _refused(request, 413 if is_too_large else 400, faults)
    return pages.SeeOther(_path(uploads[0]) if len(uploads) == 1 else UPLOADS)


def _store(request: Request, files: Sequence[SentFile]) -> tuple[list[Upload], list[str]]:
    """Store files that were sent. Return their uploads, and why other files were not stored."""
    settings, user_id = request.registry.settings, request.user.id
    room = settings["finance_api.imports.max_waiting_bytes"]
    max_bytes, now = settings["finance_api.imports.max_upload_bytes"], request.now
    uploads, faults, region = [], [], request.region
    with pages.writing_for_user(request) as storage:
        for file in files:
            about = "The file" if len(files) == 1 else file.name
            if not file.name:
                faults.append("Choose a file.")
            elif file.is_too_large:
                faults.append(
                    f"{about} is larger than {size(max_bytes, region)}. Export a shorter period "
                    f"from your bank, or import it on the server."
                )
            elif not file.size:
                faults.append(f"{about} is empty; there is nothing to import.")
            else:
                try:
                    uploads.append(
                        jobs.add_upload(
                            storage,
                            user_id,
                            name=file.name,
                            pieces=file.pieces(jobs.PIECE_BYTES),
                            size=file.size,
                            now=now,
                            max_waiting_bytes=room,
                        )
                    )
                except jobs.NoRoom:
                    faults.append(
                        f"{about} does not fit: your waiting files may take {size(room, region)} "
                        f"together. Import or discard some of them first."
                    )
    return uploads, faults


def _begin(request: Request, *uploads: Upload) -> None:
    """Start the work on uploads. The response waits briefly for a single upload; the list shows
    several.
    """
    user, running = replace(request.user, region=request.region.tag), _jobs(request)
    for upload in uploads:
        running.start(user, upload, origin_of(request))
    if len(uploads) == 1:

        def wait(request: Request, response: Response) -> None:
            running.wait_briefly(user.id, uploads[0].id, _WAIT_SECONDS)

        # When the request has left its place.
        request.add_response_callback(wait)


def _jobs(request: Request) -> jobs.UploadJobs:
    found: jobs.UploadJobs = request.registry.services.upload_jobs
    return found


def _path(upload: Upload) -> str:
    return f"{UPLOADS}/{upload.id}"


# -- one upload


@get("import.upload", _WRITE, "import_preview", place=pages.Place.CHEAP)
def show_upload(request: Request) -> dict[str, Any]:
    upload = _own_upload(request)
    if upload.state is UploadState.FAILED or _is_abandoned(request, upload):
        request.override_renderer = "import_failed.jinja2"
        why = upload.outcome["why"] if upload.state is UploadState.FAILED else _SILENT
        return pages.page("import", "Not imported", upload=upload, why=why)
    if upload.state in jobs.AT_WORK:
        request.override_renderer = "import_progress.jinja2"
        title = "Importing" if upload.state is UploadState.IMPORTING else "Checking"
        return pages.page("import", title, upload=upload, progress=_progress(request, upload))
    if upload.state is UploadState.ASKING:
        return _options_page(request, upload)
    return _preview_page(request, upload, None)


def _preview_page(request: Request, upload: Upload, error: str | None) -> dict[str, Any]:
    is_done = upload.state is UploadState.DONE
    user_id, now = request.user.id, request.now
    writer = PageWriter(request.region)
    return pages.page(
        "import",
        "Imported" if is_done else "Preview",
        upload=upload,
        is_done=is_done,
        found=upload.outcome,
        sums=_sums(upload.outcome["totals"]),
        can_follow=upload.outcome["format"] in BOOKS,
        unread=[
            column["heading"] or column["name"]
            for column in upload.outcome.get("columns", ())
            if column["values"] and not column["role"]
        ],
        label_of=_label_of,
        others=len(jobs.waiting_uploads(request.storage, user_id, now)) if is_done else 0,
        remarks=[writer.of_json(remark) for remark in upload.outcome["remarks"]],
        error=error,
    )


def _label_of(name: str) -> str:
    """Return the label of a field of records."""
    field = RECORDS.get_field(name)
    label = COLUMNS.get(name) or (name if field is None else label_of(field))
    return label.removesuffix(" column")


def _sums(totals: list[dict[str, Any]]) -> Mapping[str, Mapping[str, int]]:
    """Return money in and out by currency, never added up across currencies."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for total in totals:
        money = {name: total[name] for name in ("money_in", "money_out")}
        sums[total["currency"]].update(accounts=1, **money)
    return sums


@get("import.options", _WRITE, "import_options", place=pages.Place.CHEAP)
def show_options(request: Request) -> Any:
    upload = _own_upload(request)
    if upload.state not in _WAITING:
        return pages.SeeOther(_path(upload))
    return _options_page(request, upload, is_all=True)


def _options_page(
    request: Request, upload: Upload, given: Given | None = None, *, is_all: bool = False
) -> dict[str, Any]:
    """Return the variables of the form. given: a form that was sent with errors.

    is_all: whether to show the form even if the file leaves nothing open.
    """
    directory = request.registry.settings["finance_api.imports.profiles_directory"]
    try:
        profiles = load_profiles(directory).names
    except ImportRefused:
        # One of the operator's own profiles is faulty, as the refusal of the file says.
        profiles = []
    names = dict.fromkeys(name for _, name in named_options(pages.own_rows(request), ACCOUNTS))
    form = upload_form(upload, list(names), profiles, request.region, given)
    if form.is_asked:
        title = "More about this file"
    elif is_all or given is not None or upload.state is UploadState.READY:
        title = "Change how it is read"
    else:
        request.override_renderer = "import_refused.jinja2"
        return pages.page(
            "import", "Not imported", upload=upload, form=form, can_be_read=can_be_read(upload)
        )
    request.override_renderer = "import_options.jinja2"
    errors = {} if given is None else given.errors
    targets = {key: key for key in errors}
    return pages.page(
        "import", title, upload=upload, form=form, errors=errors, targets=targets, roles=ROLES
    )


@post("import.options", _WRITE, "import_options", place=pages.Place.CHEAP)
def choose_options(request: Request) -> Any:
    upload = _own_upload(request)
    given = read_form(upload, request.POST.dict_of_lists())
    if given.errors:
        return pages.refused(request, _options_page(request, upload, given))
    options = given.answered(upload)
    return _work(request, upload, _WAITING, UploadState.CHECKING, options=options)


@post("import.confirm", _WRITE, "import_preview", place=pages.Place.CHEAP)
def confirm(request: Request) -> Any:
    upload = _own_upload(request)
    saw = request.sent_text("revision") == str(upload.outcome.get("revision"))
    if upload.state is UploadState.READY and not saw:
        # The form was made for an earlier preview.
        return pages.refused(request, _preview_page(request, upload, _ELSEWHERE), 409)
    return _work(request, upload, (UploadState.READY,), UploadState.IMPORTING)


@post("import.again", _WRITE, place=pages.Place.CHEAP)
def try_again(request: Request) -> Any:
    upload = _own_upload(request)
    states = jobs.AT_WORK if _is_abandoned(request, upload) else (UploadState.FAILED,)
    return _work(request, upload, states, UploadState.CHECKING)


@post("import.discard", _WRITE, place=pages.Place.CHEAP)
def discard(request: Request) -> Response:
    upload = _own_upload(request)
    if upload.state is UploadState.IMPORTING and not _is_abandoned(request, upload):
        return pages.SeeOther(_path(upload))
    user_id = request.user.id
    with pages.writing_for_user(request) as storage:
        storage.uploads.delete(user_id, upload.id)
    _jobs(request).kill(user_id, upload.id)
    return pages.done(UPLOADS, "discarded")


def _work(
    request: Request,
    upload: Upload,
    states: tuple[UploadState, ...],
    state: UploadState,
    **changes: Any,
) -> Response:
    """Start the work of ``state``, and redirect to the upload's page.

    If the form was made for an earlier step of the upload, only redirect.
    """
    user_id, now = request.user.id, request.now
    if upload.state not in states or request.sent_text("step") != str(upload.step):
        return _current(upload)
    try:
        with pages.writing_for_user(request) as storage:
            begun = storage.uploads.change(
                user_id, upload, state=state, alive_at=now, worker=jobs.this_worker(), **changes
            )
    except Conflict:
        return _current(_own_upload(request))
    _begin(request, begun)
    return pages.SeeOther(_path(begun))


def _current(upload: Upload) -> Response:
    """Redirect to the upload's page, after a form that was made for an earlier step."""
    if upload.state is UploadState.IMPORTING:
        # A double click. The page shows the progress, then the result.
        return pages.SeeOther(_path(upload))
    notice = "already-imported" if upload.state is UploadState.DONE else "changed-elsewhere"
    return pages.SeeOther(f"{_path(upload)}?done={notice}")


def _own_upload(request: Request) -> Upload:
    """Return the upload in the path; raise a 404 if the user has no such upload."""
    user_id, now = request.user.id, request.now
    return jobs.get_upload(request.storage, user_id, request.path_text("id"), now)


def _is_abandoned(request: Request, upload: Upload) -> bool:
    """Whether the process that worked on the upload seems to be gone."""
    key = (request.user.id, upload.id)
    is_silent = jobs.is_abandoned(upload, request.now)
    if not is_silent or key in _jobs(request).running:
        return False
    if jobs.is_gone(upload.worker):
        return True
    try:
        with pages.writing(request):
            return True
    except StorageUnavailable:
        # The process may still be importing. SQLite then refuses all other writers, even when the
        # process reports its own progress, so it only seems to be gone.
        return False
