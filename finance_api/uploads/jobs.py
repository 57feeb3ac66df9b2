"""Users' uploads: storing them, and working on them outside of requests.

A process works on two uploads at a time, within limits, and serves users in turn.
"""

import logging
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from finance_api.runtime import limited_process
from finance_api.runtime.background import Periodic
from finance_api.runtime.clock import Clock
from finance_api.runtime.metrics import Metrics
from finance_api.storage.errors import Conflict, NotFound, StorageError
from finance_api.storage.interface import (
    Storage,
    StorageBackend,
    Upload,
    UploadState,
    User,
    WritableStorage,
    reading,
    unit_of_work,
)
from finance_api.uploads.work import Progress, UploadWork, run_in_child
from finance_api.values.ids import new_id

logger = logging.getLogger(__name__)

#: The number of uploads that a process works on at the same time.
_MOST_AT_ONCE = 2
#: How often a process reports that it is alive, and looks for uploads discarded elsewhere.
_ALIVE_SECONDS = 2
#: When this process stops, running work has this long to end before it is killed and rolled back.
_STOP_SECONDS = 10

_UNAVAILABLE = (
    "The database was unavailable, perhaps because another import was running. Nothing was changed."
)
_UNEXPECTED = "Something went wrong on the server. Nothing was changed."
_LIMIT = (
    "Reading this file takes {}. Nothing was changed. Export a shorter period from your bank, "
    "several times if need be, or import the file on the server."
)
_DIED = (
    "Reading this file ended unexpectedly. Nothing was changed. The file may be damaged: download "
    "it again, or export a shorter period."
)


LIFE_SECONDS = 3_600
#: Files are stored in pieces of this size. A smaller file counts as a whole piece, because a file
#: takes more space than its bytes.
PIECE_BYTES = 1 << 18
#: A process that works on an upload and has not reported for this long counts as dead.
DEAD_SECONDS = 60

#: The states in which a process works on an upload.
AT_WORK = (UploadState.CHECKING, UploadState.IMPORTING)
_NOT_WAITING = (UploadState.DONE, UploadState.FORM)


class NoRoom(Exception):
    """The user's waiting uploads leave no room for another one of this size."""


def get_upload(storage: Storage, user_id: int, upload_id: str, now: int) -> Upload:
    """Return an upload. Raises NotFound, also for an expired upload."""
    upload = storage.uploads.get(user_id, upload_id)
    if is_over(upload, now) or upload.state is UploadState.FORM:
        raise NotFound("the upload is too old")
    return upload


def waiting_uploads(storage: Storage, user_id: int, now: int) -> list[Upload]:
    """Return the user's uploads that are not imported yet, oldest first, then by name."""
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
    """Return whether the upload's process has ended, or has not reported for a minute."""
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

    pieces: the content, in pieces of PIECE_BYTES. max_waiting_bytes: the limit for all waiting
    files of the user together.
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


def prune_uploads(storage: WritableStorage, now: int) -> None:
    storage.uploads.prune(created_before=now - LIFE_SECONDS + 1, alive_before=now - DEAD_SECONDS)


def this_worker() -> str:
    """Return the name of this process: its host, the host's boot, its process id and start time."""
    return _worker(os.getpid())


def is_gone(worker: str) -> bool:
    """Return whether a process has certainly ended; False for processes of other hosts."""
    place, _, pid = worker.rpartition("/")[0].rpartition("/")
    if not this_worker().startswith(f"{place}/"):
        return False
    return worker != _worker(int(pid))


def _worker(pid: int) -> str:
    """Return the name of a process, with an empty start time if the process has ended."""
    boot, started = "", ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        # The command, in parentheses, may contain anything. The start time is 20 fields later.
        status = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        started = status.rpartition(")")[2].split()[19]
    return f"{socket.gethostname()}/{boot}/{pid}/{started}"


class _Job:
    """The work on one upload. ended: set when the work is over."""

    def __init__(self, user: User, upload: Upload, origin: str) -> None:
        self.user = user
        self.upload = upload
        self.origin = origin
        self.has_begun = False
        self.progress: Progress | None = None
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._is_killed = False
        self._process: limited_process.LimitedProcess | None = None

    def kill(self) -> None:
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                self._process.kill()

    def run_process(self, make: Callable[[], limited_process.LimitedProcess]) -> Any:
        """Run a process, which `kill` can end, and return its result."""
        with self._lock:
            if self._is_killed:
                raise limited_process.ProcessKilled
            process = self._process = make()
        return process.result()

    def note(self, progress: Progress) -> None:
        self.progress = progress

    def current(self) -> Upload:
        """Return the upload. While it is checked, its outcome contains the progress."""
        with self._lock:
            if self._process is not None:
                self.progress = self._process.reported
        if self.upload.state is UploadState.IMPORTING:
            return self.upload
        return replace(self.upload, outcome={"progress": self.progress})


class UploadJobs:
    """The work on uploads in one process."""

    def __init__(
        self, backend: StorageBackend, clock: Clock, settings: Mapping[str, Any], metrics: Metrics
    ) -> None:
        self._backend = backend
        self._clock = clock
        self._settings = dict(settings)
        self._limits = limited_process.Limits(
            memory_mb=settings["finance_api.imports.max_memory_mb"],
            cpu_seconds=settings["finance_api.imports.max_cpu_seconds"],
            seconds=settings["finance_api.imports.max_seconds"],
        )
        self._metrics = metrics
        self._turns = Turns(_MOST_AT_ONCE)
        self._waiter = threading.Lock()
        self._lock = threading.Lock()
        #: The jobs by user id and upload id.
        self._jobs: dict[tuple[int, str], _Job] = {}
        self._watch = Periodic("uploads", _ALIVE_SECONDS, self._look, last=False)

    def start(self, user: User, upload: Upload, origin: str) -> None:
        """Begin the work on an upload that is stored as CHECKING or IMPORTING.

        origin: see `WritableStorage`.
        """
        self._watch.start()
        job = _Job(user, upload, origin)
        with self._lock:
            self._jobs[user.id, upload.id] = job
        self._turns.add(user.id, lambda: self._run(job))

    def wait(self, user_id: int, upload_id: str, seconds: float | None = None) -> None:
        """Wait until the work on an upload ends, or the time has passed."""
        with self._lock:
            job = self._jobs.get((user_id, upload_id))
        if job is not None:
            job.ended.wait(seconds)

    def wait_briefly(self, user_id: int, upload_id: str, seconds: float) -> None:
        """Wait unless another request waits: each waiting request keeps a server thread busy."""
        if self._waiter.acquire(blocking=False):
            try:
                self.wait(user_id, upload_id, seconds)
            finally:
                self._waiter.release()

    def kill(self, user_id: int, upload_id: str) -> None:
        """End the work on an upload that was discarded."""
        with self._lock:
            job = self._jobs.get((user_id, upload_id))
        if job is not None:
            job.kill()

    def progress(self, user_id: int, upload: Upload) -> Progress | None:
        """Return the progress of the work on an upload, wherever it runs; None if unknown.

        Only the process that runs an import knows its progress, which is not stored.
        """
        with self._lock:
            job = self._jobs.get((user_id, upload.id))
        if job is not None and job.current().step == upload.step:
            return job.progress
        return upload.outcome.get("progress")

    @property
    def running(self) -> list[tuple[int, str]]:
        """The user id and upload id of each upload that this process works on or has queued."""
        with self._lock:
            return list(self._jobs)

    def stop(self) -> None:
        with self._lock:
            jobs = list(self._jobs.values())
        begun = [job for job in jobs if job.has_begun]
        for job in begun:
            job.ended.wait(_STOP_SECONDS / len(begun))
        for job in jobs:
            job.kill()
        self._watch.stop()

    def _run(self, job: _Job) -> None:
        """Do a job. Raises nothing."""
        job.has_begun = True
        try:
            outcome = self._work(job)
            if outcome is not None:
                self._metrics.imports(outcome).inc()
        except limited_process.ProcessKilled:
            logger.info("uploads: work on a discarded file was ended")
        except (NotFound, Conflict) as error:
            # The upload was discarded or changed, or its user deleted: nobody waits for this.
            logger.info("uploads: %s", error)
        except limited_process.LimitExceeded as error:
            self._fail(job, _LIMIT.format(error))
        except limited_process.ProcessDied as error:
            logger.error("uploads: the process that read a file died: %s", error)
            self._fail(job, _DIED)
        except StorageError as error:
            logger.error("uploads: %s", error)
            self._fail(job, _UNAVAILABLE)
        except Exception as error:
            # The message may contain the user's data.
            logger.error("uploads: unexpected %s", type(error).__name__, exc_info=error)
            self._fail(job, _UNEXPECTED)
        finally:
            with self._lock:
                # A later step of the same upload may have begun.
                if self._jobs.get((job.user.id, job.upload.id)) is job:
                    del self._jobs[job.user.id, job.upload.id]
            job.ended.set()

    def _work(self, job: _Job) -> str | None:
        arguments = self._settings, job.user, job.upload, self._clock.now(), job.origin
        if not self._backend.persistent:
            # No other process can see this storage.
            return UploadWork(self._backend, *arguments, job.note).run()
        outcome: str | None = job.run_process(
            lambda: limited_process.LimitedProcess(self._limits, run_in_child, *arguments)
        )
        return outcome

    def _fail(self, job: _Job, why: str) -> None:
        upload = job.upload
        if upload.state is UploadState.IMPORTING:
            self._metrics.imports("failed").inc()
        outcome = {**upload.outcome, "why": why}
        try:
            with unit_of_work(self._backend) as storage:
                storage.uploads.change(
                    job.user.id, upload, state=UploadState.FAILED, outcome=outcome
                )
        except StorageError as error:
            # The page will notice that nobody works on the upload any more.
            logger.error("uploads: %s", error)

    def _look(self) -> None:
        """Note that this process is alive, and end work on uploads discarded in other processes."""
        with self._lock:
            jobs = dict(self._jobs)
        for (user_id, upload_id), job in jobs.items():
            try:
                with reading(self._backend) as storage:
                    stored = storage.uploads.get(user_id, upload_id)
            except NotFound:
                job.kill()
            except StorageError:
                continue
            else:
                if stored.state in AT_WORK and stored.step != job.upload.step:
                    job.kill()
        # SQLite refuses other writers during an import; pages take the refusal as a sign of life.
        with suppress(StorageError), unit_of_work(self._backend, lock_timeout_seconds=1) as storage:
            alive = [(user_id, job.current()) for (user_id, _), job in jobs.items()]
            storage.uploads.set_alive(alive, self._clock.now())


class Turns:
    """Runs jobs in threads of their own.

    most: how many jobs run at once. A user's own jobs run one after the other, in order, so
    nobody waits for more than one job of each other user.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        #: The waiting jobs by user id; the user whose turn is next comes first.
        self._waiting: dict[int, deque[Callable[[], None]]] = {}
        self._busy: set[int] = set()

    def add(self, user_id: int, job: Callable[[], None]) -> None:
        """Run a job, which must raise nothing, when it is its turn."""
        with self._lock:
            self._waiting.setdefault(user_id, deque()).append(job)
            self._start_next()

    def _start_next(self) -> None:
        while len(self._busy) < self._most:
            user_id = next((user for user in self._waiting if user not in self._busy), None)
            if user_id is None:
                return
            job = self._waiting[user_id].popleft()
            self._busy.add(user_id)
            name = f"upload of user {user_id}"
            threading.Thread(target=self._run, args=(user_id, job), name=name, daemon=True).start()

    def _run(self, user_id: int, job: Callable[[], None]) -> None:
        try:
            job()
        finally:
            with self._lock:
                self._busy.remove(user_id)
                # A user who was just served goes behind everybody else.
                left = self._waiting.pop(user_id)
                if left:
                    self._waiting[user_id] = left
                self._start_next()
