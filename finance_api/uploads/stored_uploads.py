"""Users' stored uploads: their number, lifetime and content, and the process working on each."""

import os
import socket
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import (
    Storage,
    StorageBackend,
    Upload,
    UploadState,
    WritableStorage,
    reading,
)
from finance_api.values.ids import new_id

LIFE_SECONDS = 3_600
#: Also the size that a smaller file counts as, as each one takes more than its bytes.
PIECE_BYTES = 1 << 18
#: A process working on an upload reports every few seconds; if silent this long, it counts as dead.
DEAD_SECONDS = 60

#: The states in which a process works on an upload.
AT_WORK = (UploadState.CHECKING, UploadState.IMPORTING)
_NOT_WAITING = (UploadState.DONE, UploadState.FORM)
#: A user can have this many kept forms; another one replaces the oldest.
_MAX_FORMS = 5


class NoRoom(Exception):
    """The user's waiting uploads leave no room for another one of this size."""


def get_upload(storage: Storage, user_id: int, upload_id: str, now: int) -> Upload:
    """Raises NotFound, also for an expired upload."""
    upload = storage.uploads.get(user_id, upload_id)
    if is_over(upload, now) or upload.state is UploadState.FORM:
        raise NotFound("the upload is too old")
    return upload


def waiting_uploads(storage: Storage, user_id: int, now: int) -> list[Upload]:
    """The user's uploads that are not imported yet, oldest first, within a second by name."""
    found = [
        upload
        for upload in storage.uploads.list_by_user(user_id)
        if upload.state not in _NOT_WAITING and not is_over(upload, now)
    ]
    return sorted(found, key=lambda upload: (upload.created_at, upload.name))


def is_over(upload: Upload, now: int) -> bool:
    is_old = upload.created_at <= now - LIFE_SECONDS
    return is_old and not (upload.state in AT_WORK and upload.alive_at > now - DEAD_SECONDS)


def is_abandoned(upload: Upload, now: int) -> bool:
    """Whether the upload's process has ended, or has not reported for a minute."""
    is_silent = upload.alive_at <= now - DEAD_SECONDS
    return upload.state in AT_WORK and (is_silent or is_gone(upload.worker))


def add_upload(
    storage: WritableStorage,
    user_id: int,
    *,
    name: str,
    pieces: Iterable[bytes],
    size: int,
    now: int,
    max_waiting_bytes: int,
) -> Upload:
    """Store a file. The user must be locked. Raises NoRoom, NotFound.

    pieces: the content, in pieces of PIECE_BYTES. max_waiting_bytes: of all files that wait.
    """
    sizes = [size, *(upload.size for upload in waiting_uploads(storage, user_id, now))]
    if sum(max(each, PIECE_BYTES) for each in sizes) > max_waiting_bytes:
        raise NoRoom
    upload = Upload(
        id=new_id(),
        name=name,
        size=size,
        created_at=now,
        state=UploadState.CHECKING,
        alive_at=now,
        worker=this_worker(),
    )
    storage.uploads.add(user_id, upload, pieces)
    return upload


def keep_form(
    storage: WritableStorage, user_id: int, *, path: str, content: bytes, now: int
) -> Upload:
    """Store a form that waits for its user. The user must be locked. Raises NotFound.

    path: of the form's page. content: at most PIECE_BYTES.
    """
    uploads = storage.uploads.list_by_user(user_id)
    forms = [upload for upload in uploads if upload.state is UploadState.FORM]
    for form in forms[: max(0, len(forms) + 1 - _MAX_FORMS)]:
        storage.uploads.delete(user_id, form.id)
    form = Upload(id=new_id(), name=path, size=len(content), created_at=now, state=UploadState.FORM)
    storage.uploads.add(user_id, form, [content])
    return form


def get_kept_form(storage: Storage, user_id: int, form_id: str, now: int) -> tuple[str, bytes]:
    """Return the path and the content of a kept form. Raises NotFound, also if it is too old."""
    form = storage.uploads.get(user_id, form_id)
    if form.state is not UploadState.FORM or is_over(form, now):
        raise NotFound("there is no such form")
    return form.name, storage.uploads.get_piece(user_id, form_id, 0)


@contextmanager
def content_of(backend: StorageBackend, user_id: int, upload: Upload) -> Iterator[BinaryIO]:
    """The content, in a temporary file without a name. Raises NotFound."""
    with tempfile.TemporaryFile() as copy:
        number = 0
        while copy.tell() < upload.size:
            with reading(backend) as storage:
                piece = storage.uploads.get_piece(user_id, upload.id, number)
            if not piece:
                raise NotFound("the content of the upload no longer exists")
            copy.write(piece)
            number += 1
        copy.seek(0)
        yield copy


def prune_uploads(storage: WritableStorage, now: int) -> None:
    storage.uploads.prune(created_before=now - LIFE_SECONDS + 1, alive_before=now - DEAD_SECONDS)


def this_worker() -> str:
    """The name of this process: host, its boot, process id and when the process started."""
    return _worker(os.getpid())


def is_gone(worker: str) -> bool:
    """Whether a process of this host has certainly ended; False for processes of other hosts."""
    place, _, pid = worker.rpartition("/")[0].rpartition("/")
    if not this_worker().startswith(f"{place}/"):
        return False
    return worker != _worker(int(pid))


def _worker(pid: int) -> str:
    """The name of a process. The start is empty if the process has ended."""
    boot, started = "", ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        # The command, in parentheses, may contain anything. The start is 19 fields after it.
        status = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        started = status.rpartition(")")[2].split()[19]
    return f"{socket.gethostname()}/{boot}/{pid}/{started}"
