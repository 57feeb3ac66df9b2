"""Checking an upload, which stores nothing, and importing it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.importing import (
    ImportOrder,
    ImportSettings,
    Step,
    import_file,
    make_order,
    nothing_more,
)
from finance_api.ledger.report import ImportReport
from finance_api.ledger.session import LedgerSession
from finance_api.storage import open_backend
from finance_api.storage.interface import (
    StorageBackend,
    Upload,
    UploadState,
    User,
    unit_of_work,
)
from finance_api.uploads.outcomes import preview_of, refusal_of
from finance_api.uploads.stored_uploads import content_of

#: A process that checks a file leaves the processor to the ones that answer requests.
_NICENESS = 5


class _DataMoved(Exception):
    """The data has changed since the preview."""


@dataclass(frozen=True)
class UploadWork:
    """Does the work of the upload's state, and stores the outcome.

    upload: CHECKING or IMPORTING. now: the time, in seconds. origin: see `WritableStorage`.
    """

    backend: StorageBackend
    settings: ImportSettings
    user: User
    upload: Upload
    now: int
    origin: str

    def run(self) -> str | None:
        """Return the outcome of an import, "done" or "refused"; None after a check.

        Raises NotFound or Conflict if the upload was discarded or changed meanwhile, StorageError.
        """
        if self.upload.state is UploadState.IMPORTING:
            return self._import()
        self._check()
        return None

    def _check(self, *, moved: bool = False) -> None:
        preview: dict[str, Any] = {"moved": moved}

        def end(session: LedgerSession, report: ImportReport) -> None:
            preview.update(preview_of(session, report))

        order = self._run_import(dry_run=True, end=end)
        if order is not None:
            preview["headings"] = order.headings
            self._store(UploadState.READY, preview)

    def _import(self) -> str | None:
        """Import the file and store the outcome in one transaction: both or neither."""

        def begin(session: LedgerSession, report: ImportReport) -> None:
            if session.before.tag != self.upload.outcome["tag"]:
                raise _DataMoved

        def end(session: LedgerSession, report: ImportReport) -> None:
            uploads, outcome = session.storage.uploads, preview_of(session, report)
            uploads.change(self.user.id, self.upload, state=UploadState.DONE, outcome=outcome)
            uploads.drop_content(self.user.id, self.upload.id)

        try:
            order = self._run_import(dry_run=False, begin=begin, end=end)
        except _DataMoved:
            self._check(moved=True)
            return None
        return "refused" if order is None else "done"

    def _run_import(
        self, *, dry_run: bool, end: Step, begin: Step = nothing_more
    ) -> ImportOrder | None:
        """Return the order if the file was read to its end; otherwise store why it is refused."""
        order: ImportOrder | None = None
        with content_of(self.backend, self.user.id, self.upload) as stream:
            try:
                order = make_order(
                    stream,
                    self.upload.options,
                    self.settings,
                    email=self.user.email,
                    name=self.upload.name,
                    now=self.now,
                    origin=self.origin,
                    dry_run=dry_run,
                )
                import_file(self.backend, order, begin=begin, end=end)
            except ImportRefused as refused:
                self._store(UploadState.ASKING, refusal_of(refused, order))
                return None
        return order

    def _store(self, state: UploadState, outcome: dict[str, Any]) -> None:
        with unit_of_work(self.backend) as storage:
            storage.uploads.change(self.user.id, self.upload, state=state, outcome=outcome)


def run_in_child(
    settings: Mapping[str, Any], user: User, upload: Upload, now: int, origin: str
) -> str | None:
    """`UploadWork.run` for a process of its own, which opens the storage for itself."""
    if upload.state is UploadState.CHECKING:
        os.nice(_NICENESS)
    backend = open_backend(settings)
    try:
        work = UploadWork(backend, ImportSettings.of(settings), user, upload, now, origin)
        return work.run()
    finally:
        backend.close()
