"""Bringing data in: choose a file, see what it is, give what is missing, preview, confirm."""

from collections.abc import Mapping
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth.auditing import origin_of
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import UPLOADS
from finance_api.importers import NATIVE
from finance_api.importers.csv import load_profiles
from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS
from finance_api.runtime.time_limit import no_time_limit
from finance_api.storage.errors import Conflict, NotFound, StorageUnavailable
from finance_api.storage.interface import Upload, UploadState
from finance_api.uploads.jobs import UploadJobs
from finance_api.uploads.stored_uploads import (
    AT_WORK,
    LIFE_SECONDS,
    MOST_WAITING,
    TooManyUploads,
    add_upload,
    get_upload,
    is_abandoned,
    waiting_uploads,
)
from finance_api.uploads.worker import is_gone, this_worker
from finance_api.web.csrf import require_token
from finance_api.web.errors import error_page
from finance_api.web.forms import named_options
from finance_api.web.option_labels import in_labels
from finance_api.web.page import (
    SeeOther,
    done,
    form_text,
    identity_of,
    own_rows,
    page,
    path_text,
    writing,
    writing_for_user,
)
from finance_api.web.receiving import SentFile, TooLarge, TooSlow, sent_file
from finance_api.web.upload_form import given_in, upload_form

#: How long an upload waits until another one has been received: a browser cannot send it again.
_PLACE_SECONDS = 5
#: How long a request waits for the work at an upload: most files are small.
_WAIT_SECONDS = 1.5
_SILENT = "The server stopped while it was reading this file. Nothing was changed."
_ELSEWHERE = "This file was changed in another window. This is how it is now."


@view_config(
    route_name="import",
    request_method="GET",
    renderer="import.jinja2",
    permission=Permission.DATA_WRITE,
)
def show_uploads(request: Request) -> dict[str, Any]:
    return _choose(request, {})


def _choose(request: Request, errors: dict[str, str]) -> dict[str, Any]:
    user_id, now = identity_of(request).user.id, request.services.clock.now()
    return page(
        "import",
        "Import",
        errors=errors,
        uploads=waiting_uploads(request.storage, user_id, now),
        max_bytes=_max_bytes(request),
        life_seconds=LIFE_SECONDS,
        is_lasting=request.services.storage.persistent,
    )


def _refused(request: Request, status: int, sentence: str) -> dict[str, Any]:
    request.response.status_int = status
    # The request's time went into receiving the file.
    with no_time_limit():
        return _choose(request, {"file": sentence})


def _max_bytes(request: Request) -> int:
    found: int = request.registry.settings["finance_api.imports.max_upload_bytes"]
    return found


@view_config(
    route_name="import",
    request_method="POST",
    renderer="import.jinja2",
    permission=Permission.DATA_WRITE,
    # The token is in the body, which is read here.
    require_csrf=False,
)
def receive(request: Request) -> Any:
    max_seconds = request.registry.settings["finance_api.imports.upload_seconds"]
    # The thread waits for the browser: a connection to the database need not.
    request.close_storage()
    try:
        with (
            request.services.downloads.running(
                identity_of(request).user.id, wait_seconds=_PLACE_SECONDS
            ),
            sent_file(
                request,
                "file",
                lambda fields: require_token(request, fields.get("csrf_token", "")),
                max_bytes=_max_bytes(request),
                max_seconds=max_seconds,
            ) as sent,
        ):
            upload = _receive(request, sent)
    except _NothingSent as error:
        return _refused(request, 400, str(error))
    except TooLarge:
        megabytes = f"{_max_bytes(request) / (1 << 20):.3g}"
        why = f"The file is larger than {megabytes} MB. Export a shorter period from your bank"
        return _refused(request, 413, f"{why}, or import it on the server.")
    except TooSlow:
        why = f"The file did not arrive within {max_seconds} seconds. Nothing of it is kept."
        return error_page(request, 408, why)
    except TooManyUploads:
        return _refused(
            request,
            400,
            f"{MOST_WAITING} files are waiting already. Import or discard one of them first.",
        )
    return _begin(request, upload)


class _NothingSent(Exception):
    """The message says what is missing."""


def _receive(request: Request, sent: SentFile) -> Upload:
    """Store the file. Raises _NothingSent, TooManyUploads."""
    if not sent.name:
        raise _NothingSent("Choose a file.")
    if not sent.size:
        raise _NothingSent("The file is empty; there is nothing to import.")
    now = request.services.clock.now()
    user = identity_of(request).user
    with writing_for_user(request) as storage:
        return add_upload(
            storage, user.id, name=sent.name, content=sent.content, size=sent.size, now=now
        )


def _begin(request: Request, upload: Upload) -> Response:
    """Start the work, and show what comes of it."""
    user, jobs = identity_of(request).user, _jobs(request)
    jobs.start(user, upload, origin_of(request))
    jobs.wait_briefly(user.id, upload.id, _WAIT_SECONDS)
    return SeeOther(_path(upload))


def _jobs(request: Request) -> UploadJobs:
    jobs: UploadJobs = request.registry.services.upload_jobs
    return jobs


def _path(upload: Upload) -> str:
    return f"{UPLOADS}/{upload.id}"


# -- one upload


@view_config(
    route_name="import.upload",
    request_method="GET",
    renderer="import_preview.jinja2",
    permission=Permission.DATA_WRITE,
)
def show_upload(request: Request) -> dict[str, Any]:
    upload = _found(request)
    if upload.state is UploadState.FAILED or _is_abandoned(request, upload):
        request.override_renderer = "import_failed.jinja2"
        why = upload.outcome["why"] if upload.state is UploadState.FAILED else _SILENT
        return page("import", "Not imported", upload=upload, why=why)
    if upload.state in AT_WORK:
        request.override_renderer = "import_progress.jinja2"
        return page(
            "import",
            "Importing" if upload.state is UploadState.IMPORTING else "Checking",
            upload=upload,
        )
    if upload.state is UploadState.ASKING:
        return _options_page(request, upload, {})
    return _preview_page(request, upload, None)


def _preview_page(request: Request, upload: Upload, error: str | None) -> dict[str, Any]:
    title = "Imported" if upload.state is UploadState.DONE else "Preview"
    return page(
        "import",
        title,
        upload=upload,
        is_done=upload.state is UploadState.DONE,
        found=upload.outcome,
        sums=_sums(upload.outcome["totals"]),
        remarks=[in_labels(remark) for remark in upload.outcome["remarks"]],
        error=error,
    )


def _sums(totals: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Money in and out by currency, never added up across them."""
    sums: dict[str, dict[str, int]] = {}
    for total in totals:
        of = sums.setdefault(total["currency"], {"accounts": 0, "money_in": 0, "money_out": 0})
        of["accounts"] += 1
        of["money_in"] += total["money_in"]
        of["money_out"] += total["money_out"]
    return sums


@view_config(
    route_name="import.options",
    request_method="GET",
    renderer="import_options.jinja2",
    permission=Permission.DATA_WRITE,
)
def show_options(request: Request) -> Any:
    upload = _found(request)
    if upload.state not in (UploadState.READY, UploadState.ASKING):
        return SeeOther(_path(upload))
    return _options_page(request, upload, {})


def _options_page(request: Request, upload: Upload, errors: dict[str, str]) -> dict[str, Any]:
    directory = request.registry.settings["finance_api.imports.profiles_directory"]
    try:
        profiles = load_profiles(directory).names
    except ImportRefused:
        # One of the operator's own is faulty: the refusal of the file says so.
        profiles = []
    accounts = named_options(own_rows(request), ACCOUNTS)
    names = list(dict.fromkeys(name for _, name in accounts))
    request.override_renderer = "import_options.jinja2"
    return page(
        "import",
        _title(upload),
        upload=upload,
        form=upload_form(upload, names, profiles),
        errors=errors,
    )


def _title(upload: Upload) -> str:
    if upload.state is not UploadState.ASKING:
        return "Change how it is read"
    can_be_read = upload.outcome["format"] not in (None, NATIVE)
    return "More about this file" if can_be_read else "Not imported"


@view_config(
    route_name="import.options",
    request_method="POST",
    renderer="import_options.jinja2",
    permission=Permission.DATA_WRITE,
)
def choose_options(request: Request) -> Any:
    upload = _found(request)
    sent: Mapping[str, Any] = request.POST.dict_of_lists()
    try:
        given = given_in(upload, sent)
    except ValueError as error:
        request.response.status_int = 400
        return _options_page(request, upload, {"form": str(error)})
    states = (UploadState.READY, UploadState.ASKING)
    return _work(request, upload, states, UploadState.CHECKING, options=given)


@view_config(
    route_name="import.confirm",
    request_method="POST",
    renderer="import_preview.jinja2",
    permission=Permission.DATA_WRITE,
)
def confirm(request: Request) -> Any:
    upload = _found(request)
    saw = form_text(request, "revision") == str(upload.outcome.get("revision"))
    if upload.state is UploadState.READY and not saw:
        # Of a preview that was made anew since.
        request.response.status_int = 409
        return _preview_page(request, upload, _ELSEWHERE)
    return _work(request, upload, (UploadState.READY,), UploadState.IMPORTING)


@view_config(route_name="import.again", request_method="POST", permission=Permission.DATA_WRITE)
def try_again(request: Request) -> Any:
    upload = _found(request)
    states = AT_WORK if _is_abandoned(request, upload) else (UploadState.FAILED,)
    return _work(request, upload, states, UploadState.CHECKING)


@view_config(route_name="import.discard", request_method="POST", permission=Permission.DATA_WRITE)
def discard(request: Request) -> Response:
    upload = _found(request)
    if upload.state is UploadState.IMPORTING and not _is_abandoned(request, upload):
        return SeeOther(_path(upload))
    user_id = identity_of(request).user.id
    with writing_for_user(request) as storage:
        storage.uploads.delete(user_id, upload.id)
    _jobs(request).kill(user_id, upload.id)
    return done(UPLOADS, "discarded")


def _work(
    request: Request,
    upload: Upload,
    states: tuple[UploadState, ...],
    state: UploadState,
    **changes: Any,
) -> Response:
    """Begins the work of a state, if the form was of the upload as it is; else shows that."""
    user_id, now = identity_of(request).user.id, request.services.clock.now()
    if upload.state not in states or form_text(request, "step") != str(upload.step):
        return _as_it_is(upload)
    try:
        with writing_for_user(request) as storage:
            begun = storage.uploads.change(
                user_id, upload, state=state, alive_at=now, worker=this_worker(), **changes
            )
    except Conflict:
        return _as_it_is(_found(request))
    except NotFound:
        raise HTTPNotFound() from None
    return _begin(request, begun)


def _as_it_is(upload: Upload) -> Response:
    """Redirect to the upload's page, after a form that was made for an earlier step."""
    if upload.state is UploadState.IMPORTING:
        # A double click. The page shows the progress, then the result.
        return SeeOther(_path(upload))
    notice = "already-imported" if upload.state is UploadState.DONE else "changed-elsewhere"
    return SeeOther(f"{_path(upload)}?done={notice}")


def _found(request: Request) -> Upload:
    """The upload of the path, of this user. Raises HTTPNotFound."""
    user_id, now = identity_of(request).user.id, request.services.clock.now()
    try:
        return get_upload(request.storage, user_id, path_text(request, "id"), now)
    except NotFound:
        raise HTTPNotFound() from None


def _is_abandoned(request: Request, upload: Upload) -> bool:
    """Whether the process that worked at it seems to be gone."""
    key = (identity_of(request).user.id, upload.id)
    is_silent = is_abandoned(upload, request.services.clock.now())
    if not is_silent or key in _jobs(request).running:
        return False
    if is_gone(upload.worker):
        return True
    try:
        with writing(request):
            return True
    except StorageUnavailable:
        # Perhaps it writes: SQLite lets nobody else write then, not even that one is alive.
        return False
